/// @file
/// @brief  Exact sums on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// init + the sum of terms to `*output`; without an output it waits for the value and returns it. In the checks `plus` stands for the
/// operator, which is not called.
struct exact_sum_call {
    template <class Iterator, class, class T, class, class Transform, class... Output>
    static constexpr bool check()
    {
        return check_call<T, Iterator, plus, Transform, Output...>();
    }

    template <class Site, class Iterator, class T, class ExactPlus, class Transform, class... Output>
    static auto run(const Site& site, Iterator first, std::size_t n, const T& init, ExactPlus, Transform transform,
                    Output... output)
    {
        check_on_gpu<combines<T, Iterator, plus, Transform>, assigns<T, Output>...>();
        device_call call(site, device::input_range<Transform>(first, n), call_range("out", output, 1)...);
        const auto enqueue = [&](auto result) {
            using terms = exact::terms<iter_value_t<Iterator>, Transform>;
            device::enqueue_exact_sum<terms>(call.launcher, first, n, result, init, transform);
        };
        return call.finish(n, init, enqueue, output...);
    }
};

}  // namespace parprims::detail::device

#endif
