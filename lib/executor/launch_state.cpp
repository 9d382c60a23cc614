#include "launch_state.hpp"

#include "sanitizers.hpp"

#include <cstdlib>

namespace parprims::detail::simt::executor {

const context* current = nullptr;
launch_state* current_launch = nullptr;

namespace {

constexpr std::uint64_t max_idle_switches = 50'000'000;  // without progress

}  // namespace

launch_state::launch_state(const executor::options& chosen_options, std::size_t blocks, unsigned block_threads,
                           std::size_t shared_bytes, kernel_entry entry, const void* kernel, unsigned cluster_blocks)
    : options(chosen_options), blocks_(blocks), block_threads_(block_threads), shared_bytes_(shared_bytes),
      entry_(entry), kernel_(kernel), max_resident_(options.resident_blocks), cluster_blocks_(cluster_blocks),
      random_state_(options.seed * 0x9E3779B97F4A7C15u + 1)
{
    if (current_launch != nullptr)
        throw error("a kernel may not launch another");
    if (block_threads == 0 || block_threads > max_block_threads ||
        (options.warp_threads != 32 && options.warp_threads != 64) || block_threads % options.warp_threads != 0)
        throw error("no block has " + std::to_string(block_threads) + " threads in warps of " +
                    std::to_string(options.warp_threads));
    if (max_resident_ == 0 || max_resident_ > max_resident_blocks)
        throw error("no machine has " + std::to_string(max_resident_) + " resident blocks");
    if (cluster_blocks == 0 || cluster_blocks > max_cluster_blocks || blocks % cluster_blocks != 0)
        throw error("no grid of " + std::to_string(blocks) + " blocks is made of clusters of " +
                    std::to_string(cluster_blocks));
    max_resident_ = std::max(max_resident_, cluster_blocks);
    if (has_tsan()) {
        if (cluster_blocks * block_threads > max_tsan_threads)
            throw error("TSan supports no blocks of " + std::to_string(block_threads) + " threads in clusters of " +
                        std::to_string(cluster_blocks));
        max_resident_ = std::min(max_resident_, max_tsan_threads / block_threads);
    }

    if (options.blocks == block_order::shuffled) {
        const std::size_t clusters = blocks / cluster_blocks;
        cluster_order_.resize(clusters);
        for (std::size_t i = 0; i < clusters; ++i) {
            const std::size_t other = next_random() % (i + 1);
            cluster_order_[i] = cluster_order_[other];
            cluster_order_[other].value = i;
        }
    }
    current_launch = this;
    is_counting = options.count;
    is_finding_races = options.find_races;
    if (is_finding_races && cluster_blocks != 1)
        throw error("races are not found in clusters of blocks");
    counts.launches = 1;
}

launch_state::~launch_state()
{
    const unseen_by_tsan unseen;
    for (auto& slot : slots_)
        std::free(slot->shared);
    if (!all_returned_) {  // functions that have not returned leave marks of the sanitizers on the stacks
        for (std::size_t place = 0; place < tsan_fibers_; ++place)
            forget_tsan_fiber(place);
        if (__asan_unpoison_memory_region != nullptr)
            for (auto& slot : slots_)
                for (thread_state& thread : slot->threads)
                    __asan_unpoison_memory_region(thread.stack.bottom, thread.stack.bytes);
    }
    slots_.clear();
    is_counting = false;
    is_finding_races = false;
    current_launch = nullptr;
    current = nullptr;
}

thread_state& launch_state::running()
{
    if (current == nullptr)
        throw error("the thread context is used outside of a kernel");
    return *static_cast<thread_state*>(const_cast<context*>(current));
}

std::uint64_t launch_state::next_random()
{
    random_state_ ^= random_state_ << 13;
    random_state_ ^= random_state_ >> 7;
    random_state_ ^= random_state_ << 17;
    return random_state_;
}

// -- The main loop

statistics launch_state::run()
{
    if (has_tsan())
        main_tsan_fiber_ = __tsan_get_current_fiber();
    release(&start_sync_);
    for (;;) {
        end_clusters();
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
        switch_to(next);
        if (failure_)
            std::rethrow_exception(failure_);
    }
    acquire(&exit_sync_);
    all_returned_ = true;
    return counts;
}

void launch_state::reconverge(block_state& block, unsigned warp, std::uint64_t lanes)
{
    if (!options.count)
        return;
    if ((lanes | block.warps[warp].exited) == all_lanes()) {
        const unseen_by_tsan unseen;
        log.reconverge(block, warp, counts);
    }
}

// -- Switching

void launch_state::suspend(thread_state& thread)
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
        failure_ = std::make_exception_ptr(
            error(describe_waiting("livelock: threads run, and none makes progress"), fault::deadlock));
        switch_to(nullptr);
    }
    switch_to(next);
}

/// Switches to a fiber, or to the loop in run() if `to` is null.
void launch_state::switch_to(thread_state* to)
{
    auto* const from = static_cast<thread_state*>(const_cast<context*>(current));
    void*& fake_stack = from != nullptr ? from->fake_stack : main_fake_stack_;
    if (__sanitizer_start_switch_fiber != nullptr) {
        const bool is_last_switch = from != nullptr && from->status == thread_status::done;
        __sanitizer_start_switch_fiber(is_last_switch ? nullptr : &fake_stack,
                                       to != nullptr ? to->stack.bottom : main_stack_,
                                       to != nullptr ? to->stack.bytes : main_stack_bytes_);
    }
    if (has_tsan())
        __tsan_switch_to_fiber(to != nullptr ? to->tsan_fiber : main_tsan_fiber_, 1);
    current = to;
    previous_ = from;
    switch_fiber(from != nullptr ? from->fiber : main_fiber_, to != nullptr ? to->fiber : main_fiber_);
    finish_switch(fake_stack);
}

/// Called in the fiber that has been switched to.
void launch_state::finish_switch(void* fake_stack)
{
    if (__sanitizer_finish_switch_fiber != nullptr) {
        const void* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack, &bottom, &bytes);
        if (launch_state& launch = *current_launch; launch.previous_ == nullptr) {
            launch.main_stack_ = bottom;
            launch.main_stack_bytes_ = bytes;
        }
    }
}

void launch_state::enter_fiber()
{
    finish_switch(nullptr);
    launch_state& launch = *current_launch;
    thread_state& thread = running();
    acquire(&launch.start_sync_);
    try {
        launch.entry_(launch.kernel_, thread.parent->shared);
    } catch (...) {
        launch.failure_ = std::current_exception();
    }
    release(&launch.exit_sync_);
    launch.finish(thread);
    __builtin_unreachable();
}

void launch_state::finish(thread_state& thread)
{
    block_state& block = *thread.parent;
    thread.status = thread_status::done;
    --block.live;
    ++progress;
    warp_state& warp = block.warps[thread.warp];
    warp.exited |= std::uint64_t{1} << thread.lane;
    reconverge(block, thread.warp, 0);

    if (!failure_ && block.arrived != 0)
        failure_ = std::make_exception_ptr(
            error(name_of(thread) + " has returned, and others wait for it at the barrier\n" + describe(block),
                  fault::divergence));
    cluster_state& cluster = *block.cluster;
    ++(thread.arrivals == cluster.generation ? cluster.returned : cluster.returned_after_arrival);
    complete_barrier(cluster);
    for (const pending_collective& pending : warp.pending)
        if (!failure_ && pending.arrived != 0 && (pending.mask >> thread.lane & 1) != 0)
            failure_ = std::make_exception_ptr(error(name_of(thread) + " has returned, and its warp waits for it at " +
                                                         to_string(pending.where) + "\n" + describe(block),
                                                     fault::divergence));
    if (block.live == 0) {
        --cluster.live;
        if (!failure_ && is_finding_races)
            try {
                race_log::check_written(block);
            } catch (...) {
                failure_ = std::current_exception();
            }
    }
    switch_to(failure_ || block.live == 0 ? nullptr : pick());
}

statistics run(const options& options, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes,
               kernel_entry entry, const void* kernel, unsigned cluster_blocks)
{
    launch_state launch(options, blocks, block_threads, shared_bytes, entry, kernel, cluster_blocks);
    return launch.run();
}

}  // namespace parprims::detail::simt::executor
