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

/// Threads of a multiprocessor, if the size lies in device memory and its tiles are drawn. 2^28 f32 take 1.038 of the time of a size from the
/// host, f64 of as many bytes 1.014. Two and four tiles a ticket: 1.040 and 1.066; without tickets, each block every `blocks`-th tile:
/// 1.172, of two and four times as many blocks 1.094 and 1.083 (H100, 2fbab8a).
///
/// Blocks then have `transform_threads`. Of the time of a size from the host, in blocks of 128, 256 and 512 threads: 2^24 f32 1.16, 1.13 and 1.20;
/// 2^27 1.22, 1.09 and 1.16; 2^26 f64 1.02, 1.00 and 1.00; 2^28 i8 1.09, 1.10 and 1.12 (H200, acfbba5a).
inline constexpr unsigned sized_transform_threads = 2048;
/// Tiles are drawn if there are more than so many for each resident block. 2^24 i8, of 1.94 tiles for each: drawn 11.2 us, a block for each
/// tile 7.8, the size from the host 7.1. For n = 16777 of that bound 2.9, 4.0 and 1.3 us (as above). Other numbers: not compared.
inline constexpr std::size_t max_undrawn_rounds = 2;

}  // namespace parprims::detail::device
