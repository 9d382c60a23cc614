/// @file
/// @brief  `copy_if` on the threads of the host.
#pragma once

#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// Copies the elements of [begin, end) that the predicate keeps to `out`. Returns how many.
template <class Iterator, class Output, class Predicate>
std::size_t copy_kept(const Iterator& first, std::size_t begin, std::size_t end, Output out, Predicate predicate)
{
    using value_type = iter_value_t<Iterator>;
    constexpr std::size_t block = 512;
    std::size_t kept = 0;
    const auto copy = [&](const auto& element) { *(out + static_cast<std::ptrdiff_t>(kept++)) = element; };
    if constexpr (fits_stack<value_type, block> && std::is_copy_assignable_v<value_type>) {
        // Through a block, without a branch for each element, which would often be mispredicted.
        value_type values[block];
        for (std::size_t i = begin; i < end; i += block) {
            std::size_t count = 0;
            for (std::size_t e = i; e < smaller_of(i + block, end); ++e) {
                values[count] = host::rounded_element(first, e);
                count += predicate(std::as_const(values[count])) ? 1u : 0u;
            }
            for (std::size_t e = 0; e < count; ++e)
                copy(values[e]);
        }
    } else {
        for (std::size_t i = begin; i < end; ++i) {
            decltype(auto) element = host::rounded_element(first, i);
            if (predicate(element))
                copy(element);
        }
    }
    return kept;
}

/// Counts what each share keeps, then copies. Returns how many elements were copied.
template <class Iterator, class Output, class Predicate>
std::size_t copy_if(unsigned threads, Iterator first, std::size_t n, Output out, Predicate predicate)
{
    const std::size_t shares = shares_of(threads, n);
    if (shares == 1)
        return host::copy_kept(first, 0, n, out, predicate);
    sequence<std::size_t> places(shares + 1);  // where the results of each share begin
    for_each_share(threads, shares, n, [=, &places](std::size_t task, std::size_t begin, std::size_t end) {
        Predicate keeps = predicate;
        std::size_t kept = 0;
        for (std::size_t i = begin; i < end; ++i)
            kept += keeps(host::rounded_element(first, i)) ? 1u : 0u;
        places[task + 1] = kept;
    });
    for (std::size_t task = 1; task < places.size(); ++task)
        places[task] += places[task - 1];
    for_each_share(threads, shares, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        host::copy_kept(first, begin, end, out + static_cast<std::ptrdiff_t>(places[task]), predicate);
    });
    return places.back();
}

/// A position in the outputs of a call; assigned the number of an element, it writes what belongs to that.
template <class Tested, class Outputs>
struct kept_place {
    const Tested& tested;
    const Outputs& to;
    std::ptrdiff_t at;

    kept_place operator+(std::ptrdiff_t distance) const { return {tested, to, at + distance}; }
    const kept_place& operator*() const { return *this; }
    void operator=(std::size_t element) const
    {
        const auto i = static_cast<std::ptrdiff_t>(element);
        if constexpr (Outputs::writes_kept)
            *(to.kept + at) = *(tested + i);
        if constexpr (Outputs::writes_other)
            *(to.other + at) = *(to.source + i);
    }
};

/// The calls around copy_if by their outputs. run_lengths.hpp has that of lengths.
template <class Outputs>
struct selection {
    /// Writes what the predicate keeps of n elements from `tested` on, and what belongs to it. Returns how many were kept.
    template <class Tested, class Predicate>
    static std::size_t run(unsigned threads, const Tested& tested, std::size_t n, const Outputs& to,
                           const Predicate& predicate)
    {
        if constexpr (Outputs::is_plain && !is_starts_run<Predicate>) {
            return host::copy_if(threads, tested, n, to.kept, predicate);
        } else {
            const auto keeps = [&](std::size_t i) {
                if constexpr (is_starts_run<Predicate>)
                    return i == 0 ||
                           !predicate.equal(host::rounded_element(tested, i - 1), host::rounded_element(tested, i));
                else
                    return static_cast<bool>(predicate(host::rounded_element(tested, i)));
            };
            const counting_iterator<std::size_t> elements(0);
            if constexpr (Outputs::writes_rejected) {
                const kept_outputs<std::remove_const_t<decltype(to.rejected)>> rejected{to.rejected, {}, {}, {}};
                host::copy_if(threads, elements, n, kept_place<Tested, decltype(rejected)>{tested, rejected, 0},
                              [&](std::size_t i) { return !keeps(i); });
            }
            return host::copy_if(threads, elements, n, kept_place<Tested, Outputs>{tested, to, 0}, keeps);
        }
    }
};

}  // namespace parprims::detail::host
