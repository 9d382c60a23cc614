/// @file
/// @brief  The thread context on a CPU: the plain C++ twin of cuda.hpp, on the executor of lib/executor.
///
/// A mask may be of 32 or of 64 bits, for a machine with warps of 64 lanes.
#pragma once

#include <executor/memory.hpp>
#include <executor/runtime.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <bit>
#include <type_traits>

namespace parprims::detail::simt {

/// The calling thread's place in its block and in the grid.
struct block {
    static unsigned thread() { return executor::self().thread; }
    static unsigned threads() { return executor::self().threads; }
    static unsigned lane() { return executor::self().lane; }
    static unsigned warp() { return executor::self().warp; }
    static unsigned warps() { return executor::self().warps; }
    static std::size_t index() { return executor::self().block; }
    static std::size_t count() { return executor::self().blocks; }

    /// Waits for every thread of the block; orders their memory accesses.
    static void sync(executor::site where = executor::here()) { executor::sync_block(where); }

    static unsigned cluster_blocks() { return executor::self().cluster_blocks; }
    static unsigned cluster_rank() { return static_cast<unsigned>(index() % cluster_blocks()); }
    /// Says that this thread is here; what it did before is seen by who has waited.
    static void cluster_arrive(executor::site where = executor::here()) { executor::arrive_in_cluster(where); }
    /// The same, but nothing of it is seen: who has waited knows that all blocks have started.
    static void cluster_start(executor::site where = executor::here()) { executor::arrive_in_cluster(where, false); }
    /// Waits for every thread of the cluster to arrive that has not returned. Who has arrived may return instead.
    static void cluster_wait(executor::site where = executor::here()) { executor::wait_for_cluster(where); }

    /// What lies at `shared` of this block's shared memory in that of another block of the cluster, which must not have
    /// returned.
    template <class T>
    static T* of_block(T* shared, unsigned rank, executor::site where = executor::here())
    {
        return static_cast<T*>(executor::shared_of_block(shared, rank, where));
    }
};

/// Waits for the lanes of `mask`; orders their memory accesses.
template <class Mask = lane_mask>
inline void sync_warp(Mask mask = static_cast<Mask>(~Mask{0}), executor::site where = executor::here())
{
    executor::collect(executor::collective::sync, mask, where);
}

/// Bit l is set where lane l of `mask` says yes.
template <class Mask = lane_mask>
inline Mask ballot(bool yes, Mask mask = static_cast<Mask>(~Mask{0}), executor::site where = executor::here())
{
    return static_cast<Mask>(executor::collect(executor::collective::ballot, mask, where, yes ? 1 : 0));
}

namespace executor {

/// Shuffles of any kind. They order no memory accesses.
template <class T>
inline T exchange(collective what, const T& value, unsigned operand, std::uint64_t mask, site where)
{
    static_assert(std::is_trivially_copyable_v<T>);
    uninitialized<T> result;
    collect(what, mask, where, operand, &value, &result, sizeof(T));
    return result.value;
}

template <class T>
inline void check_aligned(const T* pointer, std::size_t bytes, site where)
{
    if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0)
        fail("misaligned access of " + std::to_string(bytes) + " bytes", where);
}

}  // namespace executor

/// `value`, cut off from what made it. Programs with the executor are compiled without contraction.
template <class T>
inline T separated(const T& value)
{
    return value;
}

/// `yes` or `no`.
template <class T>
inline T select(bool condition, const T& yes, const T& no)
{
    return condition ? yes : no;
}

/// The value of lane `source`.
template <class T, class Mask = lane_mask>
inline T shuffle(const T& value, unsigned source, Mask mask = static_cast<Mask>(~Mask{0}),
                 executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle, value, source, mask, where);
}

/// The value of the lane `distance` below; a lane that has none keeps its own.
template <class T, class Mask = lane_mask>
inline T shuffle_up(const T& value, unsigned distance, Mask mask = static_cast<Mask>(~Mask{0}),
                    executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle_up, value, distance, mask, where);
}

/// The value of the lane `distance` above; a lane that has none keeps its own.
template <class T, class Mask = lane_mask>
inline T shuffle_down(const T& value, unsigned distance, Mask mask = static_cast<Mask>(~Mask{0}),
                      executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle_down, value, distance, mask, where);
}

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
inline packet<Bytes> load_streaming(const packet<Bytes>* source, executor::site where = executor::here())
{
    executor::check_aligned(source, Bytes, where);
    return load(source, where);
}

/// Asks for global memory that will be read or written soon; waits for nothing.
inline void prefetch(const void*) {}

/// Writes global memory that will not be read again soon.
template <unsigned Bytes>
inline void store_streaming(packet<Bytes>* target, const packet<Bytes>& value, executor::site where = executor::here())
{
    executor::check_aligned(target, Bytes, where);
    store(target, value, where);
}

/// Writes one value at `shared` in the shared memory of another block of the cluster: less code than through `of_block`.
template <class T>
inline void store_in_block(T* shared, unsigned rank, const std::type_identity_t<T>& value,
                           executor::site where = executor::here())
{
    store(block::of_block(shared, rank, where), value, where);
}

/// Starts a copy of `Bytes` (4, 8 or 16, aligned) from global to shared memory; see `commit_copies`.
///
/// As unkind as the machine may be: the target is lost at once, and the source is read as late as possible.
template <unsigned Bytes>
inline void copy_async(packet<Bytes>* shared, const packet<Bytes>* global, executor::site where = executor::here())
{
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
    executor::check_aligned(shared, Bytes, where);
    executor::check_aligned(global, Bytes, where);
    packet<Bytes> lost = *global;  // read now too, so that a bad address is seen where it was made
    std::memset(lost.words, 0xA5, Bytes);
    *shared = lost;
    executor::note(executor::access::copy, global, where);
    executor::note(executor::access::store, shared, where);
    executor::begin_copy(shared, global, Bytes);
}

/// Ends a group of this thread's copies.
inline void commit_copies()
{
    executor::commit_copies();
}

/// Waits until at most `Pending` of this thread's newest groups are still under way. Other threads need a barrier too.
template <unsigned Pending>
inline void wait_copies()
{
    executor::pending_copy copy;
    while (executor::next_copy(Pending, copy))
        std::memcpy(copy.to, copy.from, copy.bytes);
}

/// A 32-bit or 64-bit word read as one, device-wide.
template <class Word>
inline Word atomic_load(const Word* word, executor::site where = executor::here())
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    executor::note(executor::access::load, word, where);
    executor::before_atomic(word, sizeof(Word), false, where);
    const Word value = __atomic_load_n(word, __ATOMIC_RELAXED);
    executor::observed(word, value, value);
    return value;
}

/// A 32-bit or 64-bit word written as one, device-wide.
template <class Word>
inline void atomic_store(Word* word, Word value, executor::site where = executor::here())
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    executor::note(executor::access::store, word, where);
    executor::before_atomic(word, sizeof(Word), true, where);
    executor::observed(word, __atomic_exchange_n(word, value, __ATOMIC_RELAXED), value);
}

/// Adds to a number in global or shared memory and returns what was there. Device-wide for global memory.
template <class T>
inline T atomic_add(T* number, std::type_identity_t<T> value, executor::site where = executor::here())
{
    executor::note(executor::access::atomic, number, where);
    executor::before_atomic(number, sizeof(T), true, where);
    if constexpr (std::is_integral_v<T>) {
        const T before = __atomic_fetch_add(number, value, __ATOMIC_RELAXED);
        executor::observed(number, before, static_cast<T>(before + value));
        return before;
    } else {
        using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        using aliasing_bits __attribute__((may_alias)) = bits;
        auto* const word = reinterpret_cast<aliasing_bits*>(number);
        bits before = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &before, std::bit_cast<bits>(std::bit_cast<T>(before) + value), true,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
        return std::bit_cast<T>(before);
    }
}

/// Adds one to element `i` of counters in shared memory, in the lanes where `holds`: no branch around it.
inline void atomic_increment_if(bool holds, std::uint32_t* counters, std::uint32_t i,
                                executor::site where = executor::here())
{
    if (holds)
        atomic_add(counters + i, 1u, where);
}

/// Whether there is `add_words`.
inline constexpr bool has_add_words = true;

/// Before the barrier after which another thread calls `add_words`: what this thread has written to shared memory is
/// there to be added.
inline void expose_words() {}

/// Starts to add `count` words of shared memory, a multiple of 4, to words of global memory, each atomically, device-wide.
/// Both begin at multiples of 16 bytes. See `wait_added`.
///
/// As unkind as the machine may be: the words are read as late as possible.
inline void add_words(std::uint32_t* global, const std::uint32_t* shared, unsigned count,
                      executor::site where = executor::here())
{
    executor::check_aligned(global, 16, where);
    executor::check_aligned(shared, 16, where);
    if (count % 4 != 0)
        executor::fail("add_words of " + std::to_string(count) + " words, no multiple of 4", where);
    executor::begin_add(global, shared, 4 * count);
}

/// Waits until what this thread has asked `add_words` for is done.
inline void wait_added(executor::site where = executor::here())
{
    executor::pending_copy add;
    while (executor::next_add(add))
        for (unsigned i = 0; i < add.bytes / 4; ++i)
            atomic_add(static_cast<std::uint32_t*>(add.to) + i, static_cast<const std::uint32_t*>(add.from)[i], where);
}

/// Adds to a number in global memory and returns what was there. Acquires and releases, device-wide.
inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value, executor::site where = executor::here())
{
    executor::note(executor::access::atomic, number, where);
    executor::before_atomic(number, sizeof *number, true, where);
    const unsigned before = __atomic_fetch_add(number, value, __ATOMIC_ACQ_REL);
    executor::observed(number, before, before + value);
    return before;
}

/// Counts up from 0 to `limit` and starts again at 0; returns what was there. Acquires and releases, device-wide, or is
/// relaxed: nothing waits for it but what needs the number.
template <order Order = order::acq_rel>
inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit, executor::site where = executor::here())
{
    executor::note(executor::access::atomic, number, where);
    executor::before_atomic(number, sizeof *number, true, where);
    unsigned before = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(number, &before, before >= limit ? 0 : before + 1, true,
                                        Order == order::relaxed ? __ATOMIC_RELAXED : __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {}
    executor::observed(number, before, before >= limit ? 0u : before + 1);
    return before;
}

/// Writes a word, as one, that the host polls.
inline void announce(std::uint64_t* word, std::uint64_t value, executor::site where = executor::here())
{
    executor::note(executor::access::store, word, where);
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/// Where a thread waits for another block: gives way for a moment.
inline void pause(executor::site where = executor::here())
{
    executor::pause(where);
}

namespace executor {

/// What is in an inbox besides the bytes that are still to come, as long as nobody has said how many.
inline constexpr std::uint64_t nothing_expected = std::uint64_t{1} << 32;

/// Adds to an inbox.
inline void change_inbox(std::uint64_t* inbox, std::uint64_t change, site where)
{
    before_atomic(inbox, sizeof *inbox, true, where);
    if (static_cast<std::int64_t>(__atomic_add_fetch(inbox, change, __ATOMIC_ACQ_REL)) < 0)
        fail("more is sent to a block than it expects", where);
}

}  // namespace executor

/// For one thread of a block, before its block says that it has started: others may `send` to it then.
inline void open_inbox(std::uint64_t* inbox, executor::site where = executor::here())
{
    executor::before_atomic(inbox, sizeof *inbox, true, where);
    __atomic_store_n(inbox, executor::nothing_expected, __ATOMIC_RELEASE);
}

/// For one thread of a block, when all have started: so many bytes are sent to it, of which some may have come.
inline void expect_sent(std::uint64_t* inbox, unsigned bytes, executor::site where = executor::here())
{
    executor::change_inbox(inbox, bytes - executor::nothing_expected, where);
}

/// Writes 8 or 16 bytes at `shared` in the shared memory of another block of the cluster, which has started, and has an
/// inbox at `inbox`.
template <unsigned Bytes>
inline void send(packet<Bytes>* shared, unsigned rank, const packet<Bytes>& value, std::uint64_t* inbox,
                 executor::site where = executor::here())
{
    static_assert(Bytes == 8 || Bytes == 16);
    executor::check_aligned(shared, Bytes, where);
    store_in_block(shared, rank, value, where);
    executor::change_inbox(block::of_block(inbox, rank, where), -std::uint64_t{Bytes}, where);
}

/// Waits until all is there that this block expects, which another thread may say.
inline void wait_inbox(std::uint64_t* inbox, executor::site where = executor::here())
{
    executor::before_atomic(inbox, sizeof *inbox, false, where);
    while (__atomic_load_n(inbox, __ATOMIC_ACQUIRE) != 0) {
        executor::pause(where);
        executor::before_atomic(inbox, sizeof *inbox, false, where);
    }
}

namespace executor {

/// Runs a kernel object on this thread of the CPU and returns when it is done.
template <class Kernel>
statistics launch(const options& how, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes,
                  const Kernel& kernel, unsigned cluster_blocks = 1)
{
    static_assert(std::is_trivially_copyable_v<typename Kernel::shared_storage>);
    return run(
        how, blocks, block_threads, shared_bytes,
        [](const void* object, void* shared) {
            (*static_cast<const Kernel*>(object))(block{}, *static_cast<typename Kernel::shared_storage*>(shared));
        },
        &kernel, cluster_blocks);
}

}  // namespace executor

}  // namespace parprims::detail::simt
