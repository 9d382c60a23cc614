// Which thread runs next.
#include "machine.hpp"

#include <utility>

namespace parprims::detail::simt::executor {

namespace {

constexpr unsigned max_idle_wakes = 3;

/// The first bit at or after `from`, or else the first of all. There is one.
unsigned next_bit(std::uint64_t bits, unsigned from)
{
    const std::uint64_t later = bits >> from << from;
    return static_cast<unsigned>(__builtin_ctzll(later != 0 ? later : bits));
}

/// The first thread that is ready, by rank, at or after `from`, or else the first of all. There is one.
unsigned next_ready(const block_state& home, unsigned from)
{
    const unsigned word = from / 64;
    const std::uint64_t here = home.ready[word] >> from % 64;
    if (here != 0)
        return from + static_cast<unsigned>(__builtin_ctzll(here));
    const unsigned other = next_bit(home.ready_in, (word + 1) % ready_words);
    return 64 * other + static_cast<unsigned>(__builtin_ctzll(home.ready[other]));
}

}  // namespace

thread_state* machine::pick()
{
    if (ready_slots_ == 0)
        return nullptr;
    const std::uint64_t random = how.order == schedule::in_order ? 0 : next_random();
    const unsigned slot = next_bit(ready_slots_, random % 64);
    const unsigned first = how.order == schedule::random ? static_cast<unsigned>(random >> 32) % block_threads_ : 0;
    block_state& home = *slots_[slot];
    const unsigned rank = next_ready(home, first);
    std::uint64_t& word = home.ready[rank / 64];
    word &= ~(std::uint64_t{1} << rank % 64);
    if (word == 0) {
        home.ready_in &= ~(std::uint64_t{1} << rank / 64);
        if (home.ready_in == 0)
            ready_slots_ &= ~(std::uint64_t{1} << slot);
    }
    thread_state& thread = home.threads[home.by_rank[rank]];
    thread.status = thread_status::running;
    return &thread;
}

void machine::change_rank(block_state& home, unsigned rank, unsigned other)
{
    if (rank == other)
        return;
    const auto bit = [&](unsigned r) { return home.ready[r / 64] >> r % 64 & 1; };
    if (bit(rank) != bit(other)) {
        home.ready[rank / 64] ^= std::uint64_t{1} << rank % 64;
        home.ready[other / 64] ^= std::uint64_t{1} << other % 64;
        for (unsigned word : {rank / 64, other / 64})
            home.ready_in = (home.ready_in & ~(std::uint64_t{1} << word)) |
                            static_cast<std::uint64_t>(home.ready[word] != 0) << word;
    }
    std::swap(home.by_rank[rank], home.by_rank[other]);
    home.threads[home.by_rank[rank]].rank = static_cast<std::uint16_t>(rank);
    home.threads[home.by_rank[other]].rank = static_cast<std::uint16_t>(other);
}

void machine::give_way(thread_state& thread)
{
    if (how.order == schedule::in_order || how.preemption <= 0 || !chance(how.preemption))
        return;
    if (how.order == schedule::threads)
        change_rank(*thread.home, thread.rank, static_cast<unsigned>(next_random() % block_threads_));
    wake(thread);
    leave(thread);
}

void machine::wake_pausing()
{
    if (progress != progress_at_wake_)
        idle_wakes_ = 0;
    else if (++idle_wakes_ > max_idle_wakes)
        throw error(all_that_wait("livelock: all that still run wait for something that nobody does"));
    progress_at_wake_ = progress;

    bool any = false;
    for (auto& slot : slots_)
        if (slot->live != 0)
            for (thread_state& thread : slot->threads)
                if (thread.status == thread_status::pausing || thread.status == thread_status::looking) {
                    wake(thread);
                    any = true;
                }
    if (!any)
        throw error(all_that_wait("deadlock: every resident thread waits"));
}

}  // namespace parprims::detail::simt::executor
