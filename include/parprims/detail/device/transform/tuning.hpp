/// @file
/// @brief  The launch numbers of `transform`. None can change a result.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned transform_threads = 256;
/// From so many packets on, a lane has two of them, and a block half as many threads. 2^28 elements, one packet and two: i8 200 and
/// 187 us, f32 544 and 520; 2^22 of i8 4.6 and 4.4, but 2^20 2.1 and 2.5 (H200, 78e79d1).
inline constexpr std::size_t min_packets_in_pairs = std::size_t{1} << 18;
/// Bytes of a value at most, so that it is read and written in packets. Values of 8 bytes are as fast one by one, 2^20 faster: 5.4 us, 5.8
/// in packets (H200, 78e79d1).
inline constexpr std::size_t max_packet_value = 4;
/// That if the size lies in device memory. Of the time of a size from the host, f32 in packets and one by one: 2^20 1.34 and 1.10, 2^24
/// 1.122 and 1.028, 2^27 1.079 and 1.012 (H200, beside 8b96aa75).
inline constexpr std::size_t max_sized_packet_value = 2;
/// Bytes of registers of a lane for results at most, so that its loads overlap.
inline constexpr std::size_t max_transformed_bytes = 64;
inline constexpr unsigned max_transformed_items = 16;  ///< results of a lane at most

/// Threads of a multiprocessor, in blocks of `transform_threads`, if the size lies in device memory and its tiles are drawn: of packets, and of
/// elements. Of the time of a size from the host with 768, 1024, 1280 and 2048 threads: f64 2^24 1.020, 1.030, 1.032 and 1.030, 2^27 1.010, 1.016,
/// 1.018 and 1.016; f32 2^24 1.028, 1.037 and 1.033; i8 in packets 2^28 1.153, 1.033, 1.035 and 1.037 (H200, beside 8b96aa75). Two and four
/// tiles a ticket were slower, and without tickets 2^28 f32 took 1.083 to 1.172 (H100, 2fbab8a).
inline constexpr unsigned sized_packet_threads = 1024;
inline constexpr unsigned sized_element_threads = 768;
/// Tiles of a multiprocessor at most that have a block each, if the size lies in device memory. 2^24 i8, of 15.5 tiles: 7.0 us, 7.7 if they are
/// drawn; 2^22 f32, of 7.8: 6.2 and 7.0 (H200, beside 8b96aa75).
inline constexpr std::size_t max_undrawn_tiles_per_sm = 16;

}  // namespace parprims::detail::device
