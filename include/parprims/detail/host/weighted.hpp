/// @file
/// @brief  The weighted histogram on the threads of the host.
///
/// A bin is a few words: a fixed-point number for a window of binades, in which most weights lie, as a look at some of them tells. Weights
/// outside are added to numbers that hold any. Both are exact, and each task has its own, so neither the window nor the number of
/// tasks nor what each of them draws can be seen in the result.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/host/weighted_bins.hpp>
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// The sums of one task: words for each bin, and the exact sums of bins with weights outside of the window. Aligned, so that tasks share no cache line.
template <class Window, bool HasSquares>
class alignas(128) task_sums {
public:
    using bin = word_sums<std::int64_t, Window::words, HasSquares>;
    using other_sums = exact_bin<typename Window::real, HasSquares>;

    /// Sets all sums to zero, for `extent` bins. `samples`: how many the task is likely to add.
    void prepare(std::size_t extent, std::size_t samples)
    {
        bins_.clear();
        places_.clear();
        others_.clear();
        added_ = 0;
        const std::size_t bytes = extent * sizeof(bin);
        extent_ = extent;
        tables_ = 16 * extent > samples ? 1 : bytes <= max_bytes_of_four ? 4 : bytes <= max_bytes_of_two ? 2 : 1;
        stride_ = extent + 1;  // one more for samples that are not counted
        bins_.resize(tables_ * stride_);
    }

    void add_to(bin_total<Window, HasSquares>& total, std::size_t slot) const
    {
        for (std::size_t t = 0; t < tables_; ++t)
            total.add(bins_[t * stride_ + slot]);
    }
    bool has_others() const { return others_.size() != 0; }
    /// The sums of the weights outside of the window; null if the bin has none.
    other_sums* others(std::size_t slot)
    {
        return places_.size() != 0 && places_[slot] != 0 ? &others_[places_[slot] - 1] : nullptr;
    }

    /// Adds the weights of the samples from `begin` to `end`.
    template <class Iterator, class Weights, class Axis>
    void add(const Iterator& first, const Weights& weights, std::size_t begin, std::size_t end, const Axis& axis,
             const Window& window)
    {
        std::uint32_t slots[weights_block];
        alignas(64) std::int64_t words[Window::words][weights_block];
        for (; begin < end; begin += weights_block) {
            const std::size_t n = smaller_of(weights_block, end - begin);
            if (added_ + n > most_added)
                empty_full_bins(window);
            added_ += n;
            host::find_slots(first, begin, n, axis, extent_, slots);
            host::split_weights(weights, begin, n, window, words, [&](std::size_t i, auto weight) {
                if (slots[i] < extent_)
                    others_of(slots[i]).add(weight);
            });
            bin* table[most_tables];
            for (std::size_t t = 0; t < most_tables; ++t)
                table[t] = bins_.data() + t % tables_ * stride_;
            const auto add_one = [&](bin* to, std::size_t i) {
                std::int64_t each[Window::words];
                for (int k = 0; k < Window::words; ++k)
                    each[k] = words[k][i];
                to[slots[i]].add(each);
            };
            std::size_t i = 0;
            for (; n - i >= step; i += step) {
                host::prefetch_samples<step>(first, begin + weights_block + i, end);
                host::prefetch_samples<step>(weights, begin + weights_block + i, end);
                [&]<std::size_t... Sample>(std::index_sequence<Sample...>) {
                    (add_one(table[Sample % most_tables], i + Sample), ...);
                }(std::make_index_sequence<step>());
            }
            for (; i < n; ++i)
                add_one(table[0], i);
        }
    }

private:
    other_sums& others_of(std::size_t slot)
    {
        places_.resize(extent_);
        if (places_[slot] == 0) {
            others_.push_back({});
            places_[slot] = static_cast<std::uint32_t>(others_.size());
        }
        return others_[places_[slot] - 1];
    }

    /// Moves the sums of bins with a sum of 2^62 and more, so that none overflows before the next call.
    void empty_full_bins(const Window& window)
    {
        added_ = 0;
        constexpr std::size_t group = 64;
        for (std::size_t begin = 0; begin < bins_.size(); begin += group) {
            const std::size_t end = smaller_of(begin + group, bins_.size());
            const auto is_full = [&](std::size_t from, std::size_t to) {
                std::uint64_t all = 0;
                for (std::size_t b = from; b < to; ++b)
                    for (const std::int64_t sum : bins_[b].sums)
                        all |= static_cast<std::uint64_t>(sum) + (std::uint64_t{1} << 62);
                return all >> 63 != 0;
            };
            if (!is_full(begin, end))
                continue;
            for (std::size_t b = begin; b < end; ++b)
                if (is_full(b, b + 1)) {
                    bin empty{};
                    if constexpr (HasSquares)
                        empty.count = bins_[b].count;  // stays where it is
                    bin_total<Window, HasSquares> total;
                    total.add(std::exchange(bins_[b], empty));
                    if (b % stride_ < extent_)
                        total.add_to(others_of(b % stride_), window.unit);
                }
        }
    }

    static constexpr std::size_t most_tables = 4;
    // Of a table, where there are four, so that they stay in the L1 cache; where there are two, in the L2 cache.
    static constexpr std::size_t max_bytes_of_four = 8 * 1024;
    static constexpr std::size_t max_bytes_of_two = 512 * 1024;
    static constexpr std::size_t step = 16;  // samples that are added without a branch
    static constexpr std::size_t most_added = std::size_t{1} << (62 - word_bits);  // before empty_full_bins

    std::size_t extent_ = 0;
    std::size_t tables_ = 1;
    std::size_t stride_ = 0;
    std::size_t added_ = 0;
    sequence<bin>
        bins_;  // tables, which consecutive samples are added to in turn: equal ones do not wait for each other
    sequence<std::uint32_t> places_;  // of slots in `others_`, from 1 on; empty if there are none
    sequence<other_sums> others_;
};

inline void check_weighted_extent(const char* function, std::size_t extent)
{
    constexpr std::size_t most = UINT32_MAX;
    if (extent > most)
        runtime::refuse(function, "axis", "% bins; weights on the host have at most %", extent, most);
}

/// The binades of some weights of samples in bins, spread evenly over all `n`.
template <class Iterator, class Weights, class Axis>
seen_binades look_at_weights(const Iterator& first, std::size_t n, const Weights& weights, const Axis& axis)
{
    seen_binades seen;
    for (unsigned look = 0; look < looked_weights; ++look)
        if (const std::size_t i = looked_weight(look, n);
            i < n && host::kept_slot(first, i, axis, axis.extent()) < axis.extent())
            seen.add(weight_traits<iter_value_t<Weights>>::convert(*(weights + static_cast<std::ptrdiff_t>(i))));
    return seen;
}

/// Adds up the replicas of the slots from `begin` to `end`, and calls `take(slot, total, others)` for each. If `others` is not null,
/// it holds all sums, and of `total` only the count is to be used.
template <class Window, bool HasSquares, class Take>
void for_each_total(sequence<task_sums<Window, HasSquares>>& replicas, std::size_t begin, std::size_t end,
                    const Window& window, const Take& take)
{
    for (std::size_t slot = begin; slot < end; ++slot) {
        bin_total<Window, HasSquares> total;
        typename task_sums<Window, HasSquares>::other_sums* others = nullptr;
        for (auto& own : replicas) {
            own.add_to(total, slot);
            auto* const of_task = own.others(slot);
            if (others != nullptr && of_task != nullptr)
                others->merge(*of_task);
            else if (of_task != nullptr)
                others = of_task;
        }
        if (others != nullptr)
            total.add_to(*others, window.unit);
        take(slot, total, others);
    }
}

/// Adds the weights of the `n` samples from `first` on, on at most `threads` threads (0: all cores). Then calls `use(window,
/// for_each_bin, has_others)`. `for_each_bin(take)`, to be called once, is for_each_total of all slots, on several threads.
template <bool HasSquares, class Window, class Iterator, class Weights, class Axis, class Use>
void sum_words(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, const Window& window,
               Use use)
{
    using own_sums = task_sums<Window, HasSquares>;
    const std::size_t extent = axis.extent();
    const std::size_t most_tasks =
        larger_of<std::size_t>(most_replica_bytes / sizeof(typename own_sums::bin) / extent, 1);
    const std::size_t worth_tasks = larger_of<std::size_t>(n / larger_of(serial_samples, extent), 1);
    const std::size_t tasks = smaller_of<std::size_t>(concurrency(threads), smaller_of(most_tasks, worth_tasks));
    sequence<own_sums> replicas(tasks);
    sample_pieces pieces(n);
    parallel_for(threads, tasks, [&](std::size_t t) {
        const Axis own_axis = axis;  // not shared: its members can stay in registers
        own_sums& own = replicas[t];
        own.prepare(extent, n / tasks);
        pieces.template draw<std::uint64_t>(
            [&](std::size_t begin, std::size_t end) { own.add(first, weights, begin, end, own_axis, window); });
    });

    bool has_others = false;
    for (const own_sums& own : replicas)
        has_others = has_others || own.has_others();
    const auto for_each_bin = [&](auto take) {
        const std::size_t adders = smaller_of(tasks, order::ceil_div(extent * tasks, serial_samples));
        for_each_share(threads, adders, extent, [&](std::size_t, std::size_t begin, std::size_t end) {
            host::for_each_total(replicas, begin, end, window, take);
        });
    };
    use(window, for_each_bin, has_others);
}

/// Calls `use(window)` with a window for most of the weights that were seen.
template <class Real, class Use>
void with_window(const seen_binades& seen, Use use)
{
    const auto wide = weight_window<Real, 2>::of_most(seen);
    if constexpr (std::is_same_v<Real, float>) {
        const auto narrow = weight_window<float, 1>::of_most(seen);
        if (narrow.held == wide.held)
            return use(narrow);
    }
    use(wide);
}

/// sum_words with a window for most of the weights.
template <bool HasSquares, class Iterator, class Weights, class Axis, class Use>
void sum_weights(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Use use)
{
    using real = typename weight_traits<iter_value_t<Weights>>::real;
    host::with_window<real>(host::look_at_weights(first, n, weights, axis), [&](const auto& window) {
        host::sum_words<HasSquares>(threads, first, n, weights, axis, window, use);
    });
}

/// What writes the bins from `sums` on, for for_each_total.
template <class Window, class Sums>
auto bins_writer(const Window& window, const Sums& sums)
{
    using Bin = iter_value_t<Sums>;
    return [unit = window.unit, sums](std::size_t slot, const auto& total, auto* others) {
        *(sums + static_cast<std::ptrdiff_t>(slot)) =
            others == nullptr ? total.template rounded<Bin>(unit) : others->template rounded<Bin>(total.count());
    };
}

/// Adds the weights of the `n` samples from `first` on to `axis.extent()` sums from `sums` on, which it overwrites.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Sums sums)
{
    using Bin = iter_value_t<Sums>;
    host::sum_weights<(sum_traits<Bin>::values > 1)>(threads, first, n, weights, axis,
                                                     [&](const auto& window, const auto& for_each_bin, bool) {
                                                         for_each_bin(host::bins_writer(window, sums));
                                                     });
}

}  // namespace parprims::detail::host
