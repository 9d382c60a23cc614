#include "machine.hpp"

#include "sanitizers.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace parprims::detail::simt::executor {

const context* current = nullptr;
machine* the_machine = nullptr;

namespace {

constexpr std::uint64_t max_idle_switches = 50'000'000;  // without a change that another thread could see
constexpr unsigned max_idle_wakes = 3;

}  // namespace

machine::machine(const options& options, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes,
                 body enter, const void* kernel, unsigned cluster_blocks)
    : how(options), blocks_(blocks), block_threads_(block_threads), shared_bytes_(shared_bytes), enter_(enter),
      kernel_(kernel), resident_(options.resident_blocks), cluster_blocks_(cluster_blocks),
      state_(options.seed * 0x9E3779B97F4A7C15u + 1)
{
    if (the_machine != nullptr)
        throw error("a kernel may not launch another");
    if (block_threads == 0 || block_threads > max_block_threads || (how.warp_threads != 32 && how.warp_threads != 64) ||
        block_threads % how.warp_threads != 0)
        throw error("no block has " + std::to_string(block_threads) + " threads in warps of " +
                    std::to_string(how.warp_threads));
    if (resident_ == 0 || resident_ > max_resident)
        throw error("no machine has " + std::to_string(resident_) + " resident blocks");
    if (cluster_blocks == 0 || cluster_blocks > max_cluster_blocks || blocks % cluster_blocks != 0)
        throw error("no grid of " + std::to_string(blocks) + " blocks is made of clusters of " +
                    std::to_string(cluster_blocks));
    if (resident_ < cluster_blocks)
        resident_ = cluster_blocks;
    if (has_tsan()) {
        if (cluster_blocks * block_threads > max_tsan_threads)
            throw error("TSan does not bear blocks of " + std::to_string(block_threads) + " threads in clusters of " +
                        std::to_string(cluster_blocks));
        while (resident_ * block_threads > max_tsan_threads)
            --resident_;
    }

    if (how.blocks == block_order::shuffled) {
        const std::size_t clusters = blocks / cluster_blocks;
        order_.resize(clusters);
        for (std::size_t i = 0; i < clusters; ++i) {
            const std::size_t other = next_random() % (i + 1);
            order_[i] = order_[other];
            order_[other].value = i;
        }
    }
    the_machine = this;
    is_counting = how.count;
}

machine::~machine()
{
    const unseen_by_tsan unseen;
    for (auto& slot : slots_) {
        std::free(slot->shared);
        for (thread_state& thread : slot->threads)
            if (thread.tsan_fiber != nullptr)
                __tsan_destroy_fiber(thread.tsan_fiber);
    }
    slots_.clear();
    is_counting = false;
    the_machine = nullptr;
    current = nullptr;
}

thread_state& machine::running()
{
    if (current == nullptr)
        throw error("the thread context is used outside of a kernel");
    return *static_cast<thread_state*>(const_cast<context*>(current));
}

std::uint64_t machine::next_random()
{
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
}

// -- The order of things

statistics machine::go()
{
    if (has_tsan())
        main_tsan_fiber_ = __tsan_get_current_fiber();
    release(&start_order_);
    for (;;) {
        end_clusters();
        if (failure_)
            std::rethrow_exception(failure_);
        start_clusters();
        std::size_t live = 0;
        for (const auto& slot : slots_)
            live += slot->live;
        if (live == 0)
            break;
        thread_state* next = pick();
        if (next == nullptr) {
            wake_pausing();
            next = pick();
        }
        jump(next);
        if (failure_)
            std::rethrow_exception(failure_);
    }
    acquire(&exit_order_);
    return counts;
}

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
        thread.stack = stack_at(slot.slot * std::size_t{block_threads_} + t, how.stack_bytes);
        if (__asan_unpoison_memory_region != nullptr)
            __asan_unpoison_memory_region(thread.stack.bottom, thread.stack.bytes);
        if (has_tsan()) {
            renew(thread.stack);
            if (thread.tsan_fiber != nullptr)
                __tsan_destroy_fiber(thread.tsan_fiber);
            thread.tsan_fiber = __tsan_create_fiber(0);
        }
        thread.fiber = make_fiber<&machine::enter_fiber>(thread.stack.top(), thread.stack.bytes);
        wake(thread);
    }
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

void machine::meet(block_state& home, unsigned warp, std::uint64_t lanes)
{
    if (!how.count)
        return;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - how.warp_threads);
    if ((lanes | home.warps[warp].exited) == all) {
        const unseen_by_tsan unseen;
        book.meet(home.tallies[warp], counts);
    }
}

namespace {

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

// -- Switching

void machine::leave(thread_state& thread)
{
    thread_state* const next = failure_ ? nullptr : pick();
    if (next == &thread)
        return;
    ++counts.switches;
    if (progress != progress_at_wake_) {
        progress_at_wake_ = progress;
        idle_wakes_ = 0;
        switches_at_progress_ = counts.switches;
    } else if (counts.switches - switches_at_progress_ > max_idle_switches) {
        failure_ = std::make_exception_ptr(error(all_that_wait("livelock: threads run, and change nothing")));
        jump(nullptr);
    }
    jump(next);
}

/// From whoever runs to a fiber, or to the loop in go() where that is null.
void machine::jump(thread_state* to)
{
    auto* const from = static_cast<thread_state*>(const_cast<context*>(current));
    void*& fake_stack = from != nullptr ? from->fake_stack : main_fake_stack_;
    if (__sanitizer_start_switch_fiber != nullptr) {
        const bool for_good = from != nullptr && from->status == thread_status::done;
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack, to != nullptr ? to->stack.bottom : main_stack_,
                                       to != nullptr ? to->stack.bytes : main_stack_bytes_);
    }
    if (has_tsan())
        __tsan_switch_to_fiber(to != nullptr ? to->tsan_fiber : main_tsan_fiber_, 1);
    current = to;
    last_ = from;
    switch_fiber(from != nullptr ? from->fiber : main_fiber_, to != nullptr ? to->fiber : main_fiber_);
    arrive(fake_stack);
}

/// In the fiber that has been jumped to.
void machine::arrive(void* fake_stack)
{
    if (__sanitizer_finish_switch_fiber != nullptr) {
        const void* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack, &bottom, &bytes);
        if (machine& here = *the_machine; here.last_ == nullptr) {
            here.main_stack_ = bottom;
            here.main_stack_bytes_ = bytes;
        }
    }
}

void machine::enter_fiber()
{
    arrive(nullptr);
    machine& here = *the_machine;
    thread_state& thread = running();
    acquire(&here.start_order_);
    try {
        here.enter_(here.kernel_, thread.home->shared);
    } catch (...) {
        here.failure_ = std::current_exception();
    }
    release(&here.exit_order_);
    here.finish(thread);
    __builtin_unreachable();
}

void machine::finish(thread_state& thread)
{
    block_state& home = *thread.home;
    thread.status = thread_status::done;
    --home.live;
    ++progress;
    warp_state& warp = home.warps[thread.warp];
    warp.exited |= std::uint64_t{1} << thread.lane;
    meet(home, thread.warp, 0);

    const auto who = [&] {
        return "block " + std::to_string(thread.block) + ", thread " + std::to_string(thread.thread);
    };
    if (!failure_ && home.arrived != 0)
        failure_ = std::make_exception_ptr(
            error(who() + " has returned, and others wait for it at the barrier\n" + describe(home)));
    cluster_state& cluster = *home.member;
    ++(thread.arrivals == cluster.generation ? cluster.gone : cluster.leaving);
    complete(cluster);
    for (const rendezvous& flight : warp.flights)
        if (!failure_ && flight.arrived != 0 && (flight.mask >> thread.lane & 1) != 0)
            failure_ = std::make_exception_ptr(error(who() + " has returned, and its warp waits for it at " +
                                                     to_string(flight.where) + "\n" + describe(home)));
    if (home.live == 0) {
        --cluster.live;
        if (cluster.count > 1 && !failure_) {
            const unseen_by_tsan unseen;
            lose_shared(home);
        }
    }
    jump(failure_ || home.live == 0 ? nullptr : pick());
}

statistics run(const options& how, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes, body enter,
               const void* kernel, unsigned cluster_blocks)
{
    machine here(how, blocks, block_threads, shared_bytes, enter, kernel, cluster_blocks);
    return here.go();
}

}  // namespace parprims::detail::simt::executor
