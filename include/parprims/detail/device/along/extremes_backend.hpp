/// @file
/// @brief  Extremes along dimensions on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/along/backend.hpp>
#include <parprims/detail/device/along/extremes.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <extreme Which>
struct extremes_along_call {
    template <class Lines, class Compare>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<typename Lines::iterator>, typename Lines::iterator,
                                 typename Lines::output, Compare>();
    }

    template <class Site, class Iterator, class Output, class Compare>
    static void run(const Site& site, const checked_lines<Iterator, Output>& checked, Compare compare)
    {
        check_on_gpu<compares<Iterator, Compare>, assigns<std::size_t, Output>>();
        const placed_lines at = device::placed(checked);
        device_call call(site, call_range("view", at.input, checked.input.reach()),
                         call_range("out", at.out, checked.out.reach()));
        device::enqueue_extremes_along(call.launcher, at, checked.out_step, extreme_search<Which, Compare>{compare});
    }
};

}  // namespace parprims::detail::device

#endif
