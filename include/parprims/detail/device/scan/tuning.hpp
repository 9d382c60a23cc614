/// @file
/// @brief  The launch numbers of scans.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/scan_config.hpp>

namespace parprims::detail::device {

/// The configuration of a call that names none.
inline constexpr tuning_row<scan_config> scan_tuning[] = {
    {75, 1, false, {scan_config::single_pass, 256, 1, 2}},  {80, 1, false, {scan_config::single_pass, 256, 2, 2}},
    {86, 1, false, {scan_config::single_pass, 256, 1, 2}},  {90, 1, true, {scan_config::single_pass, 256, 3, 2}},
    {100, 1, false, {scan_config::single_pass, 256, 3, 2}},
};

}  // namespace parprims::detail::device
