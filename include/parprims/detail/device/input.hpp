/// @file
/// @brief  What a kernel reads from: a pointer, with 16-byte loads where it is aligned, or any random-access iterator.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Whether `pointer` is a multiple of `bytes`.
inline bool is_aligned(const void* pointer, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// A raw pointer to device memory.
template <class Value>
struct pointer_input {
    using value_type = Value;
    static constexpr bool is_pointer = true;

    const Value* data;

    PARPRIMS_DEVICE Value operator[](simt::index i) const { return simt::load(data, i); }
};

/// Any other random-access iterator.
template <class Iterator>
struct iterator_input {
    using value_type = iter_value_t<Iterator>;
    static constexpr bool is_pointer = false;

    Iterator first;

    PARPRIMS_DEVICE decltype(auto) operator[](std::size_t i) const { return *(first + static_cast<std::ptrdiff_t>(i)); }
};

template <class Value>
pointer_input<Value> make_input(const Value* data)
{
    return {data};
}

template <class Iterator>
    requires(!std::is_pointer_v<Iterator>)
iterator_input<Iterator> make_input(Iterator first)
{
    return {first};
}

/// An element as it enters the combination: transformed, a T, and fused with nothing.
template <class T, class Input, class Transform, class Element>
PARPRIMS_DEVICE inline T enter(const Transform& transform, Element&& element)
{
    if constexpr (may_fuse<T, typename Input::value_type, Input::is_pointer, Transform>)
        return simt::separated(static_cast<T>(transform(std::forward<Element>(element))));
    else
        return static_cast<T>(transform(std::forward<Element>(element)));
}

/// The type that `make_input` gives for an iterator.
template <class Iterator>
struct input_of {
    using type = iterator_input<Iterator>;
};
template <class Value>
struct input_of<Value*> {
    using type = pointer_input<std::remove_const_t<Value>>;
};
template <class Iterator>
using input_for = typename input_of<Iterator>::type;

}  // namespace parprims::detail::device
