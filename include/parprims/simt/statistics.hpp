/// @file
/// @brief  How a kernel is run on the executor, and what the launch counts and reports.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/detail/executor/counts.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace parprims::executor {

struct request_observer;

/// @brief  Which ready thread runs next.
/// @snippet own_kernels.cpp orders
enum class schedule {
    in_order,  ///< the lowest block and thread
    random,    ///< any
    warps,     ///< of a random block, by a random but fixed order of its warps, so that one runs far ahead of another
    threads    ///< so by threads, in an order that changes with preemptions
};

/// @brief  The order in which blocks start.
/// @snippet own_kernels.cpp orders
enum class block_order { ascending, descending, shuffled };

/// @brief  How a launch runs. The same options give the same run.
/// @snippet own_kernels.cpp test
struct options {
    schedule order = schedule::random;
    block_order blocks = block_order::shuffled;
    std::uint64_t seed = 1;
    unsigned resident_blocks = 8;          ///< 1 to 64 that run at a time; under TSan at most 192 threads
    unsigned warp_threads = 32;            ///< 32 or, for kernels that are written for both, 64
    double preemption = 0.1;               ///< probability that a thread gives way at an atomic operation
    std::size_t stack_bytes = 128 * 1024;  ///< of a thread; a sanitizer's report of a long name takes up to 64 KiB
    bool count = false;                    ///< whether to count: see `statistics`. Does not change how the kernel runs
    /// @brief  Whether to refuse races, and reads of shared memory that no thread has written. Not for kernels of clusters.
    bool find_races = false;
    request_observer* requests = nullptr;  ///< sees each request that is counted; may be null
};

/// @brief  Loads or stores of global memory. An asynchronous copy is a load here and a store of shared memory.
/// @snippet own_kernels.cpp counters
struct global_counts {
    std::uint64_t requests = 0;  ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes = 0;     ///< lanes that took part in them
    std::uint64_t bytes = 0;     ///< bytes that these lanes access
    std::uint64_t sectors = 0;   ///< 32-byte sectors that a request touches, each once, added up

    global_counts& operator+=(const global_counts& other) { return detail::add_counts(*this, other); }
};

/// @brief  Loads or stores of shared memory: 32 banks, each of which serves one 4-byte word in a pass.
/// @snippet own_kernels.cpp counters
struct shared_counts {
    std::uint64_t requests = 0;      ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes = 0;         ///< lanes that took part in them
    std::uint64_t bytes = 0;         ///< bytes that these lanes access
    std::uint64_t passes = 0;        ///< passes that the banks need
    std::uint64_t extra_passes = 0;  ///< of these, the passes that bank conflicts cause

    shared_counts& operator+=(const shared_counts& other) { return detail::add_counts(*this, other); }
};

/// @brief  Atomic operations that read, change and write.
/// @snippet own_kernels.cpp counters
struct atomic_counts {
    std::uint64_t requests = 0;  ///< operations of a whole warp
    std::uint64_t lanes = 0;     ///< lanes that took part in them
    std::uint64_t passes = 0;    ///< for each request the most lanes at one address, added up

    atomic_counts& operator+=(const atomic_counts& other) { return detail::add_counts(*this, other); }
};

/// @brief  What a launch did. The members up to `lane_operations` are 0 unless `options::count` is set. `+=` adds those of another.
/// @snippet own_kernels.cpp counters
struct statistics {
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
    std::uint64_t launches = 0;
    std::uint64_t switches = 0;     ///< between threads
    std::uint64_t blocks = 0;       ///< that ran
    std::uint64_t barriers = 0;     ///< of a whole block, or of a cluster
    std::uint64_t collectives = 0;  ///< of a whole warp
    std::uint64_t atomics = 0;      ///< of a thread, atomic loads and stores too
    std::uint64_t pauses = 0;       ///< of a thread

    /// @brief  Lanes that take part in an operation of a warp, on average.
    double mean_active_lanes() const
    {
        return warp_operations == 0 ? 0 : static_cast<double>(lane_operations) / static_cast<double>(warp_operations);
    }

    statistics& operator+=(const statistics& other) { return detail::add_counts(*this, other); }
};

/// @brief  Which rule a kernel broke.
/// @snippet own_kernels.cpp race
enum class fault {
    other,
    out_of_bounds,  ///< an access outside of the memory of the kernel
    misaligned,     ///< an address that is no multiple of the access
    race,           ///< two accesses of the same bytes that nothing orders, one of which writes
    not_written,    ///< a read of shared memory that no thread of the block has written
    divergence,     ///< a barrier or collective that some threads do not reach, or at different lines
    deadlock        ///< every thread waits
};

/// @brief  A kernel broke a rule. The text says which thread, where, and what is wrong.
/// @snippet own_kernels.cpp race
struct error : std::runtime_error {
    explicit error(const std::string& text, fault kind = fault::other) : std::runtime_error(text), kind(kind) {}

    fault kind;
};

/// @brief  A place in the source.
/// @snippet own_kernels.cpp requests
struct site {
    const char* file;
    unsigned line;
};

/// @brief  What is counted.
/// @snippet own_kernels.cpp requests
enum class access : std::uint8_t { load, store, atomic, copy, branch, atomic_load, atomic_store };

/// @brief  One access of a warp, as it is counted.
/// @snippet own_kernels.cpp requests
struct request {
    access what;
    bool is_shared;
    unsigned bytes;                  ///< of a lane
    std::uint64_t lanes;             ///< bit l: lane l takes part
    const std::uint64_t* addresses;  ///< by lane; of shared memory from its beginning
    site where;
    std::size_t block;
    unsigned warp;
};

/// @brief  Called with the requests of a launch, in the order in which warps synchronise.
/// @snippet own_kernels.cpp requests
struct request_observer {
    virtual void saw(const request& what) = 0;

protected:
    ~request_observer() = default;
};

}  // namespace parprims::executor

#include <parprims/detail/pop_macros.hpp>
