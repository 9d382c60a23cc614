/// @file
/// @brief  Weights of every kind for tests of kernels, and the comparison of sums of weights bit by bit.
#pragma once

#include <parprims/detail/contract/weights.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "values.hpp"

namespace kernel_test {

/// What the weights of a case are like.
enum class weights_like { even, early_peak, late_peak, cancelling, specials };

template <class W>
W weight_like(weights_like what, std::size_t i, std::size_t n)
{
    const std::uint64_t bits = mix(i * 31 + 7);
    if constexpr (std::is_integral_v<W>) {
        return static_cast<W>(bits >> 20);
    } else {
        const double u = static_cast<double>(bits >> 11) * 0x1p-53 - 0.25;
        switch (what) {
        case weights_like::early_peak:  // which all blocks must look at, or none
            return i == 0 ? static_cast<W>(3000.5) : static_cast<W>(u);
        case weights_like::late_peak:  // which no first look finds: the guess is wrong
            return i == n - 2 ? static_cast<W>(-3000.5) : static_cast<W>(u);
        case weights_like::cancelling:
            return static_cast<W>(std::ldexp(u, static_cast<int>(bits % 60)) * (i % 2 == 0 ? 1 : -1));
        case weights_like::specials: {
            const W infinity = std::numeric_limits<W>::infinity();
            const W odd[] = {infinity, -infinity, std::numeric_limits<W>::quiet_NaN(),
                             std::numeric_limits<W>::denorm_min()};
            return i % 37 == 5 ? odd[bits % 4] : static_cast<W>(u);
        }
        default: return static_cast<W>(u);
        }
    }
}

template <class Sum>
constexpr bool is_profile = parprims::detail::sum_traits<Sum>::values == parprims::detail::profile_values;

template <class Sum>
bool same_sums(const Sum& a, const Sum& b)
{
    if (std::memcmp(&a, &b, sizeof(Sum)) == 0)
        return true;
    if constexpr (std::is_floating_point_v<Sum>)
        return a != a && b != b;  // NaN of any kind
    else if constexpr (is_profile<Sum>)
        return a.count == b.count && same_sums(a.mean, b.mean) && same_sums(a.variance, b.variance);
    else
        return same_sums(a.value, b.value) && same_sums(a.variance, b.variance);
}

}  // namespace kernel_test
