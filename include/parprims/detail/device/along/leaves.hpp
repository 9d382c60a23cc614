/// @file
/// @brief  What a thread folds in registers: a line, neighbouring lines together, or leaves, which are eight neighbouring positions of them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/along/plan.hpp>
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

/// A line of at most a chunk, or a chunk of it, as the serial tree of segments reads it; or those of neighbouring lines.
/// @tparam InPackets  the elements of the lines lie in aligned packets
template <class Array, unsigned Lines, bool InPackets>
struct line_chunk {
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
    unsigned length;          // of the line or chunk
    std::size_t from[Lines];  // its first element; in packets, only that of the first line is used

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
    /// Element k of a leaf of each line.
    PARPRIMS_DEVICE line_values<operand_type, Lines> operand(const leaf& from_memory, unsigned k) const
    {
        line_values<operand_type, Lines> operands;
        if constexpr (Lines == 1) {
            operands.of[0].value = array.operand(from_memory.elements[k].value);
        } else {
#pragma unroll
            for (unsigned l = 0; l < Lines; ++l)
                operands.of[l].value = array.operand(simt::element<element_type>(from_memory.elements[k], l));
        }
        return operands;
    }
    /// Element i of one line.
    template <class>
    PARPRIMS_DEVICE operand_type operand(unsigned i) const
    {
        return array.operand(array.load(from[0] + i * array.stride));
    }
};

/// The extremes of `leaf_items` elements of each line from element `first` on, and of those `Step` elements behind them, and so on.
/// @param  begin  elements of the line before the chunk
template <class T, unsigned Step, class Array, unsigned Lines, bool InPackets, class Op>
PARPRIMS_DEVICE inline line_values<T, Lines> find_lines(const line_chunk<Array, Lines, InPackets>& lines,
                                                        unsigned first, std::size_t begin, Op op)
{
    typename T::in_order best[Lines];
#pragma unroll 1
    for (unsigned i = first; i < lines.length; i += Step) {
        const auto leaf = lines.load_leaf(i);
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            if (i + k < lines.length) {
                const auto operands = lines.operand(leaf, k);
#pragma unroll
                for (unsigned l = 0; l < Lines; ++l)
                    best[l].take(op.search, i + k == first, operands.of[l].value, i + k);
            }
    }
    line_values<T, Lines> result;
#pragma unroll
    for (unsigned l = 0; l < Lines; ++l)
        result.of[l].value = best[l].template located<T>([&](unsigned i) { return begin + i; });
    return result;
}

/// For one thread: folds a leaf of each of `Lines` neighbouring lines, and stores their totals in shared memory.
/// @param  u  which leaf of which lines of the tile: those of all its lines, then the next leaf of each
template <class T, unsigned Lines, class Array, class Op>
PARPRIMS_DEVICE inline void fold_leaves(const Array& array, const along_plan& plan, const along_tile& tile, unsigned u,
                                        Op op, uninitialized<T>* totals)
{
    constexpr unsigned row_leaves = Array::row / leaf_items;
    const unsigned number = u / plan.run_units, line = (u - number * plan.run_units) * Lines;
    if (number >= tile.positions || line >= tile.lines)
        return;
    const std::size_t leaf = tile.first_position + number;
    const std::size_t begin = leaf / row_leaves * Array::chunk;
    const unsigned column = static_cast<unsigned>(leaf % row_leaves) * leaf_items;
    line_chunk<Array, Lines, (Lines > 1)> lines{
        array, static_cast<unsigned>(smaller_of(plan.shape.length - begin, Array::chunk)), {}};
    lines.from[0] = tile.from + line * static_cast<std::size_t>(array.lines.lines.stride()) + begin * array.stride;
    const unsigned to = number * tile.lines + line;
    const auto fold = [&] {
        if constexpr (is_located<T>) {
            return device::find_lines<T, Array::row>(lines, column, begin, op);
        } else {
            const unsigned left = lines.length - column;
            return device::fold_columns<Array::row, line_values<T, Lines>, true>(
                lines, column, smaller_of(left, leaf_items), left, combine_lines<T, Lines, Op>{op});
        }
    };
    const line_values<T, Lines> all = fold();
#pragma unroll
    for (unsigned k = 0; k < Lines; ++k)
        simt::store(totals, to + k, all.of[k].value);
}

}  // namespace parprims::detail::device
