/// @file
/// @brief  The tuning constants of reductions. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none.
constexpr reduce_config default_reduce(std::size_t value_bytes)
{
    return {value_bytes <= 16 ? 512u : 256u, 1, 0};
}

// Many elements.

/// Most threads of a block: with 512, the registers of a multiprocessor hold all 16 rows of a chunk for each warp. 2^30 floats:
/// 936 us with one block of 512 threads per multiprocessor, 951 us with two whose warps hold 8 rows (50fb40b).
inline constexpr unsigned max_reduce_threads = 512;
inline constexpr std::size_t max_single_block_subtrees = 16;
/// Blocks shrink while fewer than so many thirds of the multiprocessors have one, but not below so many warps. Not compared.
inline constexpr std::size_t min_occupied_thirds = 2;
inline constexpr std::size_t min_reduce_warps = 4;
/// Most subtrees that a warp folds in a branch.
inline constexpr std::size_t max_branch_rounds = 8;
/// Runs are twice as long only if at least so many eighths of the blocks remain: 3 * 2^25 halves take 49.4 us in 96 blocks of two
/// branches of eight rounds, 47.6 us in 128 blocks of three branches of four (d62e08f). For wide values not compared.
inline constexpr std::size_t min_remaining_eighths = 7;
/// Bytes of the words of all partials: they fit the workspace of a stream. Those of values of more than 16 bytes may need scratch.
inline constexpr std::size_t max_partial_bytes = 32 * 1024;
inline constexpr std::size_t max_large_branches = 1024;  ///< of values of more than 16 bytes
template <class T>
inline constexpr std::size_t branches_in_workspace = max_partial_bytes / (8 * order::ceil_div(sizeof(T), 4));

// Few elements.

/// Bytes of a value at most for which there is a small kernel. Not compared.
inline constexpr std::size_t max_small_bytes = 64;

/// Values of more bytes are wide: a packet of a lane does not hold one.
template <class Value>
inline constexpr bool is_wide = sizeof(Value) > order::vector_bytes;

/// Operators that take less time than a branch around them, so that one is applied also where its result is dropped; `+` and `<` of a
/// small struct are taken for quick, too. A costly operator is not: `log(exp(a) + exp(b))` of 576 doubles would take 14.4 us so, instead of
/// 7.0 (H100, in a graph, c74ee58 beside 6cc66a9). The other operators of functional.hpp were not compared.
template <class Op>
inline constexpr bool is_quick_operator = basic_operator<Op>;

/// Of the small kernel, for values of one size.
struct small_reduce_limits {
    unsigned warps;          ///< of a block, if there are several
    unsigned max_warps;      ///< the same, where blocks of `warps` would be more than `usual_small_blocks`
    unsigned lane_partials;  ///< partials that a lane reads
};

/// Blocks of `small_reduce_limits::warps` at most; for more, blocks are larger. Not compared.
inline constexpr std::size_t usual_small_blocks = 64;

/// On an H200:
/// - 2^18 doubles: this kernel 5.3 us, `reduce_kernel` 5.1, which therefore takes more than 2^17 values of more than 4 bytes (5b3cf25);
/// - blocks of four / eight warps: 16384 values of 16 bytes 2.2 / 2.7 us, 131072 of 12 bytes 3.0 / 2.6 (4638659);
/// - more than 32 chunks, this kernel with up to four of them a block / `reduce_kernel`: 32768 values of 24 bytes 2.1 / 3.6 us,
///   of 40 bytes 3.1 / 4.3, of 64 bytes 5.1 / 5.1 (beside 8328767e; the latter at 78e79d1).
constexpr small_reduce_limits small_limits(std::size_t value_bytes)
{
    if (value_bytes <= 4)
        return {16, 32, 4};
    if (value_bytes <= 12)
        return {8, 8, 1};
    if (value_bytes <= 16)
        return {4, 4, 2};
    return {1, 4, 1};
}

// Wide values, of more than 16 bytes. Measured at 20aaec3.

/// Most threads of a block. 2^31 bytes of 40-byte values: 538 us with a block of 256 threads per multiprocessor, 596 us with 128.
inline constexpr unsigned max_wide_threads = 256;
/// Bytes of a warp's ring, at most. 2^31 bytes of 40-byte values: 491 us with rings of at most 16 KiB, 538 us with 32 KiB.
inline constexpr std::size_t max_ring_bytes = 16 * 1024;
/// Bytes of the values that a lane reads before it uses them. 512 values of 40 bytes: 4.1 us in fours, 4.5 us in twos.
inline constexpr std::size_t wide_batch_bytes = 256;
/// Most chunks that one block folds alone, a warp each. 4096 values of 40 bytes, eight chunks: 5.0 us, 5.8 in
/// eight blocks.
inline constexpr std::size_t max_alone_chunks = 8;
/// So many branches may exist even if the words of their partials do not fit `max_partial_bytes`; if subtrees would be too long, up to
/// `max_large_branches`. 3 * 2^22 values of 64 bytes: 267 us with 512 branches at most, 281 with 256, which leave 36 of 132 multiprocessors
/// idle (H100, in a graph, 4716d10).
inline constexpr std::size_t min_wide_branches = 512;
/// Bytes of a subtree at most, up to `max_large_branches` branches; and subtrees of a branch at most. Warps read subtrees side by side.
/// An H100, with five stacks of memory, reads at four fifths of its speed from places that all lie multiples of 5 * 64 KiB apart: 2^24
/// values of 40 bytes take 267 us in subtrees of 640 KiB, 222 in subtrees of 160 (in a graph, 4716d10).
inline constexpr std::size_t max_wide_subtree_bytes = 160 * 1024;
inline constexpr std::size_t max_wide_branch_subtrees = 32;

}  // namespace parprims::detail::device
