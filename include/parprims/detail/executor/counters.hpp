/// @file
/// @brief  What a launch on the executor counts if options::count is set; see docs/counting.md.
#pragma once

#include <cstdint>

namespace parprims::detail::simt::executor {

/// Loads or stores of global memory. An asynchronous copy is a load here and a store of shared memory.
struct global_counts {
    std::uint64_t requests = 0;  ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes = 0;     ///< lanes that took part in them
    std::uint64_t bytes = 0;     ///< bytes that these lanes access
    std::uint64_t sectors = 0;   ///< 32-byte sectors that a request touches, each once, added up

    global_counts& operator+=(const global_counts& other)
    {
        requests += other.requests;
        lanes += other.lanes;
        bytes += other.bytes;
        sectors += other.sectors;
        return *this;
    }
};

/// Loads or stores of shared memory: 32 banks, each of which serves one 4-byte word in a pass.
struct shared_counts {
    std::uint64_t requests = 0;      ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes = 0;         ///< lanes that took part in them
    std::uint64_t bytes = 0;         ///< bytes that these lanes access
    std::uint64_t passes = 0;        ///< passes that the banks need
    std::uint64_t extra_passes = 0;  ///< of these, the passes that bank conflicts cause

    shared_counts& operator+=(const shared_counts& other)
    {
        requests += other.requests;
        lanes += other.lanes;
        bytes += other.bytes;
        passes += other.passes;
        extra_passes += other.extra_passes;
        return *this;
    }
};

/// Atomic read-modify-writes.
struct atomic_counts {
    std::uint64_t requests = 0;  ///< operations of a whole warp
    std::uint64_t lanes = 0;     ///< lanes that took part in them
    std::uint64_t passes = 0;    ///< for each request the most lanes at one address, added up

    atomic_counts& operator+=(const atomic_counts& other)
    {
        requests += other.requests;
        lanes += other.lanes;
        passes += other.passes;
        return *this;
    }
};

/// All zero unless `options::count` is set.
struct counters {
    global_counts global_loads;
    global_counts global_stores;
    shared_counts shared_loads;
    shared_counts shared_stores;
    atomic_counts global_atomics;
    atomic_counts shared_atomics;
    std::uint64_t copies = 0;              ///< asynchronous copies of a whole warp
    std::uint64_t branches = 0;            ///< conditions of a whole warp that went through simt::branch
    std::uint64_t divergent_branches = 0;  ///< of these, the ones whose lanes diverge
    std::uint64_t warp_operations = 0;     ///< accesses, atomics, copies, branches and collectives of a whole warp
    std::uint64_t lane_operations = 0;     ///< lanes that took part in them

    /// Lanes that take part in an operation of a warp, on average.
    double mean_active_lanes() const
    {
        return warp_operations == 0 ? 0 : static_cast<double>(lane_operations) / static_cast<double>(warp_operations);
    }

    counters& operator+=(const counters& other)
    {
        global_loads += other.global_loads;
        global_stores += other.global_stores;
        shared_loads += other.shared_loads;
        shared_stores += other.shared_stores;
        global_atomics += other.global_atomics;
        shared_atomics += other.shared_atomics;
        copies += other.copies;
        branches += other.branches;
        divergent_branches += other.divergent_branches;
        warp_operations += other.warp_operations;
        lane_operations += other.lane_operations;
        return *this;
    }
};

}  // namespace parprims::detail::simt::executor
