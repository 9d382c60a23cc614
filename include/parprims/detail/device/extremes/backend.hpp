/// @file
/// @brief  The search for extremes on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/launch/callable.hpp>
#include <parprims/detail/device/launch/cuda_launcher.hpp>
#include <parprims/detail/device/launch/validate.hpp>
#include <parprims/detail/extreme.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Finds extremes and waits for their positions.
template <class Search, class Iterator>
positions<Search::count> find_extremes(const char* function, const device_policy& policy, Iterator first, std::size_t n,
                                       Search search)
{
    using found = positions<Search::count>;
    check_compare_functions<Iterator, decltype(search.compare)>();
    cuda_launcher launcher(function, policy, address_of(first));
    launcher.refuse_capture();
    launcher.check_range("first", first, n);
    found result{};  // 0, which is the end of an empty range
    if (n == 0)
        return result;
    const runtime::result_slot slot(sizeof(found));
    enqueue_extremes(launcher, first, n, announced_output<found>{slot.words()}, search);
    slot.take(&result, policy.stream());
    return result;
}

/// Enqueues a search that writes the positions to `output[0]` and, if it looks for both extremes, to `output[1]`.
template <class Search, class Iterator, class Output>
void find_extremes_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output output,
                        Search search)
{
    check_compare_functions<Iterator, decltype(search.compare)>();
    check_output_functions<std::size_t, Output>();
    cuda_launcher launcher(function, policy, n != 0 ? address_of(first) : address_of(output));
    launcher.check_range("first", first, n);
    launcher.check_range("out", output, Search::count);
    enqueue_extremes(launcher, first, n, stored_positions<Search::count, output_for<Output>>{make_output(output)},
                     search);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/launch/prebuilt.hpp>
#include <parprims/detail/extreme.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <class Search, class Iterator>
positions<Search::count> find_extremes(const char* function, const device_policy&, Iterator, std::size_t, Search)
{
    runtime::throw_no_cuda(function);
}

template <class Search, class Iterator, class Output>
void find_extremes_into(const char* function, const device_policy&, Iterator, std::size_t, Output, Search)
{
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device

#endif
