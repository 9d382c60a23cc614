/// @file
/// @brief  The histogram on the threads of the host.
///
/// If there are few counters, each task counts in a replica of its own: few beside the samples, and so few that all replicas
/// fit a limit of memory. Otherwise the slots of a block of samples are sorted into parts of the counters, and one thread counts
/// each part. No counter is atomic, so samples that all fall in one bin take no longer.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/replicas.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace parprims::detail::host {

inline constexpr std::size_t serial_samples = 16 * 1024;              ///< fewer samples are counted by one thread
inline constexpr std::size_t most_replica_bytes = 256 * 1024 * 1024;  ///< of all replicas together
inline constexpr std::size_t partition_samples = 256 * 1024;          ///< that a thread sorts into parts at a time

template <class Counts>
void set_count(Counts counts, std::size_t slot, std::uint64_t count)
{
    *(counts + static_cast<std::ptrdiff_t>(slot)) = static_cast<iter_value_t<Counts>>(count);
}

template <class Counts>
void add_count(Counts counts, std::size_t slot, std::uint64_t count)
{
    auto&& sum = *(counts + static_cast<std::ptrdiff_t>(slot));
    sum = static_cast<iter_value_t<Counts>>(sum + static_cast<iter_value_t<Counts>>(count));
}

/// The samples [0, n) of a call in pieces, which its tasks draw: a slow thread does not delay the end.
class sample_pieces {
public:
    explicit sample_pieces(std::size_t n) : n_(n) {}

    /// Calls `count(begin, end)` for each piece that the caller draws, until none is left or a Counter might wrap.
    template <class Counter, class Count>
    void draw(Count count)
    {
        constexpr std::size_t piece = smaller_of(serial_samples, most_task_samples<Counter>);
        for (std::size_t drawn = 0; drawn < most_task_samples<Counter>; drawn += piece) {
            const std::size_t begin = tickets_.take() * piece;
            if (begin >= n_)
                return;
            count(begin, smaller_of(begin + piece, n_));
        }
    }

private:
    ticket_counter tickets_;
    std::size_t n_;
};

/// Counts in one replica for each task.
template <class Counter, class Iterator, class Axis, class Counts>
void count_in_replicas(unsigned threads, std::size_t tasks, Iterator first, std::size_t n, const Axis& axis,
                       Counts counts)
{
    const std::size_t extent = axis.extent();
    sequence<slot_tables<Counter>> replicas(tasks);
    sample_pieces pieces(n);
    parallel_for(threads, tasks, [&](std::size_t t) {
        const Axis own_axis = axis;  // not shared: its members can stay in registers
        slot_tables<Counter>& own = replicas[t];
        pieces.template draw<Counter>([&](std::size_t begin, std::size_t end) {
            own.prepare(extent, n / tasks);
            own.count(first, begin, end, own_axis);
        });
    });
    const std::size_t adders = smaller_of(tasks, order::ceil_div(extent * tasks, serial_samples));
    for_each_share(threads, adders, extent, [&](std::size_t, std::size_t begin, std::size_t end) {
        constexpr std::size_t block = 256;
        for (; begin < end; begin += block) {
            const std::size_t slots = smaller_of(block, end - begin);
            std::uint64_t totals[block] = {};
            for (const slot_tables<Counter>& own : replicas)
                own.add_to(totals, begin, slots);
            for (std::size_t i = 0; i < slots; ++i)
                set_count(counts, begin + i, totals[i]);
        }
    });
}

/// Counts samples of one byte by value, then asks the axis once for each value. The counters are zero.
template <class Counter, class Iterator, class Axis, class Counts>
void count_by_value(unsigned threads, std::size_t tasks, Iterator first, std::size_t n, const Axis& axis, Counts counts)
{
    using Value = iter_value_t<Iterator>;
    sequence<replica<Counter>> replicas(tasks);
    for_each_share(threads, tasks, n, [&](std::size_t t, std::size_t begin, std::size_t end) {
        replicas[t].resize(256);
        count_bytes(first + begin, end - begin, replicas[t]);
    });
    for (std::size_t byte = 0; byte < 256; ++byte) {
        std::uint64_t count = 0;
        for (const replica<Counter>& own : replicas)
            count += own[byte];
        if (count == 0)
            continue;  // the axis is not called with a value that no sample has
        const std::size_t slot = axis.slot(static_cast<Value>(static_cast<std::uint8_t>(byte)));
        if (slot < axis.extent())
            add_count(counts, slot, count);
    }
}

/// Counts many bins, each part of them by one thread. The counters are zero.
template <class Iterator, class Axis, class Counts>
void count_in_parts(unsigned threads, std::size_t tasks, Iterator first, std::size_t n, const Axis& axis, Counts counts)
{
    const std::size_t extent = axis.extent();
    const std::size_t parts = std::bit_ceil(4 * tasks);
    const auto part_bits = static_cast<unsigned>(std::bit_width((extent - 1) / parts));  // of a slot, inside its part
    sequence<sequence<sequence<std::size_t>>> sorted(tasks);
    for (auto& of_task : sorted)
        of_task.resize(parts);
    for (std::size_t block = 0; block < n; block += tasks * partition_samples) {
        const std::size_t samples = smaller_of(tasks * partition_samples, n - block);
        for_each_share(threads, tasks, samples, [&](std::size_t t, std::size_t begin, std::size_t end) {
            for (auto& part : sorted[t])
                part.clear();
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t slot = host::kept_slot(first, block + i, axis, extent);
                if (slot < extent)
                    sorted[t][slot >> part_bits].push_back(slot);
            }
        });
        parallel_for(threads, parts, [&](std::size_t part) {
            for (const auto& of_task : sorted)
                for (const std::size_t slot : of_task[part])
                    add_count(counts, slot, 1);
        });
    }
}

/// Counts the `n` samples from `first` on into `axis.extent()` counters from `counts` on, which it overwrites, on at most
/// `threads` threads (0: all cores). `Counter` is the type of the replicas' counters; a test passes a narrow one.
template <class Counter = std::uint32_t, class Iterator, class Axis, class Counts>
void histogram(unsigned threads, Iterator first, std::size_t n, const Axis& axis, Counts counts)
{
    const std::size_t extent = axis.extent();
    const std::size_t cores = concurrency(threads);
    // Bytes are divided before the work, into more shares than threads, so that a slow thread does not delay the end.
    const std::size_t shares = is_byte_pointer<Iterator> ? 8 * cores : cores;
    const std::size_t most_tasks = larger_of<std::size_t>(n / serial_samples, 1);
    const std::size_t tasks = larger_of(smaller_of(shares, most_tasks), order::ceil_div(n, most_task_samples<Counter>));
    if constexpr (!is_byte_pointer<Iterator>)
        if (extent <= n && extent <= most_replica_bytes / sizeof(Counter) / tasks)
            return host::count_in_replicas<Counter>(threads, tasks, first, n, axis, counts);

    for_each_share(threads, extent < serial_samples ? 1 : cores, extent,
                   [&](std::size_t, std::size_t begin, std::size_t end) {
                       for (std::size_t slot = begin; slot < end; ++slot)
                           set_count(counts, slot, 0);
                   });
    if constexpr (is_byte_pointer<Iterator>)
        return count_by_value<Counter>(threads, tasks, first, n, axis, counts);
    host::count_in_parts(threads, n < serial_samples ? 1 : cores, first, n, axis, counts);
}

/// Adds the counts of the samples to `counts`, or nothing if one of them would exceed `most`.
template <class Iterator, class Axis, class Counts>
void accumulate(const char* function, unsigned threads, Iterator first, std::size_t n, const Axis& axis, Counts counts,
                iter_value_t<Counts> most)
{
    using counter = iter_value_t<Counts>;
    if (n == 0)
        return;
    sequence<std::uint64_t> added(axis.extent());
    host::histogram(threads, first, n, axis, added.data());
    const auto count = [&](std::size_t slot) -> counter { return *(counts + static_cast<std::ptrdiff_t>(slot)); };
    for (std::size_t slot = 0; slot < added.size(); ++slot)
        if (added[slot] != 0 && count(slot) > static_cast<counter>(most - static_cast<counter>(added[slot])))
            runtime::refuse(function, "counts", "counter % has %, so it cannot hold % more", slot, count(slot),
                            added[slot]);
    for (std::size_t slot = 0; slot < added.size(); ++slot)
        *(counts + static_cast<std::ptrdiff_t>(slot)) =
            static_cast<counter>(count(slot) + static_cast<counter>(added[slot]));
}

}  // namespace parprims::detail::host
