/// @file
/// @brief  Which of two elements is the extreme one, for both backends: ties and NaN are decided here.
#pragma once

#include <parprims/config.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims::detail {

enum class extreme { minimum, maximum, both };

/// The positions that a search finds.
template <unsigned Count>
struct positions {
    std::size_t at[Count];
};

/// Where a call on the device writes positions.
template <class Output>
struct positions_output {
    Output first;
};

/// A search for one extreme, or for both: then extreme 0 is the first minimum and extreme 1 the last maximum, as in std.
template <extreme Which, class Compare>
struct extreme_search {
    static constexpr unsigned count = Which == extreme::both ? 2 : 1;
    static constexpr bool has_natural_order = std::is_same_v<Compare, less>;
    template <unsigned K>
    static constexpr bool is_maximum = Which == extreme::maximum || (Which == extreme::both && K == 1);
    template <unsigned K>
    static constexpr bool takes_last = Which == extreme::both && K == 1;  // of equivalent elements

    Compare compare;

    /// Whether `x` becomes extreme K in place of `best`, whose position is lower.
    template <unsigned K, class Value>
    PARPRIMS_HOST_DEVICE constexpr bool replaces(const Value& x, const Value& best) const
    {
        if constexpr (takes_last<K>)
            return !is_less<true>(x, best);
        else if constexpr (is_maximum<K>)
            return is_less<true>(best, x);
        else
            return is_less<false>(x, best);
    }

    /// Whether `x` becomes extreme K in place of `best`, wherever both lie.
    template <unsigned K, class Value, class Position>
    PARPRIMS_HOST_DEVICE constexpr bool replaces(const Value& x, Position of_x, const Value& best,
                                                 Position of_best) const
    {
        return of_x > of_best ? replaces<K>(x, best) : !replaces<K>(best, x);
    }

private:
    /// NaN, a value not equal to itself, is the least value in a search for the minimum, the greatest in one for the maximum.
    /// All NaN are equivalent; a class with a NaN in one member may still be less than another, so that is asked last.
    template <bool IsMaximum, class Value>
    PARPRIMS_HOST_DEVICE constexpr bool is_less(const Value& a, const Value& b) const
    {
        if constexpr (has_natural_order && std::is_floating_point_v<Value>) {
            return (IsMaximum ? a == a : b == b) && !(a >= b);
        } else if constexpr (has_natural_order && may_be_nan<Value>) {
            const bool a_is_number = !(a != a), b_is_number = !(b != b);
            if constexpr (IsMaximum)
                return a_is_number && (!b_is_number || a < b);
            else
                return b_is_number && (!a_is_number || a < b);
        } else {
            return static_cast<bool>(compare(a, b));
        }
    }
};

/// Calls `use.operator()<K>()` for each extreme K of a search.
template <class Search, class Use>
PARPRIMS_HOST_DEVICE constexpr void for_each_extreme(Use use)
{
    use.template operator()<0>();
    if constexpr (Search::count == 2)
        use.template operator()<1>();
}

}  // namespace parprims::detail

PARPRIMS_END_UNMARKED_CALLS
