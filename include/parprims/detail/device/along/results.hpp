/// @file
/// @brief  What calls along dimensions do with the totals of lines.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Combines the total of a line with init, and writes it.
template <class Output, class T, class Op>
struct finish_reduction {
    Output output;
    T init;
    Op op;

    PARPRIMS_DEVICE void operator()(std::size_t at, const T& total) const
    {
        output.set(at, warp::combine<T>(op, init, total));
    }
};

/// Writes one value for each line, where lines have no elements.
template <class T, class Output>
struct fill_lines_kernel {
    static constexpr unsigned max_threads = along_threads;
    struct shared_storage {};

    dimension_list lines;
    std::size_t count;
    std::size_t out_start;
    Output output;
    T value;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t l = block.index() * block.threads() + block.thread(); l < count;
             l += block.count() * block.threads())
            output.set(out_start + static_cast<std::size_t>(lines.out_offset(l)), value);
    }
};

}  // namespace parprims::detail::device
