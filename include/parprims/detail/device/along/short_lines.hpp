/// @file
/// @brief  The kernel of reductions along dimensions for short lines next to each other: a thread folds whole ones.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/along/leaves.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A line of few elements, which have been loaded.
template <class Array, unsigned Length>
struct loaded_line {
    const Array& array;
    const uninitialized<typename Array::element_type> (&elements)[Length];

    PARPRIMS_DEVICE typename Array::operand_type operand(unsigned k) const { return array.operand(elements[k].value); }
};

/// A thread folds a line of at most a chunk of the order contract, or neighbouring lines together. If lines have few elements, it folds
/// several lines at a time.
///
/// @tparam Lines  neighbouring lines of a packet; 1: elements are loaded one by one
template <class Array, class T, class Op, class Finish, unsigned Lines>
struct short_lines_kernel {
    using element_type = typename Array::element_type;
    static constexpr unsigned row = Array::row;
    static constexpr unsigned max_threads = along_threads;
    static constexpr unsigned min_blocks = along_short_min_blocks<T, Lines>;
    static constexpr unsigned few_lines = Lines == 1 ? along_few_lines<element_type> : 1;
    struct shared_storage {};

    Array array;
    std::size_t out_start;  // where the result of the first line goes
    Op op;
    Finish finish;
    short_lines_plan plan;
    unsigned length;
    bool in_packets;  // neighbouring lines lie in aligned packets

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if constexpr (few_lines > 1)
            if (plan.thread_lines > 1) {
#pragma unroll 1
                for (std::size_t tile = block.index(); tile < plan.tiles; tile += block.count())
                    fold_tile(block, tile);
                return;
            }
        for (std::size_t l = (block.index() * block.threads() + block.thread()) * Lines; l < plan.lines;
             l += block.count() * block.threads() * Lines) {
            if (Lines > along_single_lines || (Lines > 1 && in_packets))
                fold_lines<Lines != 1>(l);
            else if constexpr (Lines <= along_single_lines)
                fold_lines<false>(l);
        }
    }

private:
    /// Folds lines of few elements that lie at equal distances.
    PARPRIMS_DEVICE void fold_tile(simt::block block, std::size_t tile) const
    {
        const std::size_t group = plan.group_tiles == plan.tiles ? 0 : tile / plan.group_tiles;
        const std::size_t skipped =  // lines of the group that earlier tiles have
            (tile - group * plan.group_tiles) * few_lines * block.threads();
        const std::size_t first = group * plan.group_lines + skipped;
        fold_few<2>(block, plan.group_lines - skipped, array.begin_of(first), out_of(first));
    }

    /// Folds this thread's lines among the next `left` ones, which have at least `Length` elements each. Recurses until `Length` is their
    /// length: a constant, so that all elements of the thread are in registers, and their loads in flight together.
    template <unsigned Length>
    PARPRIMS_DEVICE void fold_few(simt::block block, std::size_t left, std::size_t from, std::size_t to) const
    {
        if constexpr (Length < along_few_elements)
            if (length > Length)
                return fold_few<Length + 1>(block, left, from, to);
        const auto stride = static_cast<std::size_t>(array.lines.lines.stride());
        const auto out_stride = static_cast<std::size_t>(array.lines.lines.out_stride());
        from += block.thread() * stride;
        to += block.thread() * out_stride;
        uninitialized<element_type> elements[few_lines][Length];
#pragma unroll
        for (unsigned k = 0; k < few_lines; ++k, from += block.threads() * stride)
            if (k * block.threads() + block.thread() < left)
#pragma unroll
                for (unsigned i = 0; i < Length; ++i)
                    elements[k][i].value = array.load(from + i * array.stride);
#pragma unroll
        for (unsigned k = 0; k < few_lines; ++k, to += block.threads() * out_stride)
            if (k * block.threads() + block.thread() < left)
                finish(to, fold(loaded_line<Array, Length>{array, elements[k]}));
    }

    template <unsigned Length>
    PARPRIMS_DEVICE T fold(const loaded_line<Array, Length>& line) const
    {
        if constexpr (is_located<T>) {
            typename T::in_order best;
#pragma unroll
            for (unsigned k = 0; k < Length; ++k)
                best.take(op.search, k == 0, line.operand(k), k);
            return best.template located<T>([](unsigned k) { return k; });
        } else {
            return device::fold_leaf<T>(line, 0, Length, op);
        }
    }

    /// Folds neighbouring lines from `first` on.
    template <bool InPackets>
    PARPRIMS_DEVICE void fold_lines(std::size_t first) const
    {
        line_chunk<Array, Lines, InPackets> line{array, length, {}};
#pragma unroll
        for (unsigned k = 0; k < Lines; ++k)  // past the last line, the first one again
            line.from[k] = array.begin_of(first + k < plan.lines ? first + k : first);
        const line_values<T, Lines> totals = fold(line);
#pragma unroll
        for (unsigned k = 0; k < Lines; ++k)
            if (first + k < plan.lines)
                finish(out_of(first + k), totals.of[k].value);
    }

    template <bool InPackets>
    PARPRIMS_DEVICE line_values<T, Lines> fold(const line_chunk<Array, Lines, InPackets>& line) const
    {
        if constexpr (is_located<T> && Lines == 1)
            return {uninitialized<T>(T::find(line, 0, length, 1, op))};
        else if constexpr (is_located<T>)
            return device::find_lines<T, leaf_items>(line, 0, 0, op);
        else
            return device::fold_serially<row, true, line_values<T, Lines>>(line, 0, smaller_of(row, length), length,
                                                                           combine_lines<T, Lines, Op>{op});
    }

    /// Where the result of a line goes.
    PARPRIMS_DEVICE std::size_t out_of(std::size_t line) const
    {
        return out_start + static_cast<std::size_t>(array.lines.lines.out_offset(line));
    }
};

}  // namespace parprims::detail::device
