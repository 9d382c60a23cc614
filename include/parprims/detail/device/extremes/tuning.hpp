/// @file
/// @brief  The launch numbers of the search for extremes. None can change a result. Measured on an H200 (CUDA 13.0).
#pragma once

#include <parprims/detail/contract/order.hpp>

namespace parprims::detail::device {

inline constexpr unsigned extremes_threads = 512;      ///< of a block; not compared
inline constexpr unsigned extremes_blocks_per_sm = 2;  ///< resident; not compared
/// Warps of a block at least, where there are several blocks. 2^15 floats 2.10 us, with four warps 2.23, with 16 2.4; doubles 2.38, 2.44
/// (H200, in a graph, beside 7dbae45).
inline constexpr unsigned min_extremes_warps = 8;
/// Packets of a lane in flight. 2^22 floats: 7.2 us with four, 8.3 with eight, 7.5 with two; 2^28: 242.2, 242.3, 250.9 (0e54565).
inline constexpr unsigned extremes_rows = 4;

/// Of segments of several chunks: blocks of a multiprocessor, and packets of a lane in flight; or elements that do not lie in packets. Not
/// compared.
inline constexpr unsigned segment_extremes_blocks_per_sm = 4;
template <class Value, bool InPackets>
inline constexpr unsigned segment_extremes_rows = InPackets ? 8 : order::power_of_two_within(128, sizeof(Value), 16);

}  // namespace parprims::detail::device
