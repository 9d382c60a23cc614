/// @file
/// @brief  The kernel of reductions along dimensions: threads fold positions of lines, blocks the positions of neighbouring lines.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/along/leaves.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tile_tree.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/along/units.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The total of the rows of a position that a thread has folded so far.
template <class T>
struct position_total {
    uninitialized<T> total;

    template <class Op>
    PARPRIMS_DEVICE void take(Op op, unsigned r, const T& operand)
    {
        warp::accumulate(op, total, r == 0, operand);
    }
    template <class Place>
    PARPRIMS_DEVICE const T& result(Place) const
    {
        return total.value;
    }
};
template <is_located T>
struct position_total<T> {
    typename T::in_order best;

    template <class Op, class Operand>
    PARPRIMS_DEVICE void take(Op op, unsigned r, const Operand& operand)
    {
        best.take(op.search, r == 0, operand, r);
    }
    /// @param  place  `place(r)` is the position in the line of the element in row r
    template <class Place>
    PARPRIMS_DEVICE T result(Place place) const
    {
        return best.template located<T>(place);
    }
};

/// A block folds a share of the positions of a tile of lines. Its threads fold units or leaves to totals in shared memory; then the block folds the
/// tree over the totals of each line. If lines have several shares, the last block to arrive for a tile folds the totals of the shares.
///
/// @tparam Array   an `along_array`
/// @tparam Items   elements of a unit, or lines of which a thread folds leaves
/// @tparam Finish  writes the result of a line
template <class Array, class T, class Op, class Finish, unsigned Items, along_way Way>
struct along_kernel {
    using units_type = along_units<Array, Items>;
    using unit_type = typename units_type::unit;
    using loaded = typename units_type::loaded;
    static constexpr unsigned row = units_type::row;
    static constexpr bool has_places = is_located<T>;
    static constexpr bool may_have_runs = Way == along_way::positions;     // lines of several dimensions
    static constexpr unsigned batch = along_loads<T, Items, loaded, Way>;  // rows whose loads are in flight
    static constexpr unsigned max_threads = along_threads;
    static constexpr unsigned min_blocks = along_min_blocks<T, Items, Way>;

    struct shared_storage {
        bool is_last;
        alignas(
            simt::shared_line_bytes) simt::shared_array<unsigned char> memory;  // `along_plan::shared_values` values
    };

    Array array;
    std::size_t out_start;  // where the result of the first line goes
    Op op;
    Finish finish;
    along_plan plan;
    along_shares<T> shares;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const totals = reinterpret_cast<uninitialized<T>*>(shared.memory.data());
        const units_type units{array, plan};
        const std::size_t items = plan.tiles * plan.shares;
#pragma unroll 1
        for (std::size_t item = block.index(); item < items; item += block.count()) {
            const std::size_t share = plan.shares == 1 ? 0 : item / plan.tiles;
            const std::size_t tile_number = item - share * plan.tiles;
            const along_tile tile = tile_of(units, tile_number, share);

            // 1. Each thread folds units, or leaves.
#pragma unroll 1
            for (unsigned u = block.thread(); u < plan.units; u += block.threads())
                if constexpr (Way == along_way::leaves)
                    device::fold_leaves<T, Items>(array, plan, tile, u, op, totals);
                else if (const unit_type unit = units.find(tile, u); unit.is_inside)
                    fold_unit<true>(units, unit, totals);
                else
                    fold_unit<false>(units, unit, totals);
            block.sync();

            // 2. The block folds the totals of each line: those of positions, of leaves, or of packets along the line.
            const unsigned folded_by_thread = may_have_runs && units.has_line_packets() ? Items : 1;
            device::fold_totals(block, totals, tile.positions / folded_by_thread, tile.lines, op);

            // 3. The last block to arrive for a tile folds the totals of its shares.
            if (plan.shares == 1 || shares.fold(block, shared.is_last, totals, plan, tile_number, tile, share, op))
                device::for_each_line(block, tile.lines, [&](unsigned l) {
                    finish(out_start + static_cast<std::size_t>(array.lines.lines.out_offset(tile.first_line + l)),
                           simt::load(totals, l));
                });
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE along_tile tile_of(const units_type& units, std::size_t tile, std::size_t share) const
    {
        const std::size_t group = plan.group_tiles == plan.tiles ? 0 : tile / plan.group_tiles;
        const std::size_t skipped = (tile - group * plan.group_tiles) * plan.tile_lines;
        const std::size_t first_line = group * plan.shape.group_lines + skipped;
        const std::size_t first_position = share * plan.share_positions;
        const std::size_t from = array.begin_of(first_line);
        return {first_line,
                from,
                first_position,
                static_cast<unsigned>(smaller_of<std::size_t>(plan.shape.group_lines - skipped, plan.tile_lines)),
                static_cast<unsigned>(smaller_of<std::size_t>(plan.positions - first_position, plan.share_positions)),
                units.shift_of(from, first_position)};
    }

    /// For one thread: folds the positions of a unit.
    template <bool IsInside>
    PARPRIMS_DEVICE void fold_unit(const units_type& units, const unit_type& unit, uninitialized<T>* totals) const
    {
        constexpr bool has_code_of_runs = IsInside && may_have_runs;
        position_total<T> total[Items];
        row_cursor rows = units.template rows_of<has_code_of_runs>(unit);
        unsigned r = 0;
        if constexpr (IsInside) {
#pragma unroll 1
            for (; r + batch <= unit.rows; r += batch)
                fold_rows<true, true>(units, unit, r, rows, total);
        }
#pragma unroll 1
        for (; r < unit.most_rows(); r += batch)
            fold_rows<IsInside, false>(units, unit, r, rows, total);
        unsigned positions[Items] = {};
        if constexpr (has_places)
            units.positions_of(unit, positions);
        const auto result = [&](unsigned k) {
            return total[k].result(
                [&](unsigned row_number) { return unit.number + (positions[k] + row_number * row); });
        };
        if (has_code_of_runs && units.has_line_packets()) {
            simt::store(totals, unit.place / Items,
                        device::fold_radix<T, Items>([](unsigned) { return true; }, result, op));
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            if (unit.rows_of(k) != 0)
                simt::store(totals, unit.place + k, result(k));
    }

    /// Folds a batch of rows from r on. `AreFull`: all elements of the unit that belong to the run have these rows.
    template <bool IsInside, bool AreFull>
    PARPRIMS_DEVICE void fold_rows(const units_type& units, const unit_type& unit, unsigned r, row_cursor& rows,
                                   position_total<T> (&total)[Items]) const
    {
        constexpr bool has_code_of_runs = IsInside && may_have_runs;
        loaded elements[batch];
        const auto load = [&]<bool HasRuns>(std::bool_constant<HasRuns>) {
#pragma unroll
            for (unsigned b = 0; b < batch; ++b, rows.template next<HasRuns>(array.steps))
                if (AreFull || r + b < unit.most_rows())
                    elements[b] = units.template load<IsInside>(unit, r + b, rows.at());
        };
        if (has_code_of_runs && units.has_runs())
            load(std::bool_constant<has_code_of_runs>{});
        else
            load(std::false_type{});
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            if (unit.has(k)) {
                const unsigned count = AreFull ? r + batch : unit.rows_of(k);
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    if (AreFull || r + b < count)
                        total[k].take(op, r + b, units.operand(elements[b], k));
            }
    }
};

}  // namespace parprims::detail::device
