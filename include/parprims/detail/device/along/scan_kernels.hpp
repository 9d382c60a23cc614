/// @file
/// @brief  The kernels of scans along dimensions: a thread scans a row of the order contract, of any line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/online_scan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Rows of all lines: the row of a thread, and where its elements lie.
template <class T>
struct line_rows {
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr unsigned row = order::row<T>;

    array_lines array;
    std::size_t start;
    std::size_t out_start;
    std::size_t lines;
    std::size_t length;
    std::size_t rows;       // of a line
    bool lanes_along_line;  // neighbouring lanes have rows of one line

    struct place {
        std::size_t line;
        std::size_t row;
    };
    PARPRIMS_DEVICE place at(std::size_t i) const
    {
        const std::size_t inner = lanes_along_line ? rows : lines;
        const bool is_small = i >> 32 == 0 && inner >> 32 == 0;
        const std::size_t outer = is_small ? static_cast<unsigned>(i) / static_cast<unsigned>(inner) : i / inner;
        const std::size_t rest = i - outer * inner;
        return lanes_along_line ? place{outer, rest} : place{rest, outer};
    }
    PARPRIMS_DEVICE unsigned count(std::size_t r) const
    {
        const std::size_t left = length - r * row;
        return left < row ? static_cast<unsigned>(left) : row;
    }
    PARPRIMS_DEVICE std::size_t input(const place& of) const
    {
        return start + static_cast<std::size_t>(array.lines.offset(of.line)) + of.row * row * step();
    }
    PARPRIMS_DEVICE std::size_t output(const place& of) const
    {
        return out_start + static_cast<std::size_t>(array.lines.out_offset(of.line)) + of.row * row * out_step();
    }
    PARPRIMS_DEVICE std::size_t step() const { return static_cast<std::size_t>(array.line.stride()); }
    PARPRIMS_DEVICE std::size_t out_step() const { return static_cast<std::size_t>(array.line.out_stride()); }
};

/// How a thread reads a row.
template <class T, class Input, class Op, class Transform>
struct row_scanner {
    static constexpr unsigned items = line_rows<T>::items;

    Input input;
    Op op;
    Transform transform;

    /// For a row of `count` elements from `first` on: calls `use(e, k, before, t)` for each element e, number k of its lane, where t is the
    /// running total of the lane and `before` that without the element; and behind each lane `lane_done(lane, slot, total)`.
    template <class Use, class LaneDone>
    PARPRIMS_DEVICE void for_each(std::size_t first, std::size_t step, unsigned count, Use use,
                                  LaneDone lane_done) const
    {
#pragma unroll 1
        for (unsigned begin = 0; begin < order::lanes && begin * items < count; begin += lanes_in_turn) {
            uninitialized<T> x[lanes_in_turn][items];
            load(x, first, step, begin, count);
#pragma unroll
            for (unsigned l = 0; l < lanes_in_turn; ++l) {
                if ((begin + l) * items >= count)
                    break;
                uninitialized<T> total;
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if ((begin + l) * items + k < count) {
                        const uninitialized<T> before = total;
                        total.value = k == 0 ? x[l][0].value : warp::combine<T>(op, total.value, x[l][k].value);
                        use((begin + l) * items + k, k, before, total.value);
                    }
                lane_done(begin + l, lanes_in_turn == 1 ? begin : l, total.value);
            }
        }
    }

    /// Lanes that a thread loads before it uses any: as many as the longest step of the scan reaches back, so that its indices are
    /// constants. Large values do not fit registers anyway.
    static constexpr unsigned lanes_in_turn = sizeof(T) <= 16 ? 16 : 1;

private:
    PARPRIMS_DEVICE void load(uninitialized<T> (&x)[lanes_in_turn][items], std::size_t first, std::size_t step,
                              unsigned begin, unsigned count) const
    {
#pragma unroll
        for (unsigned l = 0; l < lanes_in_turn; ++l)
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                const unsigned e = (begin + l) * items + k;
                if (e < count)
                    x[l][k].value = device::operand<T, Input>(transform, input[first + e * step]);
            }
    }
};

/// Writes the total of each row of each line.
template <class T, class Scanner, class Op>
struct row_totals_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    struct shared_storage {};

    line_rows<T> rows;
    Scanner scanner;
    Op op;
    uninitialized<T>* totals;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (i >= rows.lines * rows.rows)
            return;
        const auto place = rows.at(i);
        online_scan<T, 5> scan;
        uninitialized<T> total;
        scanner.for_each(
            rows.input(place), rows.step(), rows.count(place.row),
            [](unsigned, unsigned, const uninitialized<T>&, const T&) {},
            [&](unsigned lane, unsigned slot, const T& of_lane) { total.value = scan.push(lane, slot, of_lane, op); });
        simt::store(totals, place.row * rows.lines + place.line, total.value);
    }
};

/// Calls `use(i, value)` for values `first`, `first + step`, ... in order. Loads some ahead.
template <class T, class Use>
PARPRIMS_DEVICE inline void for_each_ahead(const uninitialized<T>* values, std::size_t first, std::size_t step,
                                           std::size_t count, Use use)
{
#pragma unroll 1
    for (std::size_t begin = 0; begin < count; begin += along_values_ahead) {
        uninitialized<T> ahead[along_values_ahead];
#pragma unroll
        for (unsigned k = 0; k < along_values_ahead; ++k)
            if (begin + k < count)
                ahead[k].value = simt::load(values, first + (begin + k) * step);
#pragma unroll 1
        for (unsigned k = 0; k < along_values_ahead && begin + k < count; ++k)
            use(begin + k, ahead[k].value);
    }
}

/// By a thread for each tile of each line: replaces the totals of its rows by their scan, which leaves out the row itself; the first one
/// stays. Writes the total of the tile.
template <class T, class Op>
struct row_scans_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    static constexpr unsigned tile_rows = order::tile_rows<T>;
    struct shared_storage {};

    std::size_t lines;
    std::size_t rows;   // of a line
    std::size_t tiles;  // and of all lines
    Op op;
    uninitialized<T>* totals;
    uninitialized<T>* tile_totals;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (i >= tiles)
            return;
        const std::size_t tile = i / lines, line = i - tile * lines;
        const std::size_t first = tile * tile_rows * lines + line;
        online_scan<T, 6> scan;
        uninitialized<T> before;
        device::for_each_ahead(totals, first, lines, smaller_of<std::size_t>(rows - tile * tile_rows, tile_rows),
                               [&](std::size_t r, const T& total) {
                                   if (r != 0)
                                       simt::store(totals, first + r * lines, before.value);
                                   const auto number = static_cast<unsigned>(r);
                                   before.value = scan.push(number, number, total, op);
                               });
        simt::store(tile_totals, i, before.value);
    }
};

/// By a thread for each line: replaces the total of each tile by what comes before the tile. Before the first tile that is init, or
/// nothing.
template <class T, class Op>
struct tile_prefixes_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    struct shared_storage {};

    std::size_t lines;
    std::size_t tiles;  // of a line
    Op op;
    maybe<T> init;
    uninitialized<T>* totals;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t line = block.index() * block.threads() + block.thread();
        if (line >= lines)
            return;
        line_tile_prefix<T, Op> prefix(init);
        device::for_each_ahead(totals, line, lines, tiles, [&](std::size_t tile, const T& total) {
            if (prefix.before().present)
                simt::store(totals, tile * lines + line, prefix.before().get());
            prefix.next(total, op);
        });
    }
};

/// Writes the results of each row.
template <scan_kind Kind, class T, class Scanner, class Output, class Op>
struct row_results_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    static constexpr unsigned items = line_rows<T>::items;
    struct shared_storage {};

    line_rows<T> rows;
    Scanner scanner;
    Op op;
    Output output;
    maybe<T> init;
    const uninitialized<T>* row_scans;      // if a line has several rows
    const uninitialized<T>* tile_prefixes;  // if it has several tiles

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (i >= rows.lines * rows.rows)
            return;
        const auto place = rows.at(i);
        const unsigned count = rows.count(place.row);
        const std::size_t to = rows.output(place);
        const std::size_t step = rows.out_step();
        const maybe<T> prefix = before_row(place);
        maybe<T> of_lane = prefix;
        online_scan<T, 5> scan;
        scanner.for_each(
            rows.input(place), rows.step(), count,
            [&](unsigned e, [[maybe_unused]] unsigned k, [[maybe_unused]] const uninitialized<T>& before,
                const T& total) {
                uninitialized<T> value;
                if constexpr (Kind == scan_kind::inclusive)
                    value.value = of_lane.then(total, op);
                else
                    value.value = k == 0 ? of_lane.get() : warp::combine<T>(op, of_lane.get(), before.value);
                output.set(to + e * step, value.value);
            },
            [&](unsigned lane, unsigned slot, const T& total) {
                of_lane.set(prefix.then(scan.push(lane, slot, total, op), op));
            });
    }

private:
    PARPRIMS_DEVICE maybe<T> before_row(const typename line_rows<T>::place& place) const
    {
        const std::size_t tile = place.row / order::tile_rows<T>;
        maybe<T> before = init;
        if (tile != 0)
            before.set(simt::load(tile_prefixes, tile * rows.lines + place.line));
        if (place.row % order::tile_rows<T> != 0)
            before.set(before.then(simt::load(row_scans, place.row * rows.lines + place.line), op));
        return before;
    }
};

}  // namespace parprims::detail::device
