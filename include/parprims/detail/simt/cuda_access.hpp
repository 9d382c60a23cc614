/// @file
/// @brief  Loads and stores of memory that is used once: each is an intrinsic or one PTX instruction.
#pragma once

#include <parprims/detail/simt/simt.hpp>

namespace parprims::detail::simt {

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_streaming(const packet<Bytes>* source)
{
    packet<Bytes> result;
    if constexpr (Bytes == 16) {
        const uint4 words = __ldcs(reinterpret_cast<const uint4*>(source));
        __builtin_memcpy(__builtin_addressof(result), &words, 16);
    } else if constexpr (Bytes == 8) {
        const uint2 words = __ldcs(reinterpret_cast<const uint2*>(source));
        __builtin_memcpy(__builtin_addressof(result), &words, 8);
    } else if constexpr (Bytes == 4) {
        const unsigned word = __ldcs(reinterpret_cast<const unsigned*>(source));
        __builtin_memcpy(__builtin_addressof(result), &word, 4);
    } else {
        result = *source;
    }
    return result;
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
    if constexpr (Bytes == 16) {
        uint4 words;
        __builtin_memcpy(&words, __builtin_addressof(value), 16);
        __stcs(reinterpret_cast<uint4*>(target), words);
    } else {
        detail::replace(*target, value);
    }
}

}  // namespace parprims::detail::simt
