/// @file
/// @brief  The histogram on the threads of the host.
///
/// Each thread counts in counters of its own where they are few enough, for memory and for the samples there are.
/// Otherwise the slots of a block of samples are sorted by the part of the counters that they fall in, and each part is
/// counted by one thread: no atomics, so samples that all fall in one bin cost no more.
#pragma once

#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/replicas.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/order.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parprims::detail::host {

inline constexpr std::size_t serial_samples = 16 * 1024;              ///< fewer are not worth a second thread
inline constexpr std::size_t most_replica_bytes = 256 * 1024 * 1024;  ///< of all replicas together
inline constexpr std::size_t partition_samples = 256 * 1024;          ///< a thread sorts at a time

/// Calls `body(begin, end)` for the share of each of `tasks` tasks in n.
template <class Body>
void for_each_share(unsigned threads, std::size_t tasks, std::size_t n, Body body)
{
    const std::size_t share = order::ceil_div(n, tasks);
    parallel_for(threads, tasks, [&](std::size_t t) { body(t, std::min(t * share, n), std::min((t + 1) * share, n)); });
}

/// Counts in one replica a task; `totals` are zero.
template <class Iterator, class Axis>
void count_in_replicas(unsigned threads, std::size_t tasks, Iterator first, std::size_t n, const Axis& axis,
                       std::vector<std::uint64_t>& totals)
{
    using Value = iter_value_t<Iterator>;
    std::vector<replica> replicas(tasks);
    for_each_share(threads, tasks, n, [&](std::size_t t, std::size_t begin, std::size_t end) {
        if constexpr (is_byte_pointer<Iterator>) {
            replicas[t].resize(256);
            count_bytes(first + begin, end - begin, replicas[t]);
        } else {
            replicas[t].resize(totals.size() + 1);
            count_slots(first, begin, end, axis, replicas[t]);
        }
    });
    if constexpr (is_byte_pointer<Iterator>) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::size_t slot = axis.slot(static_cast<Value>(static_cast<std::uint8_t>(byte)));
            for (std::size_t t = 0; t < tasks && slot < totals.size(); ++t)
                totals[slot] += replicas[t][byte];
        }
    } else {
        const std::size_t adders = totals.size() < serial_samples ? 1 : tasks;
        for_each_share(threads, adders, totals.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
            for (const replica& own : replicas)
                for (std::size_t slot = begin; slot < end; ++slot)
                    totals[slot] += own[slot];
        });
    }
}

/// Counts many bins, each part of them by one thread at a time; `totals` are zero.
template <class Iterator, class Axis>
void count_in_parts(unsigned threads, std::size_t tasks, Iterator first, std::size_t n, const Axis& axis,
                    std::vector<std::uint64_t>& totals)
{
    const std::size_t extent = totals.size();
    const std::size_t parts = std::bit_ceil(4 * tasks);
    const auto part_bits = static_cast<unsigned>(std::bit_width((extent - 1) / parts));  // of a slot, inside its part
    std::vector<std::vector<std::vector<std::size_t>>> sorted(tasks, std::vector<std::vector<std::size_t>>(parts));
    for (std::size_t block = 0; block < n; block += tasks * partition_samples) {
        const std::size_t samples = std::min(tasks * partition_samples, n - block);
        for_each_share(threads, tasks, samples, [&](std::size_t t, std::size_t begin, std::size_t end) {
            for (auto& part : sorted[t])
                part.clear();
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t slot = kept_slot(first, block + i, axis, extent);
                if (slot < extent)
                    sorted[t][slot >> part_bits].push_back(slot);
            }
        });
        parallel_for(threads, parts, [&](std::size_t part) {
            for (const auto& of_task : sorted)
                for (const std::size_t slot : of_task[part])
                    ++totals[slot];
        });
    }
}

/// Counts the `n` samples from `first` on into `axis.extent()` counters from `counts` on, which it overwrites, on at most
/// `threads` threads (0: all cores).
template <class Iterator, class Axis, class Counts>
void histogram(unsigned threads, Iterator first, std::size_t n, const Axis& axis, Counts counts)
{
    using Count = iter_value_t<Counts>;
    const std::size_t extent = axis.extent();
    std::vector<std::uint64_t> totals(extent);
    const std::size_t cores = concurrency(threads);
    const std::size_t tasks = std::max(n < serial_samples ? 1 : cores, order::ceil_div(n, most_task_samples));
    const bool is_small = extent <= most_replica_bytes / sizeof(std::uint32_t) / tasks && extent <= n;

    if (is_byte_pointer<Iterator> ? n >= 1024 : is_small)
        count_in_replicas(threads, tasks, first, n, axis, totals);
    else if (n < serial_samples)
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t slot = kept_slot(first, i, axis, extent);
            if (slot < extent)
                ++totals[slot];
        }
    else
        count_in_parts(threads, cores, first, n, axis, totals);

    for (std::size_t slot = 0; slot < extent; ++slot)
        *(counts + static_cast<std::ptrdiff_t>(slot)) = static_cast<Count>(totals[slot]);
}

}  // namespace parprims::detail::host
