/// @file
/// @brief  The kernel of reductions along dimensions for short lines next to each other: a thread folds a whole line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A line, as the serial tree of segments reads it.
template <class Array>
struct short_line {
    using value_type = typename Array::value_type;
    static constexpr std::size_t first = 0;
    static constexpr bool has_packets = false;
    static constexpr unsigned in_flight = 4;

    struct leaf {
        uninitialized<typename Array::element_type> elements[leaf_items];
    };

    const Array& array;
    std::size_t from;
    unsigned length;

    /// Elements from number i on. The last one stands for those behind the line.
    PARPRIMS_DEVICE leaf load_leaf(unsigned i) const
    {
        leaf loaded;
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            loaded.elements[k].value = array.load(from + smaller_of(i + k, length - 1) * array.stride);
        return loaded;
    }
    PARPRIMS_DEVICE typename Array::operand_type operand(const leaf& loaded, unsigned k) const
    {
        return array.operand(loaded.elements[k].value);
    }
    template <class>
    PARPRIMS_DEVICE typename Array::operand_type operand(unsigned i) const
    {
        return array.operand(array.load(from + i * array.stride));
    }
};

/// A line of few elements, which have been loaded.
template <class Array, unsigned Length>
struct loaded_line {
    const Array& array;
    const uninitialized<typename Array::element_type> (&elements)[Length];

    PARPRIMS_DEVICE typename Array::operand_type operand(unsigned k) const { return array.operand(elements[k].value); }
};

/// A thread folds a line of at most a chunk of the order contract; if lines have few elements, several of neighbours.
template <class Array, class T, class Op, class Finish>
struct short_lines_kernel {
    using element_type = typename Array::element_type;
    static constexpr unsigned row = order::row<typename Array::value_type>;
    static constexpr unsigned max_threads = along_threads;
    static constexpr unsigned min_blocks = along_short_min_blocks<T>;
    static constexpr unsigned few_lines = along_few_lines<element_type>;
    struct shared_storage {};

    Array array;
    std::size_t out_start;  // where the result of the first line goes
    Op op;
    Finish finish;
    short_lines_plan plan;
    unsigned length;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if constexpr (few_lines > 1)
            if (plan.thread_lines > 1) {
#pragma unroll 1
                for (std::size_t tile = block.index(); tile < plan.tiles; tile += block.count())
                    fold_tile(block, tile);
                return;
            }
        for (std::size_t l = block.index() * block.threads() + block.thread(); l < plan.lines;
             l += block.count() * block.threads()) {
            const short_line<Array> line{array, array.begin_of(l), length};
            finish(out_start + static_cast<std::size_t>(array.lines.lines.out_offset(l)), fold(line));
        }
    }

private:
    /// Folds lines of few elements that lie at equal distances.
    PARPRIMS_DEVICE void fold_tile(simt::block block, std::size_t tile) const
    {
        const std::size_t group = plan.group_tiles == plan.tiles ? 0 : tile / plan.group_tiles;
        const std::size_t skipped =  // lines of the group in tiles before
            (tile - group * plan.group_tiles) * few_lines * block.threads();
        const std::size_t first = group * plan.group_lines + skipped;
        fold_few<2>(block, plan.group_lines - skipped, array.begin_of(first),
                    out_start + static_cast<std::size_t>(array.lines.lines.out_offset(first)));
    }

    /// Folds up to `left` lines, which have `Length` elements or more: finds their length, a constant for the code below, in which all
    /// elements of a thread are loaded at a time.
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

    PARPRIMS_DEVICE T fold(const short_line<Array>& line) const
    {
        if constexpr (is_located<T>)
            return T::find(line, 0, length, 1, op);
        else
            return device::fold_serially<row, true, T>(line, 0, smaller_of(row, length), length, op);
    }
};

}  // namespace parprims::detail::device
