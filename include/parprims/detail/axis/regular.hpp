/// @file
/// @brief  Where a sample lies among bins of equal width.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/floating.hpp>
#include <parprims/detail/axis/integer.hpp>
#include <parprims/detail/axis/sample.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::axis {

template <class T>
using regular_rule = std::conditional_t<std::is_floating_point_v<T>, floating_rule<T>, integer_rule<T>>;

PARPRIMS_BEGIN_UNMARKED_CALLS
/// The slot of a sample of any type, by a rule for T.
template <class T, class Rule, class X>
PARPRIMS_HOST_DEVICE constexpr std::size_t slot_of(const Rule& rule, const X& x)
{
    if constexpr (half_like<X>) {
        return slot_of<T>(rule, static_cast<float>(x));
    } else if constexpr (lies_between_integers<X> && requires { rule.slot_between(x); }) {
        return rule.slot_between(x);
    } else {
        const auto sample = convert<T>(x);
        if (sample.is_outside)
            return rule.bins() + sample.flow;
        return rule.slot(sample.value);
    }
}
PARPRIMS_END_UNMARKED_CALLS

}  // namespace parprims::detail::axis
