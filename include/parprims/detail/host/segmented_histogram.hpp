/// @file
/// @brief  A histogram of each segment on the threads of the host.
#pragma once

#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/replicas.hpp>
#include <parprims/detail/host/segmented.hpp>
#include <parprims/detail/host/slots.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::host {

inline constexpr std::size_t table_samples = 4096;  ///< fewer samples of a segment are counted in its own counters

/// Counts the samples [begin, end) on the calling thread, into counters that it overwrites.
template <class Iterator, class Axis, class Counts>
void count_segment(const Iterator& first, std::size_t begin, std::size_t end, const Axis& axis, const Counts& counts)
{
    const std::size_t extent = axis.extent();
    if (end - begin >= table_samples && end - begin >= 16 * extent) {
        slot_tables<std::uint32_t> tables;
        tables.prepare(extent, end - begin);
        tables.count(first, begin, end, axis);
        sequence<std::uint64_t> totals(extent);
        tables.add_to(totals.data(), 0, extent);
        for (std::size_t slot = 0; slot < extent; ++slot)
            set_count(counts, slot, totals[slot]);
        return;
    }
    for (std::size_t slot = 0; slot < extent; ++slot)
        set_count(counts, slot, 0);
    for (std::size_t i = begin; i < end; ++i)
        if (const std::size_t slot = host::kept_slot(first, i, axis, extent); slot < extent)
            add_count(counts, slot, 1);
}

/// Counts each segment into `axis.extent()` counters: those of segment s are from `counts + counters_at(s)` on.
template <class Segments, class Iterator, class Axis, class Counts, class CountersAt>
void segmented_histogram(unsigned threads, const Segments& segments, const Iterator& first, const Axis& axis,
                         const Counts& counts, CountersAt counters_at)
{
    const auto counters = [&](std::size_t s) { return counts + static_cast<std::ptrdiff_t>(counters_at(s)); };
    const auto count_some = [&](std::size_t s, std::size_t last) {
        const Axis own_axis = axis;
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            if (end - begin <= segmented_task)
                host::count_segment(first, begin, end, own_axis, counters(s));
        }
    };
    host::for_each_segment(threads, segments, count_some, [&](std::size_t s, std::size_t begin, std::size_t n) {
        host::histogram(threads, first + static_cast<std::ptrdiff_t>(begin), n, axis, counters(s));
    });
}

}  // namespace parprims::detail::host
