// Count, mean, variance, skew and extremes of a column of numbers, in one reduction.
//
// A reduction takes any struct and any operator of one's own that puts two of them together. Here the struct holds what is
// known of some numbers, and the column is read once. The mean of squares minus the square of the mean would cancel; the
// operator keeps distances from the mean instead.
//
//   statistics                              numbers of an exponential distribution: mean 1, variance 1, skew 2
//   statistics FILE.csv --column price      a column by its name, or by its number
#include "statistics/csv.hpp"
#include "statistics/moments.hpp"
#include "support/backend.hpp"
#include "support/memory.hpp"
#include "support/plot.hpp"
#include "support/report.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace {

struct options {
    samples::backend wish = samples::backend::automatic;
    samples::report_files files;
    std::string path;
    std::string column = "1";
    std::string separator = ",";
    std::vector<std::size_t> count{std::size_t{1} << 20};
};

csv_column generate(std::size_t count)
{
    samples::check_memory(count * sizeof(double));
    csv_column column{"exponential distribution", std::vector<double>(count)};
    std::mt19937_64 random(1);
    for (double& value : column.values)  // by hand: the distributions of the standard differ from library to library
        value = -std::log(1 - static_cast<double>(random() >> 11) * 0x1p-53);
    return column;
}

/// The same by two plain loops, in higher precision.
moments by_loops(const std::vector<double>& values)
{
    long double sum = 0, squares = 0, cubes = 0;
    for (const double x : values)
        sum += x;
    const long double mean = values.empty() ? 0 : sum / static_cast<long double>(values.size());
    for (const double x : values) {
        const long double d = x - mean;
        squares += d * d;
        cubes += d * d * d;
    }
    moments found{values.size(), static_cast<double>(mean), static_cast<double>(squares), static_cast<double>(cubes)};
    if (!values.empty()) {
        const auto [smallest, largest] = std::ranges::minmax(values);
        found.smallest = smallest;
        found.largest = largest;
    }
    return found;
}

bool agree(const moments& a, const moments& b)
{
    const double spread = std::sqrt(b.squares);
    const auto near = [](double x, double y, double scale) { return std::abs(x - y) <= 1e-9 * scale; };
    const double size = std::max(std::abs(b.smallest), std::abs(b.largest));
    return a.count == b.count && a.smallest == b.smallest && a.largest == b.largest && near(a.mean, b.mean, size) &&
           near(a.squares, b.squares, b.squares + 1e-6 * size * size) &&
           near(a.cubes, b.cubes, spread * spread * spread + 1e-6 * size * size * size);
}

samples::bar_chart chart_of(const csv_column& column, const moments& found)
{
    constexpr std::size_t bins = 24;
    std::vector<double> counts(bins);
    const double width = (found.largest - found.smallest) / bins;
    for (const double x : column.values)
        ++counts[width > 0 ? std::min(bins - 1, static_cast<std::size_t>((x - found.smallest) / width)) : 0];
    samples::bar_chart chart{column.name, "numbers, %", {}};
    for (std::size_t i = 0; i < bins; ++i)
        chart.bars.emplace_back(fmt::format("{:.4g}", found.smallest + width * static_cast<double>(i)),
                                100 * counts[i] / static_cast<double>(std::max<std::size_t>(1, column.values.size())));
    return chart;
}

samples::table table_of(const csv_column& column, const moments& found, bool is_right)
{
    samples::table rows({{"column", "column"},
                         {"count", "count"},
                         {"empty", "empty"},
                         {"mean", "mean"},
                         {"variance", "variance"},
                         {"deviation", "deviation"},
                         {"skew", "skew"},
                         {"smallest", "smallest"},
                         {"largest", "largest"},
                         {"checked", "is_right"}});
    const auto number = [](double x) { return samples::cell{fmt::format("{:.6g}", x), x}; };
    rows.add({samples::word(column.name), samples::count_of(found.count), samples::count_of(column.empty),
              number(found.mean), number(found.variance()), number(std::sqrt(found.variance())), number(found.skew()),
              number(found.smallest), number(found.largest), samples::verdict(is_right)});
    return rows;
}

int run(const options& chosen)
{
    if (chosen.separator.size() != 1)
        throw CLI::ValidationError("--separator", fmt::format("'{}' is no single character", chosen.separator));
    if (chosen.count.size() != 1 || chosen.count[0] > std::size_t{1} << 30)
        throw CLI::ValidationError("--count", "takes one number, at most 2^30");
    const samples::place where = samples::choose_place(chosen.wish);
    samples::check_report_files(chosen.files);
    const csv_column column = chosen.path.empty() ? generate(chosen.count[0])
                                                  : read_csv_column(chosen.path, chosen.column, chosen.separator[0]);
    fmt::print("statistics runs on the {}\n\n", where.name);
    summary found = summarize(column.values, where);
    const bool is_right = agree(found.found, by_loops(column.values));
    for (samples::timing& timing : found.timings)
        timing.checked = is_right;
    const samples::table rows = table_of(column, found.found, is_right);
    rows.print();
    fmt::print("\n");
    samples::print_timings(found.timings);
    fmt::print("\n");
    if (!is_right) {
        fmt::print(stderr, "statistics: the answer is not that of plain loops; nothing was written\n");
        return 1;
    }
    nlohmann::json json = samples::report_of("statistics", where.name, rows);
    json["seconds"] = found.timings.front().seconds;
    samples::write_report(chosen.files, json, samples::plot_as_svg(chart_of(column, found.found)));
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Count, mean, variance, skew and extremes of a column of a CSV file, in one reduction.", "statistics");
    options chosen;
    app.add_option("FILE.csv", chosen.path, "comma-separated values (default: numbers of an exponential distribution)")
        ->type_name("");
    app.add_option("--column", chosen.column, "the column: a name in the first line, or a number (default: 1)");
    app.add_option("--separator", chosen.separator, "what stands between the cells (default: a comma)");
    samples::add_sizes_option(app, "--count", chosen.count, "numbers, where there is no file (default: 2^20)");
    samples::add_backend_option(app, chosen.wish);
    samples::add_report_options(app, chosen.files);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
