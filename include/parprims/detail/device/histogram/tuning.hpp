/// @file
/// @brief  The launch numbers of histograms. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench;
///         "not compared" marks a number for which no alternative has been timed.
#pragma once

#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The configuration of a call that names none, also of weighted histograms: 1024 bins 545 us, with three blocks of 512 threads a
/// multiprocessor 628 (2^28 floats and weights, d89a53b).
inline constexpr histogram_config default_histogram{histogram_config::automatic, 1024, 1, 0};

// All placements.

/// Samples for each thread: a grid has no more blocks than that takes. Not compared.
inline constexpr std::size_t histogram_thread_samples = 16;
/// Packets of 16 bytes that a thread has in flight. 2^28 u32 in 2048 bins: 242 us, 348 without, where slots had 64 bits too
/// (dabc82c).
inline constexpr unsigned histogram_batch = 4;
/// Packets that a thread has in flight of each of two zipped arrays; of three or more arrays, one. 2^28 pairs of f32 in 64 x 64 bins:
/// 504 us, with one packet 515; in 256 x 256 bins 671 and 661 (b886518). Pairs of bytes in 256 x 256 bins 286 us, 320 with one (1088552).
inline constexpr unsigned zip_batch = 2;
/// Bytes of a multiprocessor's shared memory that CUDA keeps for each resident block. A property of the hardware.
inline constexpr std::size_t reserved_shared_bytes = 1024;

// Shared: small inputs, where launch and grid-wide synchronisation dominate. 2^8 to 2^20 samples in a graph beside CUB, with these
// numbers and with the grids of large inputs: f64 in 256 bins 0.81 to 1.47 and 0.72 to 1.04 of its speed, u8 0.90 to 1.99 and 0.79 to
// 1.46 (c4b5439).

inline constexpr unsigned small_block_threads = 512;   ///< threads of a block, at most
inline constexpr unsigned narrow_block_threads = 256;  ///< threads of a block where half of the multiprocessors suffice
inline constexpr std::size_t max_narrow_counters = 4096;  ///< more counters are zeroed sooner by more threads
inline constexpr std::size_t max_small_packets = 8;       ///< packets of a thread, at most; larger inputs are not small
/// Packets of a thread on 1 / small_grid_divisor of the multiprocessors, before blocks run on more of them.
inline constexpr std::size_t min_small_packets = 2;
inline constexpr std::size_t single_block_packets = 4;  ///< packets of a thread before there is a second block
inline constexpr std::size_t small_grid_divisor = 2;
/// Counters that one block stores sooner than memory is zeroed before, and added to. 256 doubles in 256 bins, in a graph: 1.9 us
/// stored, 3.05 zeroed and added to, with the first samples loaded after the counters are zeroed (c312a15).
inline constexpr std::size_t max_overwritten = 1024;

/// Counters that are gathered in the workspace, at most: 8 KiB with the ticket. Not compared.
inline constexpr std::size_t max_gathered = 1984;

// Shared: private copies.

/// Samples in a packet, at most, that are counted in one copy. 2^28 samples in 8 to 2048 bins: of 4 bytes 240.8 to 244.7 us with 1
/// to 32 copies; bytes 124 us with two, 65 with 32 (c4b5439).
inline constexpr std::size_t max_unreplicated_items = 4;
/// Copies fill (samples of a packet) / replicas_room_items of a block's shared memory. 2^28 uniform pairs of bytes in 64 x 64 bins:
/// eight copies, 128 KiB, 145 us, four 154 (0ef6994). Samples of two bytes: not compared.
inline constexpr std::size_t replicas_room_items = 16;
/// Samples of a block, and samples of a block for each counter of all copies, from which on small inputs have copies. Not compared.
inline constexpr std::size_t min_replicated_samples = 32768;
inline constexpr std::size_t samples_per_replicated = 4;

/// Words that one bulk addition of shared to device memory takes. Not compared.
inline constexpr std::uint32_t bulk_words = 1024;

// Passes.

/// Passes that `automatic` takes, at most. 2^28 samples, the slowest of four spreads, passes / partitioned: six for 300000 bins
/// take 949 / 1103 us (u32) and 949 / 1119 (f32), seven for 400000 bins 1144 / 1109 and 1159 / 1129
/// (4c223d8).
inline constexpr std::size_t max_automatic_passes = 6;
/// Passes that a caller may ask for, at most. Not compared.
inline constexpr std::size_t max_windows = 1024;

// Partitioned. 2^28 samples in 3 * 10^6 bins, uniform / the slowest of six spreads: u32 1147 / 1351 us, f32 1181 / 1379 (4c223d8).
// The times below are of that run, with one number changed.

inline constexpr std::size_t max_parts = 4096;  ///< not compared
/// Samples of a tile, for each thread that sorts it. With 32, u32 1111 / 1298 us; f32 not compared.
inline constexpr unsigned partition_thread_samples = 16;
/// Threads of a block that sorts. Not compared.
inline constexpr unsigned max_partition_threads = 512;
/// Threads of all blocks that sort on a multiprocessor: registers are limited for that. With 1024, u32 1132 / 1300 us, f32
/// 1234 / 1407; with 2048, u32 1299 / 1454, f32 1197 / 1415.
inline constexpr unsigned partition_sm_threads = 1536;
/// Packets that a lane has in flight while it counts. With 2, u32 1170 / 1408 us.
inline constexpr unsigned partition_batch = 4;
/// All warps of a block count a run of more packets. Without, 10^7 sorted i32 in 4 * 10^5 bins 72 us, not 55 (H100, 8c76e0ee); 64
/// and 512 are as fast.
inline constexpr unsigned long_run_packets = 128;
/// Samples that are counted in the time of zeroing and adding a counter. With 1, u32 1166 / 1560 us; with 4, 1166 / 1430.
inline constexpr unsigned flush_samples = 2;
/// Bytes of a sorted slice, which stays in the L2 cache. With 40 MiB, u32 1157 / 1405 us; with 56, 1127 / 1344, but scratch nears
/// 64 MiB.
inline constexpr std::size_t max_sorted_bytes = std::size_t{48} << 20;
/// Counters between the places where two blocks start to add theirs to the caller's. Not compared.
inline constexpr std::uint32_t block_stagger = 1024;

// Partitioned, samples with payloads. 2^28 floats with float weights in 2^20 bins: uniform 1842 us, the slowest of six spreads 3435;
// with the ranks of 16 samples kept in registers as long (606b2ab).

/// Samples of a thread that sorts, and threads of all such blocks on a multiprocessor. In slices of 48 MiB 2749 us; with 8 samples and
/// 1536 threads 2709, but in 65536 bins 2613 instead of 2431.
inline constexpr unsigned partition_pair_samples = 16;
inline constexpr unsigned partition_pair_sm_threads = 1024;
/// Bytes of a sorted slice with its payloads. All counters are added to device memory after each slice. With 192 MiB 2057 us.
inline constexpr std::size_t max_sorted_pair_bytes = std::size_t{384} << 20;

constexpr unsigned partition_samples_of(unsigned payload_bytes)
{
    return payload_bytes != 0 ? partition_pair_samples : partition_thread_samples;
}
constexpr unsigned partition_threads_of(unsigned payload_bytes)
{
    return payload_bytes != 0 ? partition_pair_sm_threads : partition_sm_threads;
}

}  // namespace parprims::detail::device
