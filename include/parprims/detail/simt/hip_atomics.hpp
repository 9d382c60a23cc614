/// @file
/// @brief  Atomic operations on an AMD GPU.
#pragma once

#include <parprims/detail/simt/hip.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::simt {

/// Reads a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline Word atomic_load(const Word* word)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Writes a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline void atomic_store(Word* word, Word value)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Adds to a number in global or shared memory and returns the old value. Relaxed; device-wide for global memory.
template <class T>
__device__ inline T atomic_add(T* number, std::type_identity_t<T> value)
{
    return __hip_atomic_fetch_add(number, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Sets the bits of `value` in a word in global or shared memory. Relaxed; device-wide for global memory.
__device__ inline void atomic_or(std::uint32_t* word, std::uint32_t value)
{
    __hip_atomic_fetch_or(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Writes `value` to a word in global memory if that is `expected`, and returns the old word. Relaxed, device-wide.
__device__ inline std::uint64_t atomic_replace(std::uint64_t* word, std::uint64_t expected, std::uint64_t value)
{
    __hip_atomic_compare_exchange_strong(word, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
}

/// Adds to a number in global memory and returns the old value. Acquire and release, device-wide.
__device__ inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value)
{
    return __hip_atomic_fetch_add(number, value, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
}

/// Increments a number in global memory, from `limit` to 0, and returns the old value. Device-wide: acquire and release, or
/// relaxed.
template <order Order = order::acq_rel>
__device__ inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit)
{
    static_assert(Order == order::acq_rel || Order == order::relaxed);
    if constexpr (Order == order::relaxed)
        return __builtin_amdgcn_atomic_inc32(number, limit, __ATOMIC_RELAXED, "agent");
    else
        return __builtin_amdgcn_atomic_inc32(number, limit, __ATOMIC_ACQ_REL, "agent");
}

/// Writes a word in page-locked memory that the host polls, in one access.
__device__ inline void announce(std::uint64_t* word, std::uint64_t value)
{
    __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

/// Called in a loop that waits for another block: leaves the cycles to other wavefronts.
__device__ inline void pause()
{
    __builtin_amdgcn_s_sleep(1);
}

}  // namespace parprims::detail::simt
