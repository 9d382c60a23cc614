/// @file
/// @brief  Scans of the lines of an array on the threads of the host.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Scans each line, from `init` on, where it is not null. A line has one dimension.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan_along(unsigned threads, const array_lines& array, Iterator first, Output out, const T* init, Op op,
                Transform transform)
{
    const std::size_t lines = array.lines.size();
    const std::size_t length = array.line.size();
    const std::ptrdiff_t step = array.line.stride(), out_step = array.line.out_stride();
    if (lines == 0 || length == 0)
        return;
    const auto scan_line = [&](unsigned by, std::size_t l) {
        const Iterator from = first + array.lines.offset(l);
        const Output to = out + array.lines.out_offset(l);
        if (step == 1 && out_step == 1)
            host::scan<Kind, T>(by, from, length, to, init, op, transform);
        else
            host::scan<Kind, T>(by, strided_iterator(from, step), length, strided_iterator(to, out_step), init, op,
                                transform);
    };
    if (lines < concurrency(threads)) {  // one after the other, each by all threads
        for (std::size_t l = 0; l < lines; ++l)
            scan_line(threads, l);
        return;
    }
    const std::size_t most = larger_of<std::size_t>((std::size_t{1} << 14) / length, 1);  // of a task
    parallel_for(threads, order::ceil_div(lines, most), [&](std::size_t task) {
        for (std::size_t l = task * most; l < smaller_of(lines, (task + 1) * most); ++l)
            scan_line(1, l);
    });
}

}  // namespace parprims::detail::host
