/// @file
/// @brief  What the sample finds out about a file of floats that lies on several ranks: one function for every policy.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/distributed.hpp>
#include <parprims/functional.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ranks {

inline constexpr std::size_t points = 64;  ///< of the cumulative curve
inline constexpr int bins = 40;

/// What every rank knows at the end.
struct summary {
    std::size_t n = 0;
    double mean = 0, variance = 0;
    float smallest = 0, largest = 0;
    std::vector<std::uint64_t> counts;  ///< of `bins` bins from `smallest` to `largest`
};

/// The cumulative sums at places that are spread over the whole input; each rank fills in those in its slice.
using curve = std::array<double, points>;

struct to_double {
    PARPRIMS_HOST_DEVICE double operator()(float x) const { return x; }
};
struct squared_distance {
    double mean;
    PARPRIMS_HOST_DEVICE double operator()(float x) const { return (x - mean) * (x - mean); }
};

/// Statistics and histogram. `counts`: room for `bins` counters where the policy runs; `to_host` copies them.
template <class Policy, class Counts, class Copy>
summary summarize(const Policy& policy, const float* first, const float* last, std::size_t n, Counts counts,
                  Copy to_host)
{
    namespace pp = parprims;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    summary found;
    found.n = n;
    found.smallest = pp::reduce(policy, first, last, infinity, pp::minimum{});
    found.largest = pp::reduce(policy, first, last, -infinity, pp::maximum{});
    const auto count = static_cast<double>(n);
    found.mean = pp::transform_reduce(policy, first, last, 0.0, pp::plus{}, to_double{}) / count;
    found.variance = pp::transform_reduce(policy, first, last, 0.0, pp::plus{}, squared_distance{found.mean}) / count;
    // In double, so that there is a number above the largest float; all counts are in one bin where all numbers are the same.
    const double smallest = found.smallest, largest = found.largest;
    const double end = largest > smallest ? std::nextafter(largest, std::numeric_limits<double>::infinity())
                                          : smallest + std::max(1.0, std::abs(smallest));
    pp::histogram(policy, first, last, pp::regular_axis(bins, smallest, end), counts);
    found.counts = to_host();
    return found;
}

/// Where point i of the curve lies in the whole input.
inline std::size_t place_of(std::size_t i, std::size_t n)
{
    return (i + 1) * n / points - 1;
}

/// The elements of rank r's slice begin here.
inline std::size_t begin_of(std::size_t rank, std::size_t ranks, std::size_t n)
{
    return n / ranks * rank + n % ranks * rank / ranks;
}

}  // namespace ranks
