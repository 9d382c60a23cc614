/// @file
/// @brief  The kernel of reductions along dimensions for short lines next to each other: a thread folds whole ones.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Values of neighbouring lines that a thread folds together.
template <class T, unsigned Lines>
struct line_values {
    uninitialized<T> of[Lines];
};

/// Combines the values of each line.
template <class T, unsigned Lines, class Op>
struct combine_lines {
    Op op;

    PARPRIMS_DEVICE line_values<T, Lines> operator()(const line_values<T, Lines>& left,
                                                     const line_values<T, Lines>& right) const
    {
        line_values<T, Lines> result;
#pragma unroll
        for (unsigned k = 0; k < Lines; ++k)
            result.of[k].value = warp::combine<T>(op, left.of[k].value, right.of[k].value);
        return result;
    }
};

/// A line, or neighbouring lines, as the serial tree of segments reads it.
/// @tparam InPackets  the elements of the lines lie in aligned packets
template <class Array, unsigned Lines, bool InPackets>
struct short_line {
    using value_type = typename Array::value_type;
    using element_type = typename Array::element_type;
    using operand_type = typename Array::operand_type;
    using loaded = std::conditional_t<Lines == 1, uninitialized<element_type>,
                                      simt::packet<Lines == 1 ? 1 : Lines * sizeof(element_type)>>;
    static constexpr bool has_packets = false;
    static constexpr unsigned in_flight = 4;

    struct leaf {
        loaded elements[leaf_items];
    };

    const Array& array;
    unsigned length;
    std::size_t from[Lines];  // where each line begins

    /// The number of element i in the line.
    PARPRIMS_DEVICE static std::size_t numbers(unsigned i) { return i; }

    /// Loads `leaf_items` elements from element i on; past the end of the line, its last element again.
    PARPRIMS_DEVICE leaf load_leaf(unsigned i) const
    {
        const auto skipped = [&](unsigned k) { return smaller_of(i + k, length - 1) * array.stride; };
        leaf result;
        if constexpr (Lines == 1) {
#pragma unroll
            for (unsigned k = 0; k < leaf_items; ++k)
                result.elements[k].value = array.load(from[0] + skipped(k));
        } else if constexpr (InPackets) {
#pragma unroll
            for (unsigned k = 0; k < leaf_items; ++k)
                result.elements[k] =
                    simt::load_streaming(reinterpret_cast<const loaded*>(array.input.data + from[0] + skipped(k)));
        } else {
#pragma unroll
            for (unsigned k = 0; k < leaf_items; ++k)
#pragma unroll
                for (unsigned l = 0; l < Lines; ++l)
                    simt::set_element(result.elements[k], l, array.load(from[l] + skipped(k)));
        }
        return result;
    }
    PARPRIMS_DEVICE auto operand(const leaf& from_memory, unsigned k) const
    {
        if constexpr (Lines == 1) {
            return array.operand(from_memory.elements[k].value);
        } else {
            line_values<operand_type, Lines> operands;
#pragma unroll
            for (unsigned l = 0; l < Lines; ++l)
                operands.of[l].value = array.operand(simt::element<element_type>(from_memory.elements[k], l));
            return operands;
        }
    }
    template <class>
    PARPRIMS_DEVICE operand_type operand(unsigned i) const
    {
        return array.operand(array.load(from[0] + i * array.stride));
    }
};

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
            if (Lines > 1 && in_packets)
                fold_lines<Lines != 1>(l);
            else
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
        short_line<Array, Lines, InPackets> line{array, length, {}};
#pragma unroll
        for (unsigned k = 0; k < Lines; ++k)  // past the last line, the first one again
            line.from[k] = array.begin_of(first + k < plan.lines ? first + k : first);
        if constexpr (Lines == 1)
            finish(out_of(first), fold(line));
        else
            write(first, fold(line));
    }

    template <bool InPackets>
    PARPRIMS_DEVICE auto fold(const short_line<Array, Lines, InPackets>& line) const
    {
        const unsigned columns = smaller_of(row, length);
        if constexpr (is_located<T> && Lines == 1)
            return T::find(line, 0, length, 1, op);
        else if constexpr (is_located<T>)
            return find(line);
        else if constexpr (Lines == 1)
            return device::fold_serially<row, true, T>(line, 0, columns, length, op);
        else
            return device::fold_serially<row, true, line_values<T, Lines>>(line, 0, columns, length,
                                                                           combine_lines<T, Lines, Op>{op});
    }

    /// The extremes of each of several lines.
    template <bool InPackets>
    PARPRIMS_DEVICE line_values<T, Lines> find(const short_line<Array, Lines, InPackets>& line) const
    {
        typename T::in_order best[Lines];
#pragma unroll 1
        for (unsigned first = 0; first < length; first += leaf_items) {
            const auto leaf = line.load_leaf(first);
#pragma unroll
            for (unsigned k = 0; k < leaf_items; ++k)
                if (first + k < length) {
                    const auto operands = line.operand(leaf, k);
#pragma unroll
                    for (unsigned l = 0; l < Lines; ++l)
                        best[l].take(op.search, first + k == 0, operands.of[l].value, first + k);
                }
        }
        line_values<T, Lines> result;
#pragma unroll
        for (unsigned l = 0; l < Lines; ++l)
            result.of[l].value = best[l].template located<T>([](unsigned number) { return number; });
        return result;
    }

    PARPRIMS_DEVICE void write(std::size_t line, const line_values<T, Lines>& totals) const
    {
#pragma unroll
        for (unsigned k = 0; k < Lines; ++k)
            if (line + k < plan.lines)
                finish(out_of(line + k), totals.of[k].value);
    }

    /// Where the result of a line goes.
    PARPRIMS_DEVICE std::size_t out_of(std::size_t line) const
    {
        return out_start + static_cast<std::size_t>(array.lines.lines.out_offset(line));
    }
};

}  // namespace parprims::detail::device
