/// @file
/// @brief  The launch numbers of weighted histograms. None can change a result. "Not compared" marks a number for which no
///         alternative has been timed.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/histogram_config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none. 2^28 floats in 1024 bins, on an H200: 545 us, with blocks of 512 three on a
/// multiprocessor 628.
inline constexpr tuning_row<histogram_config> weighted_tuning[] = {
    {75, 1, false, {histogram_config::automatic, 1024, 1, 0}},
    {90, 1, true, {histogram_config::automatic, 1024, 1, 0}},
};

/// Packets of samples, and of weights, that a thread has in flight. With 2 as fast, but registers do not suffice. Without the next
/// ones in flight 725 us where 545 are taken with (2^28 floats, 1024 bins).
inline constexpr unsigned weighted_batch = 1;
/// Weights whose largest one is the first guess: each block looks at the same ones. Not compared.
inline constexpr std::size_t guessed_weights = 4096;
/// Private copies in a block, at most.
inline constexpr unsigned max_weighted_replicas = 16;
/// With fewer copies, lanes of a warp whose samples agree add up their weights first: 2^28 equal samples in 16384 bins take 854 us,
/// 1924 without. With enough copies that costs more than it saves: 545 us for uniform samples in 1024 bins, 507 without.
inline constexpr unsigned min_spread_replicas = 4;
/// Lanes that agree with the first one in the first of a batch of samples, at least, where that is worth it. Not compared.
inline constexpr unsigned min_agreeing_lanes = 8;
/// Passes that `automatic` chooses, at most. Not compared.
inline constexpr std::size_t max_weighted_passes = 6;

}  // namespace parprims::detail::device
