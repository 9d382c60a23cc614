/// @file
/// @brief  The kernel that scans lines that are not contiguous, or many short ones: a thread scans a row of the order contract, of any line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/line_rows.hpp>
#include <parprims/detail/device/along/online_scan.hpp>
#include <parprims/detail/device/along/row_stage.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Each thread scans a row, publishes its total, and folds the totals of the line's earlier rows in the order of the contract.
///
/// Forward progress: rows are numbered so that the earlier rows of a line have lower numbers, blocks draw numbers by ticket, and a thread
/// waits for rows of lower numbers only. The threads of a warp publish and wait in steps; in a step they wait for words of earlier steps only.
///
/// @tparam  IsStaged  a warp copies its rows from and to memory in the order in which they lie there. Otherwise each thread reads and writes
///                    its own row: its neighbours' elements lie beside its own
template <scan_kind Kind, class T, class Input, class Output, class Op, class Transform, bool IsStaged>
struct line_rows_kernel {
    using row_type = thread_line_row<T, Input, Op, Transform, IsStaged>;
    using words_type = tile_words<T>;
    using place = typename line_rows<T>::place;
    static constexpr unsigned max_threads = along_scan_threads;
    static constexpr unsigned min_blocks = !row_type::is_held           ? 0
                                           : IsStaged && sizeof(T) <= 4 ? along_stage_blocks_per_sm
                                                                        : along_scan_blocks_per_sm;
    /// Whether elements are copied to shared memory as they are.
    static constexpr bool copies_elements = std::is_same_v<Input, pointer_input<T>> &&
                                            std::is_same_v<Transform, identity> && sizeof(T) % 4 == 0 &&
                                            alignof(T) == sizeof(T) && sizeof(T) <= 16;
    using packet = simt::packet<copies_elements ? sizeof(T) : 1>;
    static constexpr unsigned tile_rows = order::tile_rows<T>;
    static constexpr unsigned window_rows = along_window_rows;
    static_assert(tile_rows <= window_rows * window_rows);
    static_assert(order::group_tiles * tile_rows >=
                  simt::warp_size);  // a warp has at most one row of a line that ends a group

    struct alignas(simt::shared_line_bytes) shared_storage {
        std::size_t ticket;
    };
    static constexpr std::size_t shared_bytes(unsigned threads, unsigned span)
    {
        return sizeof(shared_storage) +
               (row_type::is_held ? threads / simt::warp_size * row_type::held_values(span) * sizeof(T) : 0);
    }
    /// Words of all lines. First one for each row: its total or, for the last row of a tile, the tile's total. Then one for each row: the
    /// total of the window that ends with it. Then one for each tile: its prefix.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t words_of(std::size_t lines, std::size_t rows_of_line)
    {
        return lines * (2 * rows_of_line + order::ceil_div(rows_of_line, std::size_t{tile_rows}));
    }

    line_rows<T> rows;
    Input input;
    Output output;
    maybe<T> init;
    Op op;
    Transform transform;
    words_type words;
    unsigned span;           // elements of a row, at most
    unsigned log_lanes;      // how rows are read: see `stage_log_lanes`
    unsigned out_log_lanes;  // how they are written

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Draw a ticket, and read the row.
        if (block.thread() == 0)
            simt::store(&shared.ticket, rows.rows == 1 ? block.index() : words.draw(0));
        block.sync();
        const std::size_t i = simt::load(&shared.ticket) * block.threads() + block.thread();
        const bool has_row = i < rows.lines * rows.rows;
        const place at = rows.at(has_row ? i : 0);
        const unsigned count = has_row ? rows.count(at.row) : 0;
        auto* const held =
            reinterpret_cast<uninitialized<T>*>(&shared + 1) + block.warp() * row_type::held_values(span);
        uninitialized<T>* const held_row = held + block.lane();
        const row_stage<T> stage{span};
        const std::size_t from = rows.input(at), to = rows.output(at);
        if constexpr (IsStaged) {
            stage.copy(
                log_lanes, from, count, rows.step(),
                [&](std::size_t e, unsigned shared_place) {
                    if constexpr (copies_elements)
                        simt::copy_async(reinterpret_cast<packet*>(held) + shared_place,
                                         reinterpret_cast<const packet*>(input.data) + e);
                    else
                        return device::operand<T, Input>(transform, input[e]);
                },
                [&](std::size_t, unsigned shared_place, const T& value) { simt::store(held, shared_place, value); });
            simt::commit_copies();
            simt::wait_copies<0>();
            simt::sync_warp();
        }
        const row_type row{input,
                           op,
                           transform,
                           IsStaged ? 0 : from,
                           IsStaged ? 1 : rows.step(),
                           count,
                           held_row,
                           IsStaged ? held_row + span * row_type::pitch : held_row};
        uninitialized<T> total;
        if (row_type::keeps_totals || (has_row && at.row + 1 < rows.rows))
            total = row.load();
        // Without these two barriers lanes that part here, or wait for different words, stay apart: long rows took 1.7 times as long (b1958cdc).
        if constexpr (IsStaged)
            simt::sync_warp();

        // 2. Find the prefix of the row.
        const maybe<T> before = rows.rows == 1 ? init : find_before(at, has_row, total);

        // 3. Write the results.
        if constexpr (IsStaged) {
            simt::sync_warp();
            row.template write<Kind>(before, 1,
                                     [&](std::size_t e, const T& value) { row.hold(static_cast<unsigned>(e), value); });
            simt::sync_warp();
            stage.copy(
                out_log_lanes, to, count, rows.out_step(),
                [&](std::size_t, unsigned shared_place) { return simt::load(held, shared_place); },
                [&](std::size_t e, unsigned, const T& value) { output.set(e, value); });
        } else {
            row.template write<Kind>(before, rows.out_step(),
                                     [&](std::size_t behind, const T& value) { output.set(to + behind, value); });
        }
    }

private:
    /// The row of a lane in its tile, and where its words are.
    struct tile_row {
        place at;
        std::size_t tile;  // of the line
        unsigned number;   // index of the row in the tile
        bool exists;
        bool has_next;            // the line has a next row
        bool ends_tile;           // the line has a next row, and it begins a tile
        std::size_t total_word;   // of the row's total, or of the tile's if the row ends it
        std::size_t window_word;  // of the window that ends with the row
    };
    using window_values = uninitialized<T>[1 + window_rows];  // [0]: its own, [1]: of the one before, ...

    /// The prefix of a row, for all lanes of a warp: the prefix of its tile, combined with the Hillis-Steele scan of the totals of the tile's
    /// earlier rows. That scan is a tree over these rows, counted back from the last one. Its lowest three levels are windows of eight rows.
    PARPRIMS_DEVICE maybe<T> find_before(const place& at, bool has_row, const uninitialized<T>& total) const
    {
        const tile_row row = tile_row_of(at, has_row);
        window_values totals, windows;
        totals[0] = total;
        publish_total(row, totals);
        simt::sync_warp();
        publish_window(row, totals, windows);
        simt::sync_warp();
        publish_tile_total(row, windows);
        simt::sync_warp();
        publish_before_next(row);
        return before_row(row, totals, windows);
    }

    PARPRIMS_DEVICE tile_row tile_row_of(const place& at, bool exists) const
    {
        const auto number = static_cast<unsigned>(exists ? at.row % tile_rows : 0);
        const bool has_next = exists && at.row + 1 < rows.rows;
        return {at,
                at.row / tile_rows,
                number,
                exists,
                has_next,
                has_next && number + 1 == tile_rows,
                word(at, at.row),
                word(at, rows.rows + at.row)};
    }

    PARPRIMS_DEVICE void publish_total(const tile_row& row, const window_values& totals) const
    {
        if (row.has_next && !row.ends_tile)
            words.publish_alone(row.total_word, totals[0].value);
    }

    /// Waits for the totals of the rows before, and publishes the total of the window that ends with this row.
    PARPRIMS_DEVICE void publish_window(const tile_row& row, window_values& totals, window_values& windows) const
    {
        take(row.total_word, back(), smaller_of(row.number, window_rows), totals);
        if (!row.has_next)
            return;
        windows[0].value = fold_back(totals, smaller_of(row.number + 1, window_rows));
        if (!row.ends_tile)
            words.publish_alone(row.window_word, windows[0].value);
    }

    /// For the last row of a tile: waits for the windows before, and publishes the total of the tile.
    PARPRIMS_DEVICE void publish_tile_total(const tile_row& row, window_values& windows) const
    {
        if (!row.ends_tile)
            return;
        take(row.window_word, window_rows * back(), row.number / window_rows, windows);
        words.publish_alone(row.total_word, fold_back(windows, row.number / window_rows + 1));
    }

    /// For the last row of a tile: publishes the prefix of the next tile. Lanes whose tile ends a group of tiles go first, because other lanes
    /// of the warp may wait for the prefix of the next group.
    PARPRIMS_DEVICE void publish_before_next(const tile_row& row) const
    {
        const auto publish = [&] { words.publish_alone(before_tile(row.at, row.tile + 1), find_before_next(row)); };
        const bool ends_group = (row.tile + 1) % order::group_tiles == 0;
        if (row.ends_tile && ends_group)
            publish();
        simt::sync_warp();
        if (row.ends_tile && !ends_group)
            publish();
        simt::sync_warp();
    }

    /// Combines the prefix of the tile with the totals of its earlier rows.
    PARPRIMS_DEVICE maybe<T> before_row(const tile_row& row, const window_values& totals, window_values& windows) const
    {
        maybe<T> before = init;
        if (row.exists && row.tile != 0)
            before.set(words.wait(before_tile(row.at, row.tile)));
        if (row.number != 0) {
            const unsigned more = (row.number - 1) / window_rows;
            windows[0].value = fold_back(totals + 1, smaller_of(row.number, window_rows));
            take(row.window_word + static_cast<std::size_t>(back()), window_rows * back(), more, windows);
            before.set(before.then(fold_back(windows, more + 1), op));
        }
        return before;
    }

    /// The number of word w of a line. Neighbouring lanes have neighbouring words.
    PARPRIMS_DEVICE std::size_t word(const place& at, std::size_t w) const
    {
        return rows.lanes_along_line ? at.line * words_of(1, rows.rows) + w : w * rows.lines + at.line;
    }
    /// The distance from the word of a row to the word of the row before.
    PARPRIMS_DEVICE std::ptrdiff_t back() const
    {
        return rows.lanes_along_line ? -1 : -static_cast<std::ptrdiff_t>(rows.lines);
    }
    PARPRIMS_DEVICE std::size_t before_tile(const place& at, std::size_t tile) const
    {
        return word(at, 2 * rows.rows + tile);
    }

    /// Waits for words `first + k * step`, and stores their values as `values[k]`, for k from 1 to `count`, at most `window_rows`. If values
    /// have few words, all are read before one is waited for.
    PARPRIMS_DEVICE void take(std::size_t first, std::ptrdiff_t step, unsigned count, uninitialized<T>* values) const
    {
        const auto place = [&](unsigned k) {
            return first + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(k) * step);
        };
        if constexpr (words_type::reads_ahead) {
            typename words_type::found_words found[1 + window_rows];
            block::spin_until([&] {
                bool are_there = true;
#pragma unroll
                for (unsigned k = 1; k <= window_rows; ++k)
                    if (k <= count)
                        words.read(place(k), found[k]);
#pragma unroll
                for (unsigned k = 1; k <= window_rows; ++k)
                    are_there = are_there && (k > count || found[k].are_ready());
                return are_there;
            });
#pragma unroll
            for (unsigned k = 1; k <= window_rows; ++k)
                if (k <= count)
                    values[k].value = found[k].total();
        } else {
#pragma unroll 1
            for (unsigned k = 1; k <= count; ++k)
                values[k].value = words.wait(place(k));
        }
    }

    /// The tree over `count` values that are in reverse order: in each combination the later value of the array is the left operand, because
    /// it comes earlier in the line.
    PARPRIMS_DEVICE T fold_back(const uninitialized<T>* leaves, unsigned count) const
    {
        uninitialized<T> values[window_rows];
#pragma unroll
        for (unsigned k = 0; k < window_rows; ++k)
            if (k < count)
                values[k] = leaves[k];
#pragma unroll
        for (unsigned distance = 1; distance < window_rows; distance *= 2)
#pragma unroll
            for (unsigned k = 0; k < window_rows; k += 2 * distance)
                if (k + distance < count)
                    values[k].value = warp::combine<T>(op, values[k + distance].value, values[k].value);
        return values[0].value;
    }

    /// The prefix of the next tile, for the last row of a tile.
    PARPRIMS_DEVICE T find_before_next(const tile_row& row) const
    {
        const std::size_t first = row.tile / order::group_tiles * order::group_tiles;
        tree_counter<T, 5> tree;
        const auto tiles = static_cast<unsigned>(row.tile - first + 1);
#pragma unroll 1
        for (unsigned begin = 0; begin < tiles; begin += window_rows) {
            uninitialized<T> totals[window_rows + 1];
            const unsigned count = smaller_of(tiles - begin, window_rows);
            take(word(row.at, (first + begin) * tile_rows - 1), -static_cast<std::ptrdiff_t>(tile_rows) * back(), count,
                 totals);
#pragma unroll 1
            for (unsigned k = 0; k < count; ++k)
                tree.push(begin + k, totals[k + 1].value, op);
        }
        const T total = tree.total(tiles, op);
        maybe<T> anchor = init;
        if (first != 0)  // last, because the groups of a line wait for each other
            anchor.set(words.wait(before_tile(row.at, first)));
        return anchor.then(total, op);
    }
};

}  // namespace parprims::detail::device
