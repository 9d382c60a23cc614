/// @file
/// @brief  How one task counts samples in a replica of the counters.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// The counters of one task, and the most samples that it counts, so that no counter wraps.
template <class Counter>
using replica = sequence<Counter>;
template <class Counter>
inline constexpr std::size_t most_task_samples = std::numeric_limits<Counter>::max() / 2 + std::size_t{1};

/// Whether samples are of one byte. These are counted by value, and the axis is called once for each value.
template <class Iterator>
inline constexpr bool is_byte_pointer =
    std::is_pointer_v<Iterator> && sizeof(iter_value_t<Iterator>) == 1 && std::is_integral_v<iter_value_t<Iterator>> &&
    !std::is_volatile_v<std::remove_pointer_t<Iterator>>;

/// Adds the `n` bytes from `x` on to the 256 counters of `counts`.
template <class Counter>
void count_bytes(const void* x, std::size_t n, replica<Counter>& counts)
{
    // Consecutive samples are counted in 8 tables in turn, so that a counter is not loaded soon after its store: equal samples
    // take no longer than others. The limit is then one store per sample. (2^16 counters, for two samples at a time, would not
    // fit the cache: docs/host-simd.md.) Bytes are taken in pairs: x86 extracts both bytes of a pair without a shift.
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

/// Tables of counters, in which consecutive samples are counted in turn, for the same reason.
template <class Cell>
class rotating_tables {
public:
    static constexpr std::size_t most_tables = 4;
    static constexpr std::size_t step = 16;  // samples that are counted without a branch

    void prepare(std::size_t tables, std::size_t extent)
    {
        tables_ = tables;
        stride_ = ((extent + 16) / 16 | 1) * 16;  // an odd number of cache lines: addresses 4 KiB apart alias
        cells_.resize(tables * stride_);
    }

    /// Counts `n` slots. Calls `prefetch(i)` before the step that begins with slot i.
    template <class Prefetch>
    void count(const std::uint32_t* slots, std::size_t n, Prefetch prefetch)
    {
        Cell* table[most_tables];
        for (std::size_t t = 0; t < most_tables; ++t)
            table[t] = cells_.data() + t % tables_ * stride_;
        std::size_t i = 0;
        for (; n - i >= step; i += step) {
            prefetch(i);
            [&]<std::size_t... Sample>(std::index_sequence<Sample...>) {
                (++table[Sample % most_tables][slots[i + Sample]], ...);
            }(std::make_index_sequence<step>());
        }
        for (; i < n; ++i)
            ++table[0][slots[i]];
    }

    /// Adds the counts of `slots` slots from `begin` on to `totals`.
    template <class Total>
    void add_to(Total* totals, std::size_t begin, std::size_t slots) const
    {
        for (std::size_t t = 0; t < tables_; ++t)
            for (std::size_t i = 0; i < slots; ++i)
                totals[i] = static_cast<Total>(totals[i] + cells_[t * stride_ + begin + i]);
    }

    void clear()
    {
        for (Cell& each : cells_)
            each = 0;
    }

private:
    std::size_t tables_ = 0;
    std::size_t stride_ = 0;
    sequence<Cell> cells_;
};

/// The counters in which one task counts slots. Few counters have 16 bits, because several tables of them fit the L1 cache; they
/// are added to totals before one can wrap. Aligned, so that tasks share no cache line.
template <class Counter>
class alignas(128) slot_tables {
public:
    /// Sets the counters to zero at the first call. `samples`: how many the task is likely to count.
    void prepare(std::size_t extent, std::size_t samples)
    {
        if (extent_ != 0)
            return;
        extent_ = extent;
        const bool worth_tables = 16 * extent <= samples;
        narrow_ = worth_tables && extent <= max_narrow_extent;
        if (narrow_) {
            narrow_tables_.prepare(tables::most_tables, extent);
            totals_.resize(extent);
        } else {
            wide_tables_.prepare(worth_tables && extent <= max_wide_tables_extent ? 2 : 1, extent);
        }
    }

    /// Counts the samples from `begin` to `end`.
    template <class Iterator, class Axis>
    void count(const Iterator& first, std::size_t begin, std::size_t end, const Axis& axis)
    {
        constexpr std::size_t most = 1024;
        std::uint32_t slots[most];
        // Without SIMD, and with counters that only the L2 cache has room for: few at a time, so that finding slots hides the
        // latency of the counters.
        const std::size_t block =
            has_simd_slots<Iterator, Axis> || extent_ <= 2 * max_narrow_extent ? most : tables::step;
        while (begin < end) {
            const std::size_t n = smaller_of(block, end - begin);
            host::find_slots(first, begin, n, axis, extent_, slots);
            begin += n;
            const auto prefetch_next = [&](std::size_t i) {
                host::prefetch_samples<tables::step>(first, begin + i, end);
            };
            if (!narrow_) {
                wide_tables_.count(slots, n, prefetch_next);
                continue;
            }
            if (counted_ + n > most_narrow) {
                narrow_tables_.add_to(totals_.data(), 0, extent_);
                narrow_tables_.clear();
                counted_ = 0;
            }
            narrow_tables_.count(slots, n, prefetch_next);
            counted_ += n;
        }
    }

    /// Adds the counts of `slots` slots from `begin` on to `totals`.
    void add_to(std::uint64_t* totals, std::size_t begin, std::size_t slots) const
    {
        wide_tables_.add_to(totals, begin, slots);
        narrow_tables_.add_to(totals, begin, slots);
        if (narrow_)
            for (std::size_t i = 0; i < slots; ++i)
                totals[i] += totals_[begin + i];
    }

private:
    using tables = rotating_tables<std::uint16_t>;
    static constexpr std::size_t max_narrow_extent = 8192 + 3;        // four narrow tables take 64 KiB
    static constexpr std::size_t max_wide_tables_extent = 65536 + 3;  // two wide tables take 512 KiB
    /// Samples that are counted between two clearings of the narrow tables. Each table counts a quarter of them; the first one
    /// also counts the last samples of the input, fewer than `step`.
    static constexpr std::size_t most_narrow = tables::most_tables * (UINT16_MAX - tables::step);

    std::size_t extent_ = 0;
    bool narrow_ = false;
    std::size_t counted_ = 0;  // since the narrow tables were cleared
    tables narrow_tables_;
    rotating_tables<Counter> wide_tables_;
    replica<Counter> totals_;  // of what the narrow tables held when they were cleared
};

}  // namespace parprims::detail::host
