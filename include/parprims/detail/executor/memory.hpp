/// @file
/// @brief  Loads, stores and branches on a CPU. Each takes its place in the source, by which it is counted.
#pragma once

#include <parprims/detail/executor/runtime.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

namespace parprims::detail::simt {

namespace executor {

/// Memory that kernels may access, aligned to 256 bytes like that of a GPU: sectors are counted by address.
template <class T>
struct aligned_allocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{256};

    aligned_allocator() = default;
    template <class Other>
    aligned_allocator(const aligned_allocator<Other>&)
    {
    }
    T* allocate(std::size_t n)
    {
        void* const memory = ::operator new(n * sizeof(T), alignment);
        executor::add_memory(memory, n * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* data, std::size_t)
    {
        executor::remove_memory(data);
        ::operator delete(data, alignment);
    }
    bool operator==(const aligned_allocator&) const = default;
};

/// A std::vector of memory for kernels.
template <class T>
using buffer = std::vector<T, aligned_allocator<T>>;

/// Checks and counts an access of a value.
template <class T>
inline void record_access(access what, const T* address, site where)
{
    executor::record_access(what, address, sizeof(T), alignof(T), where);
}

}  // namespace executor

/// The index of an element, with the place in the source that uses it.
struct index {
    std::size_t value;
    executor::site where;

    constexpr index(std::size_t i, executor::site place = executor::here()) : value(i), where(place) {}
};

/// The address of element `i`.
template <class T>
inline T* element_of(T* data, index i)
{
    if (executor::is_finding_races)
        executor::check_element(data, data + i.value, sizeof(T), i.where);
    return data + i.value;
}

/// Reads one value of global or shared memory, or element `i` there.
template <class T>
inline T load(const T* source, executor::site where = executor::here())
{
    executor::record_access(executor::access::load, source, where);
    return *source;
}
template <class T>
inline T load(const T* source, index i)
{
    return simt::load(simt::element_of(source, i), i.where);
}
template <class T>
inline T load(const uninitialized<T>* source, executor::site where = executor::here())
{
    return simt::load(__builtin_addressof(source->value), where);
}
template <class T>
inline T load(const uninitialized<T>* source, index i)
{
    return simt::load(__builtin_addressof(source[i.value].value), i.where);
}

/// Reads a packet of global memory, of which only bytes [first, last) are used. The others must be in memory, too.
template <unsigned Bytes>
inline packet<Bytes> load_part(const packet<Bytes>* source, unsigned first, unsigned last,
                               executor::site where = executor::here())
{
    executor::record_access(executor::access::load, source, where);
    packet<Bytes> result;
    std::memcpy(reinterpret_cast<unsigned char*>(result.words) + first,
                reinterpret_cast<const unsigned char*>(source) + first, last - first);
    return result;
}

/// Writes one value of global or shared memory, or element `i` there.
template <class T>
inline void store(T* target, const std::type_identity_t<T>& value, executor::site where = executor::here())
{
    executor::record_access(executor::access::store, target, where);
    detail::replace(*target, value);
}
template <class T>
inline void store(T* target, index i, const std::type_identity_t<T>& value)
{
    simt::store(simt::element_of(target, i), value, i.where);
}
template <class T>
inline void store(uninitialized<T>* target, const std::type_identity_t<T>& value,
                  executor::site where = executor::here())
{
    simt::store(__builtin_addressof(target->value), value, where);
}
template <class T>
inline void store(uninitialized<T>* target, index i, const std::type_identity_t<T>& value)
{
    simt::store(__builtin_addressof(target[i.value].value), value, i.where);
}

/// A condition that may differ between the lanes of a warp, counted: `if (simt::branch(i < n))`.
inline bool branch(bool condition, executor::site where = executor::here())
{
    if (executor::is_counting)
        executor::count_branch(condition, where);
    return condition;
}

/// A proxy for an element: the conversion to a value reads it, an assignment writes it. Only the expression `a[i]` itself can be
/// used. After `auto x = a[i]` a use of `x` does not compile, because nvcc would have read the value at `a[i]`.
template <class T>
class reference {
public:
    using value_type = std::remove_const_t<T>;

    reference(T* address, executor::site where) : address_(address), where_(where) {}
    reference(const reference&) = delete;

    operator value_type() && { return get(); }
    value_type operator=(const value_type& value) && { return set(value); }
    value_type operator=(reference&& other) && { return set(other.get()); }
    value_type operator+=(const value_type& value) && { return set(static_cast<value_type>(get() + value)); }
    value_type operator-=(const value_type& value) && { return set(static_cast<value_type>(get() - value)); }
    value_type operator*=(const value_type& value) && { return set(static_cast<value_type>(get() * value)); }
    value_type operator/=(const value_type& value) && { return set(static_cast<value_type>(get() / value)); }

private:
    value_type get() const { return simt::load(address_, where_); }
    value_type set(const value_type& value) const
    {
        simt::store(address_, value, where_);
        return value;
    }

    T* address_;
    executor::site where_;
};

/// Element `i`, to be read or written.
template <class T>
inline reference<T> at(T* data, index i)
{
    return {simt::element_of(data, i), i.where};
}
template <class T>
inline reference<T> at(uninitialized<T>* data, index i)
{
    return {__builtin_addressof(data[i.value].value), i.where};
}
template <class T>
inline reference<const T> at(const uninitialized<T>* data, index i)
{
    return {__builtin_addressof(data[i.value].value), i.where};
}

inline index check_index(index i, std::size_t size)
{
    if (i.value >= size)
        executor::refuse_index(i.value, size, i.where);
    return i;
}

inline std::size_t position(index i)
{
    return i.value;
}

}  // namespace parprims::detail::simt
