/// @file
/// @brief  The weighted histogram on the threads of the host.
///
/// A first pass finds the largest weight, which decides the scale (detail/numeric/fixed_point.hpp). Then each task adds integers to
/// sums of its own. So neither the number of tasks nor what each of them draws can be seen in the result.
#pragma once

#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/shares.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/detail/weights.hpp>

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

/// The key of the largest finite weight of `n`.
template <class W, class Weights>
std::uint32_t largest_key(unsigned threads, const Weights& weights, std::size_t n)
{
    const std::size_t tasks = shares_of(threads, n);
    sequence<std::uint32_t> keys(tasks);
    for_each_share(threads, tasks, n, [&](std::size_t t, std::size_t begin, std::size_t end) {
        std::int32_t largest = 0;  // signed, because SSE2 has no larger of unsigned numbers
        for (std::size_t i = begin; i < end; ++i) {
            const auto number = weight_traits<W>::convert(*(weights + static_cast<std::ptrdiff_t>(i)));
            const auto key = static_cast<std::int32_t>(numeric::magnitude_key(number));
            largest = larger_of(largest, numeric::is_finite(number) ? key : 0);
        }
        keys[t] = static_cast<std::uint32_t>(largest);
    });
    std::uint32_t largest = 0;
    for (const std::uint32_t key : keys)
        largest = larger_of(largest, key);
    return largest;
}

/// The sums of one task. Aligned, so that tasks share no cache line.
template <class W, unsigned Values>
class alignas(128) task_sums {
public:
    using integer = typename weight_traits<W>::integer;
    struct bin {
        integer values[Values];
    };

    void prepare(std::size_t extent)
    {
        extent_ = extent;
        bins_.resize(extent + 1);  // one more for samples that are not counted
    }
    const bin& operator[](std::size_t slot) const { return bins_[slot]; }
    std::uint32_t flags(std::size_t slot) const { return flags_.size() != 0 ? flags_[slot] : 0; }

    template <class Iterator, class Weights, class Axis, class Scale>
    void add(const Iterator& first, const Weights& weights, std::size_t begin, std::size_t end, const Axis& axis,
             const Scale& scale)
    {
        constexpr std::size_t block = 1024;
        std::uint32_t slots[block];
        real numbers[block];
        integer values[Values][block];
        for (; begin < end; begin += block) {
            const std::size_t n = smaller_of(block, end - begin);
            find_slots(first, begin, n, axis, extent_, slots);
            std::uint32_t others = 0;
            for (std::size_t i = 0; i < n; ++i) {
                numbers[i] = weight_traits<W>::convert(*(weights + static_cast<std::ptrdiff_t>(begin + i)));
                others |= numeric::is_finite(numbers[i]) ? 0u : 1u;
            }
            if (others != 0)
                take_others(slots, numbers, n);
            for (std::size_t i = 0; i < n; ++i)
                values[0][i] = scale.value(numbers[i]);
            if constexpr (Values == 2)
                for (std::size_t i = 0; i < n; ++i)
                    values[1][i] = scale.square(numbers[i]);
            for (std::size_t i = 0; i < n; ++i)
                for (unsigned v = 0; v < Values; ++v)
                    bins_[slots[i]].values[v] += values[v][i];
        }
    }

private:
    using real = typename weight_traits<W>::real;

    /// Flags the slots of infinities and NaN, and takes zeros in their place.
    void take_others(const std::uint32_t* slots, real* numbers, std::size_t n)
    {
        flags_.resize(extent_ + 1);
        for (std::size_t i = 0; i < n; ++i)
            if (!numeric::is_finite(numbers[i])) {
                flags_[slots[i]] |= special::of(numbers[i]);
                numbers[i] = 0;
            }
    }

    std::size_t extent_ = 0;
    sequence<bin> bins_;
    sequence<std::uint32_t> flags_;
};

/// Adds with the scale that `exponent` and `bits` say.
template <class Scale, class Sums, class Iterator, class Weights, class Axis>
void add_weights(unsigned threads, sequence<Sums>& replicas, Iterator first, std::size_t n, Weights weights,
                 const Axis& axis, int exponent, int bits)
{
    sample_pieces pieces(n);
    parallel_for(threads, replicas.size(), [&](std::size_t t) {
        const Axis own_axis = axis;  // not shared: its members can stay in registers
        const Scale scale(exponent, bits);
        Sums& own = replicas[t];
        own.prepare(axis.extent());
        pieces.template draw<std::uint64_t>(
            [&](std::size_t begin, std::size_t end) { own.add(first, weights, begin, end, own_axis, scale); });
    });
}

/// Adds the weights of the `n` samples from `first` on, as multiples of 2^(exponent - bits), on at most `threads` threads (0: all
/// cores). Calls `take(slot, totals, flags)` for each counter, on several threads: `totals[0]` is the sum of the weights.
template <unsigned Values, class Iterator, class Weights, class Axis, class Take>
void sum_weights(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, int exponent,
                 int bits, Take take)
{
    using W = iter_value_t<Weights>;
    using own_sums = task_sums<W, Values>;
    const std::size_t extent = axis.extent();
    const std::size_t most_tasks =
        larger_of<std::size_t>(most_replica_bytes / sizeof(typename own_sums::bin) / extent, 1);
    const std::size_t worth_tasks = larger_of<std::size_t>(n / larger_of(serial_samples, extent), 1);
    const std::size_t tasks = smaller_of<std::size_t>(concurrency(threads), smaller_of(most_tasks, worth_tasks));
    sequence<own_sums> replicas(tasks);
    using scale = typename weight_traits<W>::scale;
    using small_scale = numeric::narrow_scale_of<true>;
    if constexpr (std::is_same_v<scale, numeric::narrow_scale>) {
        if (bits <= small_scale::small_bits)
            add_weights<small_scale>(threads, replicas, first, n, weights, axis, exponent, bits);
        else
            add_weights<scale>(threads, replicas, first, n, weights, axis, exponent, bits);
    } else {
        add_weights<scale>(threads, replicas, first, n, weights, axis, exponent, bits);
    }
    const std::size_t adders = smaller_of(tasks, order::ceil_div(extent * tasks, serial_samples));
    for_each_share(threads, adders, extent, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            numeric::int128 totals[Values] = {};
            std::uint32_t flags = 0;
            for (const own_sums& own : replicas) {
                for (unsigned v = 0; v < Values; ++v)
                    totals[v] += own[slot].values[v];
                flags |= own.flags(slot);
            }
            take(slot, totals, flags);
        }
    });
}

/// Adds the weights of the `n` samples from `first` on to `axis.extent()` sums from `sums` on, which it overwrites.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Sums sums)
{
    using W = iter_value_t<Weights>;
    using Sum = iter_value_t<Sums>;
    const int exponent = weight_traits<W>::exponent(largest_key<W>(threads, weights, n));
    const int bits = weight_traits<W>::bits(larger_of<std::size_t>(n, 1));
    sum_weights<sum_traits<Sum>::values>(threads, first, n, weights, axis, exponent, bits,
                                         [&](std::size_t slot, const numeric::int128* totals, std::uint32_t flags) {
                                             *(sums + static_cast<std::ptrdiff_t>(slot)) =
                                                 finished_sum<W, Sum>(totals, flags, exponent, bits);
                                         });
}

}  // namespace parprims::detail::host
