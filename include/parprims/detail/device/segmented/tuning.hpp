/// @file
/// @brief  The tuning constants of segmented reductions. None can change a result. Measured on an H200 (CUDA 13.0).
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block, blocks of a multiprocessor, and bytes of the elements of a tile, without those of its last piece that lie behind
/// it. 2^28 ints in segments of 1 to 64: 400 us with 384, 3 and 48 KiB; 417 us with 256, 4 and 32 KiB; 456 us with 512, 2 and
/// 64 KiB. In segments of 100: 284, 283 and 329 us (7e9263c).
inline constexpr unsigned segmented_threads = 384;
inline constexpr unsigned segmented_blocks_per_sm = 3;
inline constexpr std::size_t segmented_tile_bytes = 48 * 1024;
inline constexpr std::size_t uncopied_segmented_tile = 1 << 12;  ///< positions of a tile that is not copied
/// Fewest positions of a tile, when tiles shrink to occupy all multiprocessors.
inline constexpr std::size_t min_segmented_tile = 1024;
/// Chunks of more bytes are not copied to shared memory.
inline constexpr std::size_t max_copied_chunk_bytes = 16 * 1024;
inline constexpr unsigned max_finish_threads = 1024;  ///< of a block of the second kernel

}  // namespace parprims::detail::device
