/// @file
/// @brief  Exact sums over the slices of all ranks, on the CPU.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/stream.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::ranks {

/// Writes init + the sum of all terms, rounded once, to `*out` on every rank.
template <class T, class Communicator, class Iterator, class Output, class Transform>
void exact_sum_into(const char* function, unsigned threads, Communicator& communicator, Iterator first, Iterator last,
                    Output out, T init, Transform transform)
{
    using terms = exact::terms<iter_value_t<Iterator>, Transform>;
    session all(function, communicator, types_of<iter_value_t<Iterator>, T, terms>());
    all.begin([&] {
        detail::check_output(function, "out", out, 1);
        return detail::checked_count(function, first, last);
    });
    numeric::exact_sum<terms::limbs.lowest, terms::limbs.highest> total;
    std::uint64_t words[decltype(total)::words] = {};
    all.together([&] {
        total = host::exact_total(threads, first, all.n(all.rank()), transform);
        total.write(words);
    });
    communicator.all_reduce(words, decltype(total)::words, stream_view());
    all.together([&] {
        total.read(words);
        *out = all.total() == 0 ? init : host::rounded_sum(init, total);
    });
}

}  // namespace parprims::detail::ranks
