/// @file
/// @brief  Traits of iterators, and the pointers that they wrap.
#pragma once

#include <parprims/concepts.hpp>

#include <array>  // declares the iterator traits; <iterator> also includes streams, which cost nvcc half a second
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail {

template <class Iterator>
struct iter_value {
    using type = std::remove_cvref_t<decltype(*std::declval<const Iterator&>())>;
};

template <class Iterator>
    requires requires { typename std::iter_value_t<Iterator>; }
struct iter_value<Iterator> {
    using type = std::remove_cv_t<std::iter_value_t<Iterator>>;
};

/// The type of an element: the iterator's `value_type` if it has one, otherwise that of `*it`.
template <class Iterator>
using iter_value_t = typename iter_value<Iterator>::type;

/// Thrust's device_ptr and its like, known by their members, so that no header of Thrust is needed.
template <class Pointer>
concept wrapped_pointer = requires(const Pointer& pointer) {
    requires std::is_pointer_v<typename Pointer::raw_pointer>;
    {
        pointer.get()
    } -> std::same_as<typename Pointer::raw_pointer>;
};

/// The iterator of a Thrust container: a template of a pointer alone, which converts to it implicitly (to a reverse_iterator it
/// does not).
template <class Iterator>
inline constexpr bool is_pointer_adaptor = false;
template <template <class> class Adaptor, wrapped_pointer Pointer>
inline constexpr bool is_pointer_adaptor<Adaptor<Pointer>> = requires(const Adaptor<Pointer>& it) {
    requires std::same_as<std::remove_cvref_t<decltype(it.base())>, Pointer>;
    requires std::convertible_to<Pointer, Adaptor<Pointer>>;
    requires std::same_as<decltype(*it), decltype(*it.base())>;
};

/// The pointer of a contiguous iterator; any other iterator itself. Reads nothing.
template <class Iterator>
constexpr auto unwrap(Iterator it)
{
    if constexpr (std::contiguous_iterator<Iterator>)
        return std::to_address(it);
    else if constexpr (wrapped_pointer<Iterator>)
        return it.get();
    else if constexpr (is_pointer_adaptor<Iterator>)
        return it.base().get();
    else
        return it;
}

/// The type that `unwrap` returns.
template <class Iterator>
using unwrapped_t = decltype(detail::unwrap(std::declval<Iterator>()));

/// Whether an iterator is one of iterator.hpp.
template <class Iterator>
inline constexpr bool is_of_parprims = requires { typename Iterator::is_of_parprims; };

/// Whether writing an element changes a part of a word that other elements share, as in a vector<bool>.
template <class Iterator>
inline constexpr bool writes_bits = requires(const Iterator& it) { (*it).flip(); };

}  // namespace parprims::detail
