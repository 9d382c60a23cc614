/// @file
/// @brief  The tuning constants of segmented reductions. None can change a result.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block.
#if !defined(SEG_THREADS)
#define SEG_THREADS 384
#define SEG_BLOCKS 3
#endif
inline constexpr unsigned segmented_threads = SEG_THREADS;
inline constexpr unsigned segmented_blocks_per_sm = SEG_BLOCKS;
inline constexpr unsigned max_finish_threads = 1024;  ///< of the second kernel
/// Bytes of the elements of a tile, without those of its last piece that lie behind it.
#if !defined(SEG_TILE)
#define SEG_TILE 49152
#endif
inline constexpr std::size_t segmented_tile_bytes = SEG_TILE;
/// Fewest positions of a tile, when tiles shrink to occupy all multiprocessors.
inline constexpr std::size_t min_segmented_tile = 1024;
inline constexpr unsigned max_segmented_tile = 1 << 15;          ///< of elements of one byte
inline constexpr std::size_t uncopied_segmented_tile = 1 << 12;  ///< where nothing is copied
/// Chunks of more bytes are not copied to shared memory.
inline constexpr std::size_t max_copied_chunk_bytes = 16 * 1024;

}  // namespace parprims::detail::device
