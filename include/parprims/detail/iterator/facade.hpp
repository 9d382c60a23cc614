/// @file
/// @brief  The operators of a random access iterator, made of its position.
#pragma once

#include <parprims/config.hpp>
#include <parprims/tuple.hpp>

#include <array>  // for the iterator tag, see traits.hpp
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims::detail::iterator {

// A position is an integer, which wraps as one without a sign, an iterator, or several of them, which move together.

template <std::integral T>
using wrapping = typename std::conditional_t<(sizeof(T) > sizeof(std::size_t)), std::make_unsigned<T>,
                                             std::type_identity<std::size_t>>::type;

template <class Position>
PARPRIMS_HOST_DEVICE constexpr void advance(Position& at, std::ptrdiff_t n)
{
    if constexpr (std::integral<Position>)
        at = static_cast<Position>(static_cast<wrapping<Position>>(at) + static_cast<wrapping<Position>>(n));
    else if constexpr (requires { at += n; })  // then it need not be assignable
        at += n;
    else
        at = at + n;
}
template <class... Iterators>
PARPRIMS_HOST_DEVICE constexpr void advance(tuple<Iterators...>& at, std::ptrdiff_t n)
{
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (iterator::advance(parprims::get<I>(at), n), ...);
    }(std::index_sequence_for<Iterators...>{});
}

/// How far `to` is behind `from`.
template <class Position>
PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t distance(const Position& from, const Position& to)
{
    if constexpr (std::integral<Position>)
        return static_cast<std::ptrdiff_t>(static_cast<wrapping<Position>>(to) - static_cast<wrapping<Position>>(from));
    else
        return static_cast<std::ptrdiff_t>(to - from);
}
template <class... Iterators>
PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t distance(const tuple<Iterators...>& from, const tuple<Iterators...>& to)
{
    return static_cast<std::ptrdiff_t>(parprims::get<0>(to) - parprims::get<0>(from));
}

/// `Derived` has `operator*`, which finds the element at `position_`.
template <class Derived, class Position>
class facade {
public:
    using is_of_parprims = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;

    PARPRIMS_HOST_DEVICE constexpr decltype(auto) operator[](std::ptrdiff_t n) const
    {
        return *(static_cast<const Derived&>(*this) + n);
    }

    friend PARPRIMS_HOST_DEVICE constexpr Derived& operator+=(Derived& it, std::ptrdiff_t n) { return move(it, n); }
    friend PARPRIMS_HOST_DEVICE constexpr Derived& operator-=(Derived& it, std::ptrdiff_t n) { return move(it, -n); }
    friend PARPRIMS_HOST_DEVICE constexpr Derived& operator++(Derived& it) { return move(it, 1); }
    friend PARPRIMS_HOST_DEVICE constexpr Derived& operator--(Derived& it) { return move(it, -1); }
    friend PARPRIMS_HOST_DEVICE constexpr Derived operator++(Derived& it, int)
    {
        Derived before = it;
        move(it, 1);
        return before;
    }
    friend PARPRIMS_HOST_DEVICE constexpr Derived operator--(Derived& it, int)
    {
        Derived before = it;
        move(it, -1);
        return before;
    }
    friend PARPRIMS_HOST_DEVICE constexpr Derived operator+(const Derived& it, std::ptrdiff_t n)
    {
        return moved(it, n);
    }
    friend PARPRIMS_HOST_DEVICE constexpr Derived operator+(std::ptrdiff_t n, const Derived& it)
    {
        return moved(it, n);
    }
    friend PARPRIMS_HOST_DEVICE constexpr Derived operator-(const Derived& it, std::ptrdiff_t n)
    {
        return moved(it, -n);
    }
    friend PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t operator-(const Derived& a, const Derived& b)
    {
        return distance(b, a);
    }

    friend PARPRIMS_HOST_DEVICE constexpr bool operator==(const Derived& a, const Derived& b)
    {
        return distance(a, b) == 0;
    }
    // No operator<=>: std::strong_ordering cannot be compared on the device.
    friend PARPRIMS_HOST_DEVICE constexpr bool operator<(const Derived& a, const Derived& b)
    {
        return distance(a, b) > 0;
    }
    friend PARPRIMS_HOST_DEVICE constexpr bool operator>(const Derived& a, const Derived& b)
    {
        return distance(a, b) < 0;
    }
    friend PARPRIMS_HOST_DEVICE constexpr bool operator<=(const Derived& a, const Derived& b)
    {
        return distance(a, b) >= 0;
    }
    friend PARPRIMS_HOST_DEVICE constexpr bool operator>=(const Derived& a, const Derived& b)
    {
        return distance(a, b) <= 0;
    }

protected:
    facade()
        requires std::default_initializable<Position>
    = default;
    PARPRIMS_HOST_DEVICE constexpr explicit facade(Position position) : position_(std::move(position)) {}

    Position position_{};

private:
    PARPRIMS_HOST_DEVICE static constexpr Derived& move(Derived& it, std::ptrdiff_t n)
    {
        iterator::advance(static_cast<facade&>(it).position_, n);
        return it;
    }
    PARPRIMS_HOST_DEVICE static constexpr Derived moved(Derived it, std::ptrdiff_t n) { return move(it, n); }
    PARPRIMS_HOST_DEVICE static constexpr std::ptrdiff_t distance(const Derived& from, const Derived& to)
    {
        return iterator::distance(static_cast<const facade&>(from).position_, static_cast<const facade&>(to).position_);
    }
};

}  // namespace parprims::detail::iterator

PARPRIMS_END_UNMARKED_CALLS
