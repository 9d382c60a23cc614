/// @file
/// @brief  Asynchronous operations on a CPU, the counterpart of cuda_async.hpp. Included by executor.hpp.
///
/// Each behaves in the least favourable way that the hardware allows.
#pragma once

#include <parprims/detail/executor/atomics.hpp>
#include <parprims/detail/executor/thread_context.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace parprims::detail::simt {

/// Starts a copy of `Bytes` (4, 8 or 16, aligned) from global to shared memory; see `commit_copies`. Only bytes [first, last)
/// are copied. The other bytes, which other threads may be writing, must be in memory.
///
/// The target is overwritten at once, and the source is read as late as possible.
template <unsigned Bytes>
inline void copy_async(packet<Bytes>* shared, const packet<Bytes>* global, unsigned first = 0, unsigned last = Bytes,
                       executor::site where = executor::here())
{
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
    executor::record_access(executor::access::copy, global, where);
    executor::record_access(executor::access::store, shared, where);
    std::memset(shared->words, 0xA5, Bytes);
    executor::begin_copy(reinterpret_cast<unsigned char*>(shared) + first,
                         reinterpret_cast<const unsigned char*>(global) + first, last - first);
}

/// Ends a group of this thread's copies.
inline void commit_copies()
{
    executor::commit_copies();
}

/// Waits until at most `Pending` of this thread's newest groups are pending. Other threads also need a barrier.
template <unsigned Pending>
inline void wait_copies()
{
    executor::pending_copy copy;
    while (executor::next_copy(Pending, copy))
        std::memcpy(copy.to, copy.from, copy.bytes);
}

/// Only checks that the array is in memory.
inline void prefetch(const volatile void* global, std::size_t bytes, executor::site where = executor::here())
{
    executor::check_access(const_cast<const void*>(global), bytes, 1, where);
}

/// Whether `add_words` is available.
inline constexpr bool has_add_words = true;

/// Makes this thread's writes to shared memory visible to `add_words`. Call it before the barrier that precedes `add_words`.
inline void expose_words() {}

/// Starts to add `count` words of shared memory, a multiple of 4, to words of global memory, each atomically, device-wide.
/// Both begin at multiples of 16 bytes. See `wait_added`.
///
/// The words are read as late as possible.
inline void add_words(std::uint32_t* global, const std::uint32_t* shared, unsigned count,
                      executor::site where = executor::here())
{
    executor::check_access(global, 4 * std::size_t{count}, 16, where);
    executor::check_access(shared, 4 * std::size_t{count}, 16, where);
    if (count % 4 != 0)
        executor::fail("add_words of " + std::to_string(count) + " words, no multiple of 4", where);
    executor::begin_add(global, shared, 4 * count);
}

/// Waits until all `add_words` of this thread are done.
inline void wait_added(executor::site where = executor::here())
{
    executor::pending_copy add;
    while (executor::next_add(add))
        for (unsigned i = 0; i < add.bytes / 4; ++i)
            atomic_add(static_cast<std::uint32_t*>(add.to) + i, static_cast<const std::uint32_t*>(add.from)[i], where);
}

namespace executor {

/// Added to an inbox until `expect_sent`: it cannot be 0 before, which means that all bytes have arrived.
inline constexpr std::uint64_t nothing_expected = std::uint64_t{1} << 32;

/// Adds to the inbox: the expected bytes minus those that have arrived.
inline void change_inbox(std::uint64_t* inbox, std::uint64_t change, site where)
{
    before_atomic(inbox, sizeof *inbox, true, where);
    if (static_cast<std::int64_t>(__atomic_add_fetch(inbox, change, __ATOMIC_ACQ_REL)) < 0)
        fail("more is sent to a block than it expects", where);
}

}  // namespace executor

/// Initialises the inbox of a block, by one of its threads, before `cluster_start`. After `cluster_wait` others may `send`.
inline void open_inbox(std::uint64_t* inbox, executor::site where = executor::here())
{
    executor::before_atomic(inbox, sizeof *inbox, true, where);
    __atomic_store_n(inbox, executor::nothing_expected, __ATOMIC_RELEASE);
}

/// Sets how many bytes the block will receive, by one of its threads, after all blocks have started. Some bytes may have
/// arrived before.
inline void expect_sent(std::uint64_t* inbox, unsigned bytes, executor::site where = executor::here())
{
    executor::change_inbox(inbox, bytes - executor::nothing_expected, where);
}

/// Writes 8 or 16 bytes at `shared` in the shared memory of another block of the cluster, which has started and has an inbox
/// at `inbox`.
template <unsigned Bytes>
inline void send(packet<Bytes>* shared, unsigned rank, const packet<Bytes>& value, std::uint64_t* inbox,
                 executor::site where = executor::here())
{
    static_assert(Bytes == 8 || Bytes == 16);
    executor::check_access(shared, Bytes, Bytes, where);
    store(block::of_block(shared, rank, where), value, where);
    executor::change_inbox(block::of_block(inbox, rank, where), -std::uint64_t{Bytes}, where);
}

/// Waits until this block has received all expected bytes. Another thread may call `expect_sent`.
inline void wait_inbox(std::uint64_t* inbox, executor::site where = executor::here())
{
    executor::before_atomic(inbox, sizeof *inbox, false, where);
    while (__atomic_load_n(inbox, __ATOMIC_ACQUIRE) != 0) {
        executor::pause(where);
        executor::before_atomic(inbox, sizeof *inbox, false, where);
    }
}

}  // namespace parprims::detail::simt
