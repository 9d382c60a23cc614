// A photograph becomes a drawing: each pixel is black if it is 15 % darker than the mean of the box around it.
//
// The sum of a box of any size is four numbers of a summed-area table, which is made by two scans of a matrix. So the work for a pixel
// does not depend on the size of its box. (Bradley and Roth, "Adaptive thresholding using the integral image", 2007)
//
//   adaptive_threshold                             the photograph that comes with it
//   adaptive_threshold IN.png OUT.png --json FILE  samples/plot.py draws FILE: how many pixels become black
#include "adaptive_threshold/threshold.hpp"
#include "support/chart.hpp"
#include "support/files.hpp"
#include "support/png.hpp"
#include "support/report.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::vector<std::size_t> radii{1, 3, 7, 15, 31, 63};
constexpr std::size_t written = 4;  // the result for this one of the radii is written

struct files {
    std::string in;
    std::string out;
    std::string json;  ///< empty: none
    fs::path folder;   ///< made for the result, where it is not empty
};

/// The first channel, which is enough.
std::vector<std::uint8_t> first_channel(const samples::image& picture)
{
    std::vector<std::uint8_t> values(picture.pixels());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = picture.values[i * picture.channels];
    return values;
}

/// The first row in which a pixel is not what the plain sum of its box says; `height` if there is none. Every 37th pixel is tried.
std::size_t first_wrong_row(const std::vector<std::uint8_t>& grey, const std::vector<std::uint8_t>& result,
                            std::size_t width, std::size_t radius)
{
    const std::size_t height = grey.size() / width;
    for (std::size_t i = 0; i < grey.size(); i += 37) {
        const box of = box::around(i % width, i / width, width, height, radius);
        std::uint64_t sum = 0;
        for (std::size_t y = of.top; y < of.bottom; ++y)
            for (std::size_t x = of.left; x < of.right; ++x)
                sum += grey[y * width + x];
        if (result[i] != (is_black(grey[i], sum, of.pixels()) ? 0 : 255))
            return i / width;
    }
    return height;
}

int run(const files& names, const samples::place& where)
{
    const samples::image picture = samples::read_png(names.in);
    const std::vector<std::uint8_t> grey = first_channel(picture);
    fmt::print("adaptive_threshold runs on the {}\n\n{}: {} x {} pixels\n\n", where.name, samples::printable(names.in),
               picture.width, picture.height);

    const auto results = threshold(grey, picture.width, radii, where);
    samples::line_chart chart{"Darker than the box around it", "pixels a side of the box", "black pixels, %", false};
    for (std::size_t i = 0; i < radii.size(); ++i) {
        const std::size_t side = 2 * radii[i] + 1;
        const auto black = static_cast<double>(std::ranges::count(results[i], 0)) / static_cast<double>(grey.size());
        chart.add("black pixels", static_cast<double>(side), 100 * black);
        fmt::print("  boxes of {0:>3} x {0:<3}  {1:5.1f} % are black  {2}\n", side, 100 * black,
                   samples::bar(black, 50));
        if (const std::size_t row = first_wrong_row(grey, results[i], picture.width, radii[i]); row < picture.height) {
            fmt::print(stderr, "adaptive_threshold: row {} is wrong; nothing was written\n", row);
            return 1;
        }
    }
    fmt::print("\n  ok       the pixels are those of plain sums (every 37th was tried)\n\n");

    if (!names.folder.empty())
        fs::create_directories(names.folder);
    std::vector<samples::output_file> outputs{
        {names.out, samples::encode_png({picture.width, picture.height, 1, results[written]})}};
    if (!names.json.empty())
        outputs.push_back({names.json, samples::json_text(nlohmann::ordered_json{{"sample", "adaptive_threshold"},
                                                                                 {"machine", where.name},
                                                                                 {"file", names.in},
                                                                                 {"chart", chart.to_json()}})});
    samples::write_and_say(outputs);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Makes a picture black and white, by the mean around each pixel.", "adaptive_threshold");
    files names;
    samples::backend wish = samples::backend::automatic;
    samples::add_file_option(app, "IN.png", names.in, "a picture of 8 bits a channel (default: a photograph)")
        ->type_name("");
    samples::add_file_option(app, "OUT.png", names.out, "the result (default: output/IN-black-and-white.png)")
        ->type_name("");
    samples::add_backend_option(app, wish);
    samples::add_report_option(app, names.json);

    return samples::run_program(app, argc, argv, [&] {
        if (names.in.empty())
            names.in = samples::own_executable().parent_path() / "grace_hopper.png";
        if (names.out.empty()) {
            names.folder = "output";
            names.out = names.folder / (fs::path(names.in).stem().string() + "-black-and-white.png");
        }
        const samples::place where = samples::choose_place(wish);
        samples::check_files({names.in},
                             {{.option = "OUT.png", .path = names.out, .makes_folder = !names.folder.empty()},
                              {"--json", names.json}});
        return run(names, where);
    });
}
