/// @file
/// @brief  Dispatch of scans along a dimension, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/along/scan_kernels.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// How lines are scanned: each by a pass of its own, or all rows of all lines at once.
struct along_scan_choice {
    bool has_passes;
    bool in_packets;
    bool lanes_along_line;
};

/// Whether the lanes of rows are packets, of an array at `data` with these strides.
template <class Value>
bool has_aligned_rows(const Value* data, std::ptrdiff_t step, const dimension_list& lines,
                      std::ptrdiff_t dimension::*stride, unsigned items)
{
    bool holds = step == 1 && device::is_aligned(data, items * sizeof(Value));
    for (unsigned d = 0; d < lines.count; ++d)
        holds = holds && lines.at[d].*stride % static_cast<std::ptrdiff_t>(items) == 0;
    return holds;
}

/// Whether a kernel can read lanes of T from this input, and write them to this output, as packets.
template <class T, class Input, class Output>
inline constexpr bool scans_packets = [] {
    if constexpr (Input::has_source && Output::is_pointer)
        return std::is_same_v<typename Output::value_type, T> &&
               order::lane_items<T> * sizeof(T) == order::vector_bytes && order::lane_items<T> > 1 &&
               packet_bytes_of<Input>(order::lane_items<T>) != 0;
    else
        return false;
}();

template <class T>
maybe<T> first_of(const T* init)
{
    maybe<T> first;
    if (init != nullptr)
        first.set(*init);
    return first;
}

/// Enqueues the kernels that scan rows.
template <scan_kind Kind, class T, bool InPackets, launcher Launcher, class Iterator, class Output, class Op,
          class Transform>
void enqueue_row_scans(Launcher& launcher, const placed_lines<Iterator, Output>& at, bool lanes_along_line,
                       const T* init, Op op, Transform transform)
{
    using rows_type = line_rows<T>;
    using input_type = input_for<Iterator>;
    using scanner_type = row_scanner<T, input_type, Op, Transform, InPackets>;
    using results_kernel = row_results_kernel<Kind, T, scanner_type, output_for<Output>, Op, InPackets>;
    const std::size_t lines = at.lines.lines.size(), length = at.lines.line.size();
    const rows_type rows{
        at.lines, at.start, at.out_start, lines, length, order::ceil_div(length, rows_type::row), lanes_along_line};
    const scanner_type scanner{device::make_input(at.input), op, transform};
    const maybe<T> first = device::first_of(init);
    const bool has_rows = rows.rows > 1;
    const std::size_t tiles = order::ceil_div(rows.rows, order::tile_rows<T>);
    const std::size_t row_bytes = has_rows ? aligned_bytes(rows.rows * lines * sizeof(T)) : 0;
    const auto scratch = launcher.scratch(has_rows ? row_bytes + tiles * lines * sizeof(T) : 0);
    auto* const totals = static_cast<uninitialized<T>*>(static_cast<void*>(scratch.get()));
    auto* const tile_totals =
        static_cast<uninitialized<T>*>(static_cast<void*>(static_cast<std::byte*>(scratch.get()) + row_bytes));
    const auto blocks = [](std::size_t threads) { return order::ceil_div(threads, along_scan_threads); };
    if (has_rows) {
        using totals_kernel = row_totals_kernel<T, scanner_type, Op>;
        using scans_kernel = row_scans_kernel<T, Op>;
        launcher.launch({blocks(lines * rows.rows), along_scan_threads, sizeof(typename totals_kernel::shared_storage)},
                        totals_kernel{rows, scanner, op, totals});
        launcher.launch({blocks(lines * tiles), along_scan_threads, sizeof(typename scans_kernel::shared_storage)},
                        scans_kernel{lines, rows.rows, lines * tiles, op, totals, tile_totals});
    }
    if (tiles > 1) {
        using prefixes_kernel = tile_prefixes_kernel<T, Op>;
        launcher.launch({blocks(lines), along_scan_threads, sizeof(typename prefixes_kernel::shared_storage)},
                        prefixes_kernel{lines, tiles, op, first, tile_totals});
    }
    // Not a temporary: g++ 12 with -ftrivial-auto-var-init, as tests of kernels have, clears bytes of it that are no padding.
    const results_kernel results{rows, scanner, op, device::make_output(at.out), first, totals, tile_totals};
    launcher.launch({blocks(lines * rows.rows), along_scan_threads, sizeof(typename results_kernel::shared_storage)},
                    results);
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
    const bool lanes_along_line = distance_of({2, step, 0}) < distance_of({2, at.lines.lines.stride(), 0});
    bool in_packets = false;
    if constexpr (scans_packets<T, input_for<Iterator>, output_for<Output>>) {
        constexpr unsigned items = order::lane_items<T>;
        in_packets =
            lanes_along_line &&
            device::has_aligned_rows(device::make_input(at.input).data + at.start, step, at.lines.lines,
                                     &dimension::stride, items) &&
            device::has_aligned_rows(at.out + at.out_start, out_step, at.lines.lines, &dimension::out_stride, items);
    }
    const along_scan_choice choice = device::planned(
        launcher, along_scan_choice{lanes_along_line && (lines == 1 || length * sizeof(T) >= along_pass_bytes),
                                    in_packets, lanes_along_line});
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
    if constexpr (scans_packets<T, input_for<Iterator>, output_for<Output>>)
        if (choice.in_packets)
            return device::enqueue_row_scans<Kind, T, true>(launcher, at, choice.lanes_along_line, init, op, transform);
    device::enqueue_row_scans<Kind, T, false>(launcher, at, choice.lanes_along_line, init, op, transform);
}

}  // namespace parprims::detail::device
