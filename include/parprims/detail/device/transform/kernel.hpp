/// @file
/// @brief  The kernel and the dispatch of `transform`: each thread writes elements that lie a block apart.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/transform/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <class Input, class Output, class Transform, class Result>
struct transform_kernel {
    static constexpr unsigned max_threads = transform_threads;
    static constexpr unsigned items =
        order::power_of_two_within(max_transformed_bytes, sizeof(Result), max_transformed_items);

    struct shared_storage {};

    Input input;
    std::size_t n;
    Output output;
    Transform transform;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t stride = block.threads();
        const std::size_t first = block.index() * items * stride + block.thread();
        uninitialized<Result> results[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (first + k * stride < n)
                results[k].value = transform(input[first + k * stride]);
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (first + k * stride < n)
                output.set(first + k * stride, results[k].value);
    }
};

struct transform_plan {
    unsigned block_threads;
};

/// Enqueues the transformation of `[first, first + n)`, which is not empty, to `out`.
template <class Result, launcher Launcher, class Iterator, class Output, class Transform>
void enqueue_transform(Launcher& launcher, Iterator first, std::size_t n, Output out, Transform transform)
{
    using kernel_type = transform_kernel<input_for<Iterator>, output_for<Output>, Transform, Result>;
    const transform_plan plan = planned(launcher, transform_plan{transform_threads});
    const std::size_t tile = std::size_t{kernel_type::items} * plan.block_threads;
    launcher.launch({order::ceil_div(n, tile), plan.block_threads, 0},
                    kernel_type{make_input(first), n, make_output(out), transform});
}

}  // namespace parprims::detail::device
