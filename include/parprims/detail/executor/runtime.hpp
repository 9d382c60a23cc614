/// @file
/// @brief  The executor's interface for kernels and tests: options and statistics, the running thread, its synchronisation, and
///         the launch.
#pragma once

#include <parprims/simt/statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace parprims::detail::simt::executor {

using parprims::executor::access;
using parprims::executor::atomic_counts;
using parprims::executor::block_order;
using parprims::executor::error;
using parprims::executor::fault;
using parprims::executor::global_counts;
using parprims::executor::options;
using parprims::executor::request;
using parprims::executor::request_observer;
using parprims::executor::schedule;
using parprims::executor::shared_counts;
using parprims::executor::site;
using parprims::executor::statistics;

constexpr site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    return {file, line};
}

/// The indices of the running thread.
struct context {
    unsigned thread;
    unsigned threads;
    unsigned lane;
    unsigned warp;
    unsigned warps;
    std::size_t block;
    std::size_t blocks;
    unsigned cluster_blocks;
};

extern const context* current;  // null outside of a kernel

/// The running thread. The attribute is there because TSan knows no order between the changes of `current`.
__attribute__((no_sanitize("thread"))) inline const context& self()
{
    return *current;
}

enum class collective : std::uint8_t { sync, ballot, shuffle, shuffle_up, shuffle_down };

/// Waits for every thread of the block.
void sync_block(site where);

/// The barrier of a cluster: a thread arrives, then waits or returns.
void arrive_in_cluster(site where, bool releases = true);
void wait_for_cluster(site where);

/// The address in the shared memory of block `rank` that corresponds to `shared`.
void* shared_of_block(const void* shared, unsigned rank, site where);

/// Waits for the lanes of `mask`, and exchanges their values (shuffles) or votes (ballot, the result). `operand` is the source
/// or distance of a shuffle, or the vote; `in` and `out` are values of `bytes` bytes.
std::uint64_t collect(collective what, std::uint64_t mask, site where, unsigned operand = 0, const void* in = nullptr,
                      void* out = nullptr, std::size_t bytes = 0);

extern bool is_counting;  // the current launch counts

/// Adds memory to what kernels may access, which is nothing else but the shared memory of their cluster, or removes it.
void add_memory(const void* memory, std::size_t bytes);
void remove_memory(const void* memory);
/// Errors call added memory so, as an array of elements of `bytes` bytes.
void name_memory(const void* memory, const char* name, std::size_t bytes);

/// Whether added memory has all these bytes.
bool is_global_memory(const void* memory, std::size_t bytes);

/// Refuses an access of the running thread that is misaligned, or to other memory.
void check_access(const void* address, std::size_t bytes, std::size_t alignment, site where);

/// Checks an access of the running thread, and counts it if the launch counts: it may take several instructions.
void record_access(access what, const void* address, std::size_t bytes, std::size_t alignment, site where);
void count_branch(bool taken, site where);

extern bool is_finding_races;  // the current launch does

/// Refuses an element outside the memory in which its array begins, even if it lies in that of another array.
void check_element(const void* array, const void* element, std::size_t bytes, site where);

/// After an atomic operation that acquires and releases: orders the thread's accesses with those of others that did the same.
void synchronise_on(const void* word);

/// Called after each atomic operation with the value before and after it. So a test sees the states of a protocol without
/// instrumentation in the kernels.
struct observer {
    virtual void saw(const void* word, std::uint64_t before, std::uint64_t after) = 0;

protected:
    ~observer() = default;
};
inline observer* watching = nullptr;  // may be null; set between launches

template <class Word>
inline void observed(const Word* word, Word before, Word after)
{
    if (watching != nullptr)
        watching->saw(word, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(after));
}

/// Called before an atomic operation: may run other threads first. `writes`: it counts as progress for threads that wait.
void before_atomic(const void* word, std::size_t bytes, bool writes, site where);

/// Called while a thread waits for another block: runs other threads.
void pause(site where);

[[noreturn]] void fail(const std::string& what, site where, fault kind = fault::other);
[[noreturn]] void refuse_index(std::size_t index, std::size_t size, site where);

/// An asynchronous copy of 4, 8 or 16 bytes that is not done yet.
struct pending_copy {
    void* to;
    const void* from;
    unsigned bytes;
    std::size_t group;
};
void begin_copy(void* to, const void* from, unsigned bytes);
void commit_copies();
/// Takes the running thread's oldest pending copy that is not in its `newest` newest groups; false if there is none.
bool next_copy(unsigned newest, pending_copy& copy);

/// Begins an addition of `add_words`, and takes the newest one that is pending; false if there is none.
void begin_add(void* to, const void* from, unsigned bytes);
bool next_add(pending_copy& add);

using kernel_entry = void (*)(const void* kernel, void* shared);

/// Runs `blocks` blocks of `block_threads` threads. Throws what a kernel throws, or `error`. Blocks of a cluster are always
/// resident together, even if options::resident_blocks is less.
statistics run(const options& options, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes,
               kernel_entry entry, const void* kernel, unsigned cluster_blocks = 1);

}  // namespace parprims::detail::simt::executor
