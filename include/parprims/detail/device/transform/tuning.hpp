/// @file
/// @brief  The launch numbers of `transform`. None can change a result.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned transform_threads = 256;
/// From so many packets on, a lane has two of them, and a block half as many threads. 2^28 elements, one packet and two: i8 200 and
/// 187 us, f32 544 and 520; 2^22 of i8 4.6 and 4.4, but 2^20 2.1 and 2.5 (H200, 78e79d1).
inline constexpr std::size_t min_packets_in_pairs = std::size_t{1} << 18;
/// Bytes of registers of a lane for results at most, so that its loads overlap.
inline constexpr std::size_t max_transformed_bytes = 64;
inline constexpr unsigned max_transformed_items = 16;  ///< results of a lane at most

/// Threads of a multiprocessor, if the size lies in device memory. Not compared.
inline constexpr unsigned sized_transform_threads = 2048;

}  // namespace parprims::detail::device
