/// @file
/// @brief  The CUDA backend as this translation unit can reach it: as templates, prebuilt, or not at all.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/histogram.hpp>
#include <parprims/detail/device/reduce.hpp>
#include <parprims/detail/device/scan.hpp>

#else

#include <parprims/detail/device/prebuilt.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Whether a call with these types is in the compiled library.
template <class T, class Iterator, class Op, class Transform>
concept prebuilt_call = prebuilt_value<T> && prebuilt_operator<Op> && std::is_same_v<Transform, identity> &&
                        (std::is_same_v<Iterator, T*> || std::is_same_v<Iterator, const T*>);

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

template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
          [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] Output out,
          [[maybe_unused]] const T* init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    static_assert(prebuilt_call<T, Iterator, Op, Transform> && std::is_same_v<Output, T*>,
                  "parprims: this scan is not in the compiled library; compile this file as CUDA (with nvcc)");
    prebuilt<T, Op>::scan(function, policy, Kind, first, n, out, init);
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class Iterator, class Axis, class Counts>
void histogram([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
               [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] const Axis& axis,
               [[maybe_unused]] Counts counts)
{
#if PARPRIMS_HAS_CUDA
    using value = iter_value_t<Iterator>;
    static_assert(prebuilt_value<value> && std::is_pointer_v<Iterator> && std::is_pointer_v<Counts> &&
                      prebuilt_counter<iter_value_t<Counts>> && std::is_same_v<Axis, regular_axis<value>>,
                  "parprims: this histogram is not in the compiled library; compile this file as CUDA (with nvcc)");
    prebuilt_histogram<value, iter_value_t<Counts>>::count(function, policy, first, n, axis, counts);
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device

#endif
