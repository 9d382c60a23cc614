/// @file
/// @brief  How a thread folds positions of a line, or of neighbouring lines that lie in one packet.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The type of the elements of an array that an input reads.
template <class Input>
struct source_of {};
template <class Input>
    requires(Input::has_source)
struct source_of<Input> {
    using type = typename Input::source_type;
};

/// Folds positions of `Items` neighbouring lines, for one thread. The positions of a line are the columns of its chunks, one chunk after
/// another: so many leaves has the order contract's tree over the whole line. Position q of a line is the accumulator of its elements
/// `q / row * chunk + q % row + r * row`.
///
/// @tparam Lift       makes a value of an element and its position in the line
/// @tparam Leaf       positions that a thread loads at a time
/// @tparam IsStrided  the line has one dimension
template <class Input, class T, class Op, class Lift, unsigned Items, unsigned Leaf, bool IsStrided>
struct thread_positions {
    using value_type = typename Input::value_type;
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned rows_in_flight =
        along_loads<T, Items> / Leaf < order::chunk_rows ? along_loads<T, Items> / Leaf : order::chunk_rows;
    static_assert(rows_in_flight != 0 && row % Leaf == 0);

    const Input& input;
    const dimension_list& line;
    std::size_t length;  // elements of a line
    unsigned leaves;     // of a thread, at most
    const Op& op;
    const Lift& lift;

    /// Folds the positions from `begin` on, before `end`, at most `leaves * Leaf`, of lines of which the first one lies at `offset`.
    PARPRIMS_DEVICE void fold(std::size_t begin, std::size_t end, std::size_t offset,
                              uninitialized<T> (&total)[Items]) const
    {
        const std::size_t left = (end - begin + Leaf - 1) / Leaf;
        const unsigned count = left < leaves ? static_cast<unsigned>(left) : leaves;
        uninitialized<T> levels[Items][along_levels];
#pragma unroll 1
        for (unsigned leaf = 0; leaf < count; ++leaf) {
            const std::size_t position = begin + leaf * Leaf;
            uninitialized<T> x[Leaf][Items];
            fold_leaf(position / row * chunk, position % row, offset, x);
#pragma unroll
            for (unsigned k = 0; k < Items; ++k) {
                if (count == 1)
                    total[k].value = x[0][k].value;
                else
                    device::push_leaf<0>(levels[k], leaf, x[0][k].value, op);
            }
        }
        if (count == 1)
            return;
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
            bool has_total = false;
#pragma unroll
            for (unsigned l = 0; l < along_levels; ++l)
                if ((count >> l & 1) != 0) {
                    total[k].value =
                        has_total ? warp::combine<T>(op, levels[k][l].value, total[k].value) : levels[k][l].value;
                    has_total = true;
                }
        }
    }

private:
    static constexpr bool has_packets = Items > 1;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(Items);
    static_assert(!has_packets || packet_bytes != 0);
    /// What a thread loads at a time: a packet, an element of an array as it lies in memory, or what an iterator makes of it.
    using element_type = typename std::conditional_t<Input::has_source, source_of<Input>, std::type_identity<T>>::type;
    using loaded =
        std::conditional_t<has_packets, simt::packet<has_packets ? packet_bytes : 1>, uninitialized<element_type>>;

    /// Folds columns `column` to `column + Leaf` of the chunk from element `first` on, of which at least the first one has an element.
    /// The results are in x[0].
    PARPRIMS_DEVICE void fold_leaf(std::size_t first, std::size_t column, std::size_t offset,
                                   uninitialized<T> (&x)[Leaf][Items]) const
    {
        const std::size_t behind = length - first - column;
        const unsigned left = static_cast<unsigned>(behind < chunk - column ? behind : chunk - column);
        const std::size_t begin = first + column;
        const std::size_t from = offset + (IsStrided ? begin * static_cast<std::size_t>(line.stride()) : 0);
#pragma unroll 1
        for (unsigned r = 0; r * row < left; r += rows_in_flight) {
            loaded elements[rows_in_flight][Leaf];
#pragma unroll
            for (unsigned b = 0; b < rows_in_flight; ++b)
#pragma unroll
                for (unsigned k = 0; k < Leaf; ++k)
                    if ((r + b) * row + k < left)
                        load(elements[b][k], offset, from, begin, (r + b) * row + k);
#pragma unroll
            for (unsigned b = 0; b < rows_in_flight; ++b)
#pragma unroll
                for (unsigned k = 0; k < Leaf; ++k)
                    if ((r + b) * row + k < left)
#pragma unroll
                        for (unsigned m = 0; m < Items; ++m)
                            warp::accumulate(op, x[k][m], r + b == 0,
                                             value_of(elements[b][k], m, begin + (r + b) * row + k));
        }
#pragma unroll
        for (unsigned d = 1; d < Leaf; d *= 2)
#pragma unroll
            for (unsigned k = 0; k < Leaf; k += 2 * d)
                if (k + d < left)
#pragma unroll
                    for (unsigned m = 0; m < Items; ++m)
                        x[k][m].value = warp::combine<T>(op, x[k][m].value, x[k + d][m].value);
    }

    /// Element `begin + i` of the line whose elements `begin` and 0 lie at `from` and `offset`.
    PARPRIMS_DEVICE void load(loaded& to, std::size_t offset, std::size_t from, std::size_t begin, unsigned i) const
    {
        const std::size_t at = IsStrided ? from + i * static_cast<std::size_t>(line.stride())
                                         : offset + static_cast<std::size_t>(line.offset(begin + i));
        if constexpr (has_packets)
            to = simt::load_streaming(reinterpret_cast<const loaded*>(input.data + at));
        else if constexpr (Input::has_source)
            to.value = simt::load(input.data, at);
        else
            to.value = lift.template operator()<Input>(input[at], begin + i);
    }

    PARPRIMS_DEVICE T value_of(const loaded& from, [[maybe_unused]] unsigned m, [[maybe_unused]] std::size_t i) const
    {
        if constexpr (has_packets)
            return lift.template operator()<Input>(input.value_of(simt::element<typename Input::source_type>(from, m)),
                                                   i);
        else if constexpr (Input::has_source)
            return lift.template operator()<Input>(input.value_of(from.value), i);
        else
            return from.value;
    }
};

}  // namespace parprims::detail::device
