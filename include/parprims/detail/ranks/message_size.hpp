/// @file
/// @brief  How much a rank with a GPU sends in a call.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/ranks/tiles_kernel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/ranks/division.hpp>

#include <cstddef>

namespace parprims::detail::ranks {

/// Of a message with an exact sum at most.
inline constexpr std::size_t exact_sum_bytes = 7 * device::memory_alignment;

/// What the longest message of a call has.
struct message_size {
    std::size_t totals;
    std::size_t elements;
};

/// The largest message over all slices, whose borders are `begins`, in blocks of `block` elements. `count(slice)` is how many totals
/// a slice has.
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

/// Whether ranks before `rank` share a block that ends before its slice.
inline bool has_earlier_shared_block(const host::sequence<std::size_t>& begins, std::size_t rank, std::size_t block)
{
    for (std::size_t r = 0; r < rank; ++r)
        if (begins[r + 1] % block != 0 && begins[r + 1] / block < begins[rank] / block)
            return true;
    return false;
}

inline std::size_t totals_of_reduce(const slice& part)
{
    return subtrees(part.first, part.first + part.blocks).all();
}
inline std::size_t totals_of_scan(const slice& part)
{
    return device::rank_groups(part).all();
}

/// The largest message for values of 1, 2, 4, ... bytes up to `value_bytes`.
inline std::size_t message_bytes(const host::sequence<std::size_t>& begins, std::size_t value_bytes)
{
    std::size_t most = exact_sum_bytes;
    const std::size_t header = device::memory_alignment + device::aligned_bytes(value_bytes);
    const auto add = [&](const message_size& size, std::size_t bytes, std::size_t total_bytes) {
        most = larger_of(most, header + device::aligned_bytes(size.totals * total_bytes) +
                                   device::aligned_bytes(size.elements * bytes));
    };
    for (std::size_t bytes = 1; bytes <= value_bytes;
         bytes = 2 * bytes > value_bytes && bytes != value_bytes ? value_bytes : 2 * bytes) {
        const std::size_t row =
            order::lanes * order::power_of_two_within(order::vector_bytes, bytes, order::vector_bytes);
        add(largest_message(begins, order::chunk_rows * row, totals_of_reduce), bytes, value_bytes);
        add(largest_message(begins, order::power_of_two_within(order::tile_bytes, row * bytes, 64) * row,
                            totals_of_scan),
            bytes, bytes);
    }
    return device::aligned_bytes(most);
}

}  // namespace parprims::detail::ranks
