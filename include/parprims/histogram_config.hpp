/// @file
/// @brief  How a histogram is launched, and where its bins live while it runs.
#pragma once

namespace parprims {

/// @brief  Launch numbers of `histogram` on the device. None of them changes a result, only the time it takes.
struct histogram_config {
    /// `automatic` chooses by the number of bins. `shared`: 32-bit counters in shared memory. `packed`: 16-bit counters in
    /// shared memory. `passes`: windows of the bins in the shared memory of different blocks, each of which reads all
    /// samples. `partitioned`: samples are first sorted into parts of the bins. `global`: counters in device memory.
    enum class placement_kind { automatic, shared, packed, passes, partitioned, global };
    static constexpr placement_kind automatic = placement_kind::automatic;
    static constexpr placement_kind shared = placement_kind::shared;
    static constexpr placement_kind packed = placement_kind::packed;
    static constexpr placement_kind passes = placement_kind::passes;
    static constexpr placement_kind partitioned = placement_kind::partitioned;
    static constexpr placement_kind global = placement_kind::global;

    placement_kind placement = automatic;
    unsigned block_threads = 1024;  ///< threads per block, a multiple of 32 from 32 to 1024; small inputs use fewer
    unsigned blocks_per_sm = 1;     ///< blocks per multiprocessor: 1 to 32
    unsigned replicas = 0;          ///< copies of the bins in a block's shared memory: a power of two to 32; 0 chooses

    friend bool operator==(const histogram_config&, const histogram_config&) = default;
};

}  // namespace parprims
