/// @file
/// @brief  Storage for a value that is assigned later, so that values need no default constructor.
#pragma once

#include <parprims/config.hpp>

#include <new>
#include <type_traits>

namespace parprims::detail {

/// Storage of one T, which has no value until `value` is assigned. T is trivially copyable.
template <class T>
union uninitialized {
    PARPRIMS_HOST_DEVICE constexpr uninitialized() {}
    PARPRIMS_HOST_DEVICE constexpr explicit uninitialized(const T& v) : value(v) {}

    T value;
};

/// Makes `target` a copy of `value`, also where its type cannot be assigned. T is trivially copyable.
template <class T>
PARPRIMS_HOST_DEVICE constexpr void replace(T& target, const T& value)
{
    if constexpr (std::is_copy_assignable_v<T>)
        target = value;
    else
        ::new (static_cast<void*>(__builtin_addressof(target))) T(value);
}

/// A value or nothing. Unlike std::optional, it can be used in a kernel.
template <class T>
struct maybe {
    uninitialized<T> storage;
    bool present = false;

    /// `*value`; nothing if `value` is null.
    static maybe copy_of(const T* value)
    {
        maybe result;
        if (value != nullptr)
            result.set(*value);
        return result;
    }

    PARPRIMS_HOST_DEVICE constexpr void set(const T& value)
    {
        storage.value = value;
        present = true;
    }
    PARPRIMS_HOST_DEVICE constexpr const T& get() const { return storage.value; }

    PARPRIMS_BEGIN_UNMARKED_CALLS
    /// `op(value, next)` if there is a value, otherwise `next`.
    template <class Op>
    PARPRIMS_HOST_DEVICE constexpr T then(const T& next, Op op) const
    {
        return present ? static_cast<T>(op(storage.value, next)) : next;
    }
    PARPRIMS_END_UNMARKED_CALLS
};

}  // namespace parprims::detail
