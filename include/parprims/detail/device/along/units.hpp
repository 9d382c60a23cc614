/// @file
/// @brief  The unit of work of a thread in calls along dimensions: one position of a line, or positions that lie in one packet.
///
/// A position is a column of a chunk of the line. Positions are numbered chunk by chunk. Leaves, which are eight of them, are in leaves.hpp.
/// Position q has the elements `q / row * chunk + q % row + r * row` for r = 0, 1, ..., up to the end of its chunk or of the line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/runs.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The elements of a position, and of the positions behind it in its chunk.
template <unsigned Row, std::size_t Chunk>
struct position_elements {
    std::size_t first;  // index in the line of the position's first element
    unsigned rows;      // elements that this position and each later one of its chunk have at least
    unsigned longer;    // the first `longer` of these positions have one element more

    PARPRIMS_DEVICE static position_elements of(std::size_t position, std::size_t length)
    {
        const std::size_t begin = position / Row * Chunk;
        const auto column = static_cast<unsigned>(position % Row);
        const unsigned left = static_cast<unsigned>(length - begin < Chunk ? length - begin : Chunk) - column;
        return {begin + column, left / Row, left % Row};
    }
};

/// The array of a call. Elements become operands: values of a reduction, or values that are compared.
/// @tparam Row  positions of a chunk of a line
template <class Input, class Operand, class Transform, unsigned Row>
struct along_array {
    using input_type = Input;
    using value_type = typename Input::value_type;
    using operand_type = Operand;
    static constexpr unsigned row = Row;
    static constexpr std::size_t chunk = std::size_t{order::chunk_rows} * row;

    using in_flight = element_in_flight<Input, Operand>;
    using element_type = typename in_flight::type;

    Input input;  // begins at the array's element with the lowest address
    array_lines lines;
    std::size_t start;   // offset of the array's first element in `input`
    std::size_t reach;   // elements from the lowest to the highest address
    std::size_t stride;  // from an element of a run to the next one
    row_steps steps;
    Transform transform;

    PARPRIMS_DEVICE std::size_t begin_of(std::size_t line) const
    {
        return start + static_cast<std::size_t>(lines.lines.offset(line));
    }

    PARPRIMS_DEVICE element_type load(std::size_t at) const { return in_flight::load(input, transform, at); }
    PARPRIMS_DEVICE Operand operand(const element_type& element) const
    {
        return in_flight::operand(input, transform, element);
    }
};

/// Units are single positions, or aligned packets of neighbouring elements. A run is a range of elements without gaps, which units cover:
/// those of all lines of a tile at one position or, if these lines fill the distance between two elements of a line, at all positions of a
/// row of the chunk. Elements in the first and the last packet that lie outside of the run are ignored.
template <class Array, unsigned Items>
struct along_units {
    using value_type = typename Array::value_type;
    using operand_type = typename Array::operand_type;
    using element_type = typename Array::element_type;
    static constexpr bool has_packets = Items > 1;
    static constexpr unsigned row = Array::row;
    static_assert(row % Items == 0);
    using packet_type = simt::packet<has_packets ? Items * sizeof(element_type) : 1>;
    using loaded = std::conditional_t<has_packets, packet_type, uninitialized<element_type>>;

    struct unit {
        std::size_t from;    // offset of its element 0 or, if lines have several dimensions, of its line
        std::size_t number;  // index in the line of the run's first element
        unsigned place;      // where the block stores the total of element 0
        unsigned in_run;     // index of element 0 in the run; wraps below 0 if the run begins behind it
        unsigned begin;      // elements [begin, end) belong to the run
        unsigned end;
        unsigned longer;  // elements [begin, longer) have one row more than `rows`
        unsigned rows;    // rows that all elements [begin, end) have
        bool is_inside;   // whether the packets of all its rows lie in the array

        PARPRIMS_DEVICE bool has(unsigned k) const { return k >= begin && k < end; }
        /// Rows of element k; 0 if it does not belong to the run.
        PARPRIMS_DEVICE unsigned rows_of(unsigned k) const { return has(k) ? rows + (k < longer ? 1 : 0) : 0; }
        PARPRIMS_DEVICE unsigned most_rows() const { return rows + (begin < longer ? 1 : 0); }
    };

    const Array& array;
    const along_plan& plan;

    PARPRIMS_DEVICE static std::size_t signed_number(unsigned number)
    {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(static_cast<int>(number)));
    }

    /// The index in its packet of a position of a line that begins at `from`: equal for all its rows, as `row * stride` is whole packets.
    PARPRIMS_DEVICE unsigned shift_of(std::size_t from, std::size_t position) const
    {
        if constexpr (has_packets) {
            const std::size_t first = reinterpret_cast<std::uintptr_t>(array.input.data) / sizeof(element_type);
            return static_cast<unsigned>(first + from + position * array.stride) % Items;
        } else {
            return 0;
        }
    }

    /// Unit u of the block. A unit with `rows_of(k) == 0` for all k has no elements.
    PARPRIMS_DEVICE unit find(const along_tile& tile, unsigned u) const
    {
        const bool is_along_line = !has_packets && plan.shape.lanes_along_line;
        const unsigned width = is_along_line ? plan.share_positions : plan.run_units;
        const unsigned slow = u < width ? 0 : u / width, fast = u - slow * width;
        const unsigned run = is_along_line ? fast : slow, number = is_along_line ? slow : fast;
        const unsigned position = plan.has_whole_rows ? run * row : run;
        unit found{};
        found.is_inside = !has_packets;
        if (position >= tile.positions)
            return found;
        const unsigned run_positions = plan.has_whole_rows ? smaller_of(tile.positions - position, row) : 1;
        const auto elements =
            position_elements<row, Array::chunk>::of(tile.first_position + position, plan.shape.length);
        const unsigned shift = has_packets ? (tile.shift + position * static_cast<unsigned>(array.stride)) % Items : 0;
        const auto clipped = [&](unsigned of_run) {  // index in the run -> index in the packet, 0 to Items
            const unsigned behind = of_run + shift;
            return behind < number * Items ? 0 : smaller_of(behind - number * Items, Items);
        };
        found.begin = clipped(0);
        found.end = clipped(run_positions * tile.lines);
        if (found.begin >= found.end)
            return found;
        found.number = elements.first;
        found.in_run = number * Items - shift;
        found.place = position * tile.lines + found.in_run;
        found.longer = clipped(smaller_of(elements.longer, run_positions) * tile.lines);
        found.rows = elements.rows;
        if (found.longer >= found.end) {
            ++found.rows;
            found.longer = 0;
        }
        if (has_runs()) {
            found.from = has_packets ? tile.from : array.begin_of(tile.first_line + number);
            found.is_inside = true;
            return found;
        }
        const std::size_t skipped = elements.first * array.stride;
        if constexpr (has_packets) {
            found.from = tile.from + skipped + signed_number(found.in_run);
            const auto first = static_cast<std::ptrdiff_t>(found.from);
            const auto last = first + static_cast<std::ptrdiff_t>((found.most_rows() - 1) * row_step());
            found.is_inside =
                smaller_of(first, last) >= 0 &&
                larger_of(first, last) + static_cast<std::ptrdiff_t>(Items) <= static_cast<std::ptrdiff_t>(array.reach);
        } else {
            found.from = array.begin_of(tile.first_line + number) + skipped;
        }
        return found;
    }

    /// The distance between two rows of a position, in elements of the array.
    PARPRIMS_DEVICE std::size_t row_step() const { return row * array.stride; }

    /// Whether lines have several dimensions. Then packets lie along a line, and all of them inside of the array.
    PARPRIMS_DEVICE bool has_runs() const { return array.steps.count != 0; }
    /// Whether the elements of a packet are neighbouring positions of one line: then a thread also folds their totals.
    PARPRIMS_DEVICE bool has_line_packets() const { return has_packets && has_runs() && plan.has_whole_rows; }
    /// At the first row of a unit.
    template <bool HasRuns>
    PARPRIMS_DEVICE row_cursor rows_of(const unit& of) const
    {
        if (HasRuns && has_runs())
            return {array.lines.line, of.from, of.number + (has_packets ? signed_number(of.in_run) : 0)};
        return row_cursor(of.from);
    }

    /// Loads row r of a unit, which lies at `at`. If packets may reach outside of the array, loads only the elements of the run.
    template <bool IsInside>
    PARPRIMS_DEVICE loaded load([[maybe_unused]] const unit& of, [[maybe_unused]] unsigned r, std::size_t at) const
    {
        if constexpr (!has_packets) {
            return loaded(array.load(at));
        } else if constexpr (IsInside) {
            return simt::load_streaming(reinterpret_cast<const loaded*>(array.input.data + at));
        } else {
            loaded packet{};
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                if (r < of.rows_of(k))
                    simt::set_element(packet, k, array.load(at + k));
            return packet;
        }
    }

    PARPRIMS_DEVICE operand_type operand(const loaded& from, [[maybe_unused]] unsigned k) const
    {
        if constexpr (has_packets)
            return array.operand(simt::element<element_type>(from, k));
        else
            return array.operand(from.value);
    }

    /// For each element of a unit: how many positions it lies behind the run's first element.
    PARPRIMS_DEVICE void positions_of(const unit& of, unsigned (&positions)[Items]) const
    {
        const unsigned lines = plan.tile_lines, first = of.in_run + of.begin;
        unsigned position = plan.has_whole_rows ? first / lines : 0;
        unsigned line = first - position * lines;
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
            positions[k] = position;
            if (plan.has_whole_rows && k >= of.begin && ++line == lines) {
                line = 0;
                ++position;
            }
        }
    }
};

}  // namespace parprims::detail::device
