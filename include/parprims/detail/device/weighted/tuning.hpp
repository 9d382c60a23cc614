/// @file
/// @brief  The launch numbers of weighted histograms. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22) at
///         d89a53b, in a program of their kernels alone, 2^28 floats and weights. "Not compared" marks a number for which no
///         alternative has been timed.
#pragma once

#include <parprims/detail/contract/weights.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Packets of samples, and of weights, that a thread loads while it adds as many. Two took as long, and did not fit the registers.
/// 1024 bins: 545 us, 725 without loading ahead.
inline constexpr unsigned weighted_batch = 1;
/// Samples that a lane adds to shared memory at a time. 2^28 floats in 1024 bins on an H200 (CUDA 13.0, 2026-11-29), two / four:
/// 573 / 585 us; with squares, which then do not fit the registers, 891 / 1258. Where there are copies, highest words of 0 are added, too:
/// 353 us, with a branch for each 366. In 65536 bins, most samples in one of them, adding them takes 3500 us, the branch 2700.
inline constexpr unsigned weighted_together = 2;
/// Samples for each thread, where they are not partitioned: a grid has no more blocks than that takes. 10^5 floats in 100 bins on an H200 (CUDA
/// 13.0, 2026-11-30, in a graph, beside 6033b12b), four / eight / 16: 9.4 / 10.5 / 12.4 us, profile 17.6 / 19.1 / 22.4; in 4096 bins 14.9 / 15.8 /
/// 17.7; 10^7 floats: no difference.
inline constexpr std::size_t weighted_thread_samples = 4;
/// Binades that words hold above the largest of these. Not compared.
inline constexpr int window_headroom = 1;
/// Digits of a word above those of the largest weight, and of its square, in the usual window: the more, the seldomer a weight changes the word
/// below; the fewer, the seldomer a word wraps. 2^27 floats in 256 bins on an H100 (2026-11-28), where highest words of 0 are not added, beside the
/// wide window: 383 / 432 us, with squares 566 / 853. Where they are added, a word that wraps costs nothing more. 2^28 floats in 1024 bins on an
/// H200 (2026-11-29), usual / wide: 555 / 517 us, with squares 842 / 764; of 32 binades 560 / 589. Other guards: not compared.
template <class W>
inline constexpr int value_guard = std::is_same_v<typename weight_traits<W>::real, float> ? 5 : 6;
inline constexpr int square_guard = 12;
/// Bytes of limbs for outliers: one a weight, within these limits. More slots than they have room for share them. Rows that a slot may
/// take. If a slot finds none, all samples are read again, as often as the upper limit of bytes needs, but at most so many times with more
/// bytes. 2^27 doubles of all binades in 2*10^6 bins on an H100 (2026-11-28): 27 ms, 4.2 s where each block read all samples for as many
/// bins as its shared memory held; two launches of each round that find nothing to do: 9 us of 213 for 2^20 doubles. Limits: not compared.
inline constexpr std::size_t min_outlier_bytes = std::size_t{8} << 20;
inline constexpr std::size_t max_outlier_bytes = std::size_t{256} << 20;
inline constexpr unsigned max_row_probes = 64;
inline constexpr std::size_t max_outlier_rounds = 8;
/// Private copies in a block, at most. Not compared.
inline constexpr unsigned max_weighted_replicas = 16;
/// With fewer copies, a lane adds up the weights of equal samples that follow each other before it adds them to shared memory. 2^27 floats
/// on an H100 (2026-11-28), 4096 bins, four copies, with / without: uniform 402 / 395 us, weights of 40 binades 550 / 474, all in one bin
/// 392 / 395; 1024 bins with squares, four copies: 713 / 578. Two: not compared.
inline constexpr unsigned min_spread_replicas = 4;
/// Packets of numbers, and those of their weights, that a lane has in flight while it adds those of a part. Two were as fast.
inline constexpr unsigned weighted_part_batch = 1;
/// Passes that `automatic` chooses, at most. 2^27 floats in 65536 bins on an H100 (2026-11-28), uniform / all in one bin: in four passes
/// 1793 / 1266 us, partitioned 1204 / 1861. Three: not compared.
inline constexpr std::size_t max_weighted_passes = 3;
/// Threads of a block that converts sums, and most such blocks for each multiprocessor. Not compared.
inline constexpr unsigned weighted_finish_threads = 256;
inline constexpr std::size_t weighted_finish_blocks_per_sm = 8;

}  // namespace parprims::detail::device
