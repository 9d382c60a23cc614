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
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>
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

/// The binades of some weights in bins, which lie all over the `n`.
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

template <int Lowest, int Highest>
auto row_of(numeric::exact_sum<Lowest, Highest>& sum)
{
    constexpr int count = static_cast<int>(numeric::limb_range{Lowest, Highest}.limbs());
    sum.settle();
    return numeric::make_limb_row<count>(Lowest, 0, count,
                                         [&sum](int k) { return sum.limb(static_cast<unsigned>(k)); });
}

/// The exact sums of a bin. They hold any weights.
template <class Real, bool HasSquares>
struct exact_bin {
    static constexpr numeric::limb_range limbs = weight_traits<Real>::limbs;
    static constexpr numeric::limb_range square_limbs = weight_traits<Real>::square_limbs;
    struct none {};

    numeric::exact_sum<limbs.lowest, limbs.highest> sum;
    std::conditional_t<HasSquares, numeric::exact_sum<square_limbs.lowest, square_limbs.highest>, none> squares;

    void add(Real weight)
    {
        sum.add_value(weight);
        if constexpr (HasSquares)
            squares.add_product(weight, weight);
    }
    void merge(exact_bin& other)
    {
        sum.merge(other.sum);
        if constexpr (HasSquares)
            squares.merge(other.squares);
    }
    template <class Bin>
    Bin rounded(std::uint64_t count)
    {
        const auto of_sum = host::row_of(sum);
        if constexpr (HasSquares)
            return rounded_bin<Bin>(of_sum, host::row_of(squares), count, sum.seen());
        else
            return rounded_bin<Bin>(of_sum, of_sum, count, sum.seen());
    }
};

/// A sum as settled limbs, of which the first counts units.
template <int Bits>
class unit_sum {
public:
    static constexpr int count = Bits / 32 + 5;

    /// Adds `value` times 2^bit, for a `bit` of at most `Bits`.
    void add(numeric::int128 value, int bit)
    {
        int k = bit / 32;
        for (int bits = 32 - bit % 32; k + 1 < count; bits = 32) {
            const auto part = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - bits));
            limbs_[k++] += static_cast<std::int64_t>(part << (32 - bits));
            value >>= bits;
        }
        limbs_[k] += static_cast<std::int64_t>(value);
    }
    void settle()
    {
        for (int k = 0; k + 1 < count; ++k) {
            const std::int64_t carry = numeric::carry_of(limbs_[k]);
            limbs_[k] -= carry << 32;
            limbs_[k + 1] += carry;
        }
    }
    auto row(int unit) const
    {
        return numeric::make_limb_row<count>(unit, 0, count, [this](int k) { return limbs_[k]; });
    }
    template <class Sum>
    void add_to(Sum& sum, int unit) const
    {
        for (int k = 0; k < count; ++k)
            sum.add(limbs_[k], unit + 32 * k);
    }

private:
    std::int64_t limbs_[count] = {};
};

/// The sums of a bin's words; if `HasSquares`, a count and the sums of products of words, too: of word k and word l in number k + l. A product
/// has 80 bits, so 2^47 of them fit.
template <class Integer, int Words, bool HasSquares>
struct word_sums {
    Integer sums[Words] = {};

    void add(const std::int64_t (&words)[Words])
    {
        for (int k = 0; k < Words; ++k)
            sums[k] += words[k];
    }
    template <class Other>
    void merge(const Other& other)
    {
        for (int k = 0; k < Words; ++k)
            sums[k] += other.sums[k];
    }
};
template <class Integer, int Words>
struct word_sums<Integer, Words, true> : word_sums<Integer, Words, false> {
    static constexpr int products_count = 2 * Words - 1;
    std::uint64_t count = 0;
    numeric::int128 products[products_count] = {};

    void add(const std::int64_t (&words)[Words])
    {
        word_sums<Integer, Words, false>::add(words);
        ++count;
        for (int k = 0; k < Words; ++k)
            for (int l = 0; l <= k; ++l)
                products[k + l] += numeric::int128{words[k]} * words[l];
    }
    template <class Other>
    void merge(const Other& other)
    {
        word_sums<Integer, Words, false>::merge(other);
        count += other.count;
        for (int k = 0; k < products_count; ++k)
            products[k] += other.products[k];
    }
};

/// `value` * 2^exponent, rounded once.
template <class T>
T rounded_integer(numeric::int128 value, int exponent)
{
    const auto magnitude = static_cast<numeric::uint128>(value < 0 ? -value : value);
    return value != 0 ? numeric::nearest<T>(magnitude, exponent, value < 0) : T{0};
}

/// The total of a bin over all tables and tasks.
template <class Window, bool HasSquares>
class bin_total {
public:
    void add(const word_sums<std::int64_t, Window::words, HasSquares>& sums) { total_.merge(sums); }

    /// Adds the sums to `bin`.
    template <class Bin>
    void add_to(Bin& bin, int unit) const
    {
        values().add_to(bin.sum, unit);
        if constexpr (HasSquares)
            squares().add_to(bin.squares, 2 * unit);
    }
    std::uint64_t count() const
    {
        if constexpr (HasSquares)
            return total_.count;
        else
            return 0;
    }
    template <class Bin>
    Bin rounded(int unit) const
    {
        using T = typename sum_traits<Bin>::type;
        if constexpr (!HasSquares) {
            return host::rounded_integer<T>(value(), unit);
        } else if constexpr (sum_traits<Bin>::values == 2 && Window::words == 1) {
            return {host::rounded_integer<T>(value(), unit), host::rounded_integer<T>(total_.products[0], 2 * unit)};
        } else {
            const auto sum = values();
            const auto of_squares = squares();
            return rounded_bin<Bin>(sum.row(unit), of_squares.row(2 * unit), count(), 0);
        }
    }

private:
    numeric::int128 value() const
    {
        numeric::int128 sum = 0;
        for (int k = Window::words; k-- > 0;)
            sum = (sum << word_bits) + total_.sums[k];
        return sum;
    }
    auto values() const
    {
        unit_sum<0> sum;
        sum.add(value(), 0);
        sum.settle();
        return sum;
    }
    auto squares() const
    {
        unit_sum<2 * word_bits*(Window::words - 1)> sum;
        sum.add(total_.products[0], 0);
        if constexpr (Window::words == 2) {
            sum.add(total_.products[1], word_bits + 1);  // twice
            sum.add(total_.products[2], 2 * word_bits);
        }
        sum.settle();
        return sum;
    }

    word_sums<numeric::int128, Window::words, HasSquares> total_;
};

/// The sums of one task. Aligned, so that tasks share no cache line.
template <class Window, bool HasSquares>
class alignas(128) task_sums {
public:
    using bin = word_sums<std::int64_t, Window::words, HasSquares>;
    using other_sums = exact_bin<typename Window::real, HasSquares>;

    /// Sets the sums to zero. `samples`: how many the task is likely to add.
    void prepare(std::size_t extent, std::size_t samples)
    {
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
    /// What the window did not hold; null if there is nothing.
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
    static constexpr std::size_t max_bytes_of_four =
        8 * 1024;  // of a table, where there are four: they stay in the L1 cache
    static constexpr std::size_t max_bytes_of_two = 512 * 1024;  // the same where there are two, in the L2 cache

    static constexpr std::size_t step = 16;  // samples that are added without a branch
    static constexpr std::size_t most_added = std::size_t{1}
                                              << (62 - word_bits);  // between two calls of empty_full_bins

    std::size_t extent_ = 0;
    std::size_t tables_ = 1;
    std::size_t stride_ = 0;
    std::size_t added_ = 0;
    sequence<bin>
        bins_;  // tables, in which consecutive samples are added in turn: equal ones do not wait for each other
    sequence<std::uint32_t> places_;  // of slots in `others_`, from 1 on; empty if there are none
    sequence<other_sums> others_;
};

/// Adds the weights of the `n` samples from `first` on, on at most `threads` threads (0: all cores). Then calls `use(for_each_bin,
/// has_others)`. `for_each_bin(take)`, to be called once, calls `take(slot, total, others)` for each counter, on several threads: `others`, if not
/// null, holds all of the total but its count.
template <bool HasSquares, class Window, class Iterator, class Weights, class Axis, class Use>
void sum_words(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, const Window& window,
               Use use)
{
    using own_sums = task_sums<Window, HasSquares>;
    using other_sums = typename own_sums::other_sums;
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
            for (std::size_t slot = begin; slot < end; ++slot) {
                bin_total<Window, HasSquares> total;
                other_sums* others = nullptr;
                for (own_sums& own : replicas) {
                    own.add_to(total, slot);
                    other_sums* const of_task = own.others(slot);
                    if (others != nullptr && of_task != nullptr)
                        others->merge(*of_task);
                    else if (of_task != nullptr)
                        others = of_task;
                }
                if (others != nullptr)
                    total.add_to(*others, window.unit);
                take(slot, total, others);
            }
        });
    };
    use(for_each_bin, has_others);
}

/// sum_words with a window for most of the weights. Calls `use(window, for_each_bin, has_others)`.
template <bool HasSquares, class Iterator, class Weights, class Axis, class Use>
void sum_weights(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Use use)
{
    using real = typename weight_traits<iter_value_t<Weights>>::real;
    const seen_binades seen = host::look_at_weights(first, n, weights, axis);
    const auto sum = [&](const auto& window) {
        host::sum_words<HasSquares>(threads, first, n, weights, axis, window,
                                    [&](const auto& for_each_bin, bool has_others) {
                                        use(window, for_each_bin, has_others);
                                    });
    };
    const auto wide = weight_window<real, 2>::of_most(seen);
    if constexpr (std::is_same_v<real, float>) {
        const auto narrow = weight_window<float, 1>::of_most(seen);
        if (narrow.held == wide.held)
            return sum(narrow);
    }
    sum(wide);
}

/// Adds the weights of the `n` samples from `first` on to `axis.extent()` sums from `sums` on, which it overwrites.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(unsigned threads, Iterator first, std::size_t n, Weights weights, const Axis& axis, Sums sums)
{
    using Bin = iter_value_t<Sums>;
    host::sum_weights<(sum_traits<Bin>::values > 1)>(
        threads, first, n, weights, axis, [&](const auto& window, const auto& for_each_bin, bool) {
            for_each_bin([&](std::size_t slot, const auto& total, auto* others) {
                *(sums + static_cast<std::ptrdiff_t>(slot)) = others == nullptr
                                                                  ? total.template rounded<Bin>(window.unit)
                                                                  : others->template rounded<Bin>(total.count());
            });
        });
}

}  // namespace parprims::detail::host
