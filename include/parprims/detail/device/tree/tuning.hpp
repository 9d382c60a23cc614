/// @file
/// @brief  The numbers of trees. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at the commit that is named.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Values of more bytes are loaded one at a time: the L1 cache is too small for several rows. 2^27 values of 40 bytes: 2.29 ms
/// one at a time, 2.50 ms four at a time (50fb40b).
inline constexpr std::size_t max_batched_bytes = 32;

/// Elements of a lane's part of a row, at most, where the tail of the input is no leaf of the tree: it is folded beside them. 2^30 ints: 950 us,
/// as a leaf 1007; 2^30 bytes, whose lanes have more elements: 255, as a leaf 242 (c39c804).
inline constexpr unsigned max_items_beside_tail = 8;
/// Words of a partial at most, of which a lane takes several at a time. Not compared.
inline constexpr unsigned max_few_words = 4;
/// Words of a partial that a lane reads before it looks at any. Not compared.
inline constexpr unsigned max_batch_words = 16;

}  // namespace parprims::detail::device
