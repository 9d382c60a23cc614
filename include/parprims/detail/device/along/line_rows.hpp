/// @file
/// @brief  Rows of the order contract of all lines of an array: where their elements lie, and how a thread scans one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/online_scan.hpp>
#include <parprims/detail/device/along/row_stage.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The rows of all lines: which row a thread has, and where its elements lie.
template <class T>
struct line_rows {
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr unsigned row = order::row<T>;

    array_lines array;
    std::size_t start;
    std::size_t out_start;
    std::size_t lines;
    std::size_t length;
    std::size_t rows;       // of each line
    bool lanes_along_line;  // neighbouring lanes have neighbouring rows of a line; otherwise rows of neighbouring lines

    struct place {
        std::size_t line;
        std::size_t row;
    };
    PARPRIMS_DEVICE place at(std::size_t i) const
    {
        const std::size_t inner = lanes_along_line ? rows : lines;
        const std::size_t outer = quotient(i, inner);
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

/// One thread scans a row. "Lanes" are here the order contract's parts of a row, not threads: the thread takes one after another. Between
/// `load` and `write` the running totals are in shared memory. Not those of staged rows, and of values of more than 16 bytes: there `write` folds the
/// elements again.
///
/// @tparam  IsStaged  the elements are in shared memory, as operands, and the results replace them
template <class T, class Input, class Op, class Transform, bool IsStaged>
struct thread_line_row {
    static constexpr unsigned items = line_rows<T>::items;
    static constexpr bool is_held = sizeof(T) <= order::vector_bytes;
    static constexpr unsigned last_distance = order::lanes / 2;  // of the last step of the scan
    static constexpr bool keeps_totals = is_held && !IsStaged;
    static constexpr unsigned pitch = IsStaged ? row_stage<T>::pitch : simt::warp_size;
    /// Lanes whose loads are in flight together. An element of less than four bytes takes a whole register.
    static constexpr unsigned lanes_loaded =
        is_held ? order::power_of_two_within(IsStaged ? along_stage_bytes : along_row_bytes,
                                             items * (sizeof(T) < 4 ? 4 : sizeof(T)), order::lanes)
                : 1;
    /// Lanes in one unrolled loop: all steps of the scan but the last reach back at most as far, so their indices are constants.
    static constexpr unsigned lanes_unrolled = is_held ? last_distance / 2 : 1;

    const Input& input;
    Op op;
    const Transform& transform;
    std::size_t first;
    std::size_t step;
    unsigned count;          // elements
    uninitialized<T>* held;  // element e is number e * pitch
    uninitialized<T>*
        scans;  // of lane totals: that of a lane l is number l * pitch. Where it is not staged: in the place of an element

    /// Of shared memory for a warp: values for each lane's row of `span` elements.
    PARPRIMS_HOST_DEVICE static constexpr unsigned held_values(unsigned span)
    {
        const auto lanes = static_cast<unsigned>(order::ceil_div(span, std::size_t{items}));
        return (span + (IsStaged ? smaller_of(lanes, last_distance) : 0)) * pitch;
    }

    /// Reads the row; past its end, the last element again. Returns the row's total, the tree over its lanes; valid for a full row only.
    PARPRIMS_DEVICE uninitialized<T> load() const
    {
        tree_counter<T, 5> lanes;
        for_lanes<lanes_loaded>([&](unsigned begin, auto whole) {
            uninitialized<T> x[lanes_loaded * items];
            std::size_t at = first + begin * items * step;
#pragma unroll
            for (unsigned e = 0; e < lanes_loaded * items; ++e) {
                x[e].value = from_input(at);
                if (decltype(whole)::value || begin * items + e + 1 < count)
                    at += step;
            }
#pragma unroll
            for (unsigned e = 0; e < lanes_loaded * items; ++e)
                if (decltype(whole)::value || begin * items + e < count) {  // not the repeated element
                    if (e % items != 0)
                        x[e].value = warp::combine<T>(op, x[e - 1].value, x[e].value);
                    if constexpr (keeps_totals)
                        hold(begin * items + e, x[e].value);
                    if (e % items == items - 1)
                        lanes.push(begin + e / items, x[e].value, op);
                }
        });
        return lanes.levels[5];
    }

    /// Calls `use(e * out_step, value)` with the result of each element e. `before` is the prefix of the row.
    template <scan_kind Kind, class Use>
    PARPRIMS_DEVICE void write(const maybe<T>& before, std::size_t out_step, Use use) const
    {
        maybe<T> before_lane = before;
        online_scan<T, is_held ? 4 : 5> scan;
        for_lanes<lanes_unrolled>([&](unsigned begin, auto whole) {
            const auto has = [&](unsigned e) { return decltype(whole)::value || begin * items + e < count; };
            std::size_t to = begin * items * out_step;
#pragma unroll
            for (unsigned l = 0; l < lanes_unrolled && has(l * items); ++l) {
                // The elements of the lane.
                const unsigned lane = begin + l;
                uninitialized<T> total;
#pragma unroll
                for (unsigned k = 0; k < items; ++k, to += out_step)
                    if (has(l * items + k)) {
                        [[maybe_unused]] const uninitialized<T> without = total;
                        total.value =
                            running_total(lane * items + k, k, total);  // first: in place, `use` overwrites the element
                        if constexpr (Kind == scan_kind::inclusive)
                            use(to, before_lane.then(total.value, op));
                        else
                            use(to,
                                k == 0 ? before_lane.get() : warp::combine<T>(op, before_lane.get(), without.value));
                    }

                // The Hillis-Steele scan of the totals of the lanes. Its last step reaches back to results in shared memory.
                total.value = scan.push(lane, lanes_unrolled == 1 ? lane : l, total.value, op);
                if constexpr (is_held) {
                    if (lane >= last_distance)
                        total.value =
                            warp::combine<T>(op, simt::load(scans, (lane - last_distance) * scan_pitch), total.value);
                    else
                        simt::store(scans, lane * scan_pitch, total.value);
                }
                before_lane.set(before.then(total.value, op));
            }
        });
    }

    PARPRIMS_DEVICE void hold(unsigned e, const T& value) const { simt::store(held, e * pitch, value); }

private:
    static constexpr unsigned scan_pitch = IsStaged ? pitch : items * pitch;

    /// Calls `use(first, whole)` for each group of `Lanes` lanes: its first lane, and whether all its elements exist. `whole` is a type, so
    /// that complete rows have no comparisons and no branches.
    template <unsigned Lanes, class Use>
    PARPRIMS_DEVICE void for_lanes(Use use) const
    {
#pragma unroll 1
        for (unsigned begin = 0; begin < order::lanes && begin * items < count; begin += Lanes)
            if ((begin + Lanes) * items <= count)
                use(begin, std::true_type{});
            else
                use(begin, std::false_type{});
    }

    PARPRIMS_DEVICE T from_input(std::size_t at) const
    {
        if constexpr (IsStaged)
            return take(static_cast<unsigned>(at));
        else
            return device::operand<T, Input>(transform, input[at]);
    }
    PARPRIMS_DEVICE T take(unsigned e) const { return simt::load(held, e * pitch); }

    /// The prefix `before`, combined with the lane's elements up to its element k, which is element e of the row.
    PARPRIMS_DEVICE T running_total(unsigned e, unsigned k, const uninitialized<T>& before) const
    {
        if constexpr (keeps_totals)
            return take(e);
        else
            return k == 0 ? from_input(first + e * step)
                          : warp::combine<T>(op, before.value, from_input(first + e * step));
    }
};

}  // namespace parprims::detail::device
