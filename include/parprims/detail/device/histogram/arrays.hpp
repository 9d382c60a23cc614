/// @file
/// @brief  The arrays that samples come from, which a call checks as it checks pointers.
#pragma once

#include <parprims/detail/device/launch/validate.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Calls `use` with each array that an iterator reads, as far as that is known.
template <class Iterator, class Use>
void for_each_array(const Iterator& first, Use use)
{
    if constexpr (std::is_pointer_v<Iterator>)
        use(first);
}
template <class... Iterators, class Use>
void for_each_array(const zip_iterator<Iterators...>& first, Use use)
{
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (for_each_array(unwrap(get<J>(first.base())), use), ...);
    }(std::index_sequence_for<Iterators...>{});
}

/// The address of the first array of samples, by which a call finds its GPU; null if there is none.
template <class Iterator>
const void* address_of_array(const Iterator& first)
{
    const void* address = nullptr;
    for_each_array(first, [&](auto array) { address = address != nullptr ? address : address_of(array); });
    return address;
}

}  // namespace parprims::detail::device
