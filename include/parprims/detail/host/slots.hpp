/// @file
/// @brief  Finds the slots of a block of samples at a time: by SIMD for floating-point samples and bins of equal width.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/regular.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// The slot of sample i, or `extent` if no counter counts it: with a spare counter there, counting needs no branch.
template <class Iterator, class Axis>
std::size_t kept_slot(const Iterator& first, std::size_t i, const Axis& axis, std::size_t extent)
{
    decltype(auto) sample = host::rounded_element(first, i);
    if constexpr (requires { axis.slot(sample); }) {
        return smaller_of<std::size_t>(axis.slot(sample), extent);
    } else {  // a proxy reference, as of vector<bool>
        using value = iter_value_t<Iterator>;
        if constexpr (check_samples<Axis, value>())
            return smaller_of<std::size_t>(axis.slot(static_cast<value>(sample)), extent);
    }
}

/// Writes the kept_slot of the samples from `x` on, as many as fill whole vectors. Returns their number: at most `n`, and 0 if this CPU
/// has no suitable instructions. `bins` are all bins of an axis. In the compiled library (lib/host_simd.cpp).
template <class Sample, class T>
std::size_t find_slots_by_simd(const Sample* x, std::size_t n, const axis::nearest_bins<T>& bins, std::uint32_t extent,
                               std::uint32_t* slots);

/// Whether the library has find_slots_by_simd for an iterator and an axis.
template <class Iterator, class Axis>
inline constexpr bool has_simd_slots = false;
#if !defined(PARPRIMS_HEADER_ONLY)
template <class Sample>
inline constexpr bool has_simd_slots<Sample*, regular_axis<float>> = std::is_same_v<const Sample, const float>;
template <class Sample>
inline constexpr bool has_simd_slots<Sample*, regular_axis<double>> =
    std::is_same_v<const Sample, const float> || std::is_same_v<const Sample, const double>;
#endif

/// Writes the kept_slot of `n` samples from sample `begin` on. `extent` fits 32 bits.
template <class Iterator, class Axis>
void find_slots(const Iterator& first, std::size_t begin, std::size_t n, const Axis& axis, std::size_t extent,
                std::uint32_t* slots)
{
    std::size_t i = 0;
    if constexpr (has_simd_slots<Iterator, Axis>) {
        const auto& rule = axis::rule_access::rule(axis);
        if (rule.has_nearest())
            i = find_slots_by_simd(static_cast<const iter_value_t<Iterator>*>(first + begin), n, rule.nearest_of_all(),
                                   static_cast<std::uint32_t>(extent), slots);
    }
    for (; i < n; ++i)
        slots[i] = static_cast<std::uint32_t>(host::kept_slot(first, begin + i, axis, extent));
}

template <class... Iterators, class... Axes>
    requires(sizeof...(Iterators) == sizeof...(Axes))
inline constexpr bool has_simd_slots<zip_iterator<Iterators...>, product_axis<Axes...>> =
    (has_simd_slots<unwrapped_t<Iterators>, Axes> && ...);

/// Writes the slots of tuples from several arrays, dimension by dimension, so that SIMD finds the slots of each.
template <class... Iterators, class... Axes>
    requires(sizeof...(Iterators) == sizeof...(Axes))
void find_slots(const zip_iterator<Iterators...>& first, std::size_t begin, std::size_t n,
                const product_axis<Axes...>& axis, std::size_t extent, std::uint32_t* slots)
{
    constexpr std::size_t block = 256;
    std::uint32_t parts[sizeof...(Axes)][block];
    for (std::size_t i = 0; i < n; i += block) {
        const std::size_t size = smaller_of(block, n - i);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            const std::uint32_t extents[] = {static_cast<std::uint32_t>(axis.template axis<I>().extent())...};
            (host::find_slots(detail::unwrap(parprims::get<I>(first.base())), begin + i, size, axis.template axis<I>(),
                              extents[I], parts[I]),
             ...);
            for (std::size_t k = 0; k < size; ++k) {
                std::uint32_t slot = 0;
                ((slot = slot * extents[I] + parts[I][k]), ...);
                slots[i + k] = ((parts[I][k] < extents[I]) & ...) ? slot : static_cast<std::uint32_t>(extent);
            }
        }(std::index_sequence_for<Axes...>{});
    }
}

/// Prefetches samples [i, i + Step) before `end`. The processor does not prefetch them by itself, because no sample is read while a block
/// is counted.
template <std::size_t Step, class Iterator>
void prefetch_samples(const Iterator& first, std::size_t i, std::size_t end)
{
    if constexpr (std::is_pointer_v<Iterator>)
        for (std::size_t s = 0; s < Step; s += larger_of<std::size_t>(64 / sizeof(*first), 1))
            __builtin_prefetch(
                const_cast<const void*>(static_cast<const volatile void*>(first + smaller_of(i + s, end - 1))));
}
template <std::size_t Step, class... Iterators>
void prefetch_samples(const zip_iterator<Iterators...>& first, std::size_t i, std::size_t end)
{
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (host::prefetch_samples<Step>(detail::unwrap(parprims::get<I>(first.base())), i, end), ...);
    }(std::index_sequence_for<Iterators...>{});
}

}  // namespace parprims::detail::host
