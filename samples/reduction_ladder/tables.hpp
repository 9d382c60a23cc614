/// @file
/// @brief  The tables and charts of the ladder.
#pragma once

#include "reduction_ladder/engine.hpp"
#include "support/chart.hpp"
#include "support/table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace reduction_ladder {

/// What was asked for on the command line.
struct experiment {
    engine& machine;
    bool on_device;
    std::vector<int> steps;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> grids;
    std::vector<finish> finishes;
    std::size_t threshold;
    std::size_t value_bytes;
};

struct findings {
    samples::table rows;
    samples::line_chart chart;
    bool all_right = true;
    std::string cells{};  ///< what the cells of the table are, where its header does not say it
};

/// Every step at every size: times and speed-ups, or counts.
findings climb(const experiment& what);
/// Block size against grid size.
findings sweep(const experiment& what);
/// The second stage on the GPU, on the CPU, or on both.
findings compare_finishes(const experiment& what);
/// Steps 1 to 3 in the executor, in wavefronts of 64 lanes, beside a published profile.
findings count_wavefronts(const experiment& what);
/// The ways to the GPU and back beside the kernels, and the CPU by itself.
findings time_transfers(const experiment& what);

}  // namespace reduction_ladder
