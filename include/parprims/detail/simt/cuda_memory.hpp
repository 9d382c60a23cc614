/// @file
/// @brief  Atomic operations on a GPU, and loads and stores of memory that is used once: each is an intrinsic or one PTX instruction.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <type_traits>

namespace parprims::detail::simt {

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_streaming(const packet<Bytes>* source)
{
    if constexpr (Bytes == 16)
        return __builtin_bit_cast(packet<Bytes>, __ldcs(reinterpret_cast<const uint4*>(source)));
    else if constexpr (Bytes == 8)
        return __builtin_bit_cast(packet<Bytes>, __ldcs(reinterpret_cast<const uint2*>(source)));
    else if constexpr (Bytes == 4)
        return __builtin_bit_cast(packet<Bytes>, __ldcs(reinterpret_cast<const unsigned*>(source)));
    else
        return *source;
}

/// Prefetches global memory into the L2 cache. Does not wait.
__device__ inline void prefetch(const void* address)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// Writes global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline void store_streaming(packet<Bytes>* target, const packet<Bytes>& value)
{
    if constexpr (Bytes == 16)
        __stcs(reinterpret_cast<uint4*>(target), __builtin_bit_cast(uint4, value));
    else
        detail::replace(*target, value);
}

/// Reads a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline Word atomic_load(const Word* word)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    Word value;
    if constexpr (sizeof(Word) == 8)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

/// Writes a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline void atomic_store(Word* word, Word value)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    if constexpr (sizeof(Word) == 8)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Adds to a number in global or shared memory and returns the old value. Relaxed; device-wide for global memory.
template <class T>
__device__ inline T atomic_add(T* number, std::type_identity_t<T> value)
{
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        return static_cast<T>(
            atomicAdd(reinterpret_cast<unsigned long long*>(number), static_cast<unsigned long long>(value)));
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(atomicAdd(reinterpret_cast<unsigned*>(number), static_cast<unsigned>(value)));
    else
        return atomicAdd(number, value);
}

/// Sets the bits of `value` in a word in global or shared memory. Relaxed; device-wide for global memory.
__device__ inline void atomic_or(std::uint32_t* word, std::uint32_t value)
{
    atomicOr(word, value);
}

/// Writes `value` to a word in global memory if that is `expected`, and returns the old word. Relaxed, device-wide.
__device__ inline std::uint64_t atomic_replace(std::uint64_t* word, std::uint64_t expected, std::uint64_t value)
{
    return atomicCAS(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(expected),
                     static_cast<unsigned long long>(value));
}

/// Adds to a number in global memory and returns the old value. Acquire and release, device-wide.
__device__ inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(number), "r"(value) : "memory");
    return before;
}

/// Increments a number in global memory, from `limit` to 0, and returns the old value. Device-wide: acquire and release, or
/// relaxed, which delays only what uses the result.
template <order Order = order::acq_rel>
__device__ inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit)
{
    unsigned before;
    if constexpr (Order == order::relaxed)
        asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(number), "r"(limit)
                     : "memory");
    else
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(number), "r"(limit)
                     : "memory");
    return before;
}

/// Writes a word in page-locked memory that the host polls, in one access.
__device__ inline void announce(std::uint64_t* word, std::uint64_t value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// Called in a loop that waits for another block. The executor runs other threads here.
__device__ inline void pause() {}

}  // namespace parprims::detail::simt
