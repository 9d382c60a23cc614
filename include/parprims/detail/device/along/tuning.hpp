/// @file
/// @brief  The numbers of calls along dimensions. None can change a result.
#pragma once

#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned along_threads = 256;  ///< of a block, at most; not compared
/// Bytes of the totals of a block in shared memory, at most. Not compared.
inline constexpr std::size_t along_shared_bytes = 32 * 1024;
/// Positions that a thread loads at a time where neighbouring lanes have neighbouring lines. Not compared.
inline constexpr unsigned along_leaf = 4;
/// Loads of a thread in flight: elements, or packets. Not compared.
template <class T>
inline constexpr unsigned along_loads = order::power_of_two_within(512, sizeof(T) < 4 ? 4 : sizeof(T), 16);
/// Leaves that a thread folds at most, and the levels of their tree. Not compared.
inline constexpr unsigned along_leaves = 16;
inline constexpr unsigned along_levels = 5;
inline constexpr unsigned along_radix = 8;     ///< slots whose totals a thread folds at a time; not compared
inline constexpr unsigned along_partials = 8;  ///< partials that a thread folds at a time; not compared
/// Blocks for each multiprocessor from which on more parts of a line are not worth it. Not compared.
inline constexpr std::size_t along_blocks_per_sm = 32;
/// Blocks for each multiprocessor at most: a block takes several tiles, then. Not compared.
inline constexpr std::size_t max_along_blocks_per_sm = 256;
/// Bytes of neighbouring lines from which on a thread takes several positions. Not compared.
inline constexpr std::size_t along_column_bytes = 64;
/// Values of a thread of more bytes have no neighbours in their block: their totals would take too much shared memory. Not compared.
inline constexpr std::size_t along_large_bytes = 32;

}  // namespace parprims::detail::device
