/// @file
/// @brief  The kernels of scans along dimensions: a thread scans a row of the order contract, of any line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
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

/// The order contract's Hillis-Steele scan by one thread, value after value. Step k combines with the value 2^k before, so the last 2^k
/// results of the step before are kept. In loops that are unrolled, the indices are constants and the values stay in registers.
template <class T, unsigned Steps>
struct online_scan {
    uninitialized<T> kept[(1u << Steps) - 1];  // of step k from place 2^k - 1 on

    /// Takes value i, and returns result i. `slot` is i, or any number with the same lower bits.
    template <class Op>
    PARPRIMS_DEVICE T push(unsigned i, unsigned slot, T value, Op op)
    {
#pragma unroll
        for (unsigned k = 0; k < Steps; ++k) {
            const unsigned distance = 1u << k;
            uninitialized<T>& place = kept[distance - 1 + slot % distance];
            const T before = value;
            if (i >= distance)
                value = warp::combine<T>(op, place.value, value);
            place.value = before;
        }
        return value;
    }
};

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
template <class T, class Input, class Op, class Transform, bool InPackets>
struct row_scanner {
    static constexpr unsigned items = line_rows<T>::items;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(items);
    using packet = simt::packet<packet_bytes != 0 ? packet_bytes : 1>;

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
        if constexpr (InPackets) {
            packet packets[lanes_in_turn];
#pragma unroll
            for (unsigned l = 0; l < lanes_in_turn; ++l)
                if ((begin + l + 1) * items <= count)
                    packets[l] = simt::load_streaming(reinterpret_cast<const packet*>(input.data + first) + begin + l);
#pragma unroll
            for (unsigned l = 0; l < lanes_in_turn; ++l)
#pragma unroll
                for (unsigned k = 0; k < items; ++k) {
                    const unsigned e = (begin + l) * items + k;
                    if ((begin + l + 1) * items <= count)
                        x[l][k].value = device::operand<T, Input>(
                            transform, input.value_of(simt::element<typename Input::source_type>(packets[l], k)));
                    else if (e < count)
                        x[l][k].value = device::operand<T, Input>(transform, input[first + e]);
                }
        } else {
#pragma unroll
            for (unsigned l = 0; l < lanes_in_turn; ++l)
#pragma unroll
                for (unsigned k = 0; k < items; ++k) {
                    const unsigned e = (begin + l) * items + k;
                    if (e < count)
                        x[l][k].value = device::operand<T, Input>(transform, input[first + e * step]);
                }
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

/// By a thread for each line: replaces the total of each row by what comes before the row. Before the first row that is init, or nothing.
template <class T, class Op>
struct row_prefixes_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    static constexpr unsigned tile_rows = order::tile_rows<T>;
    struct shared_storage {};

    std::size_t lines;
    std::size_t rows;
    Op op;
    uninitialized<T> init;
    bool has_init;
    uninitialized<T>* totals;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t line = block.index() * block.threads() + block.thread();
        if (line >= lines)
            return;
        uninitialized<T> anchor = init;  // of the group
        uninitialized<T> prefix = init;  // of the tile
        bool has_anchor = has_init, has_prefix = has_init;
        uninitialized<T> levels[6];  // of the tree over the tiles of the group
        unsigned tiles = 0;
        online_scan<T, 6> scan;   // of the rows of the tile
        uninitialized<T> before;  // Q of the row before
#pragma unroll 1
        for (std::size_t first = 0; first < rows; first += along_rows_ahead) {
            uninitialized<T> ahead[along_rows_ahead];
#pragma unroll
            for (unsigned k = 0; k < along_rows_ahead; ++k)
                if (first + k < rows)
                    ahead[k].value = simt::load(totals, (first + k) * lines + line);
#pragma unroll 1
            for (unsigned k = 0; k < along_rows_ahead && first + k < rows; ++k) {
                const auto r = static_cast<unsigned>((first + k) % tile_rows);
                if (r == 0 && first + k != 0)
                    next_tile(before.value, anchor, has_anchor, prefix, has_prefix, levels, tiles);
                if (r == 0 ? has_prefix : true) {
                    const T of_row = r == 0       ? prefix.value
                                     : has_prefix ? warp::combine<T>(op, prefix.value, before.value)
                                                  : before.value;
                    simt::store(totals, (first + k) * lines + line, of_row);
                }
                before.value = scan.push(r, r, ahead[k].value, op);
            }
        }
    }

private:
    /// Goes on to the next tile behind one with `total`.
    PARPRIMS_DEVICE void next_tile(const T& total, uninitialized<T>& anchor, bool& has_anchor, uninitialized<T>& prefix,
                                   bool& has_prefix, uninitialized<T> (&levels)[6], unsigned& tiles) const
    {
        T value = total;
        unsigned level = 0;
        for (; (tiles >> level & 1) != 0; ++level)
            value = warp::combine<T>(op, levels[level].value, value);
        levels[level].value = value;
        ++tiles;
        // The tree over the tiles of the group so far.
        unsigned low = 0;
        while ((tiles >> low & 1) == 0)
            ++low;
        value = levels[low].value;
        for (++low; tiles >> low != 0; ++low)
            if ((tiles >> low & 1) != 0)
                value = warp::combine<T>(op, levels[low].value, value);
        prefix.value = has_anchor ? warp::combine<T>(op, anchor.value, value) : value;
        has_prefix = true;
        if (tiles == order::group_tiles) {
            anchor = prefix;
            has_anchor = true;
            tiles = 0;
        }
    }
};

/// Writes the results of each row.
template <scan_kind Kind, class T, class Scanner, class Output, class Op, bool InPackets>
struct row_results_kernel {
    static constexpr unsigned max_threads = along_scan_threads;
    static constexpr unsigned items = line_rows<T>::items;
    struct shared_storage {};

    line_rows<T> rows;
    Scanner scanner;
    Op op;
    Output output;
    uninitialized<T> init;
    bool has_init;
    const uninitialized<T>* prefixes;  // null: a line has one row, and its prefix is init

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (i >= rows.lines * rows.rows)
            return;
        const auto place = rows.at(i);
        const unsigned count = rows.count(place.row);
        const std::size_t to = rows.output(place);
        const std::size_t step = rows.out_step();
        uninitialized<T> prefix;  // of the row, and then of the lane
        bool has_prefix = has_init || place.row != 0;
        if (has_prefix)
            prefix.value = prefixes == nullptr ? init.value : simt::load(prefixes, place.row * rows.lines + place.line);
        uninitialized<T> of_lane = prefix;
        bool has_of_lane = has_prefix;
        online_scan<T, 5> scan;
        uninitialized<T> results[items];
        scanner.for_each(
            rows.input(place), rows.step(), count,
            [&]([[maybe_unused]] unsigned e, [[maybe_unused]] unsigned k,
                [[maybe_unused]] const uninitialized<T>& before, const T& total) {
                uninitialized<T> value;
                if constexpr (Kind == scan_kind::inclusive)
                    value.value = has_of_lane ? warp::combine<T>(op, of_lane.value, total) : total;
                else
                    value.value = k == 0 ? of_lane.value : warp::combine<T>(op, of_lane.value, before.value);
                if constexpr (InPackets)
                    results[k] = value;
                else
                    output.set(to + e * step, value.value);
            },
            [&](unsigned lane, unsigned slot, const T& total) {
                if constexpr (InPackets)
                    store_lane(to, lane, count, results);
                const T lanes = scan.push(lane, slot, total, op);
                of_lane.value = has_prefix ? warp::combine<T>(op, prefix.value, lanes) : lanes;
                has_of_lane = true;
            });
    }

private:
    PARPRIMS_DEVICE void store_lane(std::size_t to, unsigned lane, unsigned count,
                                    const uninitialized<T> (&results)[items]) const
    {
        if constexpr (InPackets) {
            if ((lane + 1) * items <= count) {
                simt::packet<items * sizeof(T)> packed;
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    simt::set_element(packed, k, results[k].value);
                simt::store_streaming(reinterpret_cast<simt::packet<items * sizeof(T)>*>(output.data + to) + lane,
                                      packed);
                return;
            }
        }
        for (unsigned k = 0; lane * items + k < count && k < items; ++k)
            output.set(to + lane * items + k, results[k].value);
    }
};

}  // namespace parprims::detail::device
