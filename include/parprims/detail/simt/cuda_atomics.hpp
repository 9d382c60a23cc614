/// @file
/// @brief  On a GPU: words that several threads use at a time.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <type_traits>

namespace parprims::detail::simt {

/// A 32-bit or 64-bit word read as one, device-wide.
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

/// A 32-bit or 64-bit word written as one, device-wide.
template <class Word>
__device__ inline void atomic_store(Word* word, Word value)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    if constexpr (sizeof(Word) == 8)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Adds to a number in global or shared memory and returns what was there. Device-wide for global memory.
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

/// Adds one to element `i` of counters in shared memory, in the lanes where `holds`: no branch around it.
__device__ inline void atomic_increment_if(bool holds, std::uint32_t* counters, std::uint32_t i)
{
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(counters)) + 4 * i;
    asm volatile(
        "{\n\t.reg .pred holds;\n\t"
        "setp.ne.u32 holds, %0, 0;\n\t"
        "@holds red.relaxed.cta.shared.add.u32 [%1], 1;\n\t}"
        :
        : "r"(static_cast<unsigned>(holds)), "r"(address)
        : "memory");
}

/// Adds to a number in global memory and returns what was there. Acquires and releases, device-wide.
__device__ inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(number), "r"(value) : "memory");
    return before;
}

/// Counts up from 0 to `limit` and starts again at 0; returns what was there. Acquires and releases, device-wide, or is
/// relaxed: nothing waits for it but what needs the number.
template <order Order = order::acq_rel>
__device__ inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit)
{
    static_assert(Order == order::acq_rel || Order == order::relaxed);
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

/// Writes a word, as one, that the host polls in page-locked memory.
__device__ inline void announce(std::uint64_t* word, std::uint64_t value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// Where a thread waits for another block: gives way for a moment.
__device__ inline void pause() {}

}  // namespace parprims::detail::simt
