// Races between accesses of kernels.
#include "races.hpp"

#include "launch_state.hpp"
#include "sanitizers.hpp"

namespace parprims::detail::simt::executor {

bool is_finding_races = false;

namespace {

/// Of a word, so many accesses are kept: a word that all threads of a grid add to would take too long otherwise.
constexpr std::size_t max_accesses = 64;

bool is_write(access what)
{
    return what == access::store || what == access::atomic || what == access::atomic_store;
}

bool is_atomic(access what)
{
    return what == access::atomic || what == access::atomic_load || what == access::atomic_store;
}

const char* past_of(access what)
{
    return what == access::atomic ? "added to it" : is_write(what) ? "wrote it" : "read it";
}

const char* present_of(access what)
{
    return what == access::atomic ? "adds to " : is_write(what) ? "writes " : "reads ";
}

/// Whether an access happened before what the thread does now.
bool is_before(const word_access& before, const thread_state& thread)
{
    const block_state& block = *thread.parent;
    const thread_clock& clock = block.races.clocks[thread.thread];
    if (before.block == thread.block) {
        if (before.thread == thread.thread || before.generation != block.generation)
            return true;
        if (before.warp == thread.warp && clock.lanes[before.lane] >= before.time)
            return true;
    }
    for (const known_block& known : clock.others.blocks)
        if (known.block == before.block && known.generation > before.generation)
            return true;
    for (const known_thread& known : clock.others.threads)
        if (known.block == before.block && known.thread == before.thread && known.time >= before.time)
            return true;
    return false;
}

std::string full_name(std::size_t block, unsigned thread, unsigned lane, unsigned warp)
{
    return "thread " + std::to_string(thread) + " of block " + std::to_string(block) + " (lane " +
           std::to_string(lane) + " of warp " + std::to_string(warp) + ")";
}

[[noreturn, gnu::cold]] void refuse_race(const word_access& before, const thread_state& thread, access what,
                                         std::uintptr_t address, site where)
{
    const char* const why =
        before.block != thread.block ? "no barrier orders threads of different blocks"
        : before.warp != thread.warp ? "there is no barrier between the two"
        : what == access::store && before.what == access::store && where.line == before.where.line
            ? "both lanes do so at once"
            : "lanes of a warp do not run in step, and there is no sync_warp or barrier between the two";
    fail("race: " + full_name(thread.block, thread.thread, thread.lane, thread.warp) + " " + present_of(what) +
             place_of(thread, address) + "; " + full_name(before.block, before.thread, before.lane, before.warp) + " " +
             past_of(before.what) + " at " + to_string(before.where) + ", and " + why,
         where, fault::race);
}

}  // namespace

void knowledge::add(known_thread thread)
{
    for (known_thread& each : threads)
        if (each.block == thread.block && each.thread == thread.thread) {
            each.time = each.time < thread.time ? thread.time : each.time;
            return;
        }
    threads.push_back(thread);
}

void knowledge::add(known_block block)
{
    for (known_block& each : blocks)
        if (each.block == block.block) {
            each.generation = each.generation < block.generation ? block.generation : each.generation;
            return;
        }
    blocks.push_back(block);
}

void knowledge::join(const knowledge& other)
{
    for (const known_thread& each : other.threads)
        add(each);
    for (const known_block& each : other.blocks)
        add(each);
}

void race_log::start(block_state& block, std::size_t shared_bytes)
{
    block.races.clocks.assign(block.threads.size(), thread_clock{});
    block.races.shared.assign((shared_bytes + 3) / 4, word_accesses{});
    block.races.not_written.clear();
}

void race_log::check_written(block_state& block)
{
    if (!block.races.not_written.empty())
        fail(block.races.not_written, block.races.not_written_at, fault::not_written);
}

void race_log::synchronise(block_state& block)
{
    check_written(block);
    knowledge all;
    for (const thread_clock& clock : block.races.clocks)
        if (!clock.others.is_empty())
            all.join(clock.others);
    if (!all.is_empty())
        for (thread_clock& clock : block.races.clocks)
            clock.others = all;
}

void race_log::synchronise(block_state& block, unsigned warp, std::uint64_t lanes)
{
    thread_clock* const clocks = block.races.clocks.data() + warp * std::size_t{current_launch->options.warp_threads};
    thread_clock joined;
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        clocks[lane].lanes[lane] = clocks[lane].time++;
        for (unsigned other = 0; other < max_warp_threads; ++other)
            joined.lanes[other] = std::max(joined.lanes[other], clocks[lane].lanes[other]);
        joined.others.join(clocks[lane].others);
    }
    for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
        thread_clock& clock = clocks[__builtin_ctzll(left)];
        joined.time = clock.time;
        clock = joined;
    }
}

void race_log::synchronise(const thread_state& thread, const void* word)
{
    thread_clock& clock = thread.parent->races.clocks[thread.thread];
    knowledge& released = released_[{reinterpret_cast<std::uintptr_t>(word)}];
    clock.others.join(released);
    released = clock.others;
    released.add(known_block{thread.block, thread.parent->generation});
    const unsigned first = thread.thread - thread.lane;
    for (unsigned lane = 0; lane < current_launch->options.warp_threads; ++lane)
        if (clock.lanes[lane] != 0)
            released.add(known_thread{thread.block, first + lane, clock.lanes[lane]});
    released.add(known_thread{thread.block, thread.thread, clock.time++});
}

void race_log::record(const thread_state& thread, access what, std::uintptr_t address, std::size_t bytes, site where)
{
    block_state& block = *thread.parent;
    const auto shared = reinterpret_cast<std::uintptr_t>(block.shared);
    const bool is_shared = address - shared < current_launch->shared_bytes();
    for (std::uintptr_t at = address; at < address + bytes;) {
        const std::uintptr_t end = std::min(at / 4 * 4 + 4, address + bytes);
        const auto mask = static_cast<std::uint8_t>(((1u << (end - at)) - 1) << at % 4);
        word_accesses& word = is_shared ? block.races.shared[(at - shared) / 4] : global_[{at / 4}];
        if (is_shared && what != access::store && what != access::atomic_store && (word.written & mask) != mask &&
            block.races.not_written.empty()) {
            block.races.not_written =
                "not written: " + full_name(thread.block, thread.thread, thread.lane, thread.warp) + " " +
                present_of(what) + place_of(thread, at) + ", which no thread of the block has written";
            block.races.not_written_at = where;
        }
        record(word, thread, what, mask, at, where);
        at = end;
    }
}

void race_log::record(word_accesses& word, const thread_state& thread, access what, std::uint8_t bytes,
                      std::uintptr_t address, site where)
{
    std::size_t kept = 0;
    for (const word_access& each : word.all) {
        const bool is_ordered = is_before(each, thread);
        if (!is_ordered && (each.bytes & bytes) != 0 && (is_write(each.what) || is_write(what)) &&
            !(is_atomic(each.what) && is_atomic(what)))
            refuse_race(each, thread, what, address, where);
        // Whatever races with an access that this one replaces races with this one, too.
        const bool is_replaced = is_ordered && (each.bytes & ~bytes) == 0 && (is_write(what) || !is_write(each.what)) &&
                                 is_atomic(what) <= is_atomic(each.what);
        if (!is_replaced)
            word.all[kept++] = each;
    }
    word.all.resize(kept < max_accesses ? kept : max_accesses - 1);
    const thread_clock& clock = thread.parent->races.clocks[thread.thread];
    word.all.push_back({thread.block, thread.thread, thread.lane, thread.warp, thread.parent->generation, clock.time,
                        what, bytes, where});
    if (is_write(what))
        word.written |= bytes;
}

void find_race(access what, const void* address, std::size_t bytes, site where)
{
    const unseen_by_tsan unseen;
    current_launch->races.record(launch_state::running(), what, reinterpret_cast<std::uintptr_t>(address), bytes,
                                 where);
}

void synchronise_on(const void* word)
{
    const unseen_by_tsan unseen;
    current_launch->races.synchronise(launch_state::running(), word);
}

}  // namespace parprims::detail::simt::executor
