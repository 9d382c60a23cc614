/// @file
/// @brief  The operators of a random access iterator, made from the three functions that a class defines.
#pragma once

#include <parprims/config.hpp>

#include <array>  // for the iterator tag, see traits.hpp
#include <cstddef>

#if PARPRIMS_CUDA_COMPILER  // no warning of host-only types: call/callable.hpp refuses them in device calls
#pragma nv_diagnostic push
#pragma nv_diag_suppress 2391, 20011, 20013, 20014, 20015
#endif

namespace parprims::detail::iterator {

/// Moves `it` by `n`, by `+=` if it has that: then `it` need not be assignable.
template <class Iterator>
PARPRIMS_HOST_DEVICE constexpr void advance(Iterator& it, std::ptrdiff_t n)
{
    if constexpr (requires { it += n; })
        it += n;
    else
        it = it + n;
}

/// `Derived` has `operator*`, `advance(n)` and `distance_to(other)`, the last two private to `facade<Derived>`.
template <class Derived>
class facade {
public:
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

private:
    PARPRIMS_HOST_DEVICE static constexpr Derived& move(Derived& it, std::ptrdiff_t n)
    {
        it.advance(n);
        return it;
    }
    PARPRIMS_HOST_DEVICE static constexpr Derived moved(Derived it, std::ptrdiff_t n)
    {
        it.advance(n);
        return it;
    }
    PARPRIMS_HOST_DEVICE static constexpr std::ptrdiff_t distance(const Derived& from, const Derived& to)
    {
        return from.distance_to(to);
    }
};

}  // namespace parprims::detail::iterator

#if PARPRIMS_CUDA_COMPILER
#pragma nv_diagnostic pop
#endif
