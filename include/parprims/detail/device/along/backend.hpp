/// @file
/// @brief  Calls along dimensions on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/along/dispatch.hpp>

namespace parprims::detail::device {

/// The arrays of a call, from their lowest elements on.
template <class Iterator, class Output>
placed_lines<Iterator, Output> placed(const checked_lines<Iterator, Output>& checked)
{
    return {checked.lines, checked.input.begin(), checked.input.start(), checked.out.begin(), checked.out.start()};
}

struct reduce_along_call {
    template <class Lines, class T, class Op, class Transform>
    static constexpr bool check()
    {
        return check_call<T, typename Lines::iterator, Op, Transform, typename Lines::output>();
    }

    template <class Site, class Iterator, class Output, class T, class Op, class Transform>
    static void run(const Site& site, const checked_lines<Iterator, Output>& checked, const T& init, Op op,
                    Transform transform)
    {
        check_on_gpu<combines<T, Iterator, Op, Transform>, assigns<T, Output>>();
        const placed_lines at = device::placed(checked);
        device_call call(site, call_range("view", at.input, checked.input.reach()),
                         call_range("out", at.out, checked.out.reach()));
        device::enqueue_reduce_along(call.launcher, at, init, op, transform);
    }
};

}  // namespace parprims::detail::device

#endif
