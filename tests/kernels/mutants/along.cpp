// A reduction of the lines of a matrix by several blocks, and scans of its rows, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/along/extremes.hpp>
#include <parprims/detail/device/along/scan_dispatch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

using value = std::uint64_t;
constexpr std::size_t columns = 6;

/// Two warps, each with other positions of the same lines; several shares of a tile, or several tiles of a block.
class two_warps : public launcher {
public:
    using launcher::launcher;

    /// A thread that folds whole lines shares nothing.
    void change(device::along_choice& choice) const { choice.is_short = folds_whole_lines; }
    void change(device::along_leaves& leaves) const { leaves.are_folded = folds_leaves; }
    void change(device::along_plan& plan) const
    {
        plan.has_whole_rows = false;
        plan.tile_lines = 4;
        plan.share_positions = static_cast<unsigned>(std::min(plan.positions, positions));
        device::divide_lines(plan);
        plan.block_threads = 64;
        plan.blocks = plan.shares == 1 ? 1 : 3;
    }

    /// TSan has threads for no more.
    static constexpr unsigned held_rows = 64;
    void change(device::line_tiles_plan& plan) const { plan = {1, 64}; }

    /// Contiguous lines, too.
    void change(device::along_scan_choice& choice) const { choice.has_blocks = choice.has_blocks && !stages_rows; }

    std::size_t positions = 1;
    bool folds_whole_lines = false;
    bool folds_leaves = false;
    bool stages_rows = false;
};

void check_columns(std::uint64_t seed, std::size_t rows, std::size_t positions, bool folds_leaves = false)
{
    memory<value> values(rows * columns);
    fill(values);
    memory<value> sums(columns);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.positions = positions;
    on.folds_leaves = folds_leaves;
    const parprims::detail::dimension matrix[] = {{rows, columns, 0}, {columns, 1, 1}};
    const bool along_rows[] = {true, false};
    const device::placed_lines<const value*, value*> lines{parprims::detail::lines_along(matrix, 2, along_rows),
                                                           values.data(), 0, sums.data(), 0};
    device::enqueue_reduce_along(on, lines, value{5}, parprims::plus{}, parprims::identity{});
    for (std::size_t c = 0; c < columns; ++c) {
        value sum = 5;
        for (std::size_t r = 0; r < rows; ++r)
            sum += values[r * columns + c];
        mutants::require(sums[c] == sum, "columns");
    }
}

void check_columns(std::uint64_t seed)
{
    check_columns(seed, 2 * order::chunk<value> + 500, 4 << seed % 3);
    check_columns(seed, 20, 32);
    check_columns(seed, order::chunk<value> + 3 * order::row<value> + 13, 4, true);
}

/// The first maximum of each column, whose positions have several rows.
void check_extremes(std::uint64_t seed, bool folds_leaves)
{
    constexpr std::size_t rows = 5 * order::row<value> + 20;
    memory<value> values(rows * columns);
    fill(values);
    memory<std::uint32_t> places(columns);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.positions = 32;
    on.folds_leaves = folds_leaves;
    const parprims::detail::dimension matrix[] = {{rows, columns, 0}, {columns, 1, 1}};
    const bool along_rows[] = {true, false};
    const device::placed_lines<const value*, std::uint32_t*> lines{parprims::detail::lines_along(matrix, 2, along_rows),
                                                                   values.data(), 0, places.data(), 0};
    using search = parprims::detail::extreme_search<parprims::detail::extreme::maximum, parprims::less>;
    device::enqueue_extremes_along(on, lines, 0, search{});
    for (std::size_t c = 0; c < columns; ++c) {
        std::size_t best = 0;
        for (std::size_t r = 1; r < rows; ++r)
            best = values[best * columns + c] < values[r * columns + c] ? r : best;
        mutants::require(places[c] == best, "extremes of columns");
    }
}

/// Columns of the matrices of a cube, so few elements that a thread folds several. Those of a matrix are three tiles.
void check_short_columns(std::uint64_t seed)
{
    constexpr std::size_t matrices = 2, rows = 3, width = 1300, lines = matrices * width;
    memory<value> values(matrices * rows * width);
    fill(values);
    memory<value> sums(lines);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.folds_whole_lines = true;
    const parprims::detail::dimension cube[] = {{matrices, rows * width, width}, {rows, width, 0}, {width, 1, 1}};
    const bool along_rows[] = {false, true, false};
    const device::placed_lines<const value*, value*> at{parprims::detail::lines_along(cube, 3, along_rows),
                                                        values.data(), 0, sums.data(), 0};
    device::enqueue_reduce_along(on, at, value{5}, parprims::plus{}, parprims::identity{});
    for (std::size_t l = 0; l < lines; ++l) {
        const value* const first = values.data() + l / width * rows * width + l % width;
        mutants::require(sums[l] == first[0] + first[width] + first[2 * width] + 5, "short columns");
    }
}

/// Scans a matrix along a dimension: each result is the one before it plus the element.
void check_scans(std::uint64_t seed, unsigned dimension, std::size_t rows, std::size_t width, const char* what,
                 bool stages_rows = false)
{
    memory<value> values(rows * width);
    fill(values);
    memory<value> sums(rows * width);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.stages_rows = stages_rows;
    const parprims::detail::dimension matrix[] = {{rows, width, width}, {width, 1, 1}};
    const bool along[] = {dimension == 0, dimension == 1};
    const device::placed_lines<const value*, value*> lines{parprims::detail::lines_along(matrix, 2, along),
                                                           values.data(), 0, sums.data(), 0};
    device::enqueue_scan_along<parprims::detail::scan_kind::inclusive, value>(
        on, {}, lines, static_cast<const value*>(nullptr), parprims::plus{}, parprims::identity{});
    for (std::size_t i = 0; i < rows * width; ++i) {
        const bool is_first = dimension == 0 ? i < width : i % width == 0;
        const value before = is_first ? 0 : sums[i - (dimension == 0 ? width : 1)];
        mutants::require(sums[i] == before + values[i], what);
    }
}

/// Rows of two tiles, so that each warp has the rows of a tile and then of the next one.
void check_row_scans(std::uint64_t seed)
{
    check_scans(seed, 1, 2, order::tile<value> + 3 * order::row<value>, "row scans");
}

/// Columns of two tiles, of which the last row is a part; a warp has rows of all columns.
void check_column_scans(std::uint64_t seed)
{
    check_scans(seed, 0, order::tile<value> + 12 * order::row<value> + 5, 7, "column scans");
}

/// Lines of a few elements, and of two rows, which warps copy in the order of memory.
void check_short_row_scans(std::uint64_t seed)
{
    check_scans(seed, 1, 140, 5, "short row scans");
    check_scans(seed, 1, 3, order::row<value> + 6, "row scans through shared memory", true);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_columns(seed);
        check_extremes(seed, false);
        check_extremes(seed, true);
        check_row_scans(seed);
        check_short_row_scans(seed);
        if (!has_tsan) {
            check_short_columns(seed);
            check_column_scans(seed);
        }
    });
}
