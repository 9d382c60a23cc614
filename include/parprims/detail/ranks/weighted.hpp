/// @file
/// @brief  The weighted histogram over the slices of all ranks, on the CPU.
///
/// All ranks use the scale of the largest weight of all, so their sums are integers of the same unit, and add up to those of one
/// process.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/travelling_sum.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/stream.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace parprims::detail::ranks {

/// Writes all sums on every rank.
template <class Communicator, class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, unsigned threads, Communicator& communicator, Iterator first,
                        Iterator last, Weights weights, const Axis& axis, Sums sums)
{
    using W = iter_value_t<Weights>;
    using Sum = iter_value_t<Sums>;
    constexpr unsigned values = sum_traits<Sum>::values;
    using travelling = numeric::travelling_sum<typename weight_traits<W>::integer, values>;
    const std::size_t extent = axis.extent();
    session all(call.function, communicator,
                types_of<iter_value_t<Iterator>, W, Sum, Axis>()
                    .add(std::uint64_t{axis.bins()})
                    .add(std::uint64_t{call.is_bounded})
                    .add(std::bit_cast<std::uint64_t>(call.bound)));
    all.begin(
        [&] {
            const std::size_t n = detail::checked_count(call.function, first, last);
            host::check_weighted_extent(call.function, extent);
            detail::check_weighted_pointers(call, first, n, weights, sums, extent);
            check_bound(call);
            return n;
        },
        extent);
    const std::size_t n = all.n(all.rank());
    const int bits = weight_traits<W>::template bits<values>(larger_of<std::size_t>(all.total(), 1));

    // 1. The sums of the slice, in the unit that the largest weight of all slices needs.
    host::sequence<int> exponents;
    host::sequence<std::uint64_t> words;
    int needed = 0;
    all.together([&] {
        exponents.resize(all.ranks());
        words.resize(extent * travelling::words);
        needed = weight_traits<W>::exponent(host::first_key<W>(call, weights, n));
    });
    const auto largest_needed = [&] {
        all.exchange(&needed, exponents.data(), sizeof needed);
        int largest = needed;
        for (const int of_rank : exponents)
            largest = larger_of(largest, of_rank);
        return largest;
    };
    int exponent = largest_needed();
    for (bool is_done = false; !is_done;) {
        all.together([&] {
            needed =
                host::sum_weights<values>(call, threads, first, n, weights, axis, exponent, bits,
                                          [&](std::size_t slot, const numeric::int128* totals, std::uint32_t flags) {
                                              travelling::write(words.data() + slot * travelling::words, totals, flags);
                                          });
        });
        const int largest = largest_needed();
        is_done = largest <= exponent;
        if (!is_done)
            exponent = largest;
    }

    // 2. Those of all ranks.
    communicator.all_reduce(words.data(), words.size(), stream_view());
    all.together([&] {
        for (std::size_t slot = 0; slot < extent; ++slot) {
            numeric::int128 totals[values];
            const std::uint32_t flags = travelling::read(words.data() + slot * travelling::words, totals);
            *(sums + static_cast<std::ptrdiff_t>(slot)) = finished_sum<W, Sum>(totals, flags, exponent, bits);
        }
    });
}

}  // namespace parprims::detail::ranks
