// Collectives of a warp: sync_warp, ballot and shuffles.
#include "launch_state.hpp"
#include "sanitizers.hpp"

namespace parprims::detail::simt::executor {

namespace {

/// A copy between threads that TSan does not see, because a shuffle orders no memory accesses. TSan intercepts memcpy.
void copy_unseen_by_tsan(void* to, const void* from, std::size_t bytes)
{
    using word __attribute__((may_alias)) = std::uint32_t;
    if (bytes == 4 && (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 4 == 0) {
        *static_cast<volatile word*>(to) = *static_cast<const volatile word*>(from);
        return;
    }
    auto* const target = static_cast<volatile unsigned char*>(to);
    const auto* const source = static_cast<const volatile unsigned char*>(from);
    std::size_t i = 0;
    const auto copy_words = [&]<class Word>(Word) {
        using word __attribute__((may_alias)) = Word;
        if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % sizeof(Word) == 0)
            for (; i + sizeof(Word) <= bytes; i += sizeof(Word))
                *reinterpret_cast<volatile word*>(target + i) = *reinterpret_cast<const volatile word*>(source + i);
    };
    copy_words(std::uint64_t{});
    copy_words(std::uint32_t{});
    for (; i < bytes; ++i)
        target[i] = source[i];
}

/// The lane whose value a lane of a shuffle gets.
unsigned source_of(collective what, unsigned lane, unsigned operand, unsigned width)
{
    switch (what) {
    case collective::shuffle: return operand % width;
    case collective::shuffle_up: return lane >= operand ? lane - operand : lane;
    case collective::shuffle_down: return lane + operand < width ? lane + operand : lane;
    default: return lane;
    }
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_source(const pending_collective& pending, const thread_state& thread,
                                                          unsigned source)
{
    fail(std::string(name_of(pending.what)) + ": " + name_of(thread) + " reads lane " + std::to_string(source) +
             ", which is not in the mask",
         pending.where, fault::divergence);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_sizes(const pending_collective& pending)
{
    fail(std::string(name_of(pending.what)) + ": values of different sizes", pending.where);
}

/// All lanes have arrived: gives each its value.
void exchange_values(const pending_collective& pending, thread_state* lanes, unsigned width)
{
    for (std::uint64_t left = pending.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        thread_state& thread = lanes[lane];
        const unsigned source = source_of(pending.what, lane, thread.operand, width);
        if ((pending.mask >> source & 1) == 0)
            refuse_source(pending, thread, source);
        if (lanes[source].bytes != thread.bytes)
            refuse_sizes(pending);
        copy_unseen_by_tsan(thread.out, lanes[source].in, thread.bytes);
    }
}

/// All lanes have arrived: gives each the votes of all.
void exchange_votes(const pending_collective& pending, thread_state* lanes)
{
    std::uint64_t votes = 0;
    for (std::uint64_t left = pending.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        if (lanes[lane].operand != 0)
            votes |= std::uint64_t{1} << lane;
    }
    for (std::uint64_t left = pending.mask; left != 0; left &= left - 1)
        lanes[__builtin_ctzll(left)].votes = votes;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_divergence(const pending_collective& pending, collective what,
                                                              site where, const thread_state& thread)
{
    fail(std::string("divergence: ") + name_of(thread) + " is in " + name_of(what) + ", other lanes of its warp in " +
             name_of(pending.what) + " at " + to_string(pending.where),
         where, fault::divergence);
}

[[gnu::cold, gnu::noinline]] pending_collective& add_pending(warp_state& warp)
{
    const unseen_by_tsan unseen;
    warp.pending.reserve(max_warp_threads);  // at most one per lane, so the elements never move
    return warp.pending.emplace_back();
}

/// The collective in flight with this mask, or a new one.
pending_collective& find_pending(warp_state& warp, collective what, std::uint64_t mask, site where,
                                 const thread_state& thread)
{
    pending_collective* unused = nullptr;
    for (pending_collective& pending : warp.pending) {
        if (pending.arrived == 0) {
            unused = &pending;
        } else if (pending.mask == mask) {
            if (pending.what != what || !is_same_site(pending.where, where))
                refuse_divergence(pending, what, where, thread);
            return pending;
        }
    }
    if (unused == nullptr)
        unused = &add_pending(warp);
    unused->mask = mask;
    unused->what = what;
    unused->where = where;
    return *unused;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_mask(collective what, std::uint64_t mask, site where,
                                                        const thread_state& thread)
{
    const std::string of = std::string(name_of(what)) + ": ";
    if ((mask >> thread.lane & 1) == 0)
        fail(of + name_of(thread) + " is not in its own mask", where, fault::divergence);
    if ((mask & ~current_launch->all_lanes()) != 0)
        fail(of + "the mask of " + name_of(thread) + " names lanes that no warp has", where, fault::divergence);
    fail(of + "the mask of " + name_of(thread) + " names lanes that have returned", where, fault::divergence);
}

}  // namespace

std::uint64_t collect(collective what, std::uint64_t mask, site where, unsigned operand, const void* in, void* out,
                      std::size_t bytes)
{
    launch_state& launch = *current_launch;
    thread_state& thread = launch_state::running();
    block_state& block = *thread.parent;
    warp_state& warp = block.warps[thread.warp];
    if ((mask >> thread.lane & 1) == 0 || (mask & (warp.exited | ~launch.all_lanes())) != 0)
        refuse_mask(what, mask, where, thread);

    pending_collective& pending = find_pending(warp, what, mask, where, thread);
    thread.where = where;
    thread.what = what;
    thread.operand = operand;
    thread.in = in;
    thread.out = out;
    thread.bytes = static_cast<std::uint32_t>(bytes);
    void* const sync = what == collective::sync ? &pending.tsan_sync[pending.generation % 2] : nullptr;
    if (sync != nullptr)
        release(sync);
    pending.arrived |= std::uint64_t{1} << thread.lane;
    if (pending.arrived != mask) {
        thread.status = thread_status::in_collective;
        launch.suspend(thread);
    } else {
        thread_state* const lanes = &thread - thread.lane;
        if (what == collective::ballot)
            exchange_votes(pending, lanes);
        else if (what != collective::sync)
            exchange_values(pending, lanes, launch.options.warp_threads);
        pending.arrived = 0;
        ++pending.generation;
        ++launch.counts.collectives;
        if (is_finding_races && what == collective::sync)
            launch.races.synchronise(block, thread.warp, mask);
        launch.reconverge(block, thread.warp, mask);
        if (is_counting) {
            ++launch.counts.warp_operations;
            launch.counts.lane_operations += static_cast<unsigned>(__builtin_popcountll(mask));
        }
        const bool goes_on = launch.options.order == schedule::in_order;
        launch.wake(lanes, goes_on ? mask & ~(std::uint64_t{1} << thread.lane) : mask);
        if (!goes_on)
            launch.suspend(thread);
    }
    if (sync != nullptr)
        acquire(sync);
    return what == collective::ballot ? thread.votes : 0;
}

}  // namespace parprims::detail::simt::executor
