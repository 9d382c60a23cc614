// A sum on a GPU, in eleven steps: from a kernel for each halving to the speed of memory.
//
// Each step changes one thing: where the values lie, which threads work, how many barriers there are, how much a thread
// does. On a GPU it prints times, GB/s and what each step gained. Without one the same kernels run on the CPU, lane by lane,
// and it prints what they did instead, which is why they are slow or fast.
//
//   reduction_ladder                                                  every step
//   reduction_ladder --sweep                                          block size against grid size
//   reduction_ladder --finish all --block 32 --sizes 2..2^31          who adds the sums of the blocks
//   reduction_ladder --transfers --sizes 2^23..2^29                   the way there and back, and the CPU
//   reduction_ladder --wavefronts                                     steps 1 to 3 as an AMD GPU counts them
#include "reduction_ladder/engine.hpp"
#include "reduction_ladder/tables.hpp"
#include "support/backend.hpp"
#include "support/report.hpp"
#include "support/request_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

namespace {

using namespace reduction_ladder;

struct options {
    samples::backend wish = samples::backend::automatic;
    std::string json;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> grids;
    std::vector<int> steps;
    std::string finish;
    std::size_t threshold = 0;  ///< 0: not on the command line
    std::string type = "int";
    bool sweep = false;
    bool transfers = false;
    std::string requests;
    bool wavefronts = false;
};

void choose_steps(options& chosen)
{
    if (!chosen.steps.empty())
        return;
    if (chosen.sweep || chosen.transfers)
        chosen.steps = {7};
    else if (chosen.wavefronts)
        chosen.steps = {1, 2, 3};
    else if (!chosen.finish.empty())
        chosen.steps = {3};
    else
        for (int step = 0; step <= cub_step; ++step)
            chosen.steps.push_back(step);
}

bool has_step(const options& chosen, int first, int last)
{
    return std::ranges::any_of(chosen.steps, [&](int step) { return first <= step && step <= last; });
}

/// What is not on the command line depends on the mode: sizes that take seconds.
void complete(options& chosen, bool on_device)
{
    const auto set = [](auto& list, std::initializer_list<std::size_t> values) {
        if (list.empty())
            list.assign(values.begin(), values.end());
    };
    const std::size_t n = std::size_t{1} << (on_device ? 24 : 14);
    if (chosen.sweep) {
        set(chosen.sizes, {n});
        set(chosen.blocks, {128, 256, 512, 1024});
        if (on_device)
            set(chosen.grids, {512, 1024, 2048, 4096});
        else
            set(chosen.grids, {2, 4, 8, 16});
    }
    set(chosen.sizes, {n});
    set(chosen.blocks, {chosen.wavefronts ? std::size_t{512} : std::size_t{128}});
    set(chosen.grids, {on_device ? std::size_t{2048} : std::size_t{16}});
    if (chosen.threshold == 0)
        chosen.threshold = 4096;
}

/// Refuses what would mean nothing.
void check(const options& chosen, bool on_device)
{
    for (const std::size_t block : chosen.blocks)
        if (block < 32 || block > 1024 || !std::has_single_bit(block))
            throw CLI::ValidationError("--block", fmt::format("{} is no power of two from 32 to 1024", block));
    if (has_step(chosen, parprims_step, cub_step) && (chosen.sweep || chosen.transfers || !chosen.finish.empty()))
        throw CLI::ValidationError("--steps", "parprims and CUB choose blocks, grid and finish by themselves");
    if (chosen.sweep && has_step(chosen, 0, 6))
        throw CLI::ValidationError("--steps",
                                   "of steps 0 to 6 the grid follows from the number of values; take 7 or 8");
    if (!on_device && chosen.transfers)
        throw CLI::ValidationError("--transfers", "measures the way to a GPU and back, and there is none here");
    if (on_device && !chosen.requests.empty())
        throw CLI::ValidationError("--requests", "shows what the CPU sees lane by lane: take --backend host");
    if (!on_device && !has_step(chosen, 0, parprims_step))
        throw CLI::ValidationError("--steps", "CUB needs a GPU, and there is none here");

    if (chosen.wavefronts && on_device)
        throw CLI::ValidationError("--wavefronts", "counts on the CPU");
    if (chosen.wavefronts && (has_step(chosen, 0, 0) || has_step(chosen, 4, cub_step)))
        throw CLI::ValidationError("--steps", "of wavefronts take 1 to 3");
    const std::size_t wavefront_unit = chosen.blocks.empty() ? 512 : chosen.blocks.front();
    if (chosen.wavefronts && (wavefront_unit == 32 || std::ranges::any_of(chosen.sizes, [&](std::size_t n) {
                                  return n % wavefront_unit != 0;
                              })))
        throw CLI::ValidationError("--wavefronts", "counts whole blocks of 64 threads or more");

    if (chosen.blocks.size() > 1 && !chosen.sweep && !chosen.transfers)
        throw CLI::ValidationError("--block", "several sizes are for --sweep and --transfers");
    if (!chosen.blocks.empty() && !has_step(chosen, 0, parprims_step - 1))
        throw CLI::ValidationError("--block", "parprims and CUB choose blocks by themselves");
    if (chosen.grids.size() > 1 && !chosen.sweep)
        throw CLI::ValidationError("--grid", "several sizes are for --sweep");
    if (!chosen.grids.empty() && !has_step(chosen, 7, 8))
        throw CLI::ValidationError("--grid", "is for steps 7 and 8");
    if (chosen.threshold != 0 && chosen.finish != "hybrid" && chosen.finish != "all")
        throw CLI::ValidationError("--threshold", "is for --finish hybrid and --finish all");
}

/// At each step, the request of a warp that costs most beside the least that it could.
void draw_requests(const options& chosen, engine& machine)
{
    std::vector<std::string> rows;
    for (const int step : chosen.steps)
        if (step < parprims_step) {
            const request what{step, chosen.sizes[0], static_cast<unsigned>(chosen.blocks[0]), chosen.grids[0]};
            rows.push_back(machine.run(what).costliest_request);
        }
    samples::write_and_say(
        {{chosen.requests, samples::svg_of_rows("The costliest request of a warp at each step", rows)}});
}

std::vector<finish> finishes_of(const std::string& name)
{
    if (name == "all")
        return {finish::gpu, finish::cpu, finish::hybrid};
    return {name == "cpu" ? finish::cpu : name == "hybrid" ? finish::hybrid : finish::gpu};
}

int run(options chosen)
{
    if (chosen.wavefronts && chosen.wish == samples::backend::automatic)
        chosen.wish = samples::backend::host;
    const samples::place where = samples::choose_place(chosen.wish);
    choose_steps(chosen);
    check(chosen, where.on_device);
    complete(chosen, where.on_device);
    samples::check_sizes(chosen.sizes, where.on_device);
    samples::check_files({}, {{"--json", chosen.json}, {"--requests", chosen.requests}});
    const value_type type = chosen.type == "int" ? value_type::int32 : value_type::float32;
#if SAMPLES_ON_GPU
    const auto machine = where.on_device ? make_gpu_engine(type) : make_executor_engine(type);
#else
    const auto machine = make_executor_engine(type);
#endif
    fmt::print("reduction_ladder runs on the {}{}\n", where.name,
               where.on_device ? "" : ", which plays a GPU lane by lane");
    if (!where.on_device && has_step(chosen, cub_step, cub_step))
        fmt::print("CUB needs a GPU and is left out\n");
    fmt::print("\n");
    const experiment what{*machine,
                          where.on_device,
                          chosen.steps,
                          chosen.sizes,
                          chosen.blocks,
                          chosen.grids,
                          finishes_of(chosen.finish),
                          chosen.threshold,
                          4};
    const findings found = chosen.sweep             ? sweep(what)
                           : chosen.transfers       ? time_transfers(what)
                           : chosen.wavefronts      ? count_wavefronts(what)
                           : !chosen.finish.empty() ? compare_finishes(what)
                                                    : climb(what);
    if (!found.cells.empty())
        fmt::print("{}:\n\n", found.cells);
    found.rows.print();
    fmt::print("\n");
    if (!chosen.requests.empty())
        draw_requests(chosen, *machine);
    nlohmann::json more{{"type", chosen.type}};
    if (!found.cells.empty())
        more["cells"] = found.cells;
    return samples::finish("reduction_ladder", where, {{"all sums are right", found.all_right}}, found.rows,
                           found.chart.to_json(), chosen.json, more);
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Sums values in eleven steps, each faster than the one before, and says what each step gained.",
                 "reduction_ladder");
    options chosen;
    samples::add_backend_option(app, chosen.wish);
    samples::add_sizes_option(app, "--sizes", chosen.sizes,
                              "values, as 1000, 2^24 or 2^8..2^31 (default: 2^24; CPU: 2^14)");
    samples::add_numbers_option(app, "--steps", chosen.steps, cub_step, "steps, as 0..10 or 3,7 (default: all)");
    app.add_option("--type", chosen.type, "int or float (default: int)")->check(CLI::IsMember({"int", "float"}));
    samples::add_sizes_option(app, "--block", chosen.blocks, "threads in a block (default: 128; --sweep: 128..1024)");
    samples::add_sizes_option(app, "--grid", chosen.grids,
                              "blocks in steps 7 and 8 (default: 2048; CPU: 16; --sweep: 512..4096; CPU: 2..16)");
    auto* const sweep = app.add_flag("--sweep", chosen.sweep, "block size against grid size (default: step 7)");
    auto* const finish =
        app.add_option("--finish", chosen.finish,
                       "who adds the sums of the blocks: gpu (more launches), cpu, hybrid (the CPU below "
                       "--threshold), or all three beside each other (default: step 3)")
            ->check(CLI::IsMember({"gpu", "cpu", "hybrid", "all"}));
    app.add_option("--threshold", chosen.threshold, "values that the CPU adds in --finish hybrid (default: 4096)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
    auto* const transfers =
        app.add_flag("--transfers", chosen.transfers,
                     "times the way to the GPU and back from pageable and pinned memory, and the CPU");
    app.add_option("--requests", chosen.requests,
                   "writes a picture (SVG) of the costliest request of a warp at each step; on the CPU");
    auto* const wavefronts =
        app.add_flag("--wavefronts", chosen.wavefronts,
                     "counts steps 1 to 3 in wavefronts of 64 lanes, beside a published profile of an AMD MI250");
    sweep->excludes(finish)->excludes(transfers)->excludes(wavefronts);
    finish->excludes(transfers)->excludes(wavefronts);
    transfers->excludes(wavefronts);
    samples::add_report_option(app, chosen.json);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
