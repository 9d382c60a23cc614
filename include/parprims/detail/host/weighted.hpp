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
#include <parprims/detail/host/shares.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/host/weighted_bins.hpp>
#include <parprims/detail/host/weighted_task.hpp>
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

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
    constexpr std::size_t looks = 256;
    seen_binades seen;
    const std::size_t step = order::ceil_div(larger_of<std::size_t>(n, 1), looks);
    for (std::size_t i = 0; i < n; i += step)
        if (host::kept_slot(first, i, axis, axis.extent()) < axis.extent())
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

/// Adds the weights of the `n` samples from `first` on, on at most `threads` threads (0: all cores). Then calls `use(for_each_bin,
/// has_others)`. `for_each_bin(take)`, to be called once, is for_each_total of all slots, on several threads.
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
    use(for_each_bin, has_others);
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

/// sum_words with a window for most of the weights. Calls `use(window, for_each_bin, has_others)`.
template <bool HasSquares, class Iterator, class Weights, class Axis, class Use>
void sum_weights(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Use use)
{
    using real = typename weight_traits<iter_value_t<Weights>>::real;
    host::with_window<real>(host::look_at_weights(first, n, weights, axis), [&](const auto& window) {
        host::sum_words<HasSquares>(threads, first, n, weights, axis, window,
                                    [&](const auto& for_each_bin, bool has_others) {
                                        use(window, for_each_bin, has_others);
                                    });
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
