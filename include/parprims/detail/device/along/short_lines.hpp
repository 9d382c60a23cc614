/// @file
/// @brief  The kernel of reductions along dimensions for short lines next to each other: a thread folds a whole line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
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

/// A thread folds a line of at most a chunk of the order contract.
template <class Array, class T, class Op, class Finish>
struct short_lines_kernel {
    static constexpr unsigned row = order::row<typename Array::value_type>;
    static constexpr unsigned max_threads = along_threads;
    struct shared_storage {};

    Array array;
    std::size_t out_start;  // where the result of the first line goes
    Op op;
    Finish finish;
    std::size_t lines;
    unsigned length;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t l = block.index() * block.threads() + block.thread(); l < lines;
             l += block.count() * block.threads()) {
            const short_line<Array> line{array, array.begin_of(l), length};
            finish(out_start + static_cast<std::size_t>(array.lines.lines.out_offset(l)), fold(line));
        }
    }

private:
    PARPRIMS_DEVICE T fold(const short_line<Array>& line) const
    {
        if constexpr (is_located<T>)
            return T::find(line, 0, length, 1, op);
        else
            return device::fold_serially<row, true, T>(line, 0, smaller_of(row, length), length, op);
    }
};

}  // namespace parprims::detail::device
