/// @file
/// @brief  The executor: runs kernels of your own on a CPU, thread by thread; checks and counts what they do. No GPU and no CUDA is needed.
///
/// For files of targets that link `parprims::executor` (`find_package(parprims COMPONENTS executor)`).
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/detail/executor/executor.hpp>
#include <parprims/detail/simt/kernel.hpp>
#elif !defined(PARPRIMS_READ_BY_DOXYGEN)
#error "parprims/simt/executor.hpp is for targets that link parprims::executor"
#endif

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/// @brief  Kernels on a CPU.
namespace parprims::executor {

#if defined(PARPRIMS_READ_BY_DOXYGEN)  // the names below, as their users see them

/// @brief  Which ready thread runs next: the first one, any, or one warp or thread far ahead of the others.
enum class schedule { in_order, random, warps, threads };

/// @brief  The order in which blocks start.
enum class block_order { ascending, descending, shuffled };

/// @brief  How a launch runs. The same options give the same run.
/// @snippet own_kernels.cpp test
struct options {
    schedule order = schedule::random;
    block_order blocks = block_order::shuffled;
    std::uint64_t seed = 1;
    unsigned resident_blocks = 8;          ///< 1 to 64 that run at a time; under TSan at most 192 threads
    double preemption = 0.1;               ///< probability that a thread gives way at an atomic operation
    std::size_t stack_bytes = 128 * 1024;  ///< of a thread
    bool count = false;                    ///< whether to count: see `statistics`
    bool find_races = false;  ///< whether to refuse races, and reads of shared memory that no thread has written
    request_observer* requests = nullptr;  ///< sees each request that is counted; may be null
};

/// @brief  Loads or stores of global memory.
/// @snippet own_kernels.cpp counters
struct global_counts {
    std::uint64_t requests;  ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes;     ///< lanes that took part in them
    std::uint64_t bytes;     ///< bytes that these lanes access
    std::uint64_t sectors;   ///< 32-byte sectors that a request touches, each once, added up
};

/// @brief  Loads or stores of shared memory: 32 banks, each of which serves one word of 4 bytes in a pass.
/// @snippet own_kernels.cpp counters
struct shared_counts {
    std::uint64_t requests;      ///< accesses of a warp, of at most 16 bytes a lane
    std::uint64_t lanes;         ///< lanes that took part in them
    std::uint64_t bytes;         ///< bytes that these lanes access
    std::uint64_t passes;        ///< passes that the banks need
    std::uint64_t extra_passes;  ///< of these, the passes that bank conflicts cause
};

/// @brief  Atomic operations that read, change and write.
/// @snippet own_kernels.cpp counters
struct atomic_counts {
    std::uint64_t requests;  ///< operations of a warp
    std::uint64_t lanes;     ///< lanes that took part in them
    std::uint64_t passes;    ///< for each request the most lanes at one address, added up
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
    std::uint64_t copies;              ///< asynchronous copies of a warp
    std::uint64_t branches;            ///< conditions of a warp that went through simt::branch
    std::uint64_t divergent_branches;  ///< of these, the ones whose lanes diverge
    std::uint64_t warp_operations;     ///< accesses, atomics, copies, branches and collectives of a warp
    std::uint64_t lane_operations;     ///< lanes that took part in them
    std::uint64_t launches;
    std::uint64_t blocks;       ///< that ran
    std::uint64_t barriers;     ///< of a block
    std::uint64_t collectives;  ///< of a warp
    std::uint64_t atomics;      ///< of a thread, atomic loads and stores too
    /// @brief  Lanes that take part in an operation of a warp, on average.
    double mean_active_lanes() const;
};

/// @brief  Which rule a kernel broke.
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
    fault kind;
};

/// @brief  A place in the source.
/// @snippet own_kernels.cpp requests
struct site {
    const char* file;
    unsigned line;
};

/// @brief  What is counted.
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
};

/// @brief  A `std::vector` of memory that kernels may access. Begins at a multiple of 256 bytes, as memory of a GPU does.
/// @snippet own_kernels.cpp test
template <class T>
using buffer = std::vector<T>;

/// @brief  Errors call a buffer's memory so, as an array of elements of `bytes` bytes.
/// @snippet own_kernels.cpp race
void name_memory(const void* memory, const char* name, std::size_t bytes);

/// @brief  Runs a kernel on the calling thread, and returns when it is done.
///
/// A kernel is a copyable object with `operator()(simt::block) const` or, if it uses shared memory, with
/// `operator()(simt::block, shared_storage&) const`, where `shared_storage` is a trivially copyable struct that it names. Shared memory
/// is filled with `0xA5` before each block.
///
/// @param  block_threads  a multiple of 32, at most 1024
/// @param  shared_bytes   more than `sizeof(shared_storage)` if that ends with an array without a size
/// @throws error  the kernel broke a rule: an access outside of buffers and shared memory, a divergent barrier, a deadlock, ...
/// @snippet own_kernels.cpp test
template <class Kernel>
statistics launch(const options& chosen, std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                  std::size_t shared_bytes = sizeof(typename Kernel::shared_storage));

#elif defined(PARPRIMS_SIMT_EXECUTOR)

using detail::simt::executor::access;
using detail::simt::executor::atomic_counts;
using detail::simt::executor::block_order;
using detail::simt::executor::buffer;
using detail::simt::executor::error;
using detail::simt::executor::fault;
using detail::simt::executor::global_counts;
using detail::simt::executor::name_memory;
using detail::simt::executor::options;
using detail::simt::executor::request;
using detail::simt::executor::request_observer;
using detail::simt::executor::schedule;
using detail::simt::executor::shared_counts;
using detail::simt::executor::site;
using detail::simt::executor::statistics;

template <class Kernel>
statistics launch(const options& chosen, std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                  std::size_t shared_bytes = detail::simt::storage_of<Kernel>::bytes)
{
    return detail::simt::executor::launch(chosen, blocks, block_threads, shared_bytes,
                                          detail::simt::launchable<Kernel>{kernel});
}

#endif

}  // namespace parprims::executor

#include <parprims/detail/pop_macros.hpp>
