/// @file
/// @brief  weighted_histogram: adds up the weights of the samples in each bin of an axis.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/device/weighted/backend.hpp>
#include <parprims/detail/host/weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/detail/weights.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>
#include <parprims/weighted_sum.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims {

namespace detail {

/// Refuses `weights` that is no iterator of weights, and `sums` that is none of sums, as the checks in arguments.hpp do.
template <class Weights, class Sums>
constexpr bool check_weighted_arguments()
{
    if constexpr (requires(const Weights& weights, const Sums& sums) {
                      *weights;
                      *sums;
                  }) {
        constexpr bool are_weights = weight_value<iter_value_t<Weights>>;
        static_assert(are_weights,
                      "parprims: weights are float, double, integers of at most 32 bits, or of 16 bits such as __half");
        constexpr bool are_sums = weight_sum<iter_value_t<Sums>>;
        static_assert(are_sums, "parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>");
        constexpr bool are_written = std::is_assignable_v<decltype(*std::declval<const Sums&>()), iter_value_t<Sums>>;
        static_assert(are_written, "parprims: the sums must be writable; these are const");
        return are_weights && are_sums && are_written;
    } else {
        static_assert(never<Weights>,
                      "parprims: weights and sums must be iterators or pointers, such as container.begin(); the order "
                      "of the arguments is policy, first, last, weights, axis, sums");
        return false;
    }
}

}  // namespace detail

/// @brief  Fails to compile with a sentence, for arguments in another order.
template <execution_policy Policy, class... Arguments>
void weighted_histogram(const Policy&, const Arguments&...)
{
    static_assert(detail::never<Policy>,
                  "parprims: the arguments of weighted_histogram are policy, first, last (or a range), weights, axis, "
                  "sums");
}

/// @brief  Adds up the weights of the samples of `[first, last)` in the bins of `axis`: sample i has weight `weights[i]`.
///
/// Overwrites `axis.extent()` sums from `sums` on, in the order of `histogram`. The sums have the same bits on every device and
/// on the host, for every launch configuration and number of threads, and if samples and their weights change places.
///
/// Each weight is rounded to a multiple of q, ties to even. These are added exactly, and the sum is rounded once, to the type of
/// the result. So the error of a sum before that is at most q / 2 for each sample of the bin, and integers, such as counts, are
/// exact as far as the result can hold them. Let w be the largest finite |weight| (at least the smallest normal number of its
/// type). Then
///   * for weights of float and 16 bits, q = 2^(ceil(log2 w) - 62 + ceil(log2 n)): for 2^28 weights at most w * 2^-33;
///   * for double and integers, q = 2^(ceil(log2 w) - 94 + ceil(log2 n)): for 2^28 weights at most w * 2^-65.
///
/// Squares, for `weighted_sum`, are rounded to multiples of 2^(2 ceil(log2 w) - 62 + ceil(log2 n)), or - 94. Infinite and NaN
/// weights make of their own bin what IEEE addition makes of it, and change no other. A sum of zero is +0.
///
/// @param  axis     any axis of `histogram`
/// @param  weights  float, double, integers of at most 32 bits, or 16-bit types with a conversion to float
/// @param  sums     float, double, or weighted_sum of them; contiguous for the device
/// @return the end of the sums
/// @pre    there are as many weights as samples; samples, weights and sums are accessible where `policy` runs, and the sums do
///         not overlap the others
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         sums are written
/// @complexity  samples and weights are read once, for more bins than fit shared memory up to 6 times; twice as often if a first
///              look at 4096 weights misses the power of two of the largest one. On the host weights are read twice. Scratch on the
///              device: for each sum 20 bytes (float and 16-bit weights) or 36, for weighted_sum 36 or 68
/// @throws invalid_argument  null range, null `weights`, `last < first`, null `sums`, memory the device cannot reach, a launch
///                           configuration out of range
/// @throws out_of_memory     no memory for the scratch
/// @throws cuda_error        no usable GPU, or the launch failed
/// @snippet weighted_histogram_test.cpp weighted_histogram
template <execution_policy Policy, random_access_iterator Iterator, class Weights, histogram_axis Axis, class Sums>
Sums weighted_histogram(const Policy& policy, Iterator first, Iterator last, Weights weights, const Axis& axis,
                        Sums sums)
{
    if constexpr (!detail::check_weighted_arguments<Weights, Sums>()) {
    } else if constexpr (detail::is_distributed<Policy>) {
        detail::ranks::backend<Policy>::weighted_histogram("parprims::weighted_histogram", policy,
                                                           detail::unwrap(first), detail::unwrap(last),
                                                           detail::unwrap(weights), axis, detail::unwrap(sums));
        return sums + static_cast<std::ptrdiff_t>(axis.extent());
    } else {
        constexpr const char* function = "parprims::weighted_histogram";
        const auto begin = detail::unwrap(first);
        const auto of_samples = detail::unwrap(weights);
        const auto target = detail::unwrap(sums);
        const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last));
        detail::check_output(function, "weights", of_samples, n);
        detail::check_output(function, "sums", target, axis.extent());
        if constexpr (std::same_as<Policy, host_policy>) {
            detail::host::check_weighted_extent(function, axis.extent());
            if constexpr (detail::check_samples<Axis, detail::iter_value_t<detail::unwrapped_t<Iterator>>>())
                detail::host::weighted_histogram(policy.threads(), begin, n, of_samples, axis, target);
        } else if constexpr (detail::device::check_weighted_call<detail::unwrapped_t<Iterator>,
                                                                 detail::unwrapped_t<Weights>, Axis,
                                                                 detail::unwrapped_t<Sums>>()) {
            detail::device::weighted_histogram(function, device_policy(policy), begin, n, of_samples, axis, target);
        }
        return sums + static_cast<std::ptrdiff_t>(axis.extent());
    }
}

/// @brief  `weighted_histogram` of a range.
template <execution_policy Policy, random_access_range Range, class Weights, histogram_axis Axis, class Sums>
Sums weighted_histogram(const Policy& policy, const Range& range, Weights weights, const Axis& axis, Sums sums)
{
    return parprims::weighted_histogram(policy, detail::begin_of<Policy>(range), detail::end_of(range), weights, axis,
                                        sums);
}

}  // namespace parprims
