/// @file
/// @brief  Calls of parprims on the executor: their kernels run on a CPU, thread by thread, chosen and planned as on an H200.
///
/// For files of targets that link `parprims::executor`: to compare kernels of your own with those of the library.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/simt/launcher.hpp>

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#endif
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::executor {

#if defined(PARPRIMS_READ_BY_DOXYGEN) || defined(PARPRIMS_SIMT_EXECUTOR)

/// @brief  As `parprims::reduce(parprims::device, in, in + n, init, op)`, on the executor. `in` is in a `buffer`.
/// @throws error  see `launch`
/// @snippet own_kernels.cpp calls
template <class T, class Op = plus>
T reduce(launcher& where, const T* in, std::size_t n, T init, Op op = {})
{
    buffer<T> result(1);
    detail::device::enqueue_reduce<T>(where, {}, in, n, result.data(), init, op, identity{});
    return result[0];
}

/// @brief  As `parprims::inclusive_scan(parprims::device, in, in + n, out, op)`, on the executor.
/// @throws error  see `launch`
/// @snippet own_kernels.cpp calls
template <class T, class Op = plus>
void inclusive_scan(launcher& where, const T* in, std::size_t n, T* out, Op op = {})
{
    constexpr const T* no_init = nullptr;
    constexpr detail::optional_config<scan_config> no_config;
    if (n != 0)
        detail::device::enqueue_scan<detail::scan_kind::inclusive>(where, no_config, in, n, out, no_init, op,
                                                                   identity{});
}

/// @brief  As `parprims::histogram(parprims::device, in, in + n, axis, counts)`, on the executor.
/// @throws error  see `launch`
/// @snippet own_kernels.cpp calls
template <class T, class Axis, class Counter>
void histogram(launcher& where, const T* in, std::size_t n, const Axis& axis, Counter* counts)
{
    detail::device::enqueue_histogram(where, {}, in, n, axis, counts);
}

#endif

}  // namespace parprims::executor

#include <parprims/detail/pop_macros.hpp>
