/// @file
/// @brief  `copy_if` on the CUDA backend. See call/call.hpp. The compiled library has none.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Writes the number of copied elements to `*count`; without a count it waits for it and returns it.
struct copy_if_call {
    template <class Iterator, class, class Output, class Predicate, class... Count>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Iterator>, Iterator, Predicate, Output, Count...>();
    }

    template <class Site, class Iterator, class Output, class Predicate, class... Count>
    static auto run(const Site& site, Iterator first, std::size_t n, Output out, Predicate predicate, Count... count)
    {
        check_on_gpu<applies<Iterator, Predicate>, assigns<iter_value_t<Iterator>, Output>,
                     assigns<std::size_t, Count>...>();
        device_call call(site, call_range("first", first, n), call_range("out", out, n != 0),
                         call_range("count", count, 1)...);
        const auto enqueue = [&](auto result) {
            device::enqueue_copy_if(call.launcher, first, n, out, predicate, result);
        };
        return call.finish(n, std::size_t{0}, enqueue, converted_output<Count>{count}...);
    }
};

}  // namespace parprims::detail::device

#endif
