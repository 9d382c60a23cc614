// Clusters of blocks: their start, the end of their blocks, and their barrier.
#include "launch_state.hpp"

#include "sanitizers.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace parprims::detail::simt::executor {

/// Starts as many clusters as there are free slots for.
void launch_state::start_clusters()
{
    for (;;) {
        unsigned free_slots[max_resident_blocks];
        unsigned count = 0;
        for (unsigned s = 0; s < max_resident_; ++s)
            if (s >= slots_.size() || slots_[s]->shared == nullptr)
                free_slots[count++] = s;
        if (started_blocks_ == blocks_ || count < cluster_blocks_)
            return;
        const std::size_t number = started_blocks_ / cluster_blocks_;
        const std::size_t cluster = options.blocks == block_order::shuffled     ? cluster_order_[number].value
                                    : options.blocks == block_order::descending ? blocks_ / cluster_blocks_ - 1 - number
                                                                                : number;
        start_cluster(free_slots, cluster * cluster_blocks_);
    }
}

/// Starts a cluster in these slots, whose numbers ascend. The scheduler prefers some slots, so the blocks are assigned to them
/// in the order of options::blocks: a later block of a cluster may run ahead of an earlier one.
void launch_state::start_cluster(const unsigned* slots, std::size_t first_block)
{
    {
        const unseen_by_tsan unseen;
        while (slots_.size() <= slots[cluster_blocks_ - 1]) {
            slots_.push_back(std::make_unique<block_state>());
            slots_.back()->slot = static_cast<unsigned>(slots_.size() - 1);
        }
    }
    unsigned places[max_cluster_blocks];
    for (unsigned rank = 0; rank < cluster_blocks_; ++rank)
        places[rank] = slots[options.blocks == block_order::descending ? cluster_blocks_ - 1 - rank : rank];
    if (options.blocks == block_order::shuffled)
        for (unsigned rank = cluster_blocks_; rank > 1; --rank)
            std::swap(places[rank - 1], places[next_random() % rank]);

    cluster_state& cluster = slots_[slots[0]]->own_cluster;
    cluster = {};
    cluster.count = cluster_blocks_;
    cluster.live = cluster_blocks_;
    cluster.threads = cluster_blocks_ * block_threads_;
    for (unsigned rank = 0; rank < cluster_blocks_; ++rank) {
        block_state& slot = *slots_[places[rank]];
        cluster.blocks[rank] = &slot;
        slot.cluster = &cluster;
        start_block(slot, first_block + rank);
    }
}

void launch_state::start_block(block_state& slot, std::size_t index)
{
    const unseen_by_tsan unseen;
    slot.index = index;
    ++started_blocks_;
    ++counts.blocks;
    ++progress;
    slot.live = block_threads_;
    slot.arrived = 0;
    slot.threads.resize(block_threads_);
    slot.warps.assign(block_threads_ / options.warp_threads, warp_state{});
    if (options.count)
        slot.accesses.resize(slot.warps.size());

    if (options.find_races)
        races.start(slot, shared_bytes_);

    void* shared = nullptr;
    if (posix_memalign(&shared, 128, shared_bytes_ == 0 ? 1 : shared_bytes_) != 0)
        throw std::bad_alloc();
    slot.shared = shared;
    std::memset(shared, 0xA5, shared_bytes_);

    for (unsigned t = 0; t < block_threads_; ++t)
        slot.thread_at_rank[t] = static_cast<std::uint16_t>(t);
    // Whole warps or threads are shuffled.
    const unsigned unit = options.order == schedule::warps ? options.warp_threads : 1;
    if (options.order != schedule::in_order)
        for (unsigned u = block_threads_ / unit - 1; u > 0; --u) {
            const auto other = static_cast<unsigned>(next_random() % (u + 1));
            for (unsigned t = 0; t < unit; ++t)
                std::swap(slot.thread_at_rank[u * unit + t], slot.thread_at_rank[other * unit + t]);
        }

    for (unsigned rank = 0; rank < block_threads_; ++rank) {
        const unsigned t = slot.thread_at_rank[rank];
        thread_state& thread = slot.threads[t];
        static_cast<context&>(thread) = {t,
                                         block_threads_,
                                         t % options.warp_threads,
                                         t / options.warp_threads,
                                         block_threads_ / options.warp_threads,
                                         slot.index,
                                         blocks_,
                                         cluster_blocks_};
        thread.parent = &slot;
        thread.rank = static_cast<std::uint16_t>(rank);
        thread.where = {"the start", 0};
        thread.last_word = nullptr;
        thread.polls = 0;
        thread.copies.clear();
        thread.first_copy = 0;
        thread.groups = 0;
        thread.adds.clear();
        thread.arrivals = 0;
        thread.has_waited = true;
        thread.fake_stack = nullptr;
        if (has_tsan())
            take_tsan_fiber(thread);
        else
            thread.stack = stack_at(slot.slot * std::size_t{block_threads_} + t, options.stack_bytes);
        // Stacks that all began at the same place in a page would share a few lines of the CPU's first cache.
        const std::size_t shift = t * 5 % 64 * 64;
        thread.fiber = make_fiber<&launch_state::enter_fiber>(thread.stack.top() - shift, thread.stack.bytes - shift);
        wake(thread);
    }
}

/// Takes a TSan fiber and its stack: one that this launch has not used, if there is any; otherwise that of the thread at the
/// same position of an earlier block, after TSan has forgotten it.
void launch_state::take_tsan_fiber(thread_state& thread)
{
    if (tsan_fibers_ < max_tsan_fibers)
        thread.tsan_place = tsan_fibers_++;
    else
        forget_tsan_fiber(thread.tsan_place);
    thread.stack = stack_at(thread.tsan_place, options.stack_bytes);
    thread.tsan_fiber = tsan_fiber_at(thread.tsan_place);
}

/// Frees the shared memory of clusters whose blocks have all returned.
void launch_state::end_clusters()
{
    const unseen_by_tsan unseen;
    for (auto& slot : slots_) {
        cluster_state& cluster = slot->own_cluster;
        if (slot->shared == nullptr || slot->cluster != &cluster || cluster.live != 0)
            continue;
        for (unsigned rank = 0; rank < cluster.count; ++rank) {
            block_state& block = *cluster.blocks[rank];
            std::free(block.shared);
            block.shared = nullptr;
        }
    }
}

void launch_state::complete_barrier(cluster_state& cluster)
{
    if (cluster.arrived == 0 || cluster.arrived + cluster.returned != cluster.threads)
        return;
    cluster.arrived = 0;
    cluster.returned += cluster.returned_after_arrival;
    cluster.returned_after_arrival = 0;
    ++cluster.generation;
    ++counts.barriers;
    for (unsigned rank = 0; rank < cluster.count; ++rank)
        for (thread_state& other : cluster.blocks[rank]->threads)
            if (other.status == thread_status::at_cluster_barrier)
                wake(other);
}

}  // namespace parprims::detail::simt::executor
