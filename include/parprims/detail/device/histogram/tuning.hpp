/// @file
/// @brief  The launch numbers of histograms.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/histogram_config.hpp>

namespace parprims::detail::device {

/// The configuration of a call that names none.
inline constexpr tuning_row<histogram_config> histogram_tuning[] = {
    {75, 1, false, {histogram_config::automatic, 1024, 1, 0}},
    {90, 1, true, {histogram_config::automatic, 1024, 1, 0}},
    {100, 1, false, {histogram_config::automatic, 1024, 1, 0}},
};

}  // namespace parprims::detail::device
