// A running sum on a GPU, in seven ways: few steps or little work, and how blocks learn what comes before them.
//
// Hillis-Steele takes the fewest steps, Blelloch the fewest additions; on a GPU the barriers and the trips to memory decide.
// Without one the kernels run on the CPU, lane by lane, and the sample prints the steps and the additions of each method.
//
//   scan_methods                                                     every method
//   scan_methods --sizes 2..2^30 --json scan.json                    at every size
//   scan_methods --methods 0 --type float --block 32 --sizes 2..2^28
#include "scan_methods/engine.hpp"
#include "support/backend.hpp"
#include "support/chart.hpp"
#include "support/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace {

using namespace scan_methods;

struct options {
    samples::backend wish = samples::backend::automatic;
    std::string json;
    std::vector<std::size_t> sizes;
    std::vector<int> methods;
    std::string type = "int";
    std::size_t block = 0;  ///< 0: not on the command line
};

std::vector<samples::table::column> header(bool on_device)
{
    std::vector<samples::table::column> columns{{"method", "method"}, {"n", "n"}};
    if (!on_device) {
        columns.insert(columns.end(),
                       {{"steps", "steps"}, {"additions", "additions"}, {"for each", "additions_per_value"}});
        return samples::count_columns(columns, {{"sums", "is_right"}});
    }
    columns.insert(columns.end(), {{"time", "seconds"},
                                   {"GB/s", "gigabytes_per_second"},
                                   {"of peak", "share_of_peak"},
                                   {"first x", "speed_up"},
                                   {"sums", "is_right"}});
    return columns;
}

class findings {
public:
    findings(const engine& machine, bool on_device)
        : rows(header(on_device)), peak_(machine.peak_bytes_per_second()), on_device_(on_device)
    {
    }

    /// `first` are the seconds of the first method at this size.
    void add(method which, std::size_t n, const result& found, double first)
    {
        all_right = all_right && found.is_right;
        const samples::cell name = names[which], size = samples::size_of(n);
        const auto count = static_cast<double>(n);
        double value = static_cast<double>(found.additions) / count;
        if (on_device_) {
            const double rate = 8 * count / found.seconds;  // each value is read and written
            value = rate / 1e9;
            rows.add({name,
                      size,
                      samples::seconds_of(found.seconds),
                      {value, "{:.1f}"},
                      peak_ > 0 ? samples::percent(rate / peak_) : samples::nothing,
                      {first / found.seconds, "{:.2f} x"},
                      found.is_right});
        } else {
            const samples::cell steps = found.steps == 0 ? samples::nothing : samples::cell(found.steps);
            rows.add(samples::count_cells({name, size, steps, found.additions, {value, "{:.2f}"}}, found.did,
                                          {found.is_right}));
        }
        chart.add(names[which], count, value);
    }

    samples::table rows;
    samples::line_chart chart;
    bool all_right = true;

private:
    double peak_;
    bool on_device_;
};

findings measure(const options& chosen, engine& machine, bool on_device)
{
    findings all(machine, on_device);
    all.chart = {fmt::format("A running sum, blocks of {} threads", chosen.block), "values",
                 on_device ? "GB/s" : "additions for each value", on_device};
    samples::progress progress(chosen.sizes.size() * chosen.methods.size());
    for (const std::size_t n : chosen.sizes) {
        double first = 0;
        for (const int number : chosen.methods) {
            const auto which = static_cast<method>(number);
            progress.next(fmt::format("{}, n = {}", names[which], samples::format_size(n)));
            if (!machine.has(which))
                continue;
            const result found = machine.run(which, {n, static_cast<unsigned>(chosen.block)});
            first = first == 0 ? found.seconds : first;
            all.add(which, n, found, first);
        }
    }
    return all;
}

int run(options chosen)
{
    const samples::place where = samples::choose_place(chosen.wish);
    const auto is_own = [](int number) { return number < library; };
    if (chosen.block != 0 && std::ranges::none_of(chosen.methods, is_own))
        throw CLI::ValidationError("--block", "parprims and CUB choose blocks by themselves");
    if (!where.on_device && std::ranges::all_of(chosen.methods, [](int number) { return number == cub; }))
        throw CLI::ValidationError("--methods", "CUB needs a GPU, and there is none here");
    if (chosen.block == 0)
        chosen.block = 256;
    if (chosen.block < 32 || chosen.block > 1024 || !std::has_single_bit(chosen.block))
        throw CLI::ValidationError("--block", fmt::format("{} is no power of two from 32 to 1024", chosen.block));
    if (chosen.sizes.empty())
        chosen.sizes = {std::size_t{1} << (where.on_device ? 28 : 13)};
    samples::check_sizes(chosen.sizes, where.on_device);
    samples::check_files({}, {{"--json", chosen.json}});
    const value_type type = chosen.type == "int" ? value_type::int32 : value_type::float32;
#if SAMPLES_ON_GPU
    const auto machine = where.on_device ? make_gpu_engine(type) : make_executor_engine(type);
#else
    const auto machine = make_executor_engine(type);
#endif
    fmt::print("scan_methods runs on the {}{}\n", where.name,
               where.on_device ? "" : ", which plays a GPU lane by lane");
    if (!where.on_device && std::ranges::count(chosen.methods, int{cub}) != 0)
        fmt::print("CUB needs a GPU and is left out\n");
    fmt::print("\n");
    const findings all = measure(chosen, *machine, where.on_device);
    all.rows.print();
    fmt::print("\n");
    return samples::finish("scan_methods", where, {{"all sums are right", all.all_right}}, all.rows,
                           all.chart.to_json(), chosen.json, {{"type", chosen.type}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Sums running: step-efficient, work-efficient, and in one pass.", "scan_methods");
    options chosen;
    for (int number = 0; number < method_count; ++number)
        chosen.methods.push_back(number);
    samples::add_backend_option(app, chosen.wish);
    samples::add_sizes_option(app, "--sizes", chosen.sizes, "values, as 1000 or 2..2^30 (default: 2^28; CPU: 2^13)");
    samples::add_numbers_option(
        app, "--methods", chosen.methods, cub,
        "0 and 1 Hillis-Steele with one and two buffers, 2 Blelloch, 3 shuffles, 4 reduce, then scan, "
        "5 parprims, 6 CUB (default: all)");
    app.add_option("--type", chosen.type, "int or float (default: int)")->check(CLI::IsMember({"int", "float"}));
    app.add_option("--block", chosen.block, "threads in a block (default: 256)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1024}));
    samples::add_report_option(app, chosen.json);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
