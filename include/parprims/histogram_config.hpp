/// @file
/// @brief  How a histogram is launched, and where its bins live while it runs.
#pragma once

namespace parprims {

/// @brief  Launch numbers of `histogram` on the device. None of them changes a result, only the time it takes.
/// @snippet device.cpp placement
struct histogram_config {
    /// `automatic` chooses by the number of bins. `shared`: counters in shared memory. `passes`: windows
    /// of the bins in the shared memory of different blocks, each of which reads all samples. `partitioned`: samples are first sorted into parts of the bins. `global`: counters in device memory.
    enum class placement_kind { automatic, shared, passes, partitioned, global };
    static constexpr placement_kind automatic = placement_kind::automatic;
    static constexpr placement_kind shared = placement_kind::shared;
    static constexpr placement_kind passes = placement_kind::passes;
    static constexpr placement_kind partitioned = placement_kind::partitioned;
    static constexpr placement_kind global = placement_kind::global;

    placement_kind placement = automatic;
    /// Threads per block, a multiple of 32 from 32 to 1024. Small inputs counted by `shared` use at most 512 or 256, the kernel
    /// of `partitioned` that sorts at most 512 and fewer where shared memory is short.
    unsigned block_threads = 1024;
    /// Blocks per multiprocessor, 1 to 32: fewer where its threads or its shared memory do not suffice, or the samples are few.
    /// The kernel of `partitioned` that sorts takes as many as have 1024 threads.
    unsigned blocks_per_sm = 1;
    /// Copies of the bins in a block's shared memory, a power of two to 32, or 0 to choose: fewer where shared memory is short.
    /// `shared` alone has them.
    unsigned replicas = 0;

    friend bool operator==(const histogram_config&, const histogram_config&) = default;
};

}  // namespace parprims
