/// @file
/// @brief  What a sample's kernels did in the executor: counts instead of times, so that the lesson needs no GPU.
#pragma once

#include <cstdint>

namespace samples {

struct counts {
    std::uint64_t launches = 0;
    std::uint64_t blocks = 0;
    std::uint64_t barriers = 0;            ///< passed by a block, all of its threads together
    std::uint64_t transactions = 0;        ///< 32-byte sectors of global memory that warps read or wrote
    std::uint64_t bank_conflicts = 0;      ///< passes over shared memory that only bank conflicts cost
    std::uint64_t shared_loads = 0;        ///< of a warp
    std::uint64_t shared_load_lanes = 0;   ///< lanes that took part in them
    std::uint64_t divergent_branches = 0;  ///< conditions that the lanes of a warp answered differently
    std::uint64_t global_atomics = 0;      ///< of a lane
    std::uint64_t shared_atomics = 0;      ///< of a lane
    std::uint64_t atomic_passes = 0;       ///< of a warp: as many as lanes meet at its busiest address
    std::uint64_t warp_operations = 0;     ///< memory accesses, branches and shuffles of a warp
    std::uint64_t lane_operations = 0;     ///< lanes that took part in them

    double active_lanes() const
    {
        return warp_operations == 0 ? 0 : static_cast<double>(lane_operations) / static_cast<double>(warp_operations);
    }
};

}  // namespace samples
