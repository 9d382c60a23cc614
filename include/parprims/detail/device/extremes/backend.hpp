/// @file
/// @brief  The search for extremes on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Fails to compile if the GPU cannot call what the kernel calls.
template <class Value, class Iterator, class Compare, class... Output>
constexpr bool check_extremes_call()
{
    return check_kernel_call<Value, Iterator, Compare, Output...>();
}

/// Finds extremes and waits for their positions.
template <class Search, class Iterator>
positions<Search::count> find_extremes(const char* function, const device_policy& policy, Iterator first, std::size_t n,
                                       Search search)
{
    using found = positions<Search::count>;
    check_compare_functions<Iterator, decltype(search.compare)>();
    cuda_launcher launcher(function, policy, device::addresses_in(first));
    launcher.refuse_capture();
    launcher.check_range("first", first, n);
    found result{};  // 0, which is the end of an empty range
    if (n == 0)
        return result;
    const runtime::result_slot slot(sizeof(found));
    device::enqueue_extremes(launcher, first, n, announced_output<found>{slot.words()}, search);
    slot.take(__builtin_addressof(result), policy.stream());
    return result;
}

/// Enqueues a search that writes the positions to `output[0]` and, if it looks for both extremes, to `output[1]`.
template <class Search, class Iterator, class Output>
void find_extremes_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output output,
                        Search search)
{
    check_compare_functions<Iterator, decltype(search.compare)>();
    check_output_functions<std::size_t, Output>();
    cuda_launcher launcher(function, policy,
                           n != 0 ? device::addresses_in(first, output) : device::addresses_in(output));
    launcher.check_range("first", first, n);
    launcher.check_range("out", output, Search::count);
    device::enqueue_extremes(launcher, first, n,
                             stored_positions<Search::count, output_for<Output>>{device::make_output(output)}, search);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/extremes/prebuilt.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device::inline plain {

template <class Output>
concept prebuilt_positions = std::is_pointer_v<Output> && std::integral<std::remove_pointer_t<Output>> &&
                             sizeof(std::remove_pointer_t<Output>) == sizeof(std::uint64_t);

/// Fails to compile if the call is not in the compiled library.
template <class Value, class Iterator, class Compare, class... Output>
constexpr bool check_extremes_call()
{
    return check_listed < prebuilt_value<fixed_width_t<Value>> && std::is_pointer_v<Iterator> &&
           std::is_same_v<Compare, less> && (prebuilt_positions<Output> && ...) > ();
}

template <extreme Which, class Iterator, class Compare>
auto find_extremes([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                   [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n,
                   [[maybe_unused]] extreme_search<Which, Compare> search)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<iter_value_t<Iterator>>;
    return prebuilt_extremes<value, Which>::find(function, policy, as_fixed_width(first), n);
#else
    runtime::throw_no_cuda(function);
    return positions<extreme_search<Which, Compare>::count>{};
#endif
}

template <extreme Which, class Iterator, class Output, class Compare>
void find_extremes_into([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                        [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] Output output,
                        [[maybe_unused]] extreme_search<Which, Compare> search)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<iter_value_t<Iterator>>;
    prebuilt_extremes<value, Which>::find_into(function, policy, as_fixed_width(first), n,
                                               reinterpret_cast<std::uint64_t*>(output));
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
