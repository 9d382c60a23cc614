/// @file
/// @brief  The tuning constants of exact sums. None can change a result.
#pragma once

#include <parprims/detail/contract/exact_terms.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Threads of a block at most, and blocks that a multiprocessor is to hold: the bins of a block take up to 84 KiB. Not compared.
template <class Terms>
inline constexpr unsigned exact_threads = std::is_same_v<typename Terms::term, float> ? 512 : 256;
inline constexpr unsigned exact_blocks_per_sm = 2;
/// Terms of a lane that are loaded, and then added, at a time. Not compared.
template <class Terms>
inline constexpr unsigned exact_batch = Terms::has_errors ? 8 : 16;
/// Warps at most of one block alone; blocks at most of a cluster, and warps at least of one of them. In a graph on an H200 (2026-11-28), blocks x
/// warps: 2^12 floats 1 x 8 2.26 us, 2 x 4 2.42, 8 x 1 2.58; 2^13 1 x 16 2.81, 4 x 4 2.49, 8 x 2 2.56, 4 x 4 without a cluster 2.94; 2^14 4 x 8 2.69,
/// 8 x 4 2.62; 2^13 doubles 4 x 4 2.82, 8 x 2 3.10.
inline constexpr std::size_t most_alone_warps = 8;
inline constexpr unsigned most_exact_cluster = 8;
inline constexpr std::size_t min_cluster_warps = 4;

/// Where there is no cluster, several blocks have at least so many warps, and more only if there are more blocks than this. Not compared.
inline constexpr std::size_t few_exact_warps = 8;
inline constexpr std::size_t few_exact_blocks = 16;

/// Lanes at most that have terms outside of the window, so that only those are added as integers. By count of instructions: with 6 of 32
/// lanes, 6 of 16 rows of a batch have such a term.
inline constexpr unsigned most_lanes_outside = 6;

/// Exact sums of segments: threads of a block; warps of a multiprocessor at most, for which there are registers; positions of a task, at least
/// and, unless there are very many, at most; elements of a lane, if a segment has several lanes. Not compared.
inline constexpr unsigned exact_segments_threads = 128;
inline constexpr std::size_t exact_segments_warps_per_sm = 32;
inline constexpr std::size_t min_exact_task = 256;
inline constexpr std::size_t max_exact_task = 8192;
/// Of very many positions a resident warp has so many tasks, which are larger, of at most so many positions. By key, 2^18 floats of a bound of 2^28:
/// with 16 tasks 25.3 us, with 4 17.9, but 2^28 of 2^28 2521 and 2634 (H200, beside 4108177c).
inline constexpr std::size_t most_tasks_of_warp = 16;
inline constexpr std::size_t largest_exact_task = 31744;
inline constexpr unsigned exact_lane_elements = 8;
/// Exact sums of segments of very few elements: threads of a block; segments of a thread, whose loads are in flight together. Not compared.
inline constexpr unsigned exact_few_threads = 256;
inline constexpr unsigned exact_few_segments = 4;

/// Exact sums of lines: warps of a multiprocessor, for which there are registers; elements of a lane, of a slice, at least. As many warps as are
/// resident, 2, 3 times as many: 8192 x 8192 f32 112, 109, 112 us, 268435 x 1000 330, 324, 321, f64 8192 x 8192 208, 248, 270, 50000 columns of 2000
/// 226, 432, 433 (H200, 2026-11-30, beside dbee6bd3).
template <class Terms>
inline constexpr std::size_t exact_lines_warps_per_sm = std::is_same_v<typename Terms::term, float> ? 28 : 20;
inline constexpr std::size_t min_exact_slice = 128;

/// Blocks that a multiprocessor is to hold of exact sums by key whose size lies in device memory: without it they take 72 registers of floats, 122
/// of doubles. Of the time of a size from the host, without and with it: 2^26 floats 1.058 and 1.035, 2^27 1.061 and 1.033; 2^24 doubles 1.050 and
/// 1.022, 2^26 1.128 and 1.021. Sums of segments, floats: 2^20 of 40000 each 1.049 and 1.217 (H200, beside 8b96aa75).
template <class Terms>
inline constexpr unsigned sized_runs_blocks_per_sm = std::is_same_v<typename Terms::term, float> ? 8 : 5;

/// Whether a GPU adds doubles half as fast as floats, so that windows pay. The others add integers alone.
constexpr bool adds_doubles_fast(int architecture)
{
    return architecture == 80 || architecture == 90 || architecture == 100;
}

/// The integers of a lane: sums of terms, bin k in units of 2^(lowest + spacing * k).
struct bins_shape {
    int lowest;
    unsigned spacing;
    unsigned count;
    unsigned most_additions;  ///< until carries are passed on

    constexpr std::size_t bytes(unsigned threads) const { return std::size_t{8} * count * threads; }
};

/// Doubles lie in two bins of 52 bits. Products of doubles are added as two doubles; those that are not are no matter of bins.
template <class Terms>
inline constexpr bins_shape bins_of = {-1074, 52, 42, 1024};
/// A float lies in one bin: 39 bits.
template <>
inline constexpr bins_shape bins_of<exact::numbers<float>> = {-149, 16, 18, 1 << 20};
template <>
inline constexpr bins_shape bins_of<exact::float_products> = {-352, 52, 13, 1024};

}  // namespace parprims::detail::device
