// A flat photograph gets its contrast back: histogram equalisation.
//
// Afterwards the cumulative curve is close to a straight line, which is what equalised means. The way there is the classic
// use of the primitives: histogram -> inclusive scan -> table -> map, in equalization.cpp. Grey and colour, 8 bits a
// channel; in colour the luminance is equalised and the chrominance is kept.
//
//   equalize                              the photograph that comes with it
//   equalize IN.png OUT.png --json FILE   samples/plot.py draws FILE: how frequent each luminance is before and after
#include "equalize/check.hpp"
#include "equalize/equalization.hpp"
#include "support/pictures.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

/// Prints the two histograms, 16 luminances a line.
void print_histograms(const equalization& result)
{
    constexpr std::size_t levels_per_row = 16, rows = 256 / levels_per_row, width = 34;
    std::array<std::array<double, rows>, 2> shares{};
    double largest = 0;
    for (std::size_t level = 0; level < 256; ++level) {
        const auto pixels = static_cast<double>(result.cumulative.back());
        shares[0][level / levels_per_row] += static_cast<double>(result.before[level]) / pixels;
        shares[1][level / levels_per_row] += static_cast<double>(result.after[level]) / pixels;
    }
    for (const auto& histogram : shares)
        largest = std::max(largest, *std::ranges::max_element(histogram));

    fmt::print("\n  {:<10}  {:<{}}  {:<{}}\n", "luminance", "before", width + 8, "after", width + 8);
    for (std::size_t row = 0; row < rows; ++row) {
        fmt::print("  {:>3} .. {:>3}", row * levels_per_row, (row + 1) * levels_per_row - 1);
        for (const auto& histogram : shares)
            fmt::print("  {} {:>5.1f} %", samples::bar(histogram[row] / largest, width), 100 * histogram[row]);
        fmt::print("\n");
    }
}

int run(const samples::picture_files& names, const samples::place& where)
{
    static constexpr std::array kinds{"grey", "grey with alpha", "colour", "colour with alpha"};
    const samples::image original = samples::read_png(names.in);
    fmt::print("equalize runs on the {}\n\n{}: {} x {} pixels, {}\n", where.name, samples::printable(names.in),
               original.width, original.height, kinds[original.channels - 1]);

    equalization result = equalize(original, where);
    const auto checks = check(original, result);
    print_histograms(result);
    fmt::print("\n");
    samples::timings_table(result.timings).print();
    fmt::print("\n");
    return samples::finish("equalize", where, names, checks, result.picture,
                           {{"width", result.picture.width},
                            {"height", result.picture.height},
                            {"channels", result.picture.channels},
                            {"before", result.before},
                            {"cumulative", result.cumulative},
                            {"after", result.after},
                            {"table", result.table},
                            {"primitives", samples::timings_table(result.timings).to_json()}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Equalises the histogram of a PNG picture, and shows it before and after.", "equalize");
    return samples::run_picture_sample(app, {"equalized", "the result; IN.png again replaces it", true}, argc, argv,
                                       run);
}
