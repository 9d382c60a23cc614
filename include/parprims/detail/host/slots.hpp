/// @file
/// @brief  The slots of samples, a block of samples at a time: by SIMD for floating-point samples between equally wide bins.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/regular.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

/// The slot of sample i, or `extent` if no counter counts it, so that counting needs no branch.
template <class Iterator, class Axis>
std::size_t kept_slot(const Iterator& first, std::size_t i, const Axis& axis, std::size_t extent)
{
    const auto sample = first + static_cast<std::ptrdiff_t>(i);
    if constexpr (requires { axis.slot(*sample); }) {
        return smaller_of<std::size_t>(axis.slot(*sample), extent);
    } else {  // a proxy reference, as of vector<bool>
        using value = iter_value_t<Iterator>;
        if constexpr (check_samples<Axis, value>())
            return smaller_of<std::size_t>(axis.slot(static_cast<value>(*sample)), extent);
    }
}

/// Writes the kept_slot of the samples from `x` on, in whole vectors. Returns how many: at most `n`, and 0 if this CPU has no
/// suitable instructions. `bins` are all bins of an axis. In the compiled library (lib/host_simd.cpp).
template <class Sample, class T>
std::size_t find_slots_by_simd(const Sample* x, std::size_t n, const axis::floating_window<T>& bins,
                               std::uint32_t extent, std::uint32_t* slots);

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

/// Writes the kept_slot of `n` samples, the first of which is number `begin`. `extent` has 32 bits.
template <class Iterator, class Axis>
void find_slots(const Iterator& first, std::size_t begin, std::size_t n, const Axis& axis, std::size_t extent,
                std::uint32_t* slots)
{
    std::size_t i = 0;
    if constexpr (has_simd_slots<Iterator, Axis>) {
        const auto& rule = axis::rule_access::rule(axis);
        if (rule.has_window())
            i = find_slots_by_simd(static_cast<const iter_value_t<Iterator>*>(first + begin), n,
                                   rule.window(0, static_cast<std::uint32_t>(rule.bins())),
                                   static_cast<std::uint32_t>(extent), slots);
    }
    for (; i < n; ++i)
        slots[i] = static_cast<std::uint32_t>(kept_slot(first, begin + i, axis, extent));
}

}  // namespace parprims::detail::host
