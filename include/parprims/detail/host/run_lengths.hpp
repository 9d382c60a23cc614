/// @file
/// @brief  Lengths of runs on the threads of the host: sums of ones by key. Long runs are found one by one.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/host/by_key.hpp>
#include <parprims/detail/host/copy_if.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// An output of lengths.
template <class Output>
struct length_place {
    Output to;

    length_place operator+(std::ptrdiff_t distance) const { return {to + distance}; }
    const length_place& operator*() const { return *this; }
    void operator=(std::size_t length) const { detail::assign_count(to, length); }
};

template <class Values, class Lengths>
struct selection<kept_outputs<Values, run_lengths, Lengths>> {
    template <class Tested, class Equal>
    static std::size_t run(unsigned threads, const Tested& tested, std::size_t n,
                           const kept_outputs<Values, run_lengths, Lengths>& to, const starts_run<Equal>& predicate)
    {
        return host::reduce_by_key<std::size_t>(threads, tested, n, constant_iterator<std::size_t>(1), to.kept,
                                                length_place<Lengths>{to.other}, predicate.equal, plus{});
    }
};

/// A position in the outputs of long runs; assigned the number of the first element of one, it looks for its end.
template <class Tested, class Outputs, class Equal>
struct long_run_place {
    const Tested& tested;
    std::size_t n;
    const Outputs& to;
    const Equal& equal;
    std::ptrdiff_t at;

    bool repeats(std::size_t i) const  // the element before it
    {
        return equal(host::rounded_element(tested, i - 1), host::rounded_element(tested, i));
    }
    long_run_place operator+(std::ptrdiff_t distance) const { return {tested, n, to, equal, at + distance}; }
    const long_run_place& operator*() const { return *this; }
    void operator=(std::size_t first) const
    {
        std::size_t end = first + 1;
        while (end < n && repeats(end))
            ++end;
        detail::assign_count(to.kept + at, first);
        detail::assign_count(to.other + at, end - first);
    }
};

template <class Offsets, class Lengths>
struct selection<kept_outputs<Offsets, long_run_lengths, Lengths>> {
    template <class Tested, class Equal>
    static std::size_t run(unsigned threads, const Tested& tested, std::size_t n,
                           const kept_outputs<Offsets, long_run_lengths, Lengths>& to,
                           const starts_run<Equal>& predicate)
    {
        using place = long_run_place<Tested, kept_outputs<Offsets, long_run_lengths, Lengths>, Equal>;
        const place first{tested, n, to, predicate.equal, 0};
        return host::copy_if(threads, counting_iterator<std::size_t>(0), n, first, [&](std::size_t i) {
            return (i == 0 || !first.repeats(i)) && i + 1 < n && first.repeats(i + 1);
        });
    }
};

}  // namespace parprims::detail::host
