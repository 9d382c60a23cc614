// A flat photograph gets its contrast back: histogram equalisation.
//
// Two files are written: the picture, and a plot of how frequent each luminance is before and after. After it the
// cumulative curve is close to a straight line, which is what equalised means. The way there is the classic use of the
// primitives: histogram -> inclusive scan -> table -> map, in equalization.cpp. Grey and colour, 8 bits a channel; in
// colour the luminance is equalised and the chrominance is kept.
//
//   equalize                        the photograph that comes with it
//   equalize IN.png OUT.png         OUT.png and OUT-histogram.svg
#include "equalize/check.hpp"
#include "equalize/equalization.hpp"
#include "equalize/plot.hpp"
#include "support/backend.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"
#include "support/png.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;

/// Where the file of the plot goes: beside the picture.
fs::path plot_path(fs::path picture)
{
    return picture.replace_filename(picture.stem().string() + "-histogram.svg");
}

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

/// `folder` is made for the results, where it is not empty.
int run(const fs::path& in, const fs::path& out, const fs::path& folder, const samples::place& where)
{
    static constexpr std::array kinds{"grey", "grey with alpha", "colour", "colour with alpha"};
    const samples::image original = samples::read_png(in);
    fmt::print("equalize runs on the {}\n\n{}: {} x {} pixels, {}\n", where.name, in.string(), original.width,
               original.height, kinds[original.channels - 1]);

    equalization result = equalize(original, where);
    const auto checks = check(original, result);
    print_histograms(result);
    fmt::print("\n");
    samples::print_timings(result.timings);
    fmt::print("\n");
    bool all_hold = true;
    for (const check_result& claim : checks) {
        fmt::print("  {:<8} {}\n", claim.holds ? "ok" : "WRONG", claim.claim);
        all_hold = all_hold && claim.holds;
    }
    if (!all_hold) {
        fmt::print(stderr, "equalize: the result is wrong; nothing was written\n");
        return 1;
    }
    const std::string title = fmt::format("{}: luminance before and after equalisation", in.filename().string());
    if (!folder.empty())
        fs::create_directories(folder);
    samples::write_files({{out, samples::encode_png(result.picture)}, {plot_path(out), plot_as_svg(title, result)}});
    fmt::print("\n  wrote {} and {}\n", out.string(), plot_path(out).string());
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Equalises the histogram of a PNG picture, and plots it before and after.", "equalize");
    fs::path in, out;
    samples::backend wish = samples::backend::automatic;
    const auto* in_option =
        app.add_option("IN.png", in, "a picture of 8 bits a channel (default: a photograph)")->type_name("");
    app.add_option("OUT.png", out, "the result (default: output/IN-equalized.png)")->type_name("");
    samples::add_backend_option(app, wish);

    return samples::run_program(app, argc, argv, [&] {
        if (in_option->count() == 0)
            in = samples::own_executable().parent_path() / "grace_hopper.png";
        fs::path folder;
        if (out.empty()) {
            folder = "output";
            out = folder / (in.stem().string() + "-equalized.png");
        }
        if (folder.empty() || fs::exists(folder))
            samples::check_writable({out, plot_path(out)});
        else
            samples::check_writable({folder});  // where a file can be made, so can a folder
        return run(in, out, folder, samples::choose_place(wish));
    });
}
