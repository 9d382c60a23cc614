/// @file
/// @brief  The executor of lib/executor as kernels see it: the running thread, where it waits, and how a kernel is launched.
#pragma once

#include <executor/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace parprims::detail::simt::executor {

/// A place in the source, for reports and to tell barriers apart.
struct site {
    const char* file;
    unsigned line;
};

constexpr site here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
{
    return {file, line};
}

/// Which ready thread runs next. `in_order`: the lowest block and thread. `random`: any. `warps`: of a random block, the
/// warps in a random order that stays, so that one warp runs far ahead of another. `threads`: the same thread by thread,
/// in an order that changes now and then.
enum class schedule { in_order, random, warps, threads };

/// In which order blocks start.
enum class block_order { ascending, descending, shuffled };

struct options {
    schedule order = schedule::random;
    block_order blocks = block_order::shuffled;
    std::uint64_t seed = 1;
    unsigned resident_blocks = 8;          ///< 1 to 64; fewer under TSan, which bears 192 threads
    unsigned warp_threads = 32;            ///< 32 or 64
    double preemption = 0.1;               ///< probability that a thread gives way at an atomic operation
    std::size_t stack_bytes = 128 * 1024;  ///< of a thread; a sanitizer's report of a long name takes up to 64 KiB
    bool count = false;                    ///< whether to count what the kernel does; it runs the same
};

/// What a launch did.
struct statistics : counters {
    std::uint64_t switches = 0;     ///< from thread to thread
    std::uint64_t blocks = 0;       ///< that ran
    std::uint64_t barriers = 0;     ///< of a whole block, or of a cluster
    std::uint64_t collectives = 0;  ///< of a whole warp
    std::uint64_t atomics = 0;      ///< of a thread, atomic loads and stores too
    std::uint64_t pauses = 0;       ///< of a thread
};

/// A rule of the machine that a kernel broke: divergence, a lane that is not there, a wait without an end.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The running thread's place.
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

/// The running thread. Which one that is changes under TSan's eyes without an order, hence the attribute.
__attribute__((no_sanitize("thread"))) inline const context& self()
{
    return *current;
}

enum class collective : std::uint8_t { sync, ballot, shuffle, shuffle_up, shuffle_down };

/// Waits for every thread of the block.
void sync_block(site where);

/// The barrier of a cluster: a thread arrives, and waits afterwards or returns.
void arrive_in_cluster(site where, bool releases = true);
void wait_for_cluster(site where);

/// The address in another block's shared memory.
void* shared_of_block(const void* shared, unsigned rank, site where);

/// Waits for the lanes of `mask`, and gives a shuffle its value and a ballot its votes. `operand` is the shuffle's source
/// or distance, or the vote; `in` and `out` are values of `bytes` bytes.
std::uint64_t collect(collective what, std::uint64_t mask, site where, unsigned operand = 0, const void* in = nullptr,
                      void* out = nullptr, std::size_t bytes = 0);

/// What a thread does that is counted. A copy is from global to shared memory.
enum class access : std::uint8_t { load, store, atomic, copy, branch };

extern bool is_counting;  // the launch under way counts

/// The running thread's access of `bytes` bytes, which may be that of several instructions.
void count_access(access what, const void* address, std::size_t bytes, std::size_t alignment, site where);
void count_branch(bool taken, site where);

/// Told what each atomic operation found and left, by the thread that does it: which states a protocol has been in can be
/// seen from outside, and kernels need no marks for it.
struct observer {
    virtual void saw(const void* word, std::uint64_t before, std::uint64_t after) = 0;

protected:
    ~observer() = default;
};
inline observer* watching = nullptr;  // set between launches; null: nobody is

template <class Word>
inline void observed(const Word* word, Word before, Word after)
{
    if (watching != nullptr)
        watching->saw(word, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(after));
}

/// Before an atomic operation: another thread may run first. `writes` where others can see that something has changed.
void before_atomic(const void* word, std::size_t bytes, bool writes, site where);

/// Where a thread waits for another block.
void pause(site where);

[[noreturn]] void fail(const std::string& what, site where);

/// A 4, 8 or 16 byte copy that has been asked for and not been done.
struct pending_copy {
    void* to;
    const void* from;
    unsigned bytes;
    std::size_t group;
};
void begin_copy(void* to, const void* from, unsigned bytes);
void commit_copies();
/// The running thread's oldest copy that may not be pending any more when all but `newest` groups are done.
bool next_copy(unsigned newest, pending_copy& copy);

/// The same for words that are to be added.
void begin_add(void* to, const void* from, unsigned bytes);
bool next_add(pending_copy& add);

using body = void (*)(const void* kernel, void* shared);

/// Runs `blocks` blocks of `block_threads` fibers. Throws what a kernel throws, or an error. Blocks of a cluster are
/// resident together, if need be more of them than the options say.
statistics run(const options& how, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes, body enter,
               const void* kernel, unsigned cluster_blocks = 1);

}  // namespace parprims::detail::simt::executor
