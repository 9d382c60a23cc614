/// @file
/// @brief  Segmented reductions on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>
#include <parprims/functional.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/segmented/dispatch.hpp>

namespace parprims::detail::device {

struct segmented_reduce_call {
    template <class Segments, class Iterator, class Output, class T, class Op>
    static constexpr bool check()
    {
        return check_call<T, Iterator, Op, identity, Segments, Output>();
    }

    template <class Site, class Segments, class Iterator, class Output, class T, class Op>
    static void run(const Site& site, const Segments& segments, Iterator first, Output out, const T& init, Op op)
    {
        check_on_gpu<combines<T, Iterator, Op>, finds_segments<Segments>, assigns<T, Output>>();
        device_call call(site, call_range("first", first, segments.n), call_range("out", out, segments.count),
                         device::offsets_of(segments));
        if (segments.count != 0)
            device::enqueue_segmented_reduce(call.launcher, segments, first, out, init, op);
    }
};

}  // namespace parprims::detail::device

#endif
