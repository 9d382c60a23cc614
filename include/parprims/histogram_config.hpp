/// @file
/// @brief  The launch configuration of histograms.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

namespace parprims {

/// @brief  The launch configuration of `histogram` on the device. It changes the time of a call, never its result.
/// @snippet device.cpp placement
struct histogram_config {
    /// Where the counters are while the kernels run.
    ///   * `automatic`: chosen by the number of bins.
    ///   * `shared`: all of them in the shared memory of each block.
    ///   * `passes`: a window of them in the shared memory of each block; all samples are read once for each window.
    ///   * `partitioned`: as `passes`, but samples are sorted by parts of the bins first, so each part reads its own samples.
    ///   * `global`: in device memory.
    enum class placement_kind { automatic, shared, passes, partitioned, global };
    static constexpr placement_kind automatic = placement_kind::automatic;
    static constexpr placement_kind shared = placement_kind::shared;
    static constexpr placement_kind passes = placement_kind::passes;
    static constexpr placement_kind partitioned = placement_kind::partitioned;
    static constexpr placement_kind global = placement_kind::global;

    placement_kind placement = automatic;
    /// Threads per block: a multiple of 32 from 32 to 1024. Small inputs in `shared` use at most 512 or 256. The sorting kernel
    /// of `partitioned` uses at most 512, fewer where shared memory is short.
    unsigned block_threads = 1024;
    /// Blocks per multiprocessor: 1 to 32; fewer where its threads or shared memory are too few, or for few samples. The sorting
    /// kernel of `partitioned` uses as many as have 1536 threads together.
    unsigned blocks_per_sm = 1;
    /// Copies of the bins in a block's shared memory, for `shared` only: a power of two to 32, fewer where shared memory is
    /// short; 0: chosen by the library.
    unsigned replicas = 0;

    friend bool operator==(const histogram_config&, const histogram_config&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
