// How far was a picture moved, if its tones have changed as well?
//
// The second picture is the first one in false tones, 12 pixels further: dark and bright become dark, what lies between becomes
// bright. So the two do not correlate. But at the right shift each tone of one still tells the tone of the other, which the
// mutual information of their joint histogram measures. The picture that is written shows two of these histograms: at shift 1 a
// cloud, at the right shift a line.
//
//   joint_histogram                             the photograph that comes with it
//   joint_histogram IN.png OUT.png --json FILE  samples/plot.py draws FILE: the mutual information of each shift
#include "joint_histogram/joint.hpp"
#include "support/chart.hpp"
#include "support/pictures.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

constexpr std::size_t moved = 12, most_shift = 32;

/// In false tones, and moved.
std::vector<std::uint8_t> second_picture(const std::vector<std::uint8_t>& first)
{
    std::vector<std::uint8_t> values(first.size());
    for (std::size_t i = moved; i < values.size(); ++i) {
        const int tone = first[i - moved];
        values[i] = static_cast<std::uint8_t>(tone < 128 ? 2 * tone : 2 * (255 - tone));
    }
    return values;
}

/// Counts one by one.
joint_counts count_plainly(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                           std::size_t shift)
{
    joint_counts counts(levels * levels);
    for (std::size_t i = 0; i + shift < one.size(); ++i)
        ++counts[std::size_t{one[i]} / 4 * levels + other[i + shift] / 4u];
    return counts;
}

/// Two joint histograms side by side, 4 x 4 pixels a bin, the brighter the more frequent, on a logarithmic scale from dark blue to
/// yellow. The level of the first picture goes to the right, that of the second one upwards.
samples::image draw(const joint_counts& left, const joint_counts& right)
{
    constexpr std::size_t scale = 4, side = scale * levels, gap = 8;
    samples::image picture{2 * side + gap, side, 3, std::vector<std::uint8_t>((2 * side + gap) * side * 3, 255)};
    const auto paint = [&](const joint_counts& counts, std::size_t at) {
        const double most = std::log1p(static_cast<double>(*std::ranges::max_element(counts)));
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x) {
                const auto count = counts[x / scale * levels + (side - 1 - y) / scale];
                const double heat = most > 0 ? std::log1p(static_cast<double>(count)) / most : 0;
                const double colour[] = {255 * heat, 220 * heat * heat, 70 + 60 * heat - 130 * heat * heat};
                for (std::size_t c = 0; c < 3; ++c)
                    picture.values[(y * picture.width + at + x) * 3 + c] = static_cast<std::uint8_t>(colour[c] + 0.5);
            }
    };
    paint(left, 0);
    paint(right, side + gap);
    return picture;
}

int run(const samples::picture_files& names, const samples::place& where)
{
    const auto first = samples::first_channel(samples::read_png(names.in));
    if (first.size() <= 2 * most_shift)
        throw std::runtime_error(fmt::format("{}: needs more than {} pixels", names.in, 2 * most_shift));
    const auto second = second_picture(first);
    fmt::print("joint_histogram runs on the {}\n\n{}: {} pixels\n\n", where.name, samples::printable(names.in),
               first.size());

    const auto histograms = joint_histograms(first, second, most_shift, where);
    samples::line_chart chart{"What one picture tells about the other", "shift, pixels", "mutual information, bits",
                              false};
    std::vector<double> bits;
    for (std::size_t shift = 1; shift <= most_shift; ++shift) {
        bits.push_back(mutual_information(histograms[shift - 1]));
        chart.add("first and second picture", static_cast<double>(shift), bits.back());
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(bits) - bits.begin()) + 1;
    const double largest = std::max(bits[best - 1], 1e-9);
    for (std::size_t shift = 1; shift <= most_shift; ++shift)
        fmt::print("  shift {:>2}  {:5.2f} bits  {}\n", shift, bits[shift - 1],
                   samples::bar(bits[shift - 1] / largest, 50));
    fmt::print("\n  the second picture is {} pixels further: there it tells {:.2f} of the first one's {:.2f} bits\n\n",
               best, bits[best - 1], entropy(histograms[best - 1]));
    if (best != moved)  // as for a picture in black and white: both become black
        fmt::print("  it was moved by {}: the tones of this picture do not tell how far\n\n", moved);

    bool is_right = true;
    for (std::size_t shift = 1; shift <= most_shift; ++shift)
        is_right = is_right && histograms[shift - 1] == count_plainly(first, second, shift);
    return samples::finish("joint_histogram", where, names, {{"all counts are those of plain loops", is_right}},
                           draw(histograms[0], histograms[moved - 1]), {{"bits", bits}, {"chart", chart.to_json()}});
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Finds how far a picture was moved, by the joint histogram with it.", "joint_histogram");
    return samples::run_picture_sample(app, {"joint", "two joint histograms"}, argc, argv, run);
}
