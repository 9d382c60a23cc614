/// @file
/// @brief  The launch numbers of reductions.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/reduce_config.hpp>

namespace parprims::detail::device {

/// The configuration of a call that names none.
inline constexpr tuning_row<reduce_config> reduce_tuning[] = {
    {75, 1, false, {512, 1, 0}},  {90, 1, true, {512, 1, 0}},    {90, 33, true, {512, 2, 0}},
    {100, 1, false, {512, 1, 0}}, {100, 33, false, {512, 2, 0}},
};

}  // namespace parprims::detail::device
