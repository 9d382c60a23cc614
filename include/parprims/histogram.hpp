/// @file
/// @brief  histogram: counts the samples of a range by the bins of an axis.
///
/// Compiles fast: include error.hpp to catch errors, and variable_axis.hpp for the axis that owns memory.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/device/histogram/backend.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Refuses `counts` that is no iterator of counters, as the checks in argument_types.hpp do.
template <class Counts>
constexpr bool check_counts()
{
    if constexpr (requires(const Counts& counts) { *counts; }) {
        constexpr bool holds = counter_value<iter_value_t<Counts>>;
        static_assert(holds, "parprims: counters are integers of 32 or 64 bits, float or double");
        return holds;
    } else {
        static_assert(never<Counts>,
                      "parprims: counts must be an iterator or a pointer to the first counter, such as "
                      "container.begin()");
        return false;
    }
}

/// Checks the arguments and calls the backend of the policy. `Adds`: adds to the counters instead of overwriting them.
template <bool Adds, class Policy, class Iterator, class Axis, class Counts>
Counts histogram(const Policy& policy, Iterator first, Iterator last, const Axis& axis, Counts counts)
{
    constexpr const char* function = "parprims::histogram";
    if constexpr (!check_counts<Counts>()) {
    } else if constexpr (is_distributed<Policy> && !Adds) {
        ranks::backend<Policy>::histogram(function, policy, detail::unwrap(first), detail::unwrap(last), axis,
                                          detail::unwrap(counts), largest_count<iter_value_t<Counts>>());
        return counts + static_cast<std::ptrdiff_t>(axis.extent());
    } else if constexpr (check_one_process<Policy>()) {
        using counter = iter_value_t<Counts>;
        constexpr auto most = largest_count<counter>();
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const auto target = detail::unwrap(counts);
        const std::size_t extent = detail::checked_extent(function, axis);
        detail::check_output(function, "counts", target, extent);
        detail::check_apart(function, "counts", target, extent, begin, n);
        if (n > most)
            runtime::refuse(function, "counts", "a counter holds at most %, n is %", most, std::size_t{n});
        if constexpr (!std::same_as<Policy, host_policy> && Adds)
            device::call<device::histogram_call>(function, device_policy(policy), begin, n, axis, target,
                                                 static_cast<counter>(most));
        else if constexpr (!std::same_as<Policy, host_policy>)
            device::call<device::histogram_call>(function, device_policy(policy), begin, n, axis, target);
        else if constexpr (Adds)
            host::accumulate(function, policy.threads(), begin, n, axis, target, static_cast<counter>(most));
        else
            host::histogram(policy.threads(), begin, n, axis, target);
        return counts + static_cast<std::ptrdiff_t>(extent);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(histogram,
                         "first, last (or a range), axis, counts, and pp::accumulate if it adds to them; over ranks, "
                         "pp::own_counters if each gets a part")

/// @brief  Counts the samples of `[first, last)` in the bins of `axis`.
///
/// Overwrites `axis.extent()` counters from `counts` on: the bins, and behind them, if the axis has flow, underflow, overflow and
/// NaN. Without flow, samples in no bin are not counted. The counts are exact, so they are the same on every device and on the host.
///
/// @param  axis    regular_axis, variable_axis, integer_axis, function_axis, or a product_axis of them
/// @param  counts  integers of 32 or 64 bits, float or double; contiguous for the device
/// @return the end of the counters
/// @pre    samples and counters are accessible where `policy` runs, and do not overlap
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         counters are written
/// @complexity  each sample is read at most 6 times, for any distribution (more if a configuration asks for it). Scratch on
///              the device: the edges of variable axes; and up to 64 MiB for more bins than about 6 times what fits shared
///              memory
/// @throws invalid_argument  null range, `last < first`, null `counts`, memory the device cannot reach, counters that overlap the
///                           samples or are too narrow for their number, an axis without bins, a launch configuration out of range
/// @throws out_of_memory     no memory for the scratch; on the host, some of the output may have been written
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  Podlozhnyuk, "Histogram calculation in CUDA"
/// @snippet histogram_test.cpp histogram
template <execution_policy Policy, random_access_iterator Iterator, histogram_axis Axis, class Counts>
Counts histogram(const Policy& policy, Iterator first, Iterator last, const Axis& axis, Counts counts)
{
    return detail::histogram<false>(policy, first, last, axis, counts);
}

/// @brief  The last argument of a histogram that adds to its counters.
/// @snippet histogram_test.cpp accumulate
struct accumulate_t {
    explicit accumulate_t() = default;
};
inline constexpr accumulate_t accumulate{};

/// @brief  Adds the counts of `[first, last)` in the bins of `axis` to `axis.extent()` counters from `counts` on, to count data that
///         come in pieces.
///
/// A counter never wraps. On the host, a call that would exceed the largest count of a counter (2^24 of a float, 2^53 of a double)
/// throws and adds nothing. On the device, where the call has returned by then, such a counter stays at that largest count.
///
/// @pre    as of the call without `accumulate`
/// @note   as of the call without `accumulate`
/// @complexity  as of the call without `accumulate`, and one read and write of the counters. Scratch: as many counters again
/// @throws invalid_argument  as of the call without `accumulate`; on the host also a counter that would exceed its largest count
/// @throws out_of_memory     no memory for the scratch; nothing has been added
/// @throws cuda_error        no usable GPU, or the launch failed
/// @snippet histogram_test.cpp accumulate
template <execution_policy Policy, random_access_iterator Iterator, histogram_axis Axis, class Counts>
Counts histogram(const Policy& policy, Iterator first, Iterator last, const Axis& axis, Counts counts, accumulate_t)
{
    return detail::histogram<true>(policy, first, last, axis, counts);
}

/// @brief  `histogram` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(histogram)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
