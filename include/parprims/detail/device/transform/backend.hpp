/// @file
/// @brief  `transform` on the CUDA backend. See call/call.hpp. The compiled library has none.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/transform/kernel.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

struct transform_call {
    template <class Iterator, class Transform>
    using result = std::remove_cvref_t<std::invoke_result_t<Transform&, const iter_value_t<Iterator>&>>;

    template <class Iterator, class, class Output, class Transform>
    static constexpr bool check()
    {
        return check_kernel_call<result<Iterator, Transform>, Iterator, Transform, Output>();
    }

    template <class Site, class Iterator, class Output, class Transform>
    static void run(const Site& site, Iterator first, std::size_t n, Output out, Transform transform)
    {
        using T = result<Iterator, Transform>;
        check_on_gpu<applies<Iterator, Transform>, assigns<T, Output>>();
        device_call call(site, device::input_range<Transform>(first, n), call_range("out", out, n));
        if (n != 0)
            device::enqueue_transform<T>(call.launcher, first, n, out, transform);
    }
};

}  // namespace parprims::detail::device

#endif
