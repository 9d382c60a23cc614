// Which thread runs next.
#include "launch_state.hpp"

#include <utility>

namespace parprims::detail::simt::executor {

namespace {

/// A lane that waits for a total may pause once for each of its words after all of them have come.
constexpr unsigned max_idle_wakes = 16;

/// The first bit set at or after `from`, else the lowest one. At least one is set.
unsigned next_bit(std::uint64_t bits, unsigned from)
{
    const std::uint64_t later = bits >> from << from;
    return static_cast<unsigned>(__builtin_ctzll(later != 0 ? later : bits));
}

/// The first rank at or after `from` whose thread is ready, cyclically by words of 64 ranks. At least one is ready.
unsigned next_ready(const block_state& block, unsigned from)
{
    const unsigned word = from / 64;
    const std::uint64_t from_here = block.ready[word] >> from % 64;
    if (from_here != 0)
        return from + static_cast<unsigned>(__builtin_ctzll(from_here));
    const unsigned other = next_bit(block.ready_summary, (word + 1) % ready_words);
    return 64 * other + static_cast<unsigned>(__builtin_ctzll(block.ready[other]));
}

}  // namespace

thread_state* launch_state::pick()
{
    if (ready_slots_ == 0)
        return nullptr;
    const std::uint64_t random = options.order == schedule::in_order ? 0 : next_random();
    const unsigned slot = next_bit(ready_slots_, random % 64);
    const unsigned first = options.order == schedule::random ? static_cast<unsigned>(random >> 32) % block_threads_ : 0;
    block_state& block = *slots_[slot];
    return &take(block, next_ready(block, first));
}

thread_state& launch_state::take(block_state& block, unsigned rank)
{
    std::uint64_t& word = block.ready[rank / 64];
    word &= ~(std::uint64_t{1} << rank % 64);
    if (word == 0) {
        block.ready_summary &= ~(std::uint64_t{1} << rank / 64);
        if (block.ready_summary == 0)
            ready_slots_ &= ~(std::uint64_t{1} << block.slot);
    }
    thread_state& thread = block.threads[block.thread_at_rank[rank]];
    thread.status = thread_status::running;
    return thread;
}

void launch_state::change_rank(block_state& block, unsigned rank, unsigned other)
{
    if (rank == other)
        return;
    const auto bit = [&](unsigned r) { return block.ready[r / 64] >> r % 64 & 1; };
    if (bit(rank) != bit(other)) {
        block.ready[rank / 64] ^= std::uint64_t{1} << rank % 64;
        block.ready[other / 64] ^= std::uint64_t{1} << other % 64;
        for (unsigned word : {rank / 64, other / 64})
            block.ready_summary = (block.ready_summary & ~(std::uint64_t{1} << word)) |
                                  static_cast<std::uint64_t>(block.ready[word] != 0) << word;
    }
    std::swap(block.thread_at_rank[rank], block.thread_at_rank[other]);
    block.threads[block.thread_at_rank[rank]].rank = static_cast<std::uint16_t>(rank);
    block.threads[block.thread_at_rank[other]].rank = static_cast<std::uint16_t>(other);
}

void launch_state::maybe_preempt(thread_state& thread)
{
    if (options.order == schedule::in_order || options.preemption <= 0 || !chance(options.preemption))
        return;
    if (options.order == schedule::threads)
        change_rank(*thread.parent, thread.rank, static_cast<unsigned>(next_random() % block_threads_));
    wake(thread);
    suspend(thread);
}

void launch_state::wake_pausing()
{
    if (progress != progress_at_wake_)
        idle_wakes_ = 0;
    else if (++idle_wakes_ > max_idle_wakes)
        throw error(describe_waiting("livelock: all running threads wait, and none makes progress"), fault::deadlock);
    progress_at_wake_ = progress;

    bool any = false;
    for (auto& slot : slots_)
        if (slot->live != 0)
            for (thread_state& thread : slot->threads)
                if (thread.status == thread_status::pausing || thread.status == thread_status::polling) {
                    wake(thread);
                    any = true;
                }
    if (!any)
        throw error(describe_waiting("deadlock: every resident thread waits"), fault::deadlock);
}

}  // namespace parprims::detail::simt::executor
