/// @file
/// @brief  Atomic operations on a CPU, the counterpart of cuda_memory.hpp. Included by executor.hpp.
#pragma once

#include <parprims/detail/executor/memory.hpp>
#include <parprims/detail/executor/runtime.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::simt {

/// Reads a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
inline Word atomic_load(const Word* word, executor::site where = executor::here())
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    executor::record_access(executor::access::atomic_load, word, where);
    executor::before_atomic(word, sizeof(Word), false, where);
    const Word value = __atomic_load_n(word, __ATOMIC_RELAXED);
    executor::observed(word, value, value);
    return value;
}

/// Writes a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
inline void atomic_store(Word* word, Word value, executor::site where = executor::here())
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    executor::record_access(executor::access::atomic_store, word, where);
    executor::before_atomic(word, sizeof(Word), true, where);
    executor::observed(word, __atomic_exchange_n(word, value, __ATOMIC_RELAXED), value);
}

/// Adds to a number in global or shared memory and returns the old value. Relaxed; device-wide for global memory.
template <class T>
inline T atomic_add(T* number, std::type_identity_t<T> value, executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic, number, where);
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

/// Sets the bits of `value` in a word in global or shared memory. Relaxed; device-wide for global memory.
inline void atomic_or(std::uint32_t* word, std::uint32_t value, executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic, word, where);
    executor::before_atomic(word, sizeof *word, true, where);
    const std::uint32_t before = __atomic_fetch_or(word, value, __ATOMIC_RELAXED);
    executor::observed(word, before, before | value);
}

/// Writes `value` to a word in global memory if that is `expected`, and returns the old word. Relaxed, device-wide.
inline std::uint64_t atomic_replace(std::uint64_t* word, std::uint64_t expected, std::uint64_t value,
                                    executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic, word, where);
    executor::before_atomic(word, sizeof *word, true, where);
    std::uint64_t before = expected;
    __atomic_compare_exchange_n(word, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    executor::observed(word, before, before == expected ? value : before);
    return before;
}

/// Adds to a number in global memory and returns the old value. Acquire and release, device-wide.
inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value, executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic, number, where);
    executor::before_atomic(number, sizeof *number, true, where);
    const unsigned before = __atomic_fetch_add(number, value, __ATOMIC_ACQ_REL);
    if (executor::is_finding_races)
        executor::synchronise_on(number);
    executor::observed(number, before, before + value);
    return before;
}

/// Increments a number in global memory, from `limit` to 0, and returns the old value. Device-wide: acquire and release, or
/// relaxed, which delays only what uses the result.
template <order Order = order::acq_rel>
inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit, executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic, number, where);
    executor::before_atomic(number, sizeof *number, true, where);
    unsigned before = __atomic_load_n(number, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(number, &before, before >= limit ? 0 : before + 1, true,
                                        Order == order::relaxed ? __ATOMIC_RELAXED : __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {}
    if (Order != order::relaxed && executor::is_finding_races)
        executor::synchronise_on(number);
    executor::observed(number, before, before >= limit ? 0u : before + 1);
    return before;
}

/// Writes a word that the host polls, in one access.
inline void announce(std::uint64_t* word, std::uint64_t value, executor::site where = executor::here())
{
    executor::record_access(executor::access::atomic_store, word, where);
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/// Called in a loop that waits for another block. The executor runs other threads here.
inline void pause(executor::site where = executor::here())
{
    executor::pause(where);
}

}  // namespace parprims::detail::simt
