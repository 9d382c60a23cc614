// Steps 1 to 3 in wavefronts of 64 lanes, as AMD's GPUs have them, beside a published profile of an MI250.
#include "reduction_ladder/tables.hpp"

#include <bit>

namespace reduction_ladder {

using samples::table;

namespace {

/// Vector instructions that clang 15 makes of a step for gfx90a; tests/hip/check.py compares. A profile's active lanes are an average over
/// these alone: no loads, no stores, no scalar instructions. The executor knows which lanes are where; it does not see instructions.
struct vector_instructions {
    double once;      ///< of a wavefront, by all lanes
    double round;     ///< of a wavefront in each round of the loop, by all lanes
    double addition;  ///< by the lanes that add, in wavefronts that have some
    double last;      ///< of a block, by the lane that leaves its sum
};
constexpr vector_instructions instructions_of[] = {{}, {10, 2, 2, 1}, {10, 2, 4, 1}, {10, 1, 2, 1}};

struct published {
    double lanes;  ///< of 64; 0: not given
    double conflict_cycles;
};
constexpr published mi250[] = {{}, {45.85, -1}, {60.23, 28.13}, {0, 0}};

/// An average over the vector instructions of one launch.
double active_lanes(const vector_instructions& of, const samples::counts& did, unsigned block)
{
    const auto blocks = static_cast<double>(did.blocks);
    const auto rounds = static_cast<double>(std::bit_width(block) - 1);
    const double by_all = blocks * (block / 64.0) * (of.once + rounds * of.round);
    // An addition loads two values, and the last lane one.
    const double additions = (static_cast<double>(did.shared_loads) - blocks) / 2;
    const double adding_lanes = (static_cast<double>(did.shared_load_lanes) - blocks) / 2;
    return (64 * by_all + of.addition * adding_lanes + of.last * blocks) /
           (by_all + of.addition * additions + of.last * blocks);
}

samples::cell given(double value)
{
    return value < 0 ? samples::nothing : samples::cell{value, "{:.2f}"};
}

}  // namespace

findings count_wavefronts(const experiment& what)
{
    findings all{table({{"step", "step"},
                        {"n", "n"},
                        {"wavefronts", "wavefronts"},
                        {"conflicts", "conflict_cycles", false},
                        {"MI250", "published_conflict_cycles", false},
                        {"operations", "lanes_of_operations"},
                        {"vector instr.", "lanes_of_vector_instructions"},
                        {"MI250", "published_lanes"},
                        {"sum", "is_right"}}),
                 {"Lanes of a wavefront", "values", "lanes of 64"}};
    const auto block = static_cast<unsigned>(what.blocks.front());
    for (const std::size_t n : what.sizes)
        for (const int step : what.steps) {
            request one{step, n, block};
            one.how = finish::cpu;  // one launch
            one.warp_threads = 64;
            const result found = what.machine.run(one);
            const auto wavefronts = static_cast<double>(found.did.blocks) * (block / 64.0);
            const double lanes = active_lanes(instructions_of[step], found.did, block);
            all.rows.add({std::to_string(step) + " " + names[step],
                          samples::size_of(n),
                          static_cast<std::size_t>(wavefronts),
                          {static_cast<double>(found.did.bank_conflicts) / wavefronts, "{:.3f}"},
                          given(mi250[step].conflict_cycles),
                          {found.did.active_lanes(), "{:.2f}"},
                          {lanes, "{:.2f}"},
                          given(mi250[step].lanes == 0 ? -1 : mi250[step].lanes),
                          found.is_right});
            all.all_right = all.all_right && found.is_right;
            all.chart.add(names[step], static_cast<double>(n), lanes);
        }
    all.cells =
        "conflicts on banks, passes for each wavefront; then lanes of 64, on average over operations of the executor "
        "and over "
        "vector instructions";
    return all;
}

}  // namespace reduction_ladder
