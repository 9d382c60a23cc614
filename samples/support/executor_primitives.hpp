/// @file
/// @brief  parprims' own kernels on the executor, chosen and planned as a call on an H200 does: a step of the experiments.
#pragma once

#include "support/executor_launcher.hpp"

#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace samples {

/// parprims::reduce(in, in + n, init).
template <class T>
T executor_reduce(executor_launcher& launcher, const T* in, std::size_t n, T init)
{
    T* const result = launcher.allocate<T>(1);
    parprims::detail::device::enqueue_reduce<T>(launcher, {}, in, n, result, init, parprims::plus{},
                                                parprims::identity{});
    return *result;
}

/// parprims::histogram(in, in + n, axis, counts).
template <class T, class Axis, class Counter>
void executor_histogram(executor_launcher& launcher, const T* in, std::size_t n, const Axis& axis, Counter* counts)
{
    parprims::detail::device::enqueue_histogram(launcher, {}, in, n, axis, counts);
}

/// parprims::inclusive_scan(in, in + n, out, op).
template <class T, class Op>
void executor_inclusive_scan(executor_launcher& launcher, const T* in, std::size_t n, T* out, Op op)
{
    namespace detail = parprims::detail;
    constexpr const T* no_init = nullptr;
    constexpr detail::optional_config<parprims::scan_config> no_config;
    if (n != 0)
        detail::device::enqueue_scan<detail::scan_kind::inclusive>(launcher, no_config, in, n, out, no_init, op,
                                                                   parprims::identity{});
}

}  // namespace samples
