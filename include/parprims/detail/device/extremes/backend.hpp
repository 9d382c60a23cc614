/// @file
/// @brief  The search for extremes on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Writes the positions from `out.first` on; without an output it waits for them and returns them.
template <extreme Which>
struct extremes_call {
    template <class Iterator, class, class Compare, class... To>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Iterator>, Iterator, Compare, To...>();
    }

    template <class Site, class Iterator, class Compare, class... Output>
    static auto run(const Site& site, Iterator first, std::size_t n, Compare compare, positions_output<Output>... out)
    {
        using search = extreme_search<Which, Compare>;
        check_on_gpu<compares<Iterator, Compare>, assigns<std::size_t, Output>...>();
        device_call call(site, call_range("first", first, n), call_range("out", out.first, search::count)...);
        const auto enqueue = [&](auto found) {
            device::enqueue_extremes(call.launcher, first, n, found, search{compare});
        };
        return call.finish(n, positions<search::count>{}, enqueue,  // 0, which is the end of an empty range
                           stored_positions<search::count, output_for<Output>>{device::make_output(out.first)}...);
    }
};

}  // namespace parprims::detail::device

#endif
