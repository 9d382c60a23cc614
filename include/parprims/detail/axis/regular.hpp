/// @file
/// @brief  Where a sample lies among bins of equal width.
#pragma once

#include <parprims/detail/axis/floating.hpp>
#include <parprims/detail/axis/integer.hpp>

#include <type_traits>

namespace parprims::detail::axis {

template <class T>
using regular_rule = std::conditional_t<std::is_floating_point_v<T>, floating_rule<T>, integer_rule<T>>;

}  // namespace parprims::detail::axis
