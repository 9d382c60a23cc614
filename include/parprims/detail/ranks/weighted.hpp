/// @file
/// @brief  Histograms, plain and weighted, over the slices of all ranks, on the CPU.
///
/// Each rank has the counts, or the exact sums, of its slice. Counts and limbs are integers, which are added up over all ranks.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/ranks/division.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::ranks {

/// Writes the counts of `part` on every rank. `most`: the largest count that a counter can hold.
template <class Communicator, class Iterator, class Axis, class Counts>
void histogram(const char* function, unsigned threads, Communicator& communicator, Iterator first, Iterator last,
               const Axis& axis, Counts counts, std::uint64_t most, counter_range part = {})
{
    const std::size_t extent = axis.extent();
    part.end = smaller_of(part.end, extent);
    session all(function, communicator,
                types_of<iter_value_t<Iterator>, iter_value_t<Counts>, Axis>()
                    .add(std::uint64_t{axis.bins()})
                    .add(part.is_own ? 1 : 0));
    all.begin(
        [&] {
            const std::size_t n = detail::checked_count(function, first, last);
            detail::checked_extent(function, axis);
            detail::check_output(function, "counts", counts, part.end - part.begin);
            detail::check_apart(function, "counts", counts, part.end - part.begin, first, n);
            return n;
        },
        extent);
    if (all.total() > most)
        runtime::refuse(function, "counts", "a counter holds at most %, n is %", most, all.total());

    host::sequence<std::uint64_t> totals;
    all.together([&] {
        totals.resize(extent);
        host::histogram(threads, first, all.n(all.rank()), axis, totals.data());
    });
    communicator.all_reduce(totals.data(), extent, stream_view());
    all.together([&] {
        for (std::size_t slot = part.begin; slot < part.end; ++slot)
            host::set_count(counts, slot - part.begin, totals[slot]);
    });
}

/// The limbs [bottom, top) of an exact sum that are not 0 in any bin.
struct used_limbs {
    int bottom;
    int top;

    static used_limbs all(const numeric::limb_range& limbs) { return {0, static_cast<int>(limbs.limbs())}; }
    /// Those of 2^48 numbers of `bits` bits in units of 2^unit.
    static used_limbs of_window(int unit, int bits, const numeric::limb_range& limbs)
    {
        const int lowest = unit - limbs.lowest;
        return {lowest / 32, smaller_of((lowest + bits + 48) / 32 + 2, all(limbs).top)};
    }
    used_limbs joined(const used_limbs& other) const
    {
        return {smaller_of(bottom, other.bottom), larger_of(top, other.top)};
    }
    std::size_t count() const { return static_cast<std::size_t>(top - bottom); }
};

/// How a bin travels: the used limbs of its sum and of that of its squares, its count, and how many ranks have seen a NaN and each infinity.
template <class Real, bool HasSquares>
struct travelling_bin {
    using exact = host::exact_bin<Real, HasSquares>;
    static constexpr unsigned flag_bits = 21;  // a million ranks
    static constexpr std::uint32_t flags[] = {numeric::seen_nan, numeric::seen_infinity, numeric::seen_minus_infinity};

    used_limbs of_sum;
    used_limbs of_squares;

    std::size_t words() const { return of_sum.count() + of_squares.count() + 2; }
    travelling_bin joined(const travelling_bin& other) const
    {
        return {of_sum.joined(other.of_sum), of_squares.joined(other.of_squares)};
    }

    void write(std::uint64_t* to, exact& bin, std::uint64_t count) const
    {
        bin.sum.settle();
        for (int k = of_sum.bottom; k < of_sum.top; ++k)
            *to++ = static_cast<std::uint64_t>(bin.sum.limb(static_cast<unsigned>(k)));
        if constexpr (HasSquares) {
            bin.squares.settle();
            for (int k = of_squares.bottom; k < of_squares.top; ++k)
                *to++ = static_cast<std::uint64_t>(bin.squares.limb(static_cast<unsigned>(k)));
        }
        *to++ = count;
        *to = 0;
        for (unsigned f = 0; f < 3; ++f)
            *to |= std::uint64_t{(bin.sum.seen() & flags[f]) != 0} << f * flag_bits;
    }
    /// Adds to `bin`. Returns the count.
    std::uint64_t read(const std::uint64_t* from, exact& bin) const
    {
        for (int k = of_sum.bottom; k < of_sum.top; ++k)
            bin.sum.add(static_cast<std::int64_t>(*from++), exact::limbs.lowest + 32 * k);
        if constexpr (HasSquares)
            for (int k = of_squares.bottom; k < of_squares.top; ++k)
                bin.squares.add(static_cast<std::int64_t>(*from++), exact::square_limbs.lowest + 32 * k);
        for (unsigned f = 0; f < 3; ++f)
            if ((from[1] >> f * flag_bits & ((1u << flag_bits) - 1)) != 0)
                bin.sum.add_seen(flags[f]);
        return *from;
    }
};

/// Writes all sums on every rank.
template <class Communicator, class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, unsigned threads, Communicator& communicator, Iterator first,
                        Iterator last, Weights weights, const Axis& axis, Sums sums)
{
    using W = iter_value_t<Weights>;
    using Bin = iter_value_t<Sums>;
    constexpr bool has_squares = sum_traits<Bin>::values > 1;
    using travelling = travelling_bin<typename weight_traits<W>::real, has_squares>;
    using exact = typename travelling::exact;
    const std::size_t extent = axis.extent();
    session all(call.function, communicator,
                types_of<iter_value_t<Iterator>, W, Bin, Axis>().add(std::uint64_t{axis.bins()}));
    all.begin(
        [&] {
            const std::size_t n = detail::checked_count(call.function, first, last);
            host::check_weighted_extent(call.function, detail::checked_extent(call.function, axis));
            detail::check_weighted_pointers(call, first, n, weights, sums, extent);
            return n;
        },
        extent);
    const std::size_t n = all.n(all.rank());

    // 1. The sums of the slice.
    host::sequence<std::uint64_t> words;
    host::sequence<travelling> of_ranks;
    travelling own{};
    all.together([&] {
        of_ranks.resize(all.ranks());
        host::sum_weights<has_squares>(
            threads, first, n, weights, axis, [&](const auto& window, const auto& for_each_bin, bool has_others) {
                own.of_sum = has_others ? used_limbs::all(exact::limbs)
                                        : used_limbs::of_window(window.unit, window.span, exact::limbs);
                if constexpr (has_squares)
                    own.of_squares = has_others
                                         ? used_limbs::all(exact::square_limbs)
                                         : used_limbs::of_window(2 * window.unit, 2 * window.span, exact::square_limbs);
                words.resize(extent * own.words());
                for_each_bin([&](std::size_t slot, const auto& total, exact* others) {
                    exact bin;
                    if (others == nullptr)
                        total.add_to(bin, window.unit);
                    own.write(words.data() + slot * own.words(), others == nullptr ? bin : *others, total.count());
                });
            });
    });
    all.exchange(&own, of_ranks.data(), sizeof own);
    travelling common = own;
    for (const travelling& of_rank : of_ranks)
        common = common.joined(of_rank);

    // 2. Those of all ranks.
    host::sequence<std::uint64_t> sent;
    all.together([&] {
        sent.resize(extent * common.words());
        for (std::size_t slot = 0; slot < extent; ++slot) {
            exact bin;
            const std::uint64_t count = own.read(words.data() + slot * own.words(), bin);
            common.write(sent.data() + slot * common.words(), bin, count);
        }
    });
    communicator.all_reduce(sent.data(), sent.size(), stream_view());
    all.together([&] {
        for (std::size_t slot = 0; slot < extent; ++slot) {
            exact bin;
            const std::uint64_t count = common.read(sent.data() + slot * common.words(), bin);
            *(sums + static_cast<std::ptrdiff_t>(slot)) = bin.template rounded<Bin>(count);
        }
    });
}

}  // namespace parprims::detail::ranks
