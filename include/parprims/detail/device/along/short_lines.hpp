/// @file
/// @brief  The kernel of reductions along dimensions for short lines next to each other: a thread folds a whole line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A line, as the serial tree of segments reads it.
template <class Input, class T, class Lift>
struct short_line {
    using value_type = typename Input::value_type;
    static constexpr std::size_t first = 0;

    struct leaf {
        uninitialized<T> values[leaf_items];
    };

    const Input& input;
    const Lift& lift;
    std::size_t from;
    std::size_t stride;
    unsigned length;

    /// Elements from number i on. The last one stands for those behind the line.
    PARPRIMS_DEVICE leaf load_leaf(unsigned i) const
    {
        leaf loaded;
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            loaded.values[k].value = lift.template operator()<Input>(input[at(smaller_of(i + k, length - 1))], i + k);
        return loaded;
    }
    PARPRIMS_DEVICE T operand(const leaf& loaded, unsigned k) const { return loaded.values[k].value; }

    template <class Value>
    PARPRIMS_DEVICE Value operand(unsigned i) const
    {
        return device::operand<Value, Input>(identity{}, input[at(i)]);
    }

private:
    PARPRIMS_DEVICE std::size_t at(unsigned i) const { return from + i * stride; }
};

/// A thread folds a line of at most one row of the order contract, or finds the extremes of one of at most a chunk.
template <class Input, class T, class Op, class Lift, class Finish>
struct short_lines_kernel {
    static constexpr unsigned row = order::row<typename Input::value_type>;
    static constexpr bool has_places = is_located<T, Input>;
    static constexpr std::size_t most_elements =
        has_places ? order::chunk<typename Input::value_type> : std::size_t{row};
    static constexpr unsigned max_threads = along_threads;
    struct shared_storage {};

    Input input;  // from the lowest element on
    array_lines array;
    std::size_t start;  // offset of the first element, and of its result
    std::size_t out_start;
    Op op;
    Lift lift;
    Finish finish;
    std::size_t lines;
    unsigned length;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t l = block.index() * block.threads() + block.thread(); l < lines;
             l += block.count() * block.threads()) {
            const std::size_t from = start + static_cast<std::size_t>(array.lines.offset(l));
            const short_line<Input, T, Lift> line{input, lift, from, static_cast<std::size_t>(array.line.stride()),
                                                  length};
            finish(out_start + static_cast<std::size_t>(array.lines.out_offset(l)), fold(line));
        }
    }

private:
    PARPRIMS_DEVICE T fold(const short_line<Input, T, Lift>& line) const
    {
        if constexpr (has_places)
            return device::find_by_lane<row, T>(line, 0, smaller_of(row, length), length, op);
        else
            return device::fold_serially<row, false, T>(line, 0, length, length, op);
    }
};

}  // namespace parprims::detail::device
