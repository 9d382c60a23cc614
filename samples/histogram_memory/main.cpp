// Counting keys on a GPU: where the counters are is what it costs.
//
// With the counters in global memory every key is an atomic addition there, and all blocks meet at the same addresses. In
// shared memory only the threads of a block meet; with several copies, fewer of them. The sample counts the same keys each
// way. Without a GPU it runs the kernels on the CPU, lane by lane, and prints how many atomic operations there were, and how
// long the queues at the addresses.
//
//   histogram_memory                                                 8 bins, uniform keys
//   histogram_memory --bins 8..65536 --input skewed                  many bins, and nine keys in ten the same
//   histogram_memory --sizes 8..2^30 --block 64                      few keys and many
#include "histogram_memory/engine.hpp"
#include "support/backend.hpp"
#include "support/chart.hpp"
#include "support/report.hpp"
#include "support/request_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>

namespace {

using namespace histogram_memory;

struct options {
    samples::backend wish = samples::backend::automatic;
    std::string json;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> bins{8};
    std::vector<int> methods{global_atomics, shared_atomics, replicated, library, cub};
    std::string rule = "modulus";
    std::string input = "uniform";
    std::size_t block = 0;  ///< 0: not on the command line
    std::size_t grid = 0;
    std::string requests;
};

void complete(options& chosen, bool on_device)
{
    const auto is_own = [](int number) { return number < library; };
    if ((chosen.block != 0 || chosen.grid != 0) && std::ranges::none_of(chosen.methods, is_own))
        throw CLI::ValidationError(chosen.block != 0 ? "--block" : "--grid",
                                   "parprims and CUB choose blocks and grid by themselves");
    if (!on_device && std::ranges::all_of(chosen.methods, [](int number) { return number == cub; }))
        throw CLI::ValidationError("--methods", "CUB needs a GPU, and there is none here");
    if (chosen.block == 0)
        chosen.block = 256;
    if (chosen.sizes.empty())
        chosen.sizes = {std::size_t{1} << (on_device ? 28 : 13)};
    if (chosen.grid == 0)
        chosen.grid = on_device ? 1056 : 8;
    for (const std::size_t bins : chosen.bins) {
        const std::size_t most = std::size_t{1} << (on_device ? 24 : 18);
        if (bins > most)
            throw CLI::ValidationError("--bins",
                                       fmt::format("{} is no number from 1 to {}{}", bins, samples::format_size(most),
                                                   on_device ? "" : ", which is what the CPU plays"));
        if (chosen.rule == "range" && !std::has_single_bit(bins))
            throw CLI::ValidationError("--bins", fmt::format("--rule range takes powers of two, not {}", bins));
    }
    if (chosen.block < 32 || chosen.block > 1024 || chosen.block % 32 != 0)
        throw CLI::ValidationError("--block", fmt::format("{} is no multiple of 32 from 32 to 1024", chosen.block));
    for (const std::size_t n : chosen.sizes)
        if (n >= std::size_t{1} << 32)
            throw CLI::ValidationError("--sizes", "2^32 keys and more do not fit the counters");
}

std::vector<samples::table::column> header(bool on_device)
{
    const std::vector<samples::table::column> first{{"method", "method"}, {"n", "n"}, {"bins", "bins"}};
    if (!on_device)
        return samples::count_columns(first, {{"counts", "is_right"}});
    auto columns = first;
    columns.insert(columns.end(), {{"time", "seconds"},
                                   {"GB/s", "gigabytes_per_second"},
                                   {"of peak", "share_of_peak"},
                                   {"global x", "speed_up"},
                                   {"counts", "is_right"}});
    return columns;
}

class findings {
public:
    findings(const engine& machine, bool on_device)
        : rows(header(on_device)), peak_(machine.peak_bytes_per_second()), on_device_(on_device)
    {
    }

    /// What follows is of other keys or bins: what was measured before is nothing to compare with.
    void begin_group() { global_ = 0; }

    void add(method which, const request& what, const result& found, bool is_right)
    {
        if (which == global_atomics)
            global_ = found.seconds;
        all_right = all_right && is_right;
        const std::vector<samples::cell> first{names[which], samples::size_of(what.n), what.bins};
        if (which <= replicated)
            requests.push_back(found.costliest_request);
        double value = static_cast<double>(found.did.atomic_passes);
        if (on_device_) {
            const double rate = 4 * static_cast<double>(what.n) / found.seconds;
            value = rate / 1e9;
            rows.add({first[0],
                      first[1],
                      first[2],
                      samples::seconds_of(found.seconds),
                      {value, "{:.1f}"},
                      peak_ > 0 ? samples::percent(rate / peak_) : samples::nothing,
                      global_ > 0 ? samples::cell{global_ / found.seconds, "{:.2f} x"} : samples::nothing,
                      is_right});
        } else {
            rows.add(samples::count_cells(first, found.did, {is_right}));
        }
        const std::string line =
            has_bins_in_names_ ? fmt::format("{}, {} bins", names[which], what.bins) : names[which];
        chart.add(line, over_bins_ ? what.bins : static_cast<double>(what.n), value);
    }

    void begin_chart(const options& chosen)
    {
        over_bins_ = chosen.sizes.size() == 1 && chosen.bins.size() > 1;
        has_bins_in_names_ = !over_bins_ && chosen.bins.size() > 1;
        chart = {fmt::format("Bins by {}, {} keys", chosen.rule, chosen.input), over_bins_ ? "bins" : "keys",
                 on_device_ ? "GB/s" : "passes of atomic operations"};
    }

    samples::table rows;
    samples::line_chart chart;
    std::set<std::string> left_out;  ///< and why
    bool all_right = true;
    std::vector<std::string> requests;  ///< rows of a picture

private:
    double peak_;
    bool on_device_;
    bool over_bins_ = false;
    bool has_bins_in_names_ = false;
    double global_ = 0;  ///< seconds of global atomics in this group; 0 before they were measured
};

findings measure(const options& chosen, engine& machine, bool on_device)
{
    findings all(machine, on_device);
    all.begin_chart(chosen);
    samples::progress progress(chosen.sizes.size() * chosen.bins.size() * chosen.methods.size());
    for (const std::size_t n : chosen.sizes)
        for (const std::size_t bins : chosen.bins) {
            const request what{n,
                               static_cast<std::uint32_t>(bins),
                               chosen.rule == "range",
                               chosen.input == "skewed",
                               static_cast<unsigned>(chosen.block),
                               chosen.grid};
            const auto expected = expected_counts(what);
            all.begin_group();
            for (const int number : chosen.methods) {
                const auto which = static_cast<method>(number);
                progress.next(fmt::format("{}, n = {}, {} bins", names[which], samples::format_size(n), bins));
                if (!machine.has(which, what)) {
                    if (which != cub)
                        all.left_out.insert(fmt::format("{} of {} bins is left out: no block has room for the counters",
                                                        names[which], bins));
                    continue;
                }
                const result found = machine.run(which, what);
                all.add(which, what, found, found.counts == expected);
            }
        }
    return all;
}

int run(options chosen)
{
    const samples::place where = samples::choose_place(chosen.wish);
    complete(chosen, where.on_device);
    samples::check_sizes(chosen.sizes, where.on_device);
    samples::check_files({}, {{"--json", chosen.json}, {"--requests", chosen.requests}});
    if (where.on_device && !chosen.requests.empty())
        throw CLI::ValidationError("--requests", "shows what the CPU sees lane by lane: take --backend host");
#if SAMPLES_ON_GPU
    const auto machine = where.on_device ? make_gpu_engine() : make_executor_engine();
#else
    const auto machine = make_executor_engine();
#endif
    fmt::print("histogram_memory runs on the {}{}\n", where.name,
               where.on_device ? "" : ", which plays a GPU lane by lane");
    if (!where.on_device && std::ranges::count(chosen.methods, int{cub}) != 0)
        fmt::print("CUB needs a GPU and is left out\n");
    fmt::print("\n");
    const findings all = measure(chosen, *machine, where.on_device);
    if (all.chart.lines.empty()) {
        fmt::print(stderr, "histogram_memory: {}\n", *all.left_out.begin());
        return 2;
    }
    all.rows.print();
    fmt::print("\n");
    if (!chosen.requests.empty())
        samples::write_and_say(
            {{chosen.requests, samples::svg_of_rows("The costliest request of a warp", all.requests)}});
    for (const std::string& line : all.left_out)
        fmt::print("{}\n", line);
    return samples::finish("histogram_memory", where, {{"all counts are right", all.all_right}}, all.rows,
                           all.chart.to_json(), chosen.json);
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Counts keys with the counters in global and in shared memory.", "histogram_memory");
    options chosen;
    samples::add_backend_option(app, chosen.wish);
    samples::add_sizes_option(app, "--sizes", chosen.sizes, "keys, as 1000 or 8..2^30 (default: 2^28; CPU: 2^13)");
    samples::add_sizes_option(app, "--bins", chosen.bins, "bins, as 8 or 8..65536 (default: 8)");
    app.add_option("--rule", chosen.rule, "bins by modulus or by range (default: modulus)")
        ->check(CLI::IsMember({"modulus", "range"}));
    app.add_option("--input", chosen.input, "uniform keys, or skewed: nine in ten the same (default: uniform)")
        ->check(CLI::IsMember({"uniform", "skewed"}));
    app.add_option("--block", chosen.block, "threads in a block (default: 256)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
    app.add_option("--grid", chosen.grid, "blocks at most (default: 1056; CPU: 8)")
        ->check(CLI::Range(std::size_t{1}, (std::size_t{1} << 31) - 1));
    samples::add_numbers_option(app, "--methods", chosen.methods, cub,
                                "0 global, 1 shared, 2 replicated, 3 parprims, 4 CUB (default: all)");
    app.add_option("--requests", chosen.requests,
                   "writes a picture (SVG) of the costliest request of a warp by each method; on the CPU");
    samples::add_report_option(app, chosen.json);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
