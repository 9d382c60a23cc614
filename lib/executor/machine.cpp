#include "machine.hpp"

#include "sanitizers.hpp"

#include <cstdlib>

namespace parprims::detail::simt::executor {

const context* current = nullptr;
machine* the_machine = nullptr;

namespace {

constexpr std::uint64_t max_idle_switches = 50'000'000;  // without a change that another thread could see

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
    for (auto& slot : slots_)
        std::free(slot->shared);
    if (!all_returned_)
        for (std::size_t place = 0; place < tsan_fibers_; ++place)
            forget_tsan_fiber(place);
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
    all_returned_ = true;
    return counts;
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
