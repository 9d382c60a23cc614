/// @file
/// @brief  The launch numbers of calls over several ranks. None can change a result. No others were compared. With these, 2^30
///         floats of a rank are folded in 47 us more than `reduce_into` takes alone, its message copied twice (H200, 6fe39f6).
#pragma once

#include <cstddef>

namespace parprims::detail::device {

inline constexpr std::size_t max_rank_unit = 16;  ///< chunks that a warp folds to one total, at most
inline constexpr std::size_t rank_rounds = 8;     ///< units that there are for each warp, before units grow
inline constexpr unsigned rank_fold_threads = 512;
inline constexpr unsigned rank_tile_threads = 256;  ///< of a block that folds tiles
inline constexpr unsigned rank_blocks_per_sm = 6;   ///< of these blocks: shared memory has room for as many

}  // namespace parprims::detail::device
