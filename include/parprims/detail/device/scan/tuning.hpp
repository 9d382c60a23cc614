/// @file
/// @brief  The launch numbers of scans.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/scan_config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none.
inline constexpr tuning_row<scan_config> scan_tuning[] = {
    {75, 1, false, {scan_config::single_pass, 256, 1, 2}},  {80, 1, false, {scan_config::single_pass, 256, 2, 2}},
    {86, 1, false, {scan_config::single_pass, 256, 1, 2}},  {90, 1, true, {scan_config::single_pass, 256, 3, 2}},
    {100, 1, false, {scan_config::single_pass, 256, 3, 2}},
};

/// Bytes of status words that blocks with a tile each zero again; more are scratch that is zeroed first.
inline constexpr std::size_t max_scan_zeroed_bytes = 8 * 1024;
/// Memory that the small scans of a stream share. The workspace has room for as much.
inline constexpr std::size_t small_scan_bytes = 12 * 1024;
/// How often a lane of a small scan looks for an aggregate before its block leaves its tile to the last one to arrive.
inline constexpr unsigned max_spins = 1 << 14;

}  // namespace parprims::detail::device
