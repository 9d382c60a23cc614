/// @file
/// @brief  The launch numbers of scans and reductions by key. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22,
///         beside bedfec3) in a program of their kernels alone: 2^28 elements, runs of 2.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Blocks of a multiprocessor: limits the registers of a thread. With 128 threads it depends on the shared memory of a block. A
/// segmented scan of f32 (33 KB): 681 us with four blocks, 693 with three. An inclusive scan by key of i32/f32 (50 KB): 837 us with
/// three, 951 with four. Above 75 KiB only two fit. With 256 threads, a reduction of i8/i8: 447 us with two, and with three, which
/// spills registers. A short input has larger blocks, and mostly fewer than there are multiprocessors.
constexpr unsigned keyed_blocks_per_sm(unsigned threads, std::size_t shared_bytes)
{
    if (threads > 256)
        return 1;
    if (threads > 128 || shared_bytes > 75 * 1024)
        return 2;
    return shared_bytes <= 40 * 1024 ? 4 : 3;
}
/// Tiles for each multiprocessor, at most, that have a block each although the input is not short: 3 * 10^6 f32 in segments of 1000 in
/// 9.1 us, in a long pass 11.7 (H100, in a graph, 1d69c7f). Others were not compared.
inline constexpr std::size_t max_keyed_tiles_per_sm = 8;
/// Bytes of the keys or the values of a tile at most that pass through shared memory: of elements of up to 64 bytes, and of larger
/// ones, so that a block needs at most 99 KiB. Not compared with others.
constexpr std::size_t max_keyed_stage_bytes(std::size_t element_bytes)
{
    return element_bytes <= 64 ? 32 * 1024 : 16 * 1024;
}
/// Bytes of a lane's elements at most that are read as packets, and of its keys that stay in registers; not compared with others.
inline constexpr std::size_t max_keyed_lane_bytes = 256;
/// Bytes for the keys of a lane's heads in a reduction, where not all have room: beside totals of f32 that of 544 of 1024
/// keys of i64, so that three blocks fit on a multiprocessor. With room for 564 of them, runs of 100 took 1019 us, with room for all
/// and two blocks 1166; runs of 2: 1364 and 1465; of 1, whose keys are read again: 3084 and 3013.
constexpr std::size_t kept_key_bytes(std::size_t key_bytes, unsigned items)
{
    return key_bytes > 4 && items * key_bytes > 128 ? items * 19 / 8 : 0;
}
/// Bytes of a row's keys and totals, at most, that lie in the stage with gaps. 6 * 10^7 pairs, all keys different: i32/i32 345 us (without
/// gaps 650), u8/i16 163 (453), u8/u8 119 (310), u8/f32 232 (425); runs of 17 and 1000: 0.96 to 1.04 of the time (H100, beside 2ac8f4c).
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
