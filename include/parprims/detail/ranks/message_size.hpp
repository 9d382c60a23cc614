/// @file
/// @brief  How much a rank with a GPU sends in a call.
#pragma once

#include <parprims/detail/device/ranks/tiles_kernel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/ranks/division.hpp>

#include <cstddef>

namespace parprims::detail::ranks {

/// What the longest message of a call has.
struct message_size {
    std::size_t totals;
    std::size_t elements;
};

/// The sizes over all slices whose borders are `begins`, in blocks of `block` elements. `count` tells the totals of a slice.
template <class Count>
message_size largest_message(const host::sequence<std::size_t>& begins, std::size_t block, Count count)
{
    message_size most{0, 0};
    for (std::size_t rank = 0; rank + 1 < begins.size(); ++rank) {
        const slice next = divide(begins[rank], begins[rank + 1] - begins[rank], block);
        most.totals = larger_of(most.totals, count(next));
        most.elements = larger_of(most.elements, next.head + next.tail);
    }
    return most;
}

inline std::size_t totals_of_reduce(const slice& of)
{
    return subtrees(of.first, of.first + of.blocks, std::size_t{1} << 62).all();
}
inline std::size_t totals_of_scan(const slice& of)
{
    return device::rank_groups(of).all();
}

}  // namespace parprims::detail::ranks
