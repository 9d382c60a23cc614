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
#include "support/backend.hpp"
#include "support/files.hpp"
#include "support/png.hpp"
#include "support/report.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct files {
    std::string in;
    std::string out;
    std::string json;  ///< empty: none
    fs::path folder;   ///< made for the result, where it is not empty
};

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

nlohmann::ordered_json as_json(const files& names, const equalization& result, const std::vector<check_result>& checks,
                               const samples::place& where)
{
    nlohmann::ordered_json json{{"sample", "equalize"},
                                {"machine", where.name},
                                {"file", names.in},
                                {"width", result.picture.width},
                                {"height", result.picture.height},
                                {"channels", result.picture.channels},
                                {"before", result.before},
                                {"cumulative", result.cumulative},
                                {"after", result.after},
                                {"table", result.table},
                                {"primitives", samples::timings_as_json(result.timings)}};
    for (const check_result& claim : checks)
        json["checks"].push_back({{"claim", claim.claim}, {"holds", claim.holds}});
    return json;
}

int run(const files& names, const samples::place& where)
{
    static constexpr std::array kinds{"grey", "grey with alpha", "colour", "colour with alpha"};
    const samples::image original = samples::read_png(names.in);
    fmt::print("equalize runs on the {}\n\n{}: {} x {} pixels, {}\n", where.name, samples::printable(names.in),
               original.width, original.height, kinds[original.channels - 1]);

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
    if (!names.folder.empty())
        fs::create_directories(names.folder);
    std::vector<samples::output_file> outputs{{names.out, samples::encode_png(result.picture)}};
    if (!names.json.empty())
        outputs.push_back({names.json, samples::json_text(as_json(names, result, checks, where))});
    fmt::print("\n");
    samples::write_and_say(outputs);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Equalises the histogram of a PNG picture, and shows it before and after.", "equalize");
    files names;
    samples::backend wish = samples::backend::automatic;
    samples::add_file_option(app, "IN.png", names.in, "a picture of 8 bits a channel (default: a photograph)")
        ->type_name("");
    samples::add_file_option(app, "OUT.png", names.out,
                             "the result; IN.png again replaces it (default: output/IN-equalized.png)")
        ->type_name("");
    samples::add_backend_option(app, wish);
    samples::add_file_option(app, "--json", names.json,
                             "writes histograms, table and times as JSON; samples/plot.py draws them");

    return samples::run_program(app, argc, argv, [&] {
        if (names.in.empty())
            names.in = samples::own_executable().parent_path() / "grace_hopper.png";
        if (names.out.empty()) {
            names.folder = "output";
            names.out = names.folder / (fs::path(names.in).stem().string() + "-equalized.png");
        }
        const samples::place where = samples::choose_place(wish);
        samples::check_files(
            {names.in},
            {{.option = "OUT.png", .path = names.out, .may_replace_input = true, .makes_folder = !names.folder.empty()},
             {"--json", names.json}});
        return run(names, where);
    });
}
