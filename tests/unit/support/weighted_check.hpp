/// @file
/// @brief  Checks of weighted_histogram against one thread of the host.
#pragma once

#include <doctest/doctest.h>

#include <parprims/profile_along.hpp>
#include <parprims/weighted_histogram_along.hpp>

#include "backend.hpp"
#include "data.hpp"
#include "same_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <vector>

inline constexpr std::size_t many_weights = 100003;

template <class Sum>
inline constexpr bool is_profile =
    std::is_same_v<Sum, parprims::profile_bin<float>> || std::is_same_v<Sum, parprims::profile_bin<double>>;

/// weighted_histogram, or profile if the last argument is of its bins.
template <class Policy, class... Arguments>
void add_weights(const Policy& policy, const Arguments&... arguments)
{
    using last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
    if constexpr (is_profile<std::iter_value_t<last>>)
        parprims::profile(policy, arguments...);
    else
        parprims::weighted_histogram(policy, arguments...);
}

/// Most of them small, a large one that no first look finds.
template <class W>
std::vector<W> weights_with_a_peak(std::size_t n)
{
    auto weights =
        generate(n, [](std::uint64_t bits) { return static_cast<W>(static_cast<double>(bits >> 11) * 0x1p-53 - 0.3); });
    weights[n - 5] = static_cast<W>(77.5);
    return weights;
}

/// The sums on a backend, by `policy`, and by one thread of the host.
template <class Sum, class Backend, class X, class W, class Axis, class Policy = decltype(Backend::policy())>
void check_sums(const std::vector<X>& samples, const std::vector<W>& weights, const Axis& axis,
                const Policy& policy = Backend::policy(), std::size_t offset = 0)
{
    std::vector<Sum> expected(axis.extent());
    parprims::weighted_histogram(parprims::host.threads(1), samples, weights.begin(), axis, expected.begin());
    const auto x = place<Backend>(samples, offset);
    const auto w = place<Backend>(weights, 3 * offset);
    const auto sums = poisoned<Backend, Sum>(axis.extent());
    CHECK(parprims::weighted_histogram(policy, x.begin(), x.end(), w.begin(), axis, sums.begin()) == sums.end());
    const auto found = sums.read();
    std::size_t equal = 0;
    while (equal < found.size() && same_sum(found[equal], expected[equal]))
        ++equal;
    CHECK(equal == found.size());
}
