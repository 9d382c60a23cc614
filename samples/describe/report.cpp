#include "describe/report.hpp"

#include "support/report.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace {

/// One character as high as `share` (0 to 1); a dot for nothing at all.
std::string column(double share)
{
    static constexpr std::array heights{"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return heights[static_cast<std::size_t>(std::ceil(std::clamp(share, 0.0, 1.0) * 8))];
}

/// A byte as a reader knows it: `'a'`, `line feed`, or nothing.
std::string name_of_byte(std::size_t byte)
{
    switch (byte) {
    case 0x00: return "null";
    case 0x09: return "tab";
    case 0x0a: return "line feed";
    case 0x0d: return "carriage return";
    case 0x1b: return "escape";
    case 0x20: return "space";
    case 0xff: return "all ones";
    default: return byte > 0x20 && byte < 0x7f ? fmt::format("'{}'", static_cast<char>(byte)) : "";
    }
}

/// One line for 16 values: a column for each value, and a bar for all of them.
void print_distribution(const statistics& found)
{
    constexpr std::size_t values_per_row = 16, bar_width = 32;
    const auto total = static_cast<double>(std::max<std::uint64_t>(found.size(), 1));
    const auto highest = static_cast<double>(std::max<std::uint64_t>(*std::ranges::max_element(found.counts), 1));
    const auto row_count = [&](std::size_t first) {
        return found.cumulative[first + values_per_row - 1] - (first == 0 ? 0 : found.cumulative[first - 1]);
    };
    double largest_row = 1;
    for (std::size_t first = 0; first < 256; first += values_per_row)
        largest_row = std::max(largest_row, static_cast<double>(row_count(first)));

    fmt::print("\n  {:<11}  {:<16}  {:<{}}  {:>7}  {:>10}\n", "bytes", "0123456789abcdef", "", bar_width, "share",
               "cumulative");
    for (std::size_t first = 0; first < 256; first += values_per_row) {
        std::string columns;
        for (std::size_t value = first; value < first + values_per_row; ++value)
            // The square root, so that rare values can be seen beside the most frequent.
            columns += column(std::sqrt(static_cast<double>(found.counts[value]) / highest));
        const auto count = static_cast<double>(row_count(first));
        fmt::print("  0x{:02x}..0x{:02x}  {}  {}  {:>5.1f} %  {:>8.1f} %\n", first, first + values_per_row - 1, columns,
                   samples::bar(count / largest_row, bar_width), 100 * count / total,
                   100 * static_cast<double>(found.cumulative[first + values_per_row - 1]) / total);
    }
    fmt::print("  a column for each value, as high as the square root of its count; a bar for the 16 of a line\n");
}

void print_most_frequent(const statistics& found)
{
    constexpr std::size_t most = 8, bar_width = 32;
    std::array<std::size_t, 256> values;
    std::iota(values.begin(), values.end(), std::size_t{0});
    std::ranges::stable_sort(values, [&](std::size_t a, std::size_t b) { return found.counts[a] > found.counts[b]; });
    const auto highest = static_cast<double>(found.counts[values[0]]);

    fmt::print("\n  most frequent\n");
    for (std::size_t i = 0; i < most && found.counts[values[i]] != 0; ++i) {
        const auto count = static_cast<double>(found.counts[values[i]]);
        fmt::print("  0x{:02x}         {:<16}  {}  {:>5.1f} %\n", values[i], name_of_byte(values[i]),
                   samples::bar(count / highest, bar_width), 100 * count / static_cast<double>(found.size()));
    }
}

void print_summary(const statistics& found)
{
    fmt::print("\n  minimum 0x{:02x}, quartiles 0x{:02x} 0x{:02x} 0x{:02x}, maximum 0x{:02x}, mean {:.2f}\n",
               found.minimum, found.quartile(1), found.quartile(2), found.quartile(3), found.maximum, found.mean());
    fmt::print("  entropy {:.4f} bits a byte: no code for single bytes makes the file smaller than {:.1f} %\n",
               found.entropy_bits, 100 * found.entropy_bits / 8);
}

}  // namespace

void print_report(const std::string& name, const measured_statistics& measured)
{
    const statistics& found = measured.found;
    fmt::print("\n{}: {}\n", samples::printable(name), samples::format_bytes(found.size()));
    if (found.size() != 0) {
        print_distribution(found);
        print_most_frequent(found);
        print_summary(found);
    }
    fmt::print("\n");
    samples::timings_table(measured.timings).print();
}

nlohmann::ordered_json report_as_json(const std::string& name, const measured_statistics& measured)
{
    const statistics& found = measured.found;
    nlohmann::ordered_json report{{"file", name},
                                  {"bytes", found.size()},
                                  {"counts", found.counts},
                                  {"cumulative", found.cumulative},
                                  {"entropy_bits_per_byte", found.entropy_bits}};
    if (found.size() != 0) {
        report["minimum"] = found.minimum;
        report["maximum"] = found.maximum;
        report["mean"] = found.mean();
        report["quartiles"] = {found.quartile(1), found.quartile(2), found.quartile(3)};
    }
    report["primitives"] = samples::timings_table(measured.timings).to_json();
    return report;
}
