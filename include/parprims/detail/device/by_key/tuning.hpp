/// @file
/// @brief  The launch numbers of scans and reductions by key. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22,
///         beside bedfec3) in a program of their kernels alone: 2^28 elements, runs of 2.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Blocks of a multiprocessor, which limit the registers of a thread. Blocks of 128 threads, by their shared memory: a segmented scan of
/// f32 (33 KB) takes 681 us with four, 693 with three; an inclusive scan by key of i32/f32 (50 KB) 837 us with three, 951 with four;
/// above 75 KiB two fit. With four, larger values spill registers: 2 * 10^8 f64 in segments of 1000 take 5630 us, with three 1216 (H100,
/// 0654595f). Blocks of 256 threads: a reduction of i8/i8 takes 447 us with two or three, and three spill registers. Short inputs have
/// larger blocks, usually fewer than multiprocessors.
constexpr unsigned keyed_blocks_per_sm(unsigned threads, std::size_t shared_bytes, std::size_t value_bytes)
{
    if (threads > 256)
        return 1;
    if (threads > 128 || shared_bytes > 75 * 1024)
        return 2;
    return shared_bytes <= 40 * 1024 && value_bytes <= 4 ? 4 : 3;
}
/// Blocks of a multiprocessor for short inputs, all of whose tiles are resident. Scans of 1.5 to 2 MiB of bytes: 5.2 us, with one block, whose
/// threads have more registers, 7.5 (H200, 5d82250).
inline constexpr unsigned short_keyed_blocks_per_sm = 2;
/// Tiles for each multiprocessor, at most, that have a block each although the input is not short: 3 * 10^6 f32 in segments of 1000 in
/// 9.1 us, in a long pass 11.7 (H100, in a graph, 1d69c7f). Others were not compared.
inline constexpr std::size_t max_keyed_tiles_per_sm = 8;
/// Bytes of the keys or the values of a tile, at most, that pass through shared memory, for elements of up to 64 bytes and for larger ones:
/// so a block needs at most 99 KiB. Not compared.
constexpr std::size_t max_keyed_stage_bytes(std::size_t element_bytes)
{
    return element_bytes <= 64 ? 32 * 1024 : 16 * 1024;
}
/// Bytes of a lane's elements, at most, that are read as packets, and of its keys that stay in registers. Not compared.
inline constexpr std::size_t max_keyed_lane_bytes = 256;
/// Bytes of shared memory for the keys of a lane's heads in a reduction; 0: for all. With less than for all, three blocks fit on a
/// multiprocessor: beside totals of f32 a row of i64 has room for 544 of 1024 keys. With room for 564, and for all with two blocks, runs of
/// 100 took 1019 and 1166 us; runs of 2 1364 and 1465; runs of 1, whose keys are read again, 3084 and 3013.
constexpr std::size_t kept_key_bytes(std::size_t key_bytes, unsigned items)
{
    return key_bytes > 4 && items * key_bytes > 128 ? items * 19 / 8 : 0;
}
/// Bytes of a row's keys and totals, at most, that lie in shared memory with gaps. 6 * 10^7 pairs, all keys different: i32/i32 345 us
/// (without gaps 650), u8/i16 163 (453), u8/u8 119 (310), u8/f32 232 (425); runs of 17 and 1000: 0.96 to 1.04 of the time (H100, beside
/// 2ac8f4c).
inline constexpr std::size_t max_bytes_with_gaps = 8 * 1024;
/// Offsets of segments that a thread of a short input reads at a time; not compared.
inline constexpr unsigned offsets_at_a_time = 8;
/// Offsets of a thread of a short input at most; a block of 512 threads reads 8192. Beside two kernels, up to 4000 offsets
/// take 0.62 to 0.92 of the time, 5200 to 8039 0.87 to 0.97; 16141 would take 0.95 to 1.3 (H100, in a graph, beside 80e27ea).
inline constexpr unsigned max_offsets_of_thread = 16;
/// Threads of a block that marks heads, and most such blocks for each multiprocessor. Not compared.
inline constexpr unsigned mark_heads_threads = 128;
inline constexpr std::size_t mark_heads_blocks_per_sm = 8;

}  // namespace parprims::detail::device
