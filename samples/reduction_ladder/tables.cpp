#include "reduction_ladder/tables.hpp"

#include "support/report.hpp"

#include <fmt/format.h>

#include <utility>

namespace reduction_ladder {

using samples::cell;
using samples::table;

namespace {

std::string name_of(int step)
{
    return fmt::format("{} {}", step, names[step]);
}

std::string name_of(finish how)
{
    return how == finish::gpu ? "GPU alone" : how == finish::cpu ? "GPU then CPU" : "hybrid";
}

request make_request(const experiment& what, int step, std::size_t n)
{
    request one;
    one.step = step;
    one.n = n;
    one.block = static_cast<unsigned>(what.blocks.front());
    one.grid = what.grids.front();
    one.how = what.finishes.front();
    one.threshold = what.threshold;
    return one;
}

std::vector<int> steps_that_are_there(const experiment& what)
{
    std::vector<int> steps;
    for (const int step : what.steps)
        if (what.machine.has(step))
            steps.push_back(step);
    return steps;
}

std::vector<table::column> times_header(bool has_peak)
{
    std::vector<table::column> header{
        {"step", "step"}, {"n", "n"}, {"time", "seconds"}, {"GB/s", "gigabytes_per_second"}};
    if (has_peak)
        header.push_back({"of peak", "share_of_peak"});
    header.insert(header.end(), {{"last step x", "speed_up"}, {"first x", "speed_up_in_all"}, {"sum", "is_right"}});
    return header;
}

std::vector<cell> times_row(const experiment& what, int step, std::size_t n, const result& found, double last,
                            double first)
{
    const double bytes_per_second = static_cast<double>(n * what.value_bytes) / found.seconds;
    std::vector<cell> row{
        name_of(step), samples::size_of(n), samples::seconds_of(found.seconds), {bytes_per_second / 1e9, "{:.1f}"}};
    if (what.machine.peak_bytes_per_second() > 0)
        row.push_back(samples::percent(bytes_per_second / what.machine.peak_bytes_per_second()));
    row.push_back(last > 0 ? samples::cell{last / found.seconds, "{:.2f} x"} : samples::nothing);
    row.push_back(first > 0 ? samples::cell{first / found.seconds, "{:.2f} x"} : samples::nothing);
    row.push_back(found.is_right);
    return row;
}

findings climb_on_gpu(const experiment& what)
{
    findings all{table(times_header(what.machine.peak_bytes_per_second() > 0)),
                 {"A sum, step by step", "values", "GB/s"}};
    const auto steps = steps_that_are_there(what);
    samples::progress progress(steps.size() * what.sizes.size());
    for (const std::size_t n : what.sizes) {
        double last = 0, first = 0;
        for (const int step : steps) {
            progress.next(fmt::format("{}, n = {}", name_of(step), samples::format_size(n)));
            const result found = what.machine.run(make_request(what, step, n));
            all.rows.add(times_row(what, step, n, found, last, first));
            all.all_right = all.all_right && found.is_right;
            last = found.seconds;
            first = first == 0 ? last : first;
            all.chart.add(name_of(step), static_cast<double>(n),
                          static_cast<double>(n * what.value_bytes) / found.seconds / 1e9);
        }
    }
    return all;
}

findings climb_in_executor(const experiment& what)
{
    // Barriers would not do: step 0, which reads and writes memory at every halving, has none.
    findings all{samples::table(samples::count_columns({{"step", "step"}, {"n", "n"}}, {{"sum", "is_right"}})),
                 {"A sum, step by step", "values", "transactions for each value"}};
    const auto steps = steps_that_are_there(what);
    samples::progress progress(steps.size() * what.sizes.size());
    for (const std::size_t n : what.sizes)
        for (const int step : steps) {
            progress.next(fmt::format("{}, n = {}", name_of(step), samples::format_size(n)));
            const result found = what.machine.run(make_request(what, step, n));
            all.rows.add(samples::count_cells({name_of(step), samples::size_of(n)}, found.did, {found.is_right}));
            all.all_right = all.all_right && found.is_right;
            all.chart.add(name_of(step), static_cast<double>(n),
                          static_cast<double>(found.did.transactions) / static_cast<double>(n));
        }
    return all;
}

}  // namespace

findings climb(const experiment& what)
{
    return what.on_device ? climb_on_gpu(what) : climb_in_executor(what);
}

findings sweep(const experiment& what)
{
    std::vector<table::column> header{{"step", "step"}, {"n", "n"}, {"block", "block"}};
    for (const std::size_t grid : what.grids)
        header.push_back({fmt::format("grid {}", grid), fmt::format("grid_{}", grid)});
    header.push_back({"sum", "is_right"});
    findings all{table(header),
                 {"Block size against grid size", "blocks in the grid", what.on_device ? "microseconds" : "barriers",
                  false}};
    samples::progress progress(what.steps.size() * what.sizes.size() * what.blocks.size() * what.grids.size());
    const bool is_one = what.steps.size() == 1 && what.sizes.size() == 1;
    for (const int step : what.steps)
        for (const std::size_t n : what.sizes)
            for (const std::size_t block : what.blocks) {
                std::vector<cell> row{name_of(step), samples::size_of(n), block};
                bool is_right = true;
                const std::string line = is_one
                                             ? fmt::format("{} threads", block)
                                             : fmt::format("{}: {}, {} threads", step, samples::format_size(n), block);
                for (const std::size_t grid : what.grids) {
                    progress.next(fmt::format("block {}, grid {}", block, grid));
                    request one = make_request(what, step, n);
                    one.block = static_cast<unsigned>(block);
                    one.grid = grid;
                    const result found = what.machine.run(one);
                    is_right = is_right && found.is_right;
                    row.push_back(what.on_device ? samples::seconds_of(found.seconds)
                                                 : samples::cell(found.did.barriers));
                    all.chart.add(line, static_cast<double>(grid),
                                  what.on_device ? found.seconds * 1e6 : static_cast<double>(found.did.barriers));
                }
                row.push_back(is_right);
                all.rows.add(row);
                all.all_right = all.all_right && is_right;
            }
    all.cells = what.on_device ? "time of the kernels, for each number of blocks in the grid"
                               : "barriers in all blocks, for each number of blocks in the grid";
    return all;
}

findings compare_finishes(const experiment& what)
{
    std::vector<table::column> header{{"step", "step"}, {"n", "n"}};
    for (const finish how : what.finishes)
        header.push_back({name_of(how), name_of(how)});
    header.push_back({"sum", "is_right"});
    findings all{table(header),
                 {"Who adds the sums of the blocks", "values", what.on_device ? "seconds" : "launches",
                  what.on_device}};
    samples::progress progress(what.steps.size() * what.sizes.size() * what.finishes.size());
    for (const int step : what.steps)
        for (const std::size_t n : what.sizes) {
            std::vector<cell> row{name_of(step), samples::size_of(n)};
            bool is_right = true;
            for (const finish how : what.finishes) {
                progress.next(fmt::format("{}, n = {}", name_of(how), samples::format_size(n)));
                request one = make_request(what, step, n);
                one.how = how;
                const result found = what.machine.run(one);
                is_right = is_right && found.is_right;
                row.push_back(what.on_device ? samples::seconds_of(found.seconds_to_answer)
                                             : samples::cell(found.did.launches));
                all.chart.add(fmt::format("{}: {}", step, name_of(how)), static_cast<double>(n),
                              what.on_device ? found.seconds_to_answer : static_cast<double>(found.did.launches));
            }
            row.push_back(is_right);
            all.rows.add(row);
            all.all_right = all.all_right && is_right;
        }
    all.cells = what.on_device ? "time until the host has the sum" : "launches of kernels until the host has the sum";
    return all;
}

findings time_transfers(const experiment& what)
{
    findings all{table({{"step", "step"},
                        {"block", "block"},
                        {"n", "n"},
                        {"to GPU", "to_device_pageable"},
                        {"pinned", "to_device_pinned"},
                        {"kernels", "kernels"},
                        {"to host", "to_host_pageable"},
                        {"pinned", "to_host_pinned"},
                        {"in all", "in_all_pageable"},
                        {"pinned", "in_all_pinned"},
                        {"CPU", "cpu"},
                        {"CPU / kernels", "speed_up_kernels"},
                        {"CPU / all", "speed_up_in_all_pageable"},
                        {"pinned", "speed_up_in_all_pinned"},
                        {"sum", "is_right"}}),
                 {"Transfers, kernels and the CPU", "values", "seconds"}};
    samples::progress progress(what.steps.size() * what.blocks.size() * what.sizes.size());
    for (const std::size_t n : what.sizes)  // first, because the values stay from run to run
        for (const int step : what.steps)
            for (const std::size_t block : what.blocks) {
                progress.next(fmt::format("step {}, block {}, n = {}", step, block, samples::format_size(n)));
                request one = make_request(what, step, n);
                one.block = static_cast<unsigned>(block);
                const transfers t = what.machine.time_transfers(one);
                const double pageable = t.to_device_pageable + t.kernels + t.to_host_pageable;
                const double pinned = t.to_device_pinned + t.kernels + t.to_host_pinned;
                all.rows.add({name_of(step),
                              block,
                              samples::size_of(n),
                              samples::seconds_of(t.to_device_pageable),
                              samples::seconds_of(t.to_device_pinned),
                              samples::seconds_of(t.kernels),
                              samples::seconds_of(t.to_host_pageable),
                              samples::seconds_of(t.to_host_pinned),
                              samples::seconds_of(pageable),
                              samples::seconds_of(pinned),
                              samples::seconds_of(t.cpu),
                              {t.cpu / t.kernels, "{:.2f} x"},
                              {t.cpu / pageable, "{:.2f} x"},
                              {t.cpu / pinned, "{:.2f} x"},
                              t.is_right});
                all.all_right = all.all_right && t.is_right;
                if (step == what.steps.back() && block == what.blocks.back())
                    for (const auto& [name, seconds] : {std::pair{"to GPU, pageable", t.to_device_pageable},
                                                        std::pair{"to GPU, pinned", t.to_device_pinned},
                                                        std::pair{"kernels", t.kernels}, std::pair{"CPU", t.cpu}})
                        all.chart.add(name, static_cast<double>(n), seconds);
            }
    return all;
}

}  // namespace reduction_ladder
