/// @file
/// @brief  `copy_if` on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Copies, and waits for the number of copied elements.
template <class Iterator, class Output, class Predicate>
std::size_t copy_if(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output out,
                    Predicate predicate)
{
    check_functions_of_elements<iter_value_t<Iterator>, Iterator, Output, Predicate>();
    cuda_launcher launcher(function, policy, device::addresses_in(first, out));
    launcher.refuse_capture();
    launcher.check_range("first", first, n);
    launcher.check_range("out", out, n != 0);
    if (n == 0)
        return 0;
    const runtime::result_slot slot(sizeof(std::size_t));
    device::enqueue_copy_if(launcher, first, n, out, predicate, announced_output<std::size_t>{slot.words()});
    std::size_t count = 0;
    slot.take(&count, policy.stream());
    return count;
}

/// Enqueues the copy; the number of copied elements goes to `*count`.
template <class Iterator, class Output, class Predicate, class Count>
void copy_if_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output out,
                  Count count, Predicate predicate)
{
    check_functions_of_elements<iter_value_t<Iterator>, Iterator, Output, Predicate>();
    check_output_functions<std::size_t, Count>();
    cuda_launcher launcher(function, policy,
                           n != 0 ? device::addresses_in(first, out, count) : device::addresses_in(count));
    launcher.check_range("first", first, n);
    launcher.check_range("out", out, n != 0);
    launcher.check_range("count", count, 1);
    device::enqueue_copy_if(launcher, first, n, out, predicate, converted_output<Count>{count});
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <class Iterator, class Output, class Predicate>
std::size_t copy_if(const char* function, const device_policy&, Iterator, std::size_t, Output, Predicate)
{
    runtime::throw_no_cuda(function);
}

template <class Iterator, class Output, class Predicate, class Count>
void copy_if_into(const char* function, const device_policy&, Iterator, std::size_t, Output, Count, Predicate)
{
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device::inline plain

#endif
