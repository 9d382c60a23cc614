// What the blocks of a launch have, from the start of their cluster until all of it have returned.
#include "machine.hpp"

#include "sanitizers.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace parprims::detail::simt::executor {

/// As many as there is room for.
void machine::start_clusters()
{
    for (;;) {
        unsigned room[max_resident];
        unsigned count = 0;
        for (unsigned s = 0; s < resident_; ++s)
            if (s >= slots_.size() || slots_[s]->shared == nullptr)
                room[count++] = s;
        if (started_ == blocks_ || count < cluster_blocks_)
            return;
        const std::size_t number = started_ / cluster_blocks_;
        const std::size_t cluster = how.blocks == block_order::shuffled     ? order_[number].value
                                    : how.blocks == block_order::descending ? blocks_ / cluster_blocks_ - 1 - number
                                                                            : number;
        start_cluster(room, cluster * cluster_blocks_);
    }
}

/// In the slots of these numbers, which ascend. Slots do not run alike, so blocks take them in the order of the launch: a
/// later block of a cluster may be ahead of an earlier one.
void machine::start_cluster(const unsigned* slots, std::size_t first_block)
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
        places[rank] = slots[how.blocks == block_order::descending ? cluster_blocks_ - 1 - rank : rank];
    if (how.blocks == block_order::shuffled)
        for (unsigned rank = cluster_blocks_; rank > 1; --rank)
            std::swap(places[rank - 1], places[next_random() % rank]);

    cluster_state& cluster = slots_[slots[0]]->cluster;
    cluster = {};
    cluster.count = cluster_blocks_;
    cluster.live = cluster_blocks_;
    cluster.threads = cluster_blocks_ * block_threads_;
    for (unsigned rank = 0; rank < cluster_blocks_; ++rank) {
        block_state& slot = *slots_[places[rank]];
        cluster.blocks[rank] = &slot;
        slot.member = &cluster;
        start_block(slot, first_block + rank);
    }
}

void machine::start_block(block_state& slot, std::size_t index)
{
    const unseen_by_tsan unseen;
    slot.index = index;
    ++started_;
    ++counts.blocks;
    ++progress;
    slot.live = block_threads_;
    slot.arrived = 0;
    slot.threads.resize(block_threads_);
    slot.warps.assign(block_threads_ / how.warp_threads, warp_state{});
    for (warp_state& warp : slot.warps)
        warp.none = ~(~std::uint64_t{0} >> (64 - how.warp_threads));
    if (how.count)
        slot.tallies.resize(slot.warps.size());

    void* shared = nullptr;
    if (posix_memalign(&shared, 128, shared_bytes_ == 0 ? 1 : shared_bytes_) != 0)
        throw std::bad_alloc();
    slot.shared = shared;
    std::memset(shared, 0xA5, shared_bytes_);

    for (unsigned t = 0; t < block_threads_; ++t)
        slot.by_rank[t] = static_cast<std::uint16_t>(t);
    // Whole warps or threads are shuffled.
    const unsigned unit = how.order == schedule::warps ? how.warp_threads : 1;
    if (how.order != schedule::in_order)
        for (unsigned u = block_threads_ / unit - 1; u > 0; --u) {
            const auto other = static_cast<unsigned>(next_random() % (u + 1));
            for (unsigned t = 0; t < unit; ++t)
                std::swap(slot.by_rank[u * unit + t], slot.by_rank[other * unit + t]);
        }

    for (unsigned rank = 0; rank < block_threads_; ++rank) {
        const unsigned t = slot.by_rank[rank];
        thread_state& thread = slot.threads[t];
        static_cast<context&>(thread) = {
            t,          block_threads_, t % how.warp_threads, t / how.warp_threads, block_threads_ / how.warp_threads,
            slot.index, blocks_,        cluster_blocks_};
        thread.home = &slot;
        thread.rank = static_cast<std::uint16_t>(rank);
        thread.where = {"the start", 0};
        thread.last_word = nullptr;
        thread.looks = 0;
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
            thread.stack = stack_at(slot.slot * std::size_t{block_threads_} + t, how.stack_bytes);
        if (__asan_unpoison_memory_region != nullptr)
            __asan_unpoison_memory_region(thread.stack.bottom, thread.stack.bytes);
        thread.fiber = make_fiber<&machine::enter_fiber>(thread.stack.top(), thread.stack.bytes);
        wake(thread);
    }
}

/// With a stack. One that no thread of this launch has been, as long as there are any; then that of the thread that had its
/// place in an earlier block, forgotten.
void machine::take_tsan_fiber(thread_state& thread)
{
    if (tsan_fibers_ < max_tsan_fibers)
        thread.tsan_place = tsan_fibers_++;
    else
        forget_tsan_fiber(thread.tsan_place);
    thread.stack = stack_at(thread.tsan_place, how.stack_bytes);
    thread.tsan_fiber = tsan_fiber_at(thread.tsan_place);
}

/// Gives back what clusters had whose blocks have all returned.
void machine::end_clusters()
{
    const unseen_by_tsan unseen;
    for (auto& slot : slots_) {
        cluster_state& cluster = slot->cluster;
        if (slot->shared == nullptr || slot->member != &cluster || cluster.live != 0)
            continue;
        for (unsigned rank = 0; rank < cluster.count; ++rank) {
            block_state& member = *cluster.blocks[rank];
            if (cluster.count > 1)
                check_untouched(member);
            std::free(member.shared);
            member.shared = nullptr;
        }
    }
}

namespace {

constexpr unsigned char gone = 0x5A;  // in shared memory, when its block has returned

}  // namespace

/// A block of a cluster has returned: nobody may use its shared memory any more.
void machine::lose_shared(block_state& slot)
{
    auto* const bytes = static_cast<unsigned char*>(slot.shared);
    for (std::size_t i = 0; i < shared_bytes_; ++i)
        static_cast<volatile unsigned char*>(bytes)[i] = gone;
    if (__asan_poison_memory_region != nullptr)
        __asan_poison_memory_region(bytes, shared_bytes_);
}

void machine::check_untouched(block_state& slot)
{
    if (__asan_unpoison_memory_region != nullptr)
        __asan_unpoison_memory_region(slot.shared, shared_bytes_);
    const auto* const bytes = static_cast<const volatile unsigned char*>(slot.shared);
    for (std::size_t i = 0; i < shared_bytes_; ++i)
        if (bytes[i] != gone && !failure_)
            failure_ = std::make_exception_ptr(error("the shared memory of block " + std::to_string(slot.index) +
                                                     " was written after it had returned"));
}

void machine::complete(cluster_state& cluster)
{
    if (cluster.arrived == 0 || cluster.arrived + cluster.gone != cluster.threads)
        return;
    cluster.arrived = 0;
    cluster.gone += cluster.leaving;
    cluster.leaving = 0;
    ++cluster.generation;
    ++counts.barriers;
    for (unsigned rank = 0; rank < cluster.count; ++rank)
        for (thread_state& other : cluster.blocks[rank]->threads)
            if (other.status == thread_status::at_cluster_barrier)
                wake(other);
}

}  // namespace parprims::detail::simt::executor
