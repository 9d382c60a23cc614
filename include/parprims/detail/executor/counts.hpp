/// @file
/// @brief  Adds the counts of a launch to those of others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parprims::detail {

/// Adds the members of a struct, which are counts of 64 bits, to those of another one.
template <class Counts>
Counts& add_counts(Counts& to, const Counts& other)
{
    struct members {
        std::uint64_t each[sizeof(Counts) / sizeof(std::uint64_t)];
    };
    auto sums = __builtin_bit_cast(members, to);
    const auto more = __builtin_bit_cast(members, other);
    for (std::size_t i = 0; i < sizeof(Counts) / sizeof(std::uint64_t); ++i)
        sums.each[i] += more.each[i];
    return to = __builtin_bit_cast(Counts, sums);
}

}  // namespace parprims::detail
