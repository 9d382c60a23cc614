/// @file
/// @brief  What an exercise is: how its kernel is tried, and the goal in counters.
#pragma once

#include "exercises/support/block_sums.hpp"
#include "exercises/support/trial.hpp"

#include <cstddef>
#include <vector>

namespace exercises {

/// What is counted. Goals are the most that is allowed, of active_lanes the least.
enum class metric {
    load_sectors,  ///< of 32 bytes, for each request of a warp to global memory
    store_sectors,
    loaded_bytes,        ///< of global memory, by a block
    bank_conflicts,      ///< extra passes of shared memory, of a block
    shared_requests,     ///< accesses of shared memory by a warp, of a block
    barriers,            ///< of a block
    divergent_branches,  ///< of a block
    active_lanes,        ///< of 32, in an operation of a warp
    global_atomics,      ///< of lanes, in a block
    shared_passes        ///< of an atomic operation of a warp in shared memory: the most lanes at one address
};

struct goal {
    metric what;
    double bound;
};

struct exercise {
    const char* name;
    const char* title;
    std::vector<std::size_t> sizes;  ///< all must be right; the last one is counted
    std::vector<goal> goals;
    void (*run)(trial& trial, std::size_t n);
    std::size_t gpu_size;  ///< n, where it is timed
};

}  // namespace exercises
