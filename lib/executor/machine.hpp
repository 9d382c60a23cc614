/// @file
/// @brief  The state of a launch: fibers, warps, resident blocks, and who may run next.
///
/// Kernels are compiled with sanitizers and this is not, so that it is invisible to them. It follows that no function of
/// the standard library may be shared with a kernel's file: only types of this folder go into a container.
#pragma once

#include <executor/runtime.hpp>

#include "fiber.hpp"
#include "stacks.hpp"
#include "tally.hpp"
#include "tsan_fibers.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace parprims::detail::simt::executor {

struct block_state;

/// ready: may run. The others wait for somebody, or are done. looking: as pausing, but without a pause(): it reads atomic
/// words, and nobody changes any.
enum class thread_status : std::uint8_t {
    ready,
    running,
    pausing,
    looking,
    at_barrier,
    at_cluster_barrier,
    in_collective,
    done
};

/// One fiber: a thread of the GPU. What a switch needs comes first, in two lines of the cache.
struct alignas(64) thread_state : context {
    executor::fiber fiber = nullptr;
    block_state* home = nullptr;
    void* fake_stack = nullptr;  // ASan's

    stack_memory stack;
    // What it waits for, or waited for last: of a collective, its part.
    site where{};
    const void* in = nullptr;
    void* out = nullptr;
    std::uint32_t bytes = 0;
    unsigned operand = 0;
    std::uint16_t rank = 0;  // its place in the order of the schedule
    collective what{};
    thread_status status = thread_status::done;

    std::uint64_t votes = 0;
    const void* last_word = nullptr;
    std::uint64_t looks = 0;             // atomic words that it has read since something changed,
    std::uint64_t progress_at_look = 0;  // which was then
    void* tsan_fiber = nullptr;
    std::size_t tsan_place = 0;
    unsigned arrivals = 0;   // at the barrier of its cluster
    bool has_waited = true;  // for the last of them

    std::vector<pending_copy> copies;
    std::size_t first_copy = 0;
    std::size_t groups = 0;
    std::vector<pending_copy> adds;
};

/// A collective of some lanes of a warp, in flight. Two of them with masks that have no lane in common may be.
struct rendezvous {
    std::uint64_t mask = 0;
    std::uint64_t arrived = 0;  // 0: free
    collective what{};
    site where{};
    unsigned generation = 0;
    char order[2] = {};  // taken in turn, so that a slow lane does not acquire what a fast one does next
};

struct warp_state {
    std::uint64_t exited = 0;
    std::uint64_t none = 0;  // lanes that no warp has
    std::vector<rendezvous> flights;
};

inline constexpr unsigned max_warp_threads = 64;
inline constexpr unsigned max_block_threads = 1024;
inline constexpr unsigned max_resident = 64;
inline constexpr unsigned max_tsan_threads = 192;
inline constexpr unsigned max_cluster_blocks = 16;
inline constexpr std::uint64_t max_idle_looks = 1 << 22;  // before a thread that reads on and on is taken to wait
inline constexpr unsigned ready_words = max_block_threads / 64;

/// Blocks that are resident together. Their shared memory is given back when all of them have returned.
struct cluster_state {
    block_state* blocks[max_cluster_blocks] = {};
    unsigned count = 0;
    unsigned live = 0;     // of the blocks
    unsigned threads = 0;  // of all blocks
    unsigned arrived = 0;  // at the barrier
    unsigned gone = 0;     // returned, and did not arrive
    unsigned leaving = 0;  // returned since they have arrived
    unsigned generation = 0;
    site barrier{};
    char order[2] = {};
};

/// A resident block.
struct block_state {
    unsigned slot = 0;
    cluster_state cluster;            // of which it is the first block
    cluster_state* member = nullptr;  // that it is in
    std::size_t index = 0;
    unsigned live = 0;
    void* shared = nullptr;
    std::vector<thread_state> threads;
    std::vector<warp_state> warps;
    std::vector<warp_tally> tallies;  // by warp, where the launch counts

    unsigned arrived = 0;  // at the barrier
    site barrier{};
    unsigned generation = 0;
    char order[2] = {};

    std::uint64_t ready[ready_words] = {};  // by rank
    std::uint64_t ready_in = 0;             // which of these words have one
    std::uint16_t by_rank[max_block_threads] = {};
};

struct block_number {
    std::size_t value;
};

class machine {
public:
    machine(const options& how, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes, body enter,
            const void* kernel, unsigned cluster_blocks);
    ~machine();
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;

    statistics go();

    static thread_state& running();

    /// Makes a thread ready.
    void wake(thread_state& thread)
    {
        mark_ready(thread);
        ready_slots_ |= std::uint64_t{1} << thread.home->slot;
    }
    /// Makes the lanes of a mask ready; `first` is lane 0 of their warp.
    void wake(thread_state* first, std::uint64_t lanes)
    {
        ready_slots_ |= std::uint64_t{1} << first->home->slot;
        for (; lanes != 0; lanes &= lanes - 1)
            mark_ready(first[__builtin_ctzll(lanes)]);
    }
    /// Runs another thread; returns when this one, whose status says what for, is picked again.
    void leave(thread_state& thread);
    /// Lets others run first, if the schedule has it so.
    void give_way(thread_state& thread);
    /// Whether a thread has read so many atomic words without a change that it must be waiting for one.
    bool looks_in_vain(thread_state& thread) const
    {
        if (thread.progress_at_look != progress) {
            thread.progress_at_look = progress;
            thread.looks = 0;
        }
        return ++thread.looks > max_idle_looks;
    }
    /// With a probability of `p`.
    bool chance(double p) { return static_cast<double>(next_random() >> 11) * 0x1p-53 < p; }
    std::uint64_t next_random();
    std::size_t shared_bytes() const { return shared_bytes_; }

    /// Whoever still runs has arrived at a cluster's barrier, or not.
    void complete(cluster_state& cluster);

    /// Lanes of a warp have met: where these are all that still run, what they did before is counted.
    void meet(block_state& home, unsigned warp, std::uint64_t lanes);

    options how;
    statistics counts;
    tally book;
    std::uint64_t progress = 0;  // changes that a waiting thread may see

private:
    static void enter_fiber();
    static void arrive(void* fake_stack);
    static void mark_ready(thread_state& thread)
    {
        block_state& home = *thread.home;
        thread.status = thread_status::ready;
        home.ready[thread.rank / 64] |= std::uint64_t{1} << thread.rank % 64;
        home.ready_in |= std::uint64_t{1} << thread.rank / 64;
    }
    void jump(thread_state* to);
    void finish(thread_state& thread);
    thread_state* pick();
    void change_rank(block_state& home, unsigned rank, unsigned other);
    void start_clusters();
    void start_cluster(const unsigned* slots, std::size_t first_block);
    void start_block(block_state& slot, std::size_t index);
    void take_tsan_fiber(thread_state& thread);
    void end_clusters();
    void lose_shared(block_state& slot);
    void check_untouched(block_state& slot);
    void wake_pausing();
    std::string all_that_wait(const char* why) const;

    std::size_t blocks_;
    unsigned block_threads_;
    std::size_t shared_bytes_;
    body enter_;
    const void* kernel_;
    unsigned resident_;
    std::size_t started_ = 0;
    unsigned cluster_blocks_;
    std::vector<block_number> order_;  // in which clusters start, where it is shuffled
    std::uint64_t state_;              // of the random numbers
    std::uint64_t ready_slots_ = 0;
    std::uint64_t progress_at_wake_ = 0;
    unsigned idle_wakes_ = 0;
    std::uint64_t switches_at_progress_ = 0;
    std::vector<std::unique_ptr<block_state>> slots_;
    std::exception_ptr failure_;
    executor::fiber main_fiber_ = nullptr;
    const thread_state* last_ = nullptr;  // who ran before the one that runs
    void* main_fake_stack_ = nullptr;
    const void* main_stack_ = nullptr;
    std::size_t main_stack_bytes_ = 0;
    void* main_tsan_fiber_ = nullptr;
    std::size_t tsan_fibers_ = 0;  // taken
    bool all_returned_ = false;
    char start_order_ = 0;
    char exit_order_ = 0;
};

extern machine* the_machine;  // of the launch under way

/// Who waits where, as lines.
std::string describe(const block_state& block);
std::string to_string(site where);
const char* name_of(collective what);

}  // namespace parprims::detail::simt::executor
