// A reduction of the lines of a matrix by several blocks, and scans of its rows, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
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

    /// A thread that folds a whole line shares nothing.
    void change(device::along_choice& choice) const { choice.is_short = false; }
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

    std::size_t positions = 1;
};

void check_columns(std::uint64_t seed, std::size_t rows, std::size_t positions)
{
    memory<value> values(rows * columns);
    fill(values);
    memory<value> sums(columns);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.positions = positions;
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
}

/// Rows of two tiles, so that each warp has the rows of a tile and then of the next one.
void check_row_scans(std::uint64_t seed)
{
    constexpr std::size_t rows = 2, length = order::tile<value> + 3 * order::row<value>;
    memory<value> values(rows * length);
    fill(values);
    memory<value> sums(rows * length);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    const parprims::detail::dimension matrix[] = {{rows, length, length}, {length, 1, 1}};
    const bool along_columns[] = {false, true};
    const device::placed_lines<const value*, value*> lines{parprims::detail::lines_along(matrix, 2, along_columns),
                                                           values.data(), 0, sums.data(), 0};
    device::enqueue_scan_along<parprims::detail::scan_kind::inclusive, value>(
        on, {}, lines, static_cast<const value*>(nullptr), parprims::plus{}, parprims::identity{});
    for (std::size_t r = 0; r < rows; ++r) {
        value sum = 0;
        for (std::size_t i = r * length; i < (r + 1) * length; ++i) {
            sum += values[i];
            mutants::require(sums[i] == sum, "row scans");
        }
    }
}

/// Columns of two tiles; a warp has rows of all columns.
void check_column_scans(std::uint64_t seed)
{
    constexpr std::size_t scanned = 7, length = order::tile<value> + 12 * order::row<value>;
    memory<value> values(scanned * length);
    fill(values);
    memory<value> sums(scanned * length);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    const parprims::detail::dimension matrix[] = {{length, scanned, scanned}, {scanned, 1, 1}};
    const bool along_rows[] = {true, false};
    const device::placed_lines<const value*, value*> lines{parprims::detail::lines_along(matrix, 2, along_rows),
                                                           values.data(), 0, sums.data(), 0};
    device::enqueue_scan_along<parprims::detail::scan_kind::inclusive, value>(
        on, {}, lines, static_cast<const value*>(nullptr), parprims::plus{}, parprims::identity{});
    for (std::size_t c = 0; c < scanned; ++c) {
        value sum = 0;
        for (std::size_t i = c; i < scanned * length; i += scanned) {
            sum += values[i];
            mutants::require(sums[i] == sum, "column scans");
        }
    }
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_columns(seed);
        check_row_scans(seed);
        if (!has_tsan)
            check_column_scans(seed);
    });
}
