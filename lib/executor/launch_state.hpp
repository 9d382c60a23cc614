/// @file
/// @brief  The state of a launch: threads (each a fiber), warps, resident blocks, clusters, and which threads are ready.
///
/// Kernels are compiled with sanitizers, the executor is not: sanitizers must not check it. So it may share no template instance
/// of the standard library with a kernel's file, and its containers hold only types of this folder.
#pragma once

#include <parprims/detail/executor/runtime.hpp>

#include "access_log.hpp"
#include "fiber.hpp"
#include "races.hpp"
#include "stacks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace parprims::detail::simt::executor {

struct block_state;

/// pausing: called pause(), and waits until another thread makes progress. polling: the same, without pause(): it made
/// max_idle_polls atomic loads while no thread made progress.
enum class thread_status : std::uint8_t {
    ready,
    running,
    pausing,
    polling,
    at_barrier,
    at_cluster_barrier,
    in_collective,
    done
};

/// A thread of the GPU, run by a fiber. The members that a switch needs come first, in two cache lines.
struct alignas(64) thread_state : context {
    executor::fiber fiber = nullptr;
    block_state* parent = nullptr;
    void* fake_stack = nullptr;  // ASan's

    stack_memory stack;
    // Where the thread waits, or waited last, and its arguments of the collective.
    site where{};
    const void* in = nullptr;
    void* out = nullptr;
    std::uint32_t bytes = 0;
    unsigned operand = 0;
    std::uint16_t rank = 0;  // position in the block's schedule
    collective what{};
    thread_status status = thread_status::done;

    std::uint64_t votes = 0;
    const void* last_word = nullptr;     // of its last atomic operation
    std::uint64_t polls = 0;             // atomic loads since the last progress of any thread
    std::uint64_t progress_at_poll = 0;  // launch_state::progress at the last of them
    void* tsan_fiber = nullptr;
    std::size_t tsan_place = 0;
    unsigned arrivals = 0;   // at the barrier of its cluster
    bool has_waited = true;  // since the last arrival

    std::vector<pending_copy> copies;
    std::size_t first_copy = 0;
    std::size_t groups = 0;
    std::vector<pending_copy> adds;
};

/// A collective that some lanes of a warp are in. A warp can be in several at once, with disjoint masks.
struct pending_collective {
    std::uint64_t mask = 0;
    std::uint64_t arrived = 0;  // lanes; 0: unused
    collective what{};
    site where{};
    unsigned generation = 0;
    char tsan_sync[2] = {};  // by parity of the generation: a slow lane must not acquire from the next collective
};

struct warp_state {
    std::uint64_t exited = 0;
    std::vector<pending_collective> pending;
};

inline constexpr unsigned max_warp_threads = 64;
inline constexpr unsigned max_block_threads = 1024;
inline constexpr unsigned max_resident_blocks = 64;
inline constexpr unsigned max_tsan_threads = 192;
inline constexpr unsigned max_cluster_blocks = 16;
inline constexpr std::uint64_t max_idle_polls =
    1 << 22;  // atomic loads without progress, after which a thread is polling
inline constexpr unsigned ready_words = max_block_threads / 64;

/// Blocks that are resident together. Their shared memory is freed when all of them have returned.
struct cluster_state {
    block_state* blocks[max_cluster_blocks] = {};
    unsigned count = 0;
    unsigned live = 0;                    // blocks that have not returned
    unsigned threads = 0;                 // of all blocks
    unsigned arrived = 0;                 // threads at the barrier
    unsigned returned = 0;                // threads that returned and did not arrive
    unsigned returned_after_arrival = 0;  // threads that returned since they arrived
    unsigned generation = 0;
    site barrier{};
    char tsan_sync[2] = {};
};

/// A resident block.
struct block_state {
    unsigned slot = 0;
    cluster_state own_cluster;         // the cluster whose first block this is
    cluster_state* cluster = nullptr;  // the cluster of this block
    std::size_t index = 0;
    unsigned live = 0;  // threads that have not returned
    void* shared = nullptr;
    std::vector<thread_state> threads;
    std::vector<warp_state> warps;
    std::vector<warp_accesses> accesses;  // by warp, if the launch counts
    block_races races;                    // if the launch finds them

    unsigned arrived = 0;  // threads at the barrier
    site barrier{};
    unsigned generation = 0;
    char tsan_sync[2] = {};

    std::uint64_t ready[ready_words] = {};  // by rank
    std::uint64_t ready_summary = 0;        // bit w: ready[w] is not 0
    std::uint16_t thread_at_rank[max_block_threads] = {};
};

struct block_number {
    std::size_t value;
};

class launch_state {
public:
    launch_state(const executor::options& chosen_options, std::size_t blocks, unsigned block_threads,
                 std::size_t shared_bytes, kernel_entry entry, const void* kernel, unsigned cluster_blocks);
    ~launch_state();
    launch_state(const launch_state&) = delete;
    launch_state& operator=(const launch_state&) = delete;

    statistics run();

    static thread_state& running();

    /// Makes a thread ready.
    void wake(thread_state& thread)
    {
        mark_ready(thread);
        ready_slots_ |= std::uint64_t{1} << thread.parent->slot;
    }
    /// Makes the lanes of a mask ready; `first` is lane 0 of their warp.
    void wake(thread_state* first, std::uint64_t lanes)
    {
        ready_slots_ |= std::uint64_t{1} << first->parent->slot;
        for (; lanes != 0; lanes &= lanes - 1)
            mark_ready(first[__builtin_ctzll(lanes)]);
    }
    /// Makes all threads of a block ready. It does not visit them: each keeps its status until it runs.
    void wake_block(block_state& block)
    {
        ready_slots_ |= std::uint64_t{1} << block.slot;
        for (unsigned first = 0; first < block_threads_; first += 64) {
            const unsigned threads = std::min(block_threads_ - first, 64u);
            block.ready[first / 64] = ~std::uint64_t{0} >> (64 - threads);
            block.ready_summary |= std::uint64_t{1} << first / 64;
        }
    }
    /// Makes a ready thread the running one.
    thread_state& take(block_state& block, unsigned rank);
    /// Runs another thread; returns when this one is picked again. The caller has set its status.
    void suspend(thread_state& thread);
    /// Suspends a thread that stays ready, with the probability of options::preemption.
    void maybe_preempt(thread_state& thread);
    /// Counts an atomic load, and returns whether the thread is now polling (see thread_status).
    bool polls_without_progress(thread_state& thread) const
    {
        if (thread.progress_at_poll != progress) {
            thread.progress_at_poll = progress;
            thread.polls = 0;
        }
        return ++thread.polls > max_idle_polls;
    }
    /// True with probability `p`.
    bool chance(double p) { return static_cast<double>(next_random() >> 11) * 0x1p-53 < p; }
    std::uint64_t next_random();
    std::size_t shared_bytes() const { return shared_bytes_; }
    /// The mask of all lanes of a warp.
    std::uint64_t all_lanes() const { return ~std::uint64_t{0} >> (64 - options.warp_threads); }

    /// Completes the barrier of a cluster if all threads that have not returned have arrived.
    void complete_barrier(cluster_state& cluster);

    /// Lanes of a warp have synchronised. If they are all lanes that have not returned, counts their accesses since the last time.
    void reconverge(block_state& block, unsigned warp, std::uint64_t lanes);

    const executor::options options;
    statistics counts;
    access_log log;
    race_log races;
    std::uint64_t progress = 0;  // number of changes that a waiting thread could see

private:
    static void enter_fiber();
    static void finish_switch(void* fake_stack);
    static void mark_ready(thread_state& thread)
    {
        block_state& block = *thread.parent;
        thread.status = thread_status::ready;
        block.ready[thread.rank / 64] |= std::uint64_t{1} << thread.rank % 64;
        block.ready_summary |= std::uint64_t{1} << thread.rank / 64;
    }
    void switch_to(thread_state* to);
    void finish(thread_state& thread);
    thread_state* pick();
    void change_rank(block_state& block, unsigned rank, unsigned other);
    void start_clusters();
    void start_cluster(const unsigned* slots, std::size_t first_block);
    void start_block(block_state& slot, std::size_t index);
    void take_tsan_fiber(thread_state& thread);
    void end_clusters();
    void wake_pausing();
    std::string describe_waiting(const char* why) const;

    std::size_t blocks_;
    unsigned block_threads_;
    std::size_t shared_bytes_;
    kernel_entry entry_;
    const void* kernel_;
    unsigned max_resident_;
    std::size_t started_blocks_ = 0;
    unsigned cluster_blocks_;
    std::vector<block_number> cluster_order_;  // in which clusters start, if shuffled
    std::uint64_t random_state_;
    std::uint64_t ready_slots_ = 0;
    std::uint64_t progress_at_wake_ = 0;
    unsigned idle_wakes_ = 0;
    std::uint64_t switches_at_progress_ = 0;
    std::vector<std::unique_ptr<block_state>> slots_;
    std::exception_ptr failure_;
    executor::fiber main_fiber_ = nullptr;
    const thread_state* previous_ = nullptr;  // the thread that ran before the current one
    void* main_fake_stack_ = nullptr;
    const void* main_stack_ = nullptr;
    std::size_t main_stack_bytes_ = 0;
    void* main_tsan_fiber_ = nullptr;
    std::size_t tsan_fibers_ = 0;  // in use
    bool all_returned_ = false;
    char start_sync_ = 0;
    char exit_sync_ = 0;
};

extern launch_state* current_launch;  // null between launches

/// Whether these bytes are in the shared memory of a block of the thread's cluster that has not returned.
bool is_in_shared_memory(const thread_state& thread, std::uintptr_t first, std::size_t bytes);

/// Counts an access of the running thread.
void count_access(access what, const void* address, std::size_t bytes, std::size_t alignment, site where);

/// Refuses an access of the running thread that races with an earlier one.
void find_race(access what, const void* address, std::size_t bytes, site where);

/// An address that the thread may access, for a report: an element of a named array, or a word of shared memory.
std::string place_of(const thread_state& thread, std::uintptr_t address);

/// What each thread of a block does, as lines.
std::string describe(const block_state& block);
std::string name_of(const thread_state& thread);
std::string to_string(site where);
bool is_same_site(site a, site b);
const char* name_of(collective what);

}  // namespace parprims::detail::simt::executor
