/// @file
/// @brief  The histogram over the slices of all ranks, on the CPU.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/sequence.hpp>
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

}  // namespace parprims::detail::ranks
