/// @file
/// @brief  The launch numbers of weighted histograms. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22) at
///         d89a53b, in a program of their kernels alone, 2^28 floats and weights. "Not compared" marks a number for which no
///         alternative has been timed.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/histogram_config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none. 1024 bins: 545 us, with three blocks of 512 threads a multiprocessor 628.
inline constexpr tuning_row<histogram_config> weighted_tuning[] = {
    {75, 1, false, {histogram_config::automatic, 1024, 1, 0}},
    {90, 1, true, {histogram_config::automatic, 1024, 1, 0}},
};

/// Packets of samples, and of weights, that a thread loads while it adds as many. Two took as long, and did not fit the registers.
/// 1024 bins: 545 us, 725 without loading ahead.
inline constexpr unsigned weighted_batch = 1;
/// Weights whose largest one is the first guess: each block looks at the same ones. Not compared.
inline constexpr std::size_t guessed_weights = 4096;
/// Private copies in a block, at most. Not compared.
inline constexpr unsigned max_weighted_replicas = 16;
/// With fewer copies, lanes of a warp whose samples agree add up their weights first: equal samples in 16384 bins take 854 us, 1924
/// without. With enough copies that costs more than it saves: 545 us for uniform samples in 1024 bins, 507 without.
inline constexpr unsigned min_spread_replicas = 4;
/// Lanes that agree with the first one in the first of a batch of samples, at least, where that is worth it. Not compared.
inline constexpr unsigned min_agreeing_lanes = 8;
/// Passes that `automatic` chooses, at most. Not compared.
inline constexpr std::size_t max_weighted_passes = 6;

}  // namespace parprims::detail::device
