/// @file
/// @brief  Loads, stores and counted branches on a GPU: nearly every function is an intrinsic or one PTX instruction.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::simt {

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_streaming(const packet<Bytes>* source)
{
    packet<Bytes> result;
    if constexpr (Bytes == 16) {
        const uint4 words = __ldcs(reinterpret_cast<const uint4*>(source));
        std::memcpy(__builtin_addressof(result), &words, 16);
    } else if constexpr (Bytes == 8) {
        const uint2 words = __ldcs(reinterpret_cast<const uint2*>(source));
        std::memcpy(__builtin_addressof(result), &words, 8);
    } else if constexpr (Bytes == 4) {
        const unsigned word = __ldcs(reinterpret_cast<const unsigned*>(source));
        std::memcpy(__builtin_addressof(result), &word, 4);
    } else {
        result = *source;
    }
    return result;
}

/// Reads a packet of global memory, of which only bytes [first, last) are used. A GPU reads the other bytes too, which other
/// threads may be writing; the executor does not touch them.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_part(const packet<Bytes>* source, unsigned, unsigned)
{
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
    if constexpr (Bytes == 16) {
        uint4 words;
        std::memcpy(&words, __builtin_addressof(value), 16);
        __stcs(reinterpret_cast<uint4*>(target), words);
    } else {
        detail::replace(*target, value);
    }
}

/// A reference to an element of an array in global or shared memory, and the type of its index. On the executor both are classes.
template <class T>
using reference = T&;
using index = std::size_t;

/// Reads one value of global or shared memory, or element `i` there.
template <class T>
__device__ inline T load(const T* source, index i = 0)
{
    return source[i];
}
template <class T>
__device__ inline T load(const uninitialized<T>* source, index i = 0)
{
    return source[i].value;
}

/// Writes one value of global or shared memory, or element `i` there.
template <class T>
__device__ inline void store(T* target, const std::type_identity_t<T>& value)
{
    detail::replace(*target, value);
}
template <class T>
__device__ inline void store(T* target, index i, const std::type_identity_t<T>& value)
{
    detail::replace(target[i], value);
}
template <class T>
__device__ inline void store(uninitialized<T>* target, const std::type_identity_t<T>& value)
{
    detail::replace(target->value, value);
}
template <class T>
__device__ inline void store(uninitialized<T>* target, index i, const std::type_identity_t<T>& value)
{
    detail::replace(target[i].value, value);
}

/// A condition that may differ between the lanes of a warp: `if (simt::branch(i < n))`. The executor counts it.
__device__ inline bool branch(bool condition)
{
    return condition;
}

/// Element `i`, to be read or written.
template <class T>
__device__ inline reference<T> at(T* data, index i)
{
    return data[i];
}
template <class T>
__device__ inline reference<T> at(uninitialized<T>* data, index i)
{
    return data[i].value;
}
template <class T>
__device__ inline reference<const T> at(const uninitialized<T>* data, index i)
{
    return data[i].value;
}
__device__ inline index check_index(index i, std::size_t)
{
    return i;
}
__device__ inline std::size_t position(index i)
{
    return i;
}

}  // namespace parprims::detail::simt
