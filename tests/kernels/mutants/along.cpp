// A reduction of the lines of a matrix by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/device/along/dispatch.hpp>

#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

using value = std::uint64_t;
constexpr std::size_t columns = 6;

/// Two warps, each with other positions of the same lines; several passes of a block, and several blocks of a tile, or
/// several tiles of a block.
class two_warps : public launcher {
public:
    using launcher::launcher;

    void change(device::along_plan& plan) const
    {
        plan.tile_columns = 4;
        plan.slots = 16;
        device::divide_lines(plan, passes);
        plan.blocks = plan.shares == 1 ? 1 : 3;
    }

    std::size_t passes = 1;
};

void check_columns(std::uint64_t seed, std::size_t rows, std::size_t passes)
{
    memory<value> values(rows * columns);
    fill(values);
    memory<value> sums(columns);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.passes = passes;
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
    check_columns(seed, 2 * order::chunk<value> + 500, 2 << seed % 4);
    check_columns(seed, 12, 1);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) { check_columns(seed); });
}
