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

/// The integers of a bin.
template <class Integer, unsigned Values>
struct bin_of {
    Integer values[Values];

    void add_to(numeric::int128* totals) const
    {
        for (unsigned v = 0; v < Values; ++v)
            totals[v] += values[v];
    }
};
template <class Integer>
struct bin_of<Integer, profile_values> {
    Integer sum;
    numeric::int128 squares;
    std::uint64_t count;

    void add_to(numeric::int128* totals) const
    {
        totals[0] += sum;
        totals[1] += squares;
        totals[2] += count;
    }
};

/// The sums of one task. Aligned, so that tasks share no cache line.
template <class W, unsigned Values>
class alignas(128) task_sums {
public:
    using integer = typename weight_traits<W>::integer;
    using real = typename weight_traits<W>::real;
    using bin = bin_of<integer, Values>;

    /// Finite weights above `limit` are noted.
    void prepare(std::size_t extent, real limit)
    {
        extent_ = extent;
        limit_ = limit;
        bins_.resize(extent + 1);  // one more for samples that are not counted
    }
    const bin& operator[](std::size_t slot) const { return bins_[slot]; }
    std::uint32_t flags(std::size_t slot) const { return flags_.size() != 0 ? flags_[slot] : 0; }
    real largest() const { return largest_; }  // of those that are too large; otherwise 0

    template <class Iterator, class Weights, class Axis, class Scale>
    void add(const Iterator& first, const Weights& weights, std::size_t begin, std::size_t end, const Axis& axis,
             const Scale& scale)
    {
        constexpr std::size_t block = 1024;
        std::uint32_t slots[block];
        real numbers[block];
        integer values[Values == 2 ? 2 : 1][block];
        for (; begin < end; begin += block) {
            const std::size_t n = smaller_of(block, end - begin);
            find_slots(first, begin, n, axis, extent_, slots);
            std::uint32_t others = 0;
            for (std::size_t i = 0; i < n; ++i) {
                numbers[i] = weight_traits<W>::convert(*(weights + static_cast<std::ptrdiff_t>(begin + i)));
                others |= numeric::magnitude(numbers[i]) <= limit_ ? 0u : 1u;
            }
            if (others != 0)
                take_others(slots, numbers, n);
            for (std::size_t i = 0; i < n; ++i)
                values[0][i] = scale.value(numbers[i]);
            if constexpr (Values == 2)
                for (std::size_t i = 0; i < n; ++i)
                    values[1][i] = scale.square(numbers[i]);
            for (std::size_t i = 0; i < n; ++i) {
                bin& target = bins_[slots[i]];
                if constexpr (Values == profile_values) {
                    target.sum += values[0][i];
                    target.squares += static_cast<numeric::int128>(values[0][i]) * values[0][i];
                    ++target.count;
                } else {
                    for (unsigned v = 0; v < Values; ++v)
                        target.values[v] += values[v][i];
                }
            }
        }
    }

private:
    /// Flags the slots of infinities and NaN, notes what is too large, and takes zeros in their place.
    void take_others(const std::uint32_t* slots, real* numbers, std::size_t n)
    {
        flags_.resize(extent_ + 1);
        for (std::size_t i = 0; i < n; ++i)
            if (const real number = numbers[i]; !(numeric::magnitude(number) <= limit_)) {
                if (!numeric::is_finite(number))
                    flags_[slots[i]] |= special::of(number);
                else if (slots[i] < extent_)
                    largest_ = larger_of(largest_, numeric::magnitude(number));
                numbers[i] = 0;
            }
    }

    std::size_t extent_ = 0;
    real limit_ = 0;
    real largest_ = 0;
    sequence<bin> bins_;
    sequence<std::uint32_t> flags_;
};

/// Adds with the scale that `exponent` and `bits` say.
template <class Scale, class Sums, class Iterator, class Weights, class Axis>
void add_weights(unsigned threads, sequence<Sums>& replicas, Iterator first, std::size_t n, Weights weights,
                 const Axis& axis, int exponent, int bits, typename Sums::real limit)
{
    sample_pieces pieces(n);
    parallel_for(threads, replicas.size(), [&](std::size_t t) {
        const Axis own_axis = axis;  // not shared: its members can stay in registers
        const Scale scale(exponent, bits);
        Sums& own = replicas[t];
        own.prepare(axis.extent(), limit);
        pieces.template draw<std::uint64_t>(
            [&](std::size_t begin, std::size_t end) { own.add(first, weights, begin, end, own_axis, scale); });
    });
}

/// Adds the weights of the `n` samples from `first` on to `axis.extent()` sums from `sums` on, which it overwrites, on at most
/// `threads` threads (0: all cores). Refuses weights above the caller's bound.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, unsigned threads, Iterator first, std::size_t n, Weights weights,
                        const Axis& axis, Sums sums)
{
    using W = iter_value_t<Weights>;
    using traits = weight_traits<W>;
    using real = typename traits::real;
    using Sum = iter_value_t<Sums>;
    constexpr unsigned values = sum_traits<Sum>::values;
    using own_sums = task_sums<W, values>;
    const std::size_t extent = axis.extent();
    const real limit = call.is_bounded ? numeric::convert_down<real>(call.bound) : numeric::largest_of<real>;
    const int exponent =
        traits::exponent(call.is_bounded ? numeric::magnitude_key(limit) : largest_key<W>(threads, weights, n));
    const int bits = traits::template bits<values>(larger_of<std::size_t>(n, 1));

    const std::size_t most_tasks =
        larger_of<std::size_t>(most_replica_bytes / sizeof(typename own_sums::bin) / extent, 1);
    const std::size_t worth_tasks = larger_of<std::size_t>(n / larger_of(serial_samples, extent), 1);
    const std::size_t tasks = smaller_of<std::size_t>(concurrency(threads), smaller_of(most_tasks, worth_tasks));
    sequence<own_sums> replicas(tasks);
    using scale = typename traits::scale;
    using small_scale = numeric::narrow_scale_of<true>;
    if constexpr (std::is_same_v<scale, numeric::narrow_scale>) {
        if (bits <= small_scale::small_bits)
            add_weights<small_scale>(threads, replicas, first, n, weights, axis, exponent, bits, limit);
        else
            add_weights<scale>(threads, replicas, first, n, weights, axis, exponent, bits, limit);
    } else {
        add_weights<scale>(threads, replicas, first, n, weights, axis, exponent, bits, limit);
    }
    real largest = 0;
    for (const own_sums& own : replicas)
        largest = larger_of(largest, own.largest());
    if (largest > limit)
        runtime::refuse(call.function, call.weights, "a magnitude of % exceeds the bound %", largest, call.bound);

    const std::size_t adders = smaller_of(tasks, order::ceil_div(extent * tasks, serial_samples));
    for_each_share(threads, adders, extent, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            numeric::int128 totals[values] = {};
            std::uint32_t flags = 0;
            for (const own_sums& own : replicas) {
                own[slot].add_to(totals);
                flags |= own.flags(slot);
            }
            *(sums + static_cast<std::ptrdiff_t>(slot)) = finished_sum<W, Sum>(totals, flags, exponent, bits);
        }
    });
}

}  // namespace parprims::detail::host
