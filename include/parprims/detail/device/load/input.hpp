/// @file
/// @brief  The input of a kernel: a pointer, read by 16-byte loads if aligned, or any random-access iterator.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Whether `pointer` is a multiple of `bytes`.
PARPRIMS_HOST_DEVICE inline bool is_aligned(const void* pointer, std::size_t bytes)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

// Inputs with `has_source` read an array: element i of the input is `value_of(data[i])`, so the array can be loaded in packets.
// `from(i)` is the input without its first i elements; `iterator_at(i)` is its iterator there.

/// A raw pointer to device memory.
template <class Value>
struct pointer_input {
    using value_type = Value;
    using source_type = Value;
    static constexpr bool is_pointer = true;
    static constexpr bool has_source = true;

    using iterator = const Value*;

    const Value* data;

    PARPRIMS_DEVICE iterator iterator_at(std::size_t i) const { return data + i; }
    PARPRIMS_DEVICE Value operator[](simt::index i) const { return simt::load(data, i); }
    PARPRIMS_DEVICE static const Value& value_of(const Value& element) { return element; }
    PARPRIMS_DEVICE pointer_input from(std::size_t i) const { return {data + i}; }
};

/// A function of the elements at a raw pointer.
template <class F, class Source>
struct function_input {
    using value_type = typename transform_iterator<F, Source*>::value_type;
    using source_type = std::remove_const_t<Source>;
    static constexpr bool is_pointer = false;
    static constexpr bool has_source = true;

    using iterator = transform_iterator<F, Source*>;

    Source* data;
    F function;

    PARPRIMS_DEVICE iterator iterator_at(std::size_t i) const { return iterator(data + i, function); }
    PARPRIMS_DEVICE decltype(auto) operator[](std::size_t i) const { return *iterator_at(i); }
    PARPRIMS_DEVICE value_type value_of(source_type element) const
    {
        return static_cast<value_type>(*transform_iterator<F, Source*>(__builtin_addressof(element), function));
    }
    PARPRIMS_DEVICE function_input from(std::size_t i) const { return {data + i, function}; }
};

/// Any other random-access iterator.
template <class Iterator>
struct iterator_input {
    using value_type = iter_value_t<Iterator>;
    static constexpr bool is_pointer = false;
    static constexpr bool has_source = false;

    using iterator = Iterator;

    Iterator first;

    PARPRIMS_DEVICE iterator iterator_at(std::size_t i) const { return first + static_cast<std::ptrdiff_t>(i); }
    PARPRIMS_DEVICE decltype(auto) operator[](std::size_t i) const { return *iterator_at(i); }
    PARPRIMS_DEVICE iterator_input from(std::size_t i) const { return {iterator_at(i)}; }
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

template <class F, class Source>
    requires(std::is_trivially_copyable_v<Source> && !std::is_volatile_v<Source>)
function_input<F, Source> make_input(const transform_iterator<F, Source*>& first)
{
    return {first.base(), first.function()};
}

/// An element as an operand: transformed, converted to T, and not fused with the operator.
template <class T, class Input, class Transform, class Element>
PARPRIMS_DEVICE inline T operand(const Transform& transform, Element&& element)
{
    if constexpr (may_fuse<T, typename Input::value_type, Input::is_pointer, Transform>)
        return simt::separated(static_cast<T>(transform(std::forward<Element>(element))));
    else
        return static_cast<T>(transform(std::forward<Element>(element)));
}

/// Whether a thread can hold elements as they lie in memory. It assigns them to variables.
template <class Input>
inline constexpr bool holds_source = [] {
    if constexpr (Input::has_source)
        return std::is_copy_assignable_v<typename Input::source_type>;
    else
        return false;
}();

/// What a thread holds of an element from its load to its use: the element as it lies in memory or, of an iterator, the operand T. A load that
/// converted its element would wait for it before the next load.
template <class Input, class T>
struct element_in_flight {
    using type = T;

    template <class Transform>
    PARPRIMS_DEVICE static T load(const Input& input, const Transform& transform, std::size_t i)
    {
        return device::operand<T, Input>(transform, input[i]);
    }
    template <class Transform>
    PARPRIMS_DEVICE static const T& operand(const Input&, const Transform&, const T& element)
    {
        return element;
    }
};
template <class Input, class T>
    requires(holds_source<Input>)
struct element_in_flight<Input, T> {
    using type = typename Input::source_type;

    template <class Transform>
    PARPRIMS_DEVICE static type load(const Input& input, const Transform&, std::size_t i)
    {
        return simt::load(input.data, i);
    }
    template <class Transform>
    PARPRIMS_DEVICE static T operand(const Input& input, const Transform& transform, const type& element)
    {
        return device::operand<T, Input>(transform, input.value_of(element));
    }
};

/// Whether a T has places of extremes. These do not depend on the order of the operations; T brings functions that find them in a segment.
template <class T>
concept is_located = requires { requires T::is_located; };

/// The bytes of `items` elements of an input in memory, if a lane can load them at a time; otherwise 0.
template <class Input>
constexpr unsigned packet_bytes_of(unsigned items)
{
    if constexpr (Input::has_source) {
        const std::size_t bytes = items * sizeof(typename Input::source_type);
        if (bytes == 4 || bytes == 8 || bytes == 16)
            return static_cast<unsigned>(bytes);
    }
    return 0;
}

/// Elements of an aligned packet of 16 bytes; 1 where elements do not lie in memory, or may lie across packets.
template <class Input>
inline constexpr unsigned packet_items = [] {
    if constexpr (holds_source<Input>) {
        using source = typename Input::source_type;
        if (alignof(source) == sizeof(source) && sizeof(source) < 16)
            return static_cast<unsigned>(16 / sizeof(source));
    }
    return 1u;
}();

/// The type that `make_input` returns for an iterator.
template <class Iterator>
struct input_of {
    using type = iterator_input<Iterator>;
};
template <class Value>
struct input_of<Value*> {
    using type = pointer_input<std::remove_const_t<Value>>;
};
template <class F, class Source>
    requires(std::is_trivially_copyable_v<Source> && !std::is_volatile_v<Source>)
struct input_of<transform_iterator<F, Source*>> {
    using type = function_input<F, Source>;
};
template <class Iterator>
using input_for = typename input_of<Iterator>::type;

}  // namespace parprims::detail::device
