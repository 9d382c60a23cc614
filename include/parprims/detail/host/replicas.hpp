/// @file
/// @brief  Counting of samples by one task in a replica of the counters.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// The counters of one task, and the most samples of a task, such that no counter wraps.
template <class Counter>
using replica = sequence<Counter>;
template <class Counter>
inline constexpr std::size_t most_task_samples = std::numeric_limits<Counter>::max() / 2 + std::size_t{1};

/// Whether samples are of one byte. These are counted by value, and the axis is called once for each value.
template <class Iterator>
inline constexpr bool is_byte_pointer =
    std::is_pointer_v<Iterator> && sizeof(iter_value_t<Iterator>) == 1 && std::is_integral_v<iter_value_t<Iterator>> &&
    !std::is_volatile_v<std::remove_pointer_t<Iterator>>;

/// The slot of a sample, or `extent` if the axis has none for it, so that counting needs no branch.
template <class Iterator, class Axis>
std::size_t kept_slot(const Iterator& first, std::size_t i, const Axis& axis, std::size_t extent)
{
    const auto sample = first + static_cast<std::ptrdiff_t>(i);
    if constexpr (requires { axis.slot(*sample); })
        return smaller_of<std::size_t>(axis.slot(*sample), extent);
    else  // a proxy reference, as of vector<bool>
        return smaller_of<std::size_t>(axis.slot(static_cast<iter_value_t<Iterator>>(*sample)), extent);
}

/// Adds the `n` bytes from `x` on to the 256 counters of `counts`.
template <class Counter>
void count_bytes(const void* x, std::size_t n, replica<Counter>& counts)
{
    // One table for each of 8 consecutive samples: a counter is not loaded soon after its store, so a run of equal samples
    // takes no longer than any other. One store a sample is the limit then. A table of 2^16 counters for two samples at a time
    // would not fit the cache. Bytes are taken in pairs: x86 extracts both bytes of a pair without a shift.
    constexpr std::size_t tables = 8;
    constexpr std::size_t stride = 256 + 16;  // not a power of two: addresses 4 KiB apart alias
    Counter table[tables][stride] = {};
    const auto* const bytes = static_cast<const std::uint8_t*>(x);
    std::size_t i = 0;
    for (; n - i >= 16; i += 16) {
        std::uint64_t words[2];
        std::memcpy(words, bytes + i, sizeof words);
        [&]<std::size_t... Pair>(std::index_sequence<Pair...>) {
            const auto count_pair = [&](std::uint32_t pair, std::size_t first) {
                ++table[first % tables][static_cast<std::uint8_t>(pair)];
                ++table[(first + 1) % tables][static_cast<std::uint8_t>(pair >> 8)];
            };
            (count_pair(static_cast<std::uint32_t>(words[Pair / 4] >> (Pair % 4 * 16)), 2 * Pair), ...);
        }(std::make_index_sequence<8>());
    }
    for (; i < n; ++i)
        ++table[0][bytes[i]];
    for (const auto& each : table)
        for (std::size_t value = 0; value < 256; ++value)
            counts[value] = static_cast<Counter>(counts[value] + each[value]);
}

/// Counts the samples from `begin` to `end` in `counts`. The last counter is for samples without a slot.
template <class Iterator, class Axis, class Counter>
void count_slots(Iterator first, std::size_t begin, std::size_t end, const Axis axis, replica<Counter>& counts)
{
    constexpr std::size_t most_in_cache = 2048;  // then four tables in turn, as above
    constexpr std::size_t tables = 4;
    const std::size_t extent = counts.size() - 1;
    const std::size_t stride = counts.size() <= most_in_cache ? counts.size() : 0;
    if (stride != 0)
        counts.resize(tables * stride);
    Counter* const count = counts.data();
    std::size_t i = begin;
    for (; end - i >= tables; i += tables) {
        std::size_t slot[tables];
        for (std::size_t t = 0; t < tables; ++t)
            slot[t] = kept_slot(first, i + t, axis, extent);
        for (std::size_t t = 0; t < tables; ++t)
            ++count[t * stride + slot[t]];
    }
    for (; i < end; ++i)
        ++count[kept_slot(first, i, axis, extent)];
    if (stride != 0)
        for (std::size_t t = 1; t < tables; ++t)
            for (std::size_t slot = 0; slot <= extent; ++slot)
                counts[slot] = static_cast<Counter>(counts[slot] + counts[t * stride + slot]);
}

}  // namespace parprims::detail::host
