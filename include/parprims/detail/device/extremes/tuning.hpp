/// @file
/// @brief  The launch numbers of the search for extremes. None can change a result. Measured on an H200 (CUDA 13.0).
#pragma once

namespace parprims::detail::device {

inline constexpr unsigned extremes_threads = 512;      ///< of a block; not compared
inline constexpr unsigned extremes_blocks_per_sm = 2;  ///< resident; not compared
/// Packets of a lane in flight. 2^22 floats: 7.2 us with four, 8.3 with eight, 7.5 with two; 2^28: 242.2, 242.3, 250.9 (0e54565).
inline constexpr unsigned extremes_rows = 4;

}  // namespace parprims::detail::device
