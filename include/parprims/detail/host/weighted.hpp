/// @file
/// @brief  The weighted histogram on the threads of the host.
///
/// The largest weight decides the scale (detail/numeric/fixed_point.hpp). It is guessed from a few, and if there is a larger one,
/// the sums are added again. Each task adds integers to sums of its own. So neither the number of tasks nor what each of them draws
/// can be seen in the result.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/shares.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

inline void check_weighted_extent(const char* function, std::size_t extent)
{
    constexpr std::size_t most = UINT32_MAX;
    if (extent > most)
        runtime::refuse(function, "axis", "% bins; weights on the host have at most %", extent, most);
}

/// The largest magnitude that a weight may have.
template <class W>
typename weight_traits<W>::real limit_of(const weighted_call& call)
{
    using real = typename weight_traits<W>::real;
    return call.is_bounded ? call.rounded_bound<real>() : numeric::largest_of<real>;
}

/// The key of the caller's bound. Without one, that of the largest of a few weights that lie all over the `n`: most likely, the
/// largest of all has the same exponent.
template <class W, class Weights>
std::uint32_t first_key(const weighted_call& call, const Weights& weights, std::size_t n)
{
    if (call.is_bounded)
        return numeric::magnitude_key(limit_of<W>(call));
    constexpr std::size_t looks = 1024;
    const std::size_t step = order::ceil_div(larger_of<std::size_t>(n, 1), looks);
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < n; i += step) {
        const auto number = weight_traits<W>::convert(*(weights + static_cast<std::ptrdiff_t>(i)));
        if (numeric::is_finite(number))
            largest = larger_of(largest, numeric::magnitude_key(number));
    }
    return largest;
}

/// The integers of a bin.
template <class W, unsigned Values>
struct bin_of {
    typename weight_traits<W>::integer values[Values];

    void add(const scaled_weights<W, Values>& scaled, std::size_t i)
    {
        for (unsigned v = 0; v < Values; ++v)
            values[v] += scaled.value(v, i);
    }
    void add_to(numeric::int128* totals) const
    {
        for (unsigned v = 0; v < Values; ++v)
            totals[v] += values[v];
    }
};
template <class W>
struct bin_of<W, profile_values> {
    typename weight_traits<W>::integer sum;
    numeric::int128 squares;
    std::uint64_t count;

    void add(const scaled_weights<W, profile_values>& scaled, std::size_t i)
    {
        const auto value = scaled.value(0, i);
        sum += value;
        squares += static_cast<numeric::int128>(value) * value;
        ++count;
    }
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
    using real = typename weight_traits<W>::real;
    using bin = bin_of<W, Values>;

    /// Sets the sums to zero. `samples`: how many the task is likely to add. Finite weights above `limit` are noted.
    void prepare(std::size_t extent, std::size_t samples, real limit)
    {
        limit_ = limit;
        const std::size_t bytes = extent * sizeof(bin);
        extent_ = extent;
        tables_ = 16 * extent > samples ? 1 : bytes <= max_bytes_of_four ? 4 : bytes <= max_bytes_of_two ? 2 : 1;
        stride_ = extent + 1;  // one more for samples that are not counted
        bins_.resize(tables_ * stride_);
    }

    /// The key of the largest finite weight that the task has seen. If the scale was too small for it, the sums are void.
    std::uint32_t key() const { return key_; }
    real too_large() const { return too_large_; }  // the largest weight in a bin above the limit; otherwise 0
    std::uint32_t flags(std::size_t slot) const { return flags_.size() != 0 ? flags_[slot] : 0; }
    void add_to(numeric::int128* totals, std::size_t slot) const
    {
        for (std::size_t t = 0; t < tables_; ++t)
            bins_[t * stride_ + slot].add_to(totals);
    }

    /// Adds the weights of the samples from `begin` to `end`.
    template <class Iterator, class Weights, class Axis, class Scale>
    void add(const Iterator& first, const Weights& weights, std::size_t begin, std::size_t end, const Axis& axis,
             const Scale& scale, int exponent)
    {
        using block = scaled_weights<W, Values>;
        block scaled;
        std::uint32_t slots[block::most];
        for (; begin < end; begin += block::most) {
            const std::size_t n = smaller_of(block::most, end - begin);
            host::find_slots(first, begin, n, axis, extent_, slots);
            const auto flag = [&](std::size_t i, real weight) {
                flags_.resize(extent_ + 1);
                if (!numeric::is_finite(weight))
                    flags_[slots[i]] |= special::of(weight);
                else if (slots[i] < extent_)
                    too_large_ = larger_of(too_large_, numeric::magnitude(weight));
            };
            if (!scaled.scale(weights, begin, n, scale, exponent, limit_, key_, flag))
                continue;
            bin* table[most_tables];
            for (std::size_t t = 0; t < most_tables; ++t)
                table[t] = bins_.data() + t % tables_ * stride_;
            const auto add_one = [&](bin* to, std::size_t i) { to[slots[i]].add(scaled, i); };
            std::size_t i = 0;
            for (; n - i >= step; i += step) {
                host::prefetch_samples<step>(first, begin + block::most + i, end);
                host::prefetch_samples<step>(weights, begin + block::most + i, end);
                [&]<std::size_t... Sample>(std::index_sequence<Sample...>) {
                    (add_one(table[Sample % most_tables], i + Sample), ...);
                }(std::make_index_sequence<step>());
            }
            for (; i < n; ++i)
                add_one(table[0], i);
        }
    }

private:
    static constexpr std::size_t most_tables = 4;
    static constexpr std::size_t max_bytes_of_four =
        8 * 1024;  // of a table, where there are four: they stay in the L1 cache
    static constexpr std::size_t max_bytes_of_two = 512 * 1024;  // the same where there are two, in the L2 cache

    static constexpr std::size_t step = 16;  // samples that are added without a branch

    std::size_t extent_ = 0;
    std::size_t tables_ = 1;
    std::size_t stride_ = 0;
    std::uint32_t key_ = 0;
    real limit_ = 0;
    real too_large_ = 0;
    sequence<bin>
        bins_;  // tables, in which consecutive samples are added in turn: equal ones do not wait for each other
    sequence<std::uint32_t> flags_;
};

/// Adds the weights with the scale that `exponent` and `bits` say. Returns the key of the largest finite one.
template <class Scale, class Sums, class Iterator, class Weights, class Axis>
std::uint32_t add_weights(unsigned threads, sequence<Sums>& replicas, Iterator first, std::size_t n, Weights weights,
                          const Axis& axis, int exponent, int bits, typename Sums::real limit)
{
    sample_pieces pieces(n);
    parallel_for(threads, replicas.size(), [&](std::size_t t) {
        const Axis own_axis = axis;  // not shared: its members can stay in registers
        const Scale scale(exponent, bits);
        Sums& own = replicas[t];
        own.prepare(axis.extent(), n / replicas.size(), limit);
        pieces.template draw<std::uint64_t>([&](std::size_t begin, std::size_t end) {
            own.add(first, weights, begin, end, own_axis, scale, exponent);
        });
    });
    std::uint32_t key = 0;
    for (const Sums& own : replicas)
        key = larger_of(key, own.key());
    return key;
}

/// Adds the weights of the `n` samples from `first` on, as multiples of 2^(exponent - bits), on at most `threads` threads (0: all
/// cores). Refuses weights above the caller's bound. Calls `take(slot, totals, flags)` for each counter, on several threads.
/// Returns the exponent that the largest finite weight needs: if it exceeds `exponent`, `take` was not called.
template <unsigned Values, class Iterator, class Weights, class Axis, class Take>
int sum_weights(const weighted_call& call, unsigned threads, Iterator first, std::size_t n, Weights weights,
                const Axis& axis, int exponent, int bits, Take take)
{
    using W = iter_value_t<Weights>;
    using real = typename weight_traits<W>::real;
    using own_sums = task_sums<W, Values>;
    using scale = typename weight_traits<W>::scale;
    using small_scale = numeric::narrow_scale_of<true>;
    const std::size_t extent = axis.extent();
    const real limit = limit_of<W>(call);
    const std::size_t most_tasks =
        larger_of<std::size_t>(most_replica_bytes / sizeof(typename own_sums::bin) / extent, 1);
    const std::size_t worth_tasks = larger_of<std::size_t>(n / larger_of(serial_samples, extent), 1);
    const std::size_t tasks = smaller_of<std::size_t>(concurrency(threads), smaller_of(most_tasks, worth_tasks));
    sequence<own_sums> replicas(tasks);
    const auto add = [&] {
        if constexpr (std::is_same_v<scale, numeric::narrow_scale>)
            if (bits <= small_scale::small_bits)
                return host::add_weights<small_scale>(threads, replicas, first, n, weights, axis, exponent, bits,
                                                      limit);
        return host::add_weights<scale>(threads, replicas, first, n, weights, axis, exponent, bits, limit);
    };
    const int found = weight_traits<W>::exponent(add());
    if (found > exponent)
        return found;

    real too_large = 0;
    for (const own_sums& own : replicas)
        too_large = larger_of(too_large, own.too_large());
    if (too_large > limit)
        runtime::refuse(call.function, call.weights, "a magnitude of % exceeds the bound %", too_large, call.bound);
    const std::size_t adders = smaller_of(tasks, order::ceil_div(extent * tasks, serial_samples));
    for_each_share(threads, adders, extent, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t slot = begin; slot < end; ++slot) {
            numeric::int128 totals[Values] = {};
            std::uint32_t flags = 0;
            for (const own_sums& own : replicas) {
                own.add_to(totals, slot);
                flags |= own.flags(slot);
            }
            take(slot, totals, flags);
        }
    });
    return found;
}

/// Adds the weights of the `n` samples from `first` on to `axis.extent()` sums from `sums` on, which it overwrites.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, unsigned threads, Iterator first, std::size_t n, Weights weights,
                        const Axis& axis, Sums sums)
{
    using W = iter_value_t<Weights>;
    using Sum = iter_value_t<Sums>;
    constexpr unsigned values = sum_traits<Sum>::values;
    const int bits = weight_traits<W>::template bits<values>(larger_of<std::size_t>(n, 1));
    int exponent = weight_traits<W>::exponent(host::first_key<W>(call, weights, n));
    const auto take = [&](std::size_t slot, const numeric::int128* totals, std::uint32_t flags) {
        *(sums + static_cast<std::ptrdiff_t>(slot)) = finished_sum<W, Sum>(totals, flags, exponent, bits);
    };
    for (bool is_done = false; !is_done;) {
        const int needed = host::sum_weights<values>(call, threads, first, n, weights, axis, exponent, bits, take);
        is_done = needed <= exponent;
        if (!is_done)
            exponent = needed;
    }
}

}  // namespace parprims::detail::host
