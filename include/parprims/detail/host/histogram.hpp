/// @file
/// @brief  The histogram on the threads of the host.
#pragma once

#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/order.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace parprims::detail::host {

inline constexpr std::size_t serial_samples = 16 * 1024;         ///< fewer are not worth a second thread
inline constexpr std::size_t private_bytes = 256 * 1024 * 1024;  ///< of all private copies together

/// Counts the samples of a type of one byte by their value, then asks the axis once for each value.
template <class Value>
inline constexpr bool is_byte = sizeof(Value) == 1 && std::is_integral_v<Value>;

/// Where the samples of one thread are counted before they are added up. 32 bits suffice: see `most_task_samples`.
using replica = std::vector<std::uint32_t>;
inline constexpr std::size_t most_task_samples = std::size_t{1} << 31;

template <class Iterator>
void count_bytes(replica& counts, Iterator first, std::size_t begin, std::size_t end)
{
    // Four tables in turn: a run of equal samples would otherwise wait for its own store each time.
    constexpr std::size_t tables = 4;
    std::array<std::array<std::uint32_t, 256>, tables> table{};
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint8_t>(*(first + static_cast<std::ptrdiff_t>(i)));
    };
    std::size_t i = begin;
    for (; end - i >= tables; i += tables)
        for (std::size_t t = 0; t < tables; ++t)
            ++table[t][byte(i + t)];
    for (; i < end; ++i)
        ++table[0][byte(i)];
    for (std::size_t t = 0; t < tables; ++t)
        for (std::size_t v = 0; v < 256; ++v)
            counts[v] += table[t][v];
}

template <class Iterator, class Axis>
void count_slots(replica& counts, Iterator first, std::size_t begin, std::size_t end, const Axis& axis)
{
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t slot = axis.slot(*(first + static_cast<std::ptrdiff_t>(i)));
        if (slot < counts.size())
            ++counts[slot];
    }
}

/// Counts the `n` samples from `first` on into `axis.extent()` counters from `counts` on, which it overwrites, on at most
/// `threads` threads (0: all cores).
template <class Iterator, class Axis, class Counts>
void histogram(unsigned threads, Iterator first, std::size_t n, const Axis& axis, Counts counts)
{
    using Value = iter_value_t<Iterator>;
    using Count = iter_value_t<Counts>;
    constexpr bool by_value = is_byte<Value>;
    const std::size_t extent = axis.extent();
    const std::size_t bins = by_value ? 256 : extent;
    std::size_t tasks = n < serial_samples ? 1 : concurrency(threads);
    tasks = std::max(tasks, order::ceil_div(n, most_task_samples));
    const std::size_t share = order::ceil_div(n, tasks);

    std::vector<replica> replicas(tasks);
    parallel_for(threads, tasks, [&](std::size_t t) {
        const std::size_t begin = std::min(t * share, n);
        const std::size_t end = std::min(begin + share, n);
        replicas[t].resize(bins);
        if constexpr (by_value)
            count_bytes(replicas[t], first, begin, end);
        else
            count_slots(replicas[t], first, begin, end, axis);
    });
    std::vector<std::uint64_t> totals(extent);
    for (const replica& own : replicas)
        for (std::size_t b = 0; b < bins; ++b) {
            std::size_t slot = b;
            if constexpr (by_value)
                slot = axis.slot(static_cast<Value>(static_cast<std::uint8_t>(b)));
            if (slot < extent)
                totals[slot] += own[b];
        }
    for (std::size_t slot = 0; slot < extent; ++slot)
        *(counts + static_cast<std::ptrdiff_t>(slot)) = static_cast<Count>(totals[slot]);
}

}  // namespace parprims::detail::host
