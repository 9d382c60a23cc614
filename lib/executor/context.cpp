// What kernels call while they run: barriers, collectives, atomics, copies.
#include "machine.hpp"
#include "sanitizers.hpp"

#include <cstring>

namespace parprims::detail::simt::executor {

namespace {

bool same(site a, site b)
{
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

std::string who(const thread_state& thread)
{
    return "block " + std::to_string(thread.block) + ", thread " + std::to_string(thread.thread) + " (lane " +
           std::to_string(thread.lane) + ")";
}

/// memcpy is TSan's, and would see what these fibers write for each other.
void copy_unseen(void* to, const void* from, std::size_t bytes)
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

[[noreturn, gnu::cold, gnu::noinline]] void refuse_source(const rendezvous& flight, const thread_state& thread,
                                                          unsigned source)
{
    fail(std::string(name_of(flight.what)) + ": " + who(thread) + " reads lane " + std::to_string(source) +
             ", which is not in the mask",
         flight.where);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_sizes(const rendezvous& flight)
{
    fail(std::string(name_of(flight.what)) + ": values of different sizes", flight.where);
}

/// All lanes are here: gives each its value.
void exchange_values(const rendezvous& flight, thread_state* lanes, unsigned width)
{
    for (std::uint64_t left = flight.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        thread_state& thread = lanes[lane];
        const unsigned source = source_of(flight.what, lane, thread.operand, width);
        if ((flight.mask >> source & 1) == 0)
            refuse_source(flight, thread, source);
        if (lanes[source].bytes != thread.bytes)
            refuse_sizes(flight);
        copy_unseen(thread.out, lanes[source].in, thread.bytes);
    }
}

/// All lanes are here: gives each the votes of all.
void exchange_votes(const rendezvous& flight, thread_state* lanes)
{
    std::uint64_t votes = 0;
    for (std::uint64_t left = flight.mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
        if (lanes[lane].operand != 0)
            votes |= std::uint64_t{1} << lane;
    }
    for (std::uint64_t left = flight.mask; left != 0; left &= left - 1)
        lanes[__builtin_ctzll(left)].votes = votes;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_divergence(const rendezvous& flight, collective what, site where,
                                                              const thread_state& thread)
{
    fail(std::string("divergence: ") + who(thread) + " is in " + name_of(what) + ", other lanes of its warp in " +
             name_of(flight.what) + " at " + to_string(flight.where),
         where);
}

/// A new one.
[[gnu::cold, gnu::noinline]] rendezvous& add_flight(warp_state& warp)
{
    const unseen_by_tsan unseen;
    warp.flights.reserve(max_warp_threads);  // never moves: one a lane at most
    return warp.flights.emplace_back();
}

/// The collective under way that has this mask, or a new one.
rendezvous& find_flight(warp_state& warp, collective what, std::uint64_t mask, site where, const thread_state& thread)
{
    rendezvous* unused = nullptr;
    for (rendezvous& flight : warp.flights) {
        if (flight.arrived == 0) {
            unused = &flight;
        } else if (flight.mask == mask) {
            if (flight.what != what || !same(flight.where, where))
                refuse_divergence(flight, what, where, thread);
            return flight;
        }
    }
    if (unused == nullptr)
        unused = &add_flight(warp);
    unused->mask = mask;
    unused->what = what;
    unused->where = where;
    return *unused;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_mask(collective what, std::uint64_t mask, site where,
                                                        const thread_state& thread)
{
    const unsigned width = the_machine->how.warp_threads;
    const std::string of = std::string(name_of(what)) + ": ";
    if ((mask >> thread.lane & 1) == 0)
        fail(of + who(thread) + " is not in its own mask", where);
    if (width < 64 && mask >> width != 0)
        fail(of + "the mask of " + who(thread) + " names lanes that no warp has", where);
    fail(of + "the mask of " + who(thread) + " names lanes that have returned", where);
}

}  // namespace

void fail(const std::string& what, site where)
{
    throw error(to_string(where) + ": " + what);
}

void sync_block(site where)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    block_state& home = *thread.home;
    if (home.live != home.threads.size())
        fail("divergence: " + who(thread) + " is at a barrier, and " + std::to_string(home.threads.size() - home.live) +
                 " threads of its block have returned",
             where);
    if (home.arrived != 0 && !same(home.barrier, where))
        fail("divergence: " + who(thread) + " is at this barrier, other threads of its block at that of " +
                 to_string(home.barrier),
             where);

    void* const order = &home.order[home.generation % 2];
    release(order);
    home.barrier = where;
    thread.where = where;
    if (++home.arrived < home.threads.size()) {
        thread.status = thread_status::at_barrier;
        here.leave(thread);
    } else {
        home.arrived = 0;
        ++home.generation;
        ++here.counts.barriers;
        for (unsigned w = 0; w < home.warps.size(); ++w)
            here.meet(home, w, ~std::uint64_t{0} >> (64 - here.how.warp_threads));
        for (thread_state& other : home.threads)
            if (other.status == thread_status::at_barrier)
                here.wake(other);
        if (here.how.order != schedule::in_order) {
            here.wake(thread);
            here.leave(thread);
        }
    }
    acquire(order);
}

void arrive_in_cluster(site where, bool releases)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    cluster_state& cluster = *thread.home->member;
    if (!thread.has_waited)
        fail("divergence: " + who(thread) + " arrives at its cluster's barrier again and has not waited", where);
    if (cluster.arrived != 0 && !same(cluster.barrier, where))
        fail("divergence: " + who(thread) + " is at this barrier, other threads of its cluster at that of " +
                 to_string(cluster.barrier),
             where);

    thread.where = where;
    thread.has_waited = false;
    if (releases)
        release(&cluster.order[thread.arrivals % 2]);
    ++thread.arrivals;
    cluster.barrier = where;
    ++cluster.arrived;
    here.complete(cluster);
    here.give_way(thread);
}

void wait_for_cluster(site where)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    cluster_state& cluster = *thread.home->member;
    if (thread.has_waited)
        fail("divergence: " + who(thread) + " waits at its cluster's barrier and has not arrived", where);
    thread.where = where;
    if (cluster.generation != thread.arrivals) {
        thread.status = thread_status::at_cluster_barrier;
        here.leave(thread);
    }
    thread.has_waited = true;
    acquire(&cluster.order[(thread.arrivals - 1) % 2]);
}

void* shared_of_block(const void* shared, unsigned rank, site where)
{
    const machine& here = *the_machine;
    const thread_state& thread = machine::running();
    const cluster_state& cluster = *thread.home->member;
    const auto offset =
        static_cast<std::size_t>(static_cast<const char*>(shared) - static_cast<const char*>(thread.home->shared));
    if (offset >= here.shared_bytes())
        fail(who(thread) + " asks for what is not in its shared memory", where);
    if (rank >= cluster.count)
        fail(who(thread) + " asks for block " + std::to_string(rank) + " of a cluster of " +
                 std::to_string(cluster.count),
             where);
    if (rank != thread.block % cluster.count && thread.arrivals < (thread.has_waited ? 1u : 2u))
        fail(who(thread) +
                 " asks for the shared memory of a block that need not have started: it has not waited at a " +
                 "barrier of the cluster",
             where);
    if (cluster.blocks[rank]->live == 0)
        fail(who(thread) + " asks for the shared memory of block " + std::to_string(cluster.blocks[rank]->index) +
                 ", which has returned",
             where);
    return static_cast<char*>(cluster.blocks[rank]->shared) + offset;
}

std::uint64_t collect(collective what, std::uint64_t mask, site where, unsigned operand, const void* in, void* out,
                      std::size_t bytes)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    block_state& home = *thread.home;
    warp_state& warp = home.warps[thread.warp];
    if ((mask >> thread.lane & 1) == 0 || (mask & (warp.exited | warp.none)) != 0)
        refuse_mask(what, mask, where, thread);

    rendezvous& flight = find_flight(warp, what, mask, where, thread);
    thread.where = where;
    thread.what = what;
    thread.operand = operand;
    thread.in = in;
    thread.out = out;
    thread.bytes = static_cast<std::uint32_t>(bytes);
    void* const order = what == collective::sync ? &flight.order[flight.generation % 2] : nullptr;
    if (order != nullptr)
        release(order);
    flight.arrived |= std::uint64_t{1} << thread.lane;
    if (flight.arrived != mask) {
        thread.status = thread_status::in_collective;
        here.leave(thread);
    } else {
        thread_state* const lanes = &thread - thread.lane;
        if (what == collective::ballot)
            exchange_votes(flight, lanes);
        else if (what != collective::sync)
            exchange_values(flight, lanes, here.how.warp_threads);
        flight.arrived = 0;
        ++flight.generation;
        ++here.counts.collectives;
        here.meet(home, thread.warp, mask);
        if (is_counting) {
            ++here.counts.warp_operations;
            here.counts.lane_operations += static_cast<unsigned>(__builtin_popcountll(mask));
        }
        const bool goes_on = here.how.order == schedule::in_order;
        here.wake(lanes, goes_on ? mask & ~(std::uint64_t{1} << thread.lane) : mask);
        if (!goes_on)
            here.leave(thread);
    }
    if (order != nullptr)
        acquire(order);
    return what == collective::ballot ? thread.votes : 0;
}

void before_atomic(const void* word, std::size_t bytes, bool writes, site where)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    if (reinterpret_cast<std::uintptr_t>(word) % bytes != 0)
        fail(who(thread) + ": misaligned atomic operation of " + std::to_string(bytes) + " bytes", where);
    thread.last_word = word;
    ++here.counts.atomics;
    here.give_way(thread);
    if (writes)
        ++here.progress;
    else if (here.looks_in_vain(thread)) {
        thread.where = where;
        thread.status = thread_status::looking;
        here.leave(thread);
    }
}

void pause(site where)
{
    machine& here = *the_machine;
    thread_state& thread = machine::running();
    ++here.counts.pauses;
    thread.where = where;
    if (here.how.order == schedule::random && here.chance(0.25)) {
        here.wake(thread);  // looks again sooner than it needs to
    } else {
        thread.status = thread_status::pausing;
    }
    here.leave(thread);
}

void begin_copy(void* to, const void* from, unsigned bytes)
{
    thread_state& thread = machine::running();
    {
        const unseen_by_tsan unseen;  // the room may have been that of an earlier block's thread
        thread.copies.push_back({to, from, bytes, thread.groups});
    }
    the_machine->give_way(thread);
}

void commit_copies()
{
    ++machine::running().groups;
}

bool next_copy(unsigned newest, pending_copy& copy)
{
    thread_state& thread = machine::running();
    if (thread.first_copy == thread.copies.size())
        return false;
    const pending_copy& first = thread.copies[thread.first_copy];
    if (first.group + newest >= thread.groups)
        return false;
    copy = first;
    if (++thread.first_copy == thread.copies.size()) {
        thread.copies.clear();
        thread.first_copy = 0;
    }
    return true;
}

void begin_add(void* to, const void* from, unsigned bytes)
{
    thread_state& thread = machine::running();
    {
        const unseen_by_tsan unseen;
        thread.adds.push_back({to, from, bytes, 0});
    }
    the_machine->give_way(thread);
}

bool next_add(pending_copy& add)
{
    thread_state& thread = machine::running();
    if (thread.adds.empty())
        return false;
    add = thread.adds.back();
    thread.adds.pop_back();
    return true;
}

}  // namespace parprims::detail::simt::executor
