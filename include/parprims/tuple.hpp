/// @file
/// @brief  A tuple for host and device code: std::get cannot be called on the device.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims {

template <class... Ts>
class tuple;

namespace detail::iterator {

/// `from` as a T. Numbers are cast, because compilers warn of implicit conversions.
template <class T, class U>
PARPRIMS_HOST_DEVICE constexpr decltype(auto) converted(U&& from)
{
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<std::remove_cvref_t<U>, std::remove_cv_t<T>>)
        return static_cast<T>(from);
    else
        return static_cast<U&&>(from);
}

/// Element `I` of a tuple. An element that is a reference is assigned through, never rebound.
template <std::size_t I, class T>
struct leaf {
    T value;

    leaf() = default;
    template <class U>
    PARPRIMS_HOST_DEVICE constexpr explicit leaf(std::in_place_t, U&& from)
        : value(iterator::converted<T>(static_cast<U&&>(from)))
    {
    }
};

template <std::size_t I, class T>
struct leaf<I, T&> {
    T& value;

    PARPRIMS_HOST_DEVICE constexpr explicit leaf(std::in_place_t, T& from) : value(from) {}
    leaf(const leaf&) = default;
    PARPRIMS_HOST_DEVICE constexpr leaf& operator=(const leaf& other)
    {
        value = other.value;
        return *this;
    }
};

template <std::size_t I, class T>
PARPRIMS_HOST_DEVICE constexpr auto& value_of(leaf<I, T>& element)
{
    return element.value;
}

template <std::size_t I, class T>
PARPRIMS_HOST_DEVICE constexpr T&& value_of(leaf<I, T>&& element)
{
    return static_cast<T&&>(element.value);
}

/// Element I of a const tuple. An element that is a reference (the next overload) stays mutable in it.
template <std::size_t I, class T>
PARPRIMS_HOST_DEVICE constexpr const T& value_of(const leaf<I, T>& element)
{
    return element.value;
}

template <std::size_t I, class T>
PARPRIMS_HOST_DEVICE constexpr T& value_of(const leaf<I, T&>& element)
{
    return element.value;
}

struct from_tuple {};

template <class Indices, class... Ts>
struct leaves;

template <std::size_t... I, class... Ts>
struct leaves<std::index_sequence<I...>, Ts...> : leaf<I, Ts>... {
    leaves() = default;
    template <class... Us>
    PARPRIMS_HOST_DEVICE constexpr explicit leaves(std::in_place_t, Us&&... from)
        : leaf<I, Ts>(std::in_place, static_cast<Us&&>(from))...
    {
    }
    template <class Tuple>
    PARPRIMS_HOST_DEVICE constexpr explicit leaves(from_tuple, Tuple& from)
        : leaf<I, Ts>(std::in_place, iterator::value_of<I>(from))...
    {
    }
};

/// The type of element `I`, deduced from the base class with that index.
template <std::size_t I, class T>
std::type_identity<T> type_at(const leaf<I, T>*);

}  // namespace detail::iterator

/// @brief  The elements of a zip_iterator: `get<I>(t)`, `auto [a, b] = t`, on the host and on the device.
///
/// Trivially copyable if all element types are. Assignment to an element that is a reference writes the referred object.
/// @snippet reference.cpp zip_iterator
template <class... Ts>
class tuple : public detail::iterator::leaves<std::index_sequence_for<Ts...>, Ts...> {
    using base = detail::iterator::leaves<std::index_sequence_for<Ts...>, Ts...>;

public:
    tuple() = default;

    template <class... Us>
        requires(sizeof...(Us) == sizeof...(Ts) && sizeof...(Us) > 0 && (std::is_convertible_v<Us, Ts> && ...))
    PARPRIMS_HOST_DEVICE constexpr tuple(Us&&... values) : base(std::in_place, static_cast<Us&&>(values)...)
    {
    }

    template <class... Us>
        requires(!std::same_as<tuple<Us...>, tuple> && (std::is_convertible_v<const Us&, Ts> && ...))
    PARPRIMS_HOST_DEVICE constexpr tuple(const tuple<Us...>& other) : base(detail::iterator::from_tuple{}, other)
    {
    }
    template <class... Us>
        requires(!std::same_as<tuple<Us...>, tuple> && (std::is_convertible_v<Us&, Ts> && ...))
    PARPRIMS_HOST_DEVICE constexpr tuple(tuple<Us...>& other) : base(detail::iterator::from_tuple{}, other)
    {
    }

    template <class... Us>
        requires(!std::same_as<tuple<Us...>, tuple> && (std::is_assignable_v<Ts&, const Us&> && ...))
    PARPRIMS_HOST_DEVICE constexpr tuple& operator=(const tuple<Us...>& other)
    {
        assign(*this, other, std::index_sequence_for<Ts...>{});
        return *this;
    }
    /// Also for a const tuple of references: assigns to the referred objects, as a proxy reference must.
    template <class... Us>
        requires(std::is_assignable_v<const Ts&, const Us&> && ...)
    PARPRIMS_HOST_DEVICE constexpr const tuple& operator=(const tuple<Us...>& other) const
    {
        assign(*this, other, std::index_sequence_for<Ts...>{});
        return *this;
    }

    friend PARPRIMS_HOST_DEVICE constexpr bool operator==(const tuple& a, const tuple& b)
    {
        return equal(a, b, std::index_sequence_for<Ts...>{});
    }

private:
    template <class To, class From, std::size_t... I>
    PARPRIMS_HOST_DEVICE static constexpr void assign(To& to, const From& from, std::index_sequence<I...>)
    {
        ((detail::iterator::value_of<I>(to) = detail::iterator::value_of<I>(from)), ...);
    }
    template <std::size_t... I>
    PARPRIMS_HOST_DEVICE static constexpr bool equal(const tuple& a, const tuple& b, std::index_sequence<I...>)
    {
        return ((detail::iterator::value_of<I>(a) == detail::iterator::value_of<I>(b)) && ...);
    }
};

template <class... Ts>
tuple(Ts...) -> tuple<Ts...>;

/// @brief  Element `I` of a tuple.
/// @snippet reference.cpp zip_iterator
template <std::size_t I, class... Ts>
PARPRIMS_HOST_DEVICE constexpr auto& get(tuple<Ts...>& t)
{
    return detail::iterator::value_of<I>(t);
}
template <std::size_t I, class... Ts>
PARPRIMS_HOST_DEVICE constexpr auto& get(const tuple<Ts...>& t)
{
    return detail::iterator::value_of<I>(t);
}
template <std::size_t I, class... Ts>
PARPRIMS_HOST_DEVICE constexpr auto&& get(tuple<Ts...>&& t)
{
    return detail::iterator::value_of<I>(static_cast<tuple<Ts...>&&>(t));
}

}  // namespace parprims

template <class... Ts>
struct std::tuple_size<parprims::tuple<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {};

template <std::size_t I, class... Ts>
struct std::tuple_element<I, parprims::tuple<Ts...>> {
    using type =
        typename decltype(parprims::detail::iterator::type_at<I>(static_cast<parprims::tuple<Ts...>*>(nullptr)))::type;
};

/// The common type of a tuple of references and a tuple of values, which std::indirectly_readable asks of a zip_iterator.
template <class... Ts, class... Us, template <class> class TQual, template <class> class UQual>
    requires(sizeof...(Ts) == sizeof...(Us)) &&
            requires { typename parprims::tuple<std::common_reference_t<TQual<Ts>, UQual<Us>>...>; }
struct std::basic_common_reference<parprims::tuple<Ts...>, parprims::tuple<Us...>, TQual, UQual> {
    using type = parprims::tuple<std::common_reference_t<TQual<Ts>, UQual<Us>>...>;
};

PARPRIMS_END_UNMARKED_CALLS

#include <parprims/detail/pop_macros.hpp>
