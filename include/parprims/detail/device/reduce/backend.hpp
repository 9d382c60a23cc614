/// @file
/// @brief  reduce on the CUDA backend, as this translation unit can reach it: as templates, prebuilt, or not at all.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/reduce/dispatch.hpp>

#else

#include <parprims/detail/device/launch/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

template <class T, class Iterator, class Op, class Transform>
T reduce([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
         [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] T init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    static_assert(prebuilt_call<T, Iterator, Op, Transform>,
                  "parprims: this reduction is not in the compiled library; compile this file as CUDA (with nvcc)");
    return prebuilt<T, Op>::reduce(function, policy, first, n, init);
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_into([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                 [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] Output output,
                 [[maybe_unused]] T init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    static_assert(prebuilt_call<T, Iterator, Op, Transform> && std::is_same_v<Output, T*>,
                  "parprims: this reduction is not in the compiled library; compile this file as CUDA (with nvcc)");
    prebuilt<T, Op>::reduce_into(function, policy, first, n, output, init);
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device

#endif
