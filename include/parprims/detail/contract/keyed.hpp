/// @file
/// @brief  What scans by key combine, for both backends: values with the number of runs that begin among them.
///
/// **Scan by key.** It is the scan of the order contract (order.hpp) of pairs (value, heads). The pair of an element has one head
/// if a run begins there, otherwise none. `combine_keyed` combines pairs. Rows and tiles are those at the end of this file. So a
/// result depends on the values and on where the runs begin, and on nothing else.
///   * Inclusive: result i is the value of the inclusive scan of the pairs.
///   * Exclusive: at a head the result is init, elsewhere `op(init, v)`, where v is the value of the exclusive scan of the pairs.
///   * Reduction by key: the total of a run is the value of the exclusive scan at the next head; that of the last run is
///     `op(v, x)`, where v is the value of the exclusive scan at the last element x, or x if a run begins there.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail {

/// The total of consecutive elements from the last head among them on, if there is one, and the number of heads.
/// @tparam  IsShort  whether the input is short: see `order::short_input`
template <class T, class Count = std::size_t, bool IsShort = false>
struct keyed {
    T value;
    Count heads;
};

PARPRIMS_BEGIN_UNMARKED_CALLS
template <class Op>
struct combine_keyed {
    Op op;

    template <class T, class Count, bool IsShort>
    PARPRIMS_HOST_DEVICE keyed<T, Count, IsShort> operator()(const keyed<T, Count, IsShort>& a,
                                                             const keyed<T, Count, IsShort>& b)
    {
        if (b.heads != 0)
            return {b.value, a.heads + b.heads};
        return {static_cast<T>(op(a.value, b.value)), a.heads};
    }
};
PARPRIMS_END_UNMARKED_CALLS

}  // namespace parprims::detail

namespace parprims::detail::order {

/// 128 bytes of values, at most 64: more than in a scan, so that lanes are scanned less often. Of a short input 16 bytes, so
/// that it has more lanes.
template <class T, bool IsShort>
inline constexpr unsigned lane_items<keyed<T, std::size_t, IsShort>> =
    power_of_two_within(IsShort ? vector_bytes : 128, sizeof(T), 64);

/// A row for each warp of a block; at most 16 KiB of values.
template <class T, bool IsShort>
inline constexpr unsigned tile_rows<keyed<T, std::size_t, IsShort>> =
    power_of_two_within(tile_bytes / 2, row<keyed<T, std::size_t, IsShort>> * sizeof(T), IsShort ? 16 : 8);

/// Values of a short input at most: 2 MiB of them, each of at most 16 bytes. Part of the order contract. It is not one shape for all
/// lengths, because the best that was found for all took up to 1.57 times as long for some (docs/order-contract.md).
template <class T>
inline constexpr std::size_t short_input = sizeof(T) <= 16 ? std::size_t{2} * 1024 * 1024 / sizeof(T) : 0;

}  // namespace parprims::detail::order
