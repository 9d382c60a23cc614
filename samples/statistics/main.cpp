// Count, mean, variance, skew and extremes of a column of numbers, in one reduction.
//
// A reduction takes any struct and any operator of one's own that puts two of them together. Here the struct holds what is
// known of some numbers, and the column is read once. The mean of squares minus the square of the mean would cancel; the
// operator keeps distances from the mean instead.
//
//   statistics                              numbers of an exponential distribution: mean 1, variance 1, skew 2
//   statistics FILE.csv --column price      a column by its number, or by its name
#include "statistics/csv.hpp"
#include "statistics/moments.hpp"
#include "support/backend.hpp"
#include "support/machine.hpp"
#include "support/report.hpp"
#include "support/text.hpp"

#include <parprims/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

struct options {
    samples::backend wish = samples::backend::automatic;
    std::string json;
    std::string path;
    std::string column = "1";
    std::string separator = ",";
    std::string header = "auto";
    std::size_t count = std::size_t{1} << 20;
};

csv_column generate(std::size_t count)
{
    samples::check_memory(count * sizeof(double));
    csv_column column{"exponential distribution", std::vector<double>(count), 0, false};
    std::mt19937_64 random(1);
    for (double& value : column.values)  // by hand: the distributions of the standard differ from library to library
        value = -std::log(1 - static_cast<double>(random() >> 11) * 0x1p-53);
    return column;
}

/// The figures of a column by two plain loops, in higher precision and a range that squares and cubes do not leave.
figures by_loops(const std::vector<double>& values)
{
    static_assert(std::numeric_limits<long double>::max_exponent > 3 * std::numeric_limits<double>::max_exponent);
    const auto n = static_cast<long double>(values.size());
    const long double first = values.front();  // so that nothing is lost where all are far from zero
    long double sum = 0, squares = 0, cubes = 0;
    for (const double x : values)
        sum += x - first;
    const long double mean = sum / n;
    for (const double x : values) {
        const long double d = x - first - mean;
        squares += d * d;
        cubes += d * d * d;
    }
    const long double variance = values.size() < 2 ? 0 : squares / (n - 1);
    const long double skew = squares > 0 ? cubes / squares / std::sqrt(squares / n) : 0;
    const auto [smallest, largest] = std::ranges::minmax(values);
    return {values.size(),
            static_cast<double>(first + mean),
            static_cast<double>(variance),
            static_cast<double>(std::sqrt(variance)),
            static_cast<double>(skew),
            smallest,
            largest};
}

/// Whether two figures differ by no more than rounding. What is no number agrees with nothing.
bool agree(const figures& a, const figures& b)
{
    const auto near = [](double x, double y, double error) { return x == y || std::abs(x - y) <= error; };
    constexpr double least = 0x1p-1070;  // where doubles are no longer exact to their size
    return a.count == b.count && a.smallest == b.smallest && a.largest == b.largest &&
           near(a.mean, b.mean, 1e-15 * std::max(std::abs(b.smallest), std::abs(b.largest)) + least) &&
           near(a.deviation, b.deviation, 1e-9 * b.deviation + least) &&
           near(a.variance, b.variance, 1e-9 * b.variance + least) &&
           near(a.skew, b.skew, 1e-8 * (1 + std::abs(b.skew)));
}

/// The numbers in bins of one width, for samples/plot.py.
nlohmann::json chart_of(const csv_column& column, const figures& found)
{
    constexpr std::size_t bins = 24;
    std::vector<double> counts(bins);
    const long double smallest = found.smallest, width = (found.largest - smallest) / bins;
    for (const double x : column.values)
        ++counts[width > 0 ? std::min(bins - 1, static_cast<std::size_t>((x - smallest) / width)) : 0];
    // As many digits as tell one bar from the next.
    const long double size = std::max(std::abs(smallest), std::abs(static_cast<long double>(found.largest)));
    const int digits = width > 0 ? std::clamp(static_cast<int>(std::log10(size / width)) + 3, 4, 17) : 4;
    std::vector<std::pair<std::string, double>> bars;
    for (std::size_t i = 0; i < bins; ++i)
        bars.emplace_back(fmt::format("{:.{}g}", static_cast<double>(smallest + width * static_cast<long double>(i)),
                                      digits),
                          100 * counts[i] / static_cast<double>(column.values.size()));
    return {{"title", column.name}, {"y", "numbers, %"}, {"bars", bars}};
}

samples::table table_of(const csv_column& column, const figures& found, bool is_right)
{
    samples::table rows({{"column", "column"},
                         {"count", "count"},
                         {"empty", "empty"},
                         {"mean", "mean", false},
                         {"variance", "variance", false},
                         {"deviation", "deviation", false},
                         {"skew", "skew", false},
                         {"smallest", "smallest", false},
                         {"largest", "largest", false},
                         {"checked", "is_right"}});
    const auto number = [](double x) { return samples::cell{x, "{:.12g}"}; };
    rows.add({{samples::printable(column.name, 40), column.name},
              found.count,
              column.empty,
              number(found.mean),
              number(found.variance),
              number(found.deviation),
              number(found.skew),
              number(found.smallest),
              number(found.largest),
              is_right});
    return rows;
}

/// Says which figures no double holds.
void print_limits(const figures& found)
{
    if (std::isinf(found.deviation))
        fmt::print("  variance and deviation are larger than a double can be\n");
    else if (std::isinf(found.variance))
        fmt::print("  the variance is larger than a double can be, the deviation is not\n");
    else if (found.deviation > 0 && found.variance < std::numeric_limits<double>::min())
        fmt::print("  the variance is smaller than a double holds, the deviation is not\n");
}

header header_of(const std::string& name)
{
    return name == "yes" ? header::yes : name == "no" ? header::no : header::automatic;
}

int run(const options& chosen)
{
    if (chosen.separator.size() != 1)
        throw CLI::ValidationError("--separator", fmt::format("'{}' is no single character", chosen.separator));
    if (chosen.separator.find_first_of("\"\r\n") == 0)
        throw CLI::ValidationError("--separator", "quotes and ends of lines have a meaning of their own");
    const samples::place where = samples::choose_place(chosen.wish);
    samples::check_files({chosen.path}, {{"--json", chosen.json}});
    const csv_column column = chosen.path.empty() ? generate(chosen.count)
                                                  : read_csv_column(chosen.path, chosen.column, chosen.separator[0],
                                                                    header_of(chosen.header));
    const std::string first_line = column.has_names ? "names" : "data";
    fmt::print("statistics runs on the {}, order contract {}\n\n", where.name, parprims::order_contract_version);
    summary found = summarize(column.values, where);
    const bool is_right = agree(found.found, by_loops(column.values));
    for (samples::timing& timing : found.timings)
        timing.checked = is_right;
    const samples::table rows = table_of(column, found.found, is_right);
    rows.print();
    print_limits(found.found);
    if (!chosen.path.empty())
        fmt::print("  the first line of the file was taken as {}\n", first_line);
    fmt::print("\n");
    samples::timings_table(found.timings).print();
    fmt::print("\n");
    nlohmann::json more{{"seconds", found.timings.front().seconds}};
    if (!chosen.path.empty())
        more["first_line"] = first_line;
    return samples::finish("statistics", where, {{"the figures are those of plain loops", is_right}}, rows,
                           chart_of(column, found.found), chosen.json, more);
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Count, mean, variance, skew and extremes of a column of a CSV file, in one reduction.", "statistics");
    options chosen;
    auto* const file = samples::add_file_option(
        app, "FILE.csv", chosen.path, "comma-separated values (default: numbers of an exponential distribution)");
    file->type_name("");
    app.add_option("--column", chosen.column, "the column: its number, or else its name in the first line (default: 1)")
        ->needs(file);
    app.add_option(
           "--header", chosen.header,
           "whether the first line is names: yes, no, or auto: where the column has text there, or any text there "
           "stands above a number (default: auto)")
        ->check(CLI::IsMember({"auto", "yes", "no"}))
        ->needs(file);
    app.add_option("--separator", chosen.separator, "what stands between the cells (default: a comma)")->needs(file);
    app.add_option("--count", chosen.count, "numbers, where there is no file (default: 2^20)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
        ->excludes(file);
    samples::add_backend_option(app, chosen.wish);
    samples::add_report_option(app, chosen.json);
    return samples::run_program(app, argc, argv, [&] { return run(chosen); });
}
