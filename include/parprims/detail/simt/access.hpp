/// @file
/// @brief  Loads, stores and branches on a GPU, where they are plain C++. The executor checks and counts them instead.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::simt {

/// Reads a packet of global memory, of which only bytes [first, last) are used. A GPU reads the other bytes too, which other
/// threads may be writing; the executor does not touch them.
template <unsigned Bytes>
PARPRIMS_DEVICE inline packet<Bytes> load_part(const packet<Bytes>* source, unsigned, unsigned)
{
    return *source;
}

/// A reference to an element of an array in global or shared memory, and the type of its index. On the executor both are classes.
template <class T>
using reference = T&;
using index = std::size_t;

/// Reads one value of global or shared memory, or element `i` there.
template <class T>
PARPRIMS_DEVICE inline T load(const T* source, index i = 0)
{
    return source[i];
}
template <class T>
PARPRIMS_DEVICE inline T load(const uninitialized<T>* source, index i = 0)
{
    return source[i].value;
}

/// Writes one value of global or shared memory, or element `i` there.
template <class T>
PARPRIMS_DEVICE inline void store(T* target, const std::type_identity_t<T>& value)
{
    detail::replace(*target, value);
}
template <class T>
PARPRIMS_DEVICE inline void store(T* target, index i, const std::type_identity_t<T>& value)
{
    detail::replace(target[i], value);
}
template <class T>
PARPRIMS_DEVICE inline void store(uninitialized<T>* target, const std::type_identity_t<T>& value)
{
    detail::replace(target->value, value);
}
template <class T>
PARPRIMS_DEVICE inline void store(uninitialized<T>* target, index i, const std::type_identity_t<T>& value)
{
    detail::replace(target[i].value, value);
}

/// A condition that may differ between the lanes of a warp: `if (simt::branch(i < n))`. The executor counts it.
PARPRIMS_DEVICE inline bool branch(bool condition)
{
    return condition;
}

/// Element `i`, to be read or written.
template <class T>
PARPRIMS_DEVICE inline reference<T> at(T* data, index i)
{
    return data[i];
}
template <class T>
PARPRIMS_DEVICE inline reference<T> at(uninitialized<T>* data, index i)
{
    return data[i].value;
}
template <class T>
PARPRIMS_DEVICE inline reference<const T> at(const uninitialized<T>* data, index i)
{
    return data[i].value;
}
PARPRIMS_DEVICE inline index check_index(index i, std::size_t)
{
    return i;
}
PARPRIMS_DEVICE inline std::size_t position(index i)
{
    return i;
}

}  // namespace parprims::detail::simt
