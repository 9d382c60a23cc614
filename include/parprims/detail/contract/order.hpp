/// @file
/// @brief  The order contract: which value is combined with which, as a function of `n` and the value type alone.
///
/// Both backends follow it, so a result has the same bits on every device, with every launch configuration, stream
/// and alignment, and on the host. docs/order-contract.md explains it with pictures; the definition is this:
///
/// **Reduce.** `Value` is the type that the range's iterator yields.
///   * The input is divided into rows of `row` elements and chunks of `chunk_rows` rows. Column e of a chunk accumulates
///     from its first row downwards: `acc[e] = op(acc[e], x[r * row + e])`.
///   * The columns that hold an element combine as a binary tree over the bits of e, lowest bit first:
///     `acc[e] = op(acc[e], acc[e + d])` for d = 1, 2, 4, ... and every e that is a multiple of 2 d if column
///     e + d holds an element.
///   * The chunks combine as the same tree over the chunk index, and the result is `op(init, total)`.
///
/// **Scan.** `Value` is the type that is combined (the accumulator).
///   * A tile is `tile_rows` rows of 32 lanes; a lane owns `lane_items` consecutive elements. t is the running total
///     inside a lane; S is the Hillis-Steele scan of the lanes' totals (d = 1, 2, 4, 8, 16: `S[l] = op(S[l - d], S[l])`);
///     Q is the Hillis-Steele scan of the rows' totals.
///   * The aggregate of a tile is its last row's Q. A group is `group_tiles` tiles; its total is the tree (as above)
///     over its tiles' aggregates. `anchor[g] = op(anchor[g - 1], total[g - 1])`, starting from init where there is one.
///   * The prefix of a tile is `op(anchor[its group], fold)`, where fold is the tree over the aggregates of the earlier
///     tiles of its group. The result is `op(op(op(prefix, Q[row - 1]), S[lane - 1]), t[i])`, absent parts left out. In
///     an exclusive scan t leaves the element itself out: t[i] is absent for the first element of a lane.
///
/// Nothing is padded: an operator is called on input values and partial results only.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail::order {

inline constexpr unsigned lanes = 32;         ///< lanes of a row, on every device and on the host
inline constexpr unsigned vector_bytes = 16;  ///< bytes that one lane loads at a time

/// The largest power of two of values that fit into `bytes`; at least one, at most `limit`.
constexpr unsigned power_of_two_within(std::size_t bytes, std::size_t value_bytes, unsigned limit)
{
    unsigned count = 1;
    while (2 * count <= limit && 2 * count * value_bytes <= bytes)
        count *= 2;
    return count;
}

/// Values that one lane loads at a time.
template <class Value>
inline constexpr unsigned lane_items = power_of_two_within(vector_bytes, sizeof(Value), vector_bytes);

/// Elements of a row.
template <class Value>
inline constexpr unsigned row = lanes * lane_items<Value>;

inline constexpr unsigned chunk_rows = 16;

/// Elements of a chunk of a reduction.
template <class Value>
inline constexpr std::size_t chunk = std::size_t{chunk_rows} * row<Value>;

inline constexpr std::size_t tile_bytes = 32 * 1024;

/// Rows of a tile of a scan: a power of two, at most 64, so that a tile is at most 32 KiB wherever one row fits.
template <class Value>
inline constexpr unsigned tile_rows = power_of_two_within(tile_bytes, row<Value> * sizeof(Value), 64);

/// Elements of a tile of a scan.
template <class Value>
inline constexpr std::size_t tile = std::size_t{tile_rows<Value>} * row<Value>;

inline constexpr unsigned group_tiles = 32;  ///< tiles of a group of a scan

/// `ceil(a / b)` without overflow; b > 0.
PARPRIMS_HOST_DEVICE constexpr std::size_t ceil_div(std::size_t a, std::size_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

/// Leaves of the largest aligned subtree that begins with leaf `begin`, ends by leaf `end` and has at most `most` leaves, a power
/// of two.
constexpr std::size_t subtree_leaves(std::size_t begin, std::size_t end, std::size_t most)
{
    std::size_t leaves = 1;
    while (leaves < most && begin % (2 * leaves) == 0 && 2 * leaves <= end - begin)
        leaves *= 2;
    return leaves;
}

}  // namespace parprims::detail::order

namespace parprims::detail {

/// Inclusive: element i is part of result i. Exclusive: it is not.
enum class scan_kind { inclusive, exclusive };

/// The init of a scan; null if it has none.
template <class T>
struct scan_init {
    using value_type = T;

    const T* value;
};
}  // namespace parprims::detail
