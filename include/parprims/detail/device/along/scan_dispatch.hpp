/// @file
/// @brief  Dispatch of scans along a dimension, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/along/line_rows.hpp>
#include <parprims/detail/device/along/line_rows_kernel.hpp>
#include <parprims/detail/device/along/scan_tiles.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// How lines are scanned. A single line, or a few long ones whose results are neighbours: each by a pass of its own. Other contiguous lines: by
/// blocks that scan one line at a time. Lines that are not contiguous, and many of at most a row: by threads that scan one row each; rows are
/// staged where the elements of a line lie no farther apart than the lines do, in the input or the output.
struct along_scan_choice {
    bool has_passes;
    bool has_blocks;
    bool is_staged;
    bool lanes_along_line;
};

/// Whether the elements of a line lie no farther apart than the lines do. A step of 0 counts as the farthest.
inline bool lies_along_line(std::ptrdiff_t step, std::ptrdiff_t lines_step)
{
    return distance_of({2, step, 0}) <= distance_of({2, lines_step, 0});
}

/// Enqueues the kernel that scans rows.
template <scan_kind Kind, class T, bool IsStaged, launcher Launcher, class Iterator, class Output, class Op,
          class Transform>
void enqueue_row_scans(Launcher& launcher, const placed_lines<Iterator, Output>& at, bool lanes_along_line,
                       const T* init, Op op, Transform transform)
{
    using kernel_type = line_rows_kernel<Kind, T, input_for<Iterator>, output_for<Output>, Op, Transform, IsStaged>;
    using words_type = typename kernel_type::words_type;
    const dimension_list &line = at.lines.line, &others = at.lines.lines;
    const std::size_t lines = others.size(), length = line.size();
    const auto span = static_cast<unsigned>(smaller_of<std::size_t>(length, order::row<T>));
    const line_rows<T> rows{at.lines,        at.start, at.out_start,
                            lines,           length,   order::ceil_div(length, std::size_t{order::row<T>}),
                            lanes_along_line};
    const std::size_t words = kernel_type::words_of(lines, rows.rows);
    const shared_words memory(launcher, rows.rows == 1 ? 0 : words_type::bytes(words), false);
    // Not a temporary: g++ 12 with -ftrivial-auto-var-init, as tests of kernels have, clears bytes of it that are no padding.
    const kernel_type kernel{rows,
                             device::make_input(at.input),
                             device::make_output(at.out),
                             maybe<T>::copy_of(init),
                             op,
                             transform,
                             {{memory.get(), words, true, false}},
                             span,
                             device::stage_log_lanes(device::lies_along_line(line.stride(), others.stride()), span),
                             device::stage_log_lanes(device::lies_along_line(line.out_stride(), others.out_stride()),
                                                     span)};
    unsigned threads = along_scan_threads;
    while (threads > simt::warp_size &&
           kernel_type::shared_bytes(threads, span) > launcher.gpu().shared_bytes_per_block)
        threads /= 2;
    launcher.launch({order::ceil_div(lines * rows.rows, threads), threads, kernel_type::shared_bytes(threads, span)},
                    kernel);
}

/// How blocks scan contiguous lines: a block for each, but at most those that are resident, with a warp for every `along_warp_rows` rows of a
/// tile.
struct line_tiles_plan {
    std::size_t blocks;
    unsigned block_threads;
};

/// Enqueues the kernel whose blocks scan contiguous lines.
template <class T, launcher Launcher, class Tile, class Iterator, class Output>
void enqueue_line_tiles(Launcher& launcher, const placed_lines<Iterator, Output>& at, const Tile& of_array)
{
    using kernel_type = line_tiles_kernel<Tile, T, held_rows_of<Launcher>(along_warp_rows)>;
    const std::size_t lines = at.lines.lines.size(), length = at.lines.line.size();
    const std::size_t rows = smaller_of<std::size_t>(order::ceil_div(length, Tile::row), Tile::rows);
    const auto threads = static_cast<unsigned>(order::ceil_div(rows, along_warp_rows)) * order::lanes;
    const std::size_t resident =
        std::size_t{launcher.gpu().multiprocessors} * along_tile_blocks_per_sm * (line_tile_threads<Tile> / threads);
    const line_tiles_plan plan = device::planned(launcher, line_tiles_plan{smaller_of(lines, resident), threads});
    launcher.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{of_array, at.lines, at.start, at.out_start, lines, length});
}

/// Enqueues a scan of each line, from `init` on, where it is not null.
template <scan_kind Kind, class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_scan_along(Launcher& launcher, const optional_config<scan_config>& config,
                        const placed_lines<Iterator, Output>& at, const T* init, Op op, Transform transform)
{
    const std::size_t lines = at.lines.lines.size(), length = at.lines.line.size();
    if (lines == 0 || length == 0)
        return;
    const std::ptrdiff_t step = at.lines.line.stride(), out_step = at.lines.line.out_stride();
    const bool lies_along = device::lies_along_line(step, at.lines.lines.stride());
    const bool out_lies_along = device::lies_along_line(out_step, at.lines.lines.out_stride());
    const bool is_contiguous = length == 1 || (step == 1 && out_step == 1);
    const bool results_are_neighbours = lies_along && (out_step == 1 || out_step == -1);
    const bool has_passes =
        lines == 1 || (results_are_neighbours && lines * along_pass_tiles < length / order::tile<T>);
    const bool has_blocks = is_contiguous && (length > order::row<T> ||
                                              lines <= along_few_short_lines_per_sm * launcher.gpu().multiprocessors);
    constexpr bool can_stage = sizeof(T) <= order::vector_bytes;
    const along_scan_choice choice =
        device::planned(launcher, along_scan_choice{has_passes, has_blocks, can_stage && (lies_along || out_lies_along),
                                                    lies_along && out_lies_along});
    if (choice.has_passes) {
        for (std::size_t l = 0; l < lines; ++l) {
            const auto from = at.input + (static_cast<std::ptrdiff_t>(at.start) + at.lines.lines.offset(l));
            const auto to = at.out + (static_cast<std::ptrdiff_t>(at.out_start) + at.lines.lines.out_offset(l));
            if (step == 1 && out_step == 1)
                device::enqueue_scan<Kind>(launcher, config, from, length, to, init, op, transform);
            else
                device::enqueue_scan<Kind>(launcher, config, strided_iterator(from, step), length,
                                           strided_iterator(to, out_step), init, op, transform);
        }
        return;
    }
    const auto of_array = device::make_scan_tile<Kind, T>(at.input, length, at.out, init, op, transform);
    using tile_type = std::remove_const_t<decltype(of_array)>;
    if constexpr (has_small_scan<tile_type, T>)
        if (choice.has_blocks)
            return device::enqueue_line_tiles<T>(launcher, at, of_array);
    if constexpr (can_stage)
        if (choice.is_staged)
            return device::enqueue_row_scans<Kind, T, true>(launcher, at, choice.lanes_along_line, init, op, transform);
    device::enqueue_row_scans<Kind, T, false>(launcher, at, choice.lanes_along_line, init, op, transform);
}

}  // namespace parprims::detail::device
