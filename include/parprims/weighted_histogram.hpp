/// @file
/// @brief  weighted_histogram: adds up the weights of the samples in each bin of an axis.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/backend.hpp>
#include <parprims/detail/host/weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>
#include <parprims/weights.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims {

namespace detail {

/// Refuses `weights` that is no iterator of weights, and `sums` that is no iterator of sums, as the checks in arguments.hpp do; for a
/// profile its `values` and `bins`.
template <bool IsProfile, class Weights, class Sums>
constexpr bool check_weighted_arguments()
{
    if constexpr (requires(const Weights& weights, const Sums& sums) {
                      *weights;
                      *sums;
                  }) {
        using sum = iter_value_t<Sums>;
        constexpr bool are_weights = weight_value<iter_value_t<Weights>>;
        static_assert(
            are_weights,
            "parprims: weights, and values of a profile, are float, double, integers of at most 32 bits, or of "
            "16 bits such as __half");
        constexpr bool are_sums = weight_sum<sum> && (sum_traits<sum>::values == profile_values) == IsProfile;
        static_assert(are_sums || IsProfile,
                      "parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>");
        static_assert(are_sums || !IsProfile,
                      "parprims: bins of a profile are profile_bin<float> or profile_bin<double>");
        constexpr bool are_written = std::is_assignable_v<decltype(*std::declval<const Sums&>()), sum>;
        static_assert(are_written, "parprims: the sums, or the bins of a profile, must be writable; these are const");
        return are_weights && are_sums && are_written;
    } else {
        static_assert(never<Weights>,
                      "parprims: weights and sums, or values and bins, must be iterators or pointers, such as "
                      "container.begin(); their order is weights, axis, sums, or values, axis, bins, behind the range, "
                      "and of segments behind their size or offsets");
        return false;
    }
}

inline constexpr weighted_call weighted_histogram_call{"parprims::weighted_histogram", "weights", "sums"};

/// A weighted histogram or a profile, whose types are valid.
template <class Policy, class Iterator, class Weights, class Axis, class Sums>
Sums add_weights(const weighted_call& call, const Policy& policy, const Iterator& first, const Iterator& last,
                 const Weights& weights, const Axis& axis, const Sums& sums)
{
    const auto of_samples = detail::unsized(weights);
    const auto target = detail::unwrap(sums);
    if constexpr (is_distributed<Policy>) {
        ranks::backend<Policy>::weighted_histogram(call, policy, detail::unwrap(first), detail::unwrap(last),
                                                   of_samples, axis, target);
    } else {
        const auto [begin, n] = detail::checked_range<Policy>(call.function, first, last);
        const std::size_t extent = detail::checked_extent(call.function, axis);
        if constexpr (std::same_as<Policy, host_policy>)
            host::check_weighted_extent(call.function, extent);
        detail::check_weighted_pointers(call, begin, n, of_samples, target, extent);
        if constexpr (std::same_as<Policy, host_policy>) {
            if constexpr (check_samples<Axis, iter_value_t<Iterator>>())
                host::weighted_histogram(policy.threads(), begin, n, of_samples, axis, target);
        } else {
            device::call<device::weighted_histogram_call>(call.function, device_policy(policy), call, begin, n,
                                                          of_samples, axis, target);
        }
    }
    return sums + static_cast<std::ptrdiff_t>(axis.extent());
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(weighted_histogram, "first, last (or a range), weights, axis, sums")

/// @brief  Adds up the weights of the samples of `[first, last)` in the bins of `axis`: sample i has weight `weights[i]`.
///
/// Overwrites `axis.extent()` sums from `sums` on, in the order of `histogram`. Each sum is **exact, rounded once**: the sum of the weights
/// of the bin as real numbers, rounded to nearest, ties to even, to the type of the result. So it has the same bits on every device
/// and on the host, for every launch configuration and number of threads, and in any order of the samples; no weight affects another
/// bin, and the weights of dropped samples have no effect. The sum of squares of a `weighted_sum` is exact in the same way: the squares
/// themselves are not rounded.
///
/// A bin with infinite or NaN weights gets what IEEE addition of them gives. A sum overflows only if it is itself too large. A result
/// of zero is +0.
///
/// @param  axis     any axis of `histogram`
/// @param  weights  float, double, integers of at most 32 bits, or 16-bit types with a conversion to float
/// @param  sums     float, double, or weighted_sum of them; contiguous for the device
/// @return the end of the sums
/// @pre    there are as many weights as samples; samples, weights and sums are accessible where `policy` runs, and the sums
///         overlap neither samples nor weights
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         sums are written
/// @complexity  samples and weights are read once; on the device, if the bins do not fit shared memory, up to three times, or they are
///              sorted first. Weights that differ by many powers of two take longer (docs/histograms.md). Scratch on the device: 20
///              bytes a sum for float and 16-bit weights, otherwise 36; 52 and 84 for weighted_sum. Weights outside of the range that
///              these hold take 120 bytes to 1.7 KB for each sum more, in total at most a byte a weight (8 to 256 MiB). Sorting takes
///              up to 420 MiB
/// @throws invalid_argument  null range, null `weights`, `last < first`, null `sums`, sums that overlap samples or weights, memory the
///                           device cannot reach, an axis without bins, a launch configuration out of range
/// @throws out_of_memory     no memory for the scratch
/// @throws cuda_error        no usable GPU, or the launch failed
/// @snippet weighted_histogram_test.cpp weighted_histogram
template <execution_policy Policy, random_access_iterator Iterator, class Weights, histogram_axis Axis, class Sums>
Sums weighted_histogram(const Policy& policy, Iterator first, Iterator last, Weights weights, const Axis& axis,
                        Sums sums)
{
    if constexpr (detail::check_weighted_arguments<false, Weights, Sums>())
        return detail::add_weights(detail::weighted_histogram_call, policy, first, last, weights, axis, sums);
}

/// @brief  `weighted_histogram` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(weighted_histogram)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
