// A photograph becomes a drawing: each pixel is black if it is 15 % darker than the mean of the box around it.
//
// The sum of a box of any size is four numbers of a summed-area table, which is made by two scans of a matrix. So the work for a pixel
// does not depend on the size of its box. (Bradley and Roth, "Adaptive thresholding using the integral image", 2007)
//
//   adaptive_threshold                             the photograph that comes with it
//   adaptive_threshold IN.png OUT.png --json FILE  samples/plot.py draws FILE: how many pixels become black
#include "adaptive_threshold/threshold.hpp"
#include "support/chart.hpp"
#include "support/pictures.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

const std::vector<std::size_t> radii{1, 3, 7, 15, 31, 63};
constexpr std::size_t written = 4;  // the result for this one of the radii is written

/// Whether the pixels are what the plain sums of their boxes say. Every 37th is tried.
bool are_right(const std::vector<std::uint8_t>& grey, const std::vector<std::uint8_t>& result, std::size_t width,
               std::size_t radius)
{
    const std::size_t height = grey.size() / width;
    for (std::size_t i = 0; i < grey.size(); i += 37) {
        const box of = box::around(i % width, i / width, width, height, radius);
        std::uint64_t sum = 0;
        for (std::size_t y = of.top; y < of.bottom; ++y)
            for (std::size_t x = of.left; x < of.right; ++x)
                sum += grey[y * width + x];
        if (result[i] != (is_black(grey[i], sum, of.pixels()) ? 0 : 255))
            return false;
    }
    return true;
}

int run(const samples::picture_files& names, const samples::place& where)
{
    const samples::image picture = samples::read_png(names.in);
    const std::vector<std::uint8_t> grey = samples::first_channel(picture);
    fmt::print("adaptive_threshold runs on the {}\n\n{}: {} x {} pixels\n\n", where.name, samples::printable(names.in),
               picture.width, picture.height);

    const auto results = threshold(grey, picture.width, radii, where);
    samples::line_chart chart{"Darker than the box around it", "pixels a side of the box", "black pixels, %", false};
    bool is_right = true;
    for (std::size_t i = 0; i < radii.size(); ++i) {
        const std::size_t side = 2 * radii[i] + 1;
        const auto black = static_cast<double>(std::ranges::count(results[i], 0)) / static_cast<double>(grey.size());
        chart.add("black pixels", static_cast<double>(side), 100 * black);
        fmt::print("  boxes of {0:>3} x {0:<3}  {1:5.1f} % are black  {2}\n", side, 100 * black,
                   samples::bar(black, 50));
        is_right = is_right && are_right(grey, results[i], picture.width, radii[i]);
    }
    fmt::print("\n");
    return samples::finish("adaptive_threshold", where, names,
                           {{"the pixels are those of plain sums (every 37th was tried)", is_right}},
                           {picture.width, picture.height, 1, results[written]}, {{"chart", chart.to_json()}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Makes a picture black and white, by the mean around each pixel.", "adaptive_threshold");
    return samples::run_picture_sample(app, {"black-and-white", "the result"}, argc, argv, run);
}
