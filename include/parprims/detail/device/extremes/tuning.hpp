/// @file
/// @brief  The launch numbers of the search for extremes. None can change a result. Measured on an H200 (CUDA 13.0) by
///         device_bench at 0f2ab7c, 2^28 elements; no other numbers were compared.
#pragma once

namespace parprims::detail::device {

/// Two blocks of 512 threads with 8 packets each in flight: 66 us (8 bits), 240 (32 bits), 472 (64 bits), which is 4.1 to 4.5 TB/s.
inline constexpr unsigned extremes_threads = 512;
inline constexpr unsigned extremes_blocks_per_sm = 2;
inline constexpr unsigned extremes_rows = 8;  ///< packets of a lane in flight

}  // namespace parprims::detail::device
