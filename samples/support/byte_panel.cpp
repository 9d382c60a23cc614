#include "support/byte_panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace samples {

namespace {

constexpr double left = byte_panel_left, width = byte_panel_width, height = byte_panel_height;

double x_of(double level)
{
    return left + level / 256 * width;
}

/// A panel whose lower edge is 0 and whose upper edge is 1.
class panel {
public:
    panel(svg& picture, double top, const std::string& name, const std::string& up) : picture_(picture), top_(top)
    {
        picture_.add(R"(<text class="name" x="{}" y="{}">{}</text>)", left, top_ - 10, escaped(name));
        picture_.add(R"svg(<text class="middle" transform="translate(22 {:.1f}) rotate(-90)">{}</text>)svg",
                     top_ + height / 2, escaped(up));
        for (const int level : {0, 32, 64, 96, 128, 160, 192, 224, 255}) {
            picture_.add(R"(<path class="tick" d="M{:.1f} {:.1f}v5"/>)", x_of(level + 0.5), y_of(0));
            picture_.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", x_of(level + 0.5), y_of(0) + 19,
                         level);
        }
    }

    double y_of(double share) const { return top_ + height * (1 - share); }

    void add_line(double share, const std::string& label)
    {
        picture_.add(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", left, y_of(share), width);
        picture_.add(R"(<text class="left" x="{:.1f}" y="{:.1f}">{}</text>)", left - 8, y_of(share) + 4, label);
    }

    void add_cumulative_axis()
    {
        const double right = left + width;
        for (const int share : {0, 50, 100})
            picture_.add(R"(<text class="right" x="{:.1f}" y="{:.1f}">{}</text>)", right + 8, y_of(share / 100.0) + 4,
                         share);
        picture_.add(
            R"svg(<text class="middle right" transform="translate({:.1f} {:.1f}) rotate(90)">cumulative, %</text>)svg",
            right + 44, top_ + height / 2);
    }

    void add_bars(const std::array<double, 256>& shares)
    {
        std::string path;
        for (std::size_t level = 0; level < shares.size(); ++level)
            if (shares[level] != 0)
                path += fmt::format("M{:.2f} {:.2f}V{:.2f}h{:.2f}V{:.2f}z", x_of(static_cast<double>(level)), y_of(0),
                                    y_of(shares[level]), width / 256, y_of(0));
        picture_.add(R"(<path class="bars" d="{}"/>)", path);
    }

    /// A step at each value, the straight line, and the axis below.
    void add_curve(const std::array<double, 256>& shares)
    {
        std::string path = fmt::format("M{:.1f} {:.1f}", x_of(0), y_of(0));
        double last = 0;
        for (std::size_t level = 0; level < shares.size(); ++level) {
            if (shares[level] != last || level == shares.size() - 1)
                path += fmt::format("H{:.2f}V{:.2f}", x_of(static_cast<double>(level) + 0.5), y_of(shares[level]));
            last = shares[level];
        }
        picture_.add(R"(<path class="axis" d="M{:.1f} {:.1f}h{:.1f}"/>)", left, y_of(0), width);
        picture_.add(R"(<path class="line" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", x_of(0), y_of(0), x_of(256), y_of(1));
        picture_.add(R"(<path class="curve" d="{}H{:.2f}"/>)", path, x_of(256));
    }

private:
    svg& picture_;
    double top_;
};

}  // namespace

const char* const byte_panel_styles = R"(.name { font-size: 14px; font-weight: bold }
.bars { fill: #6b8fb5 }
.line { stroke: #999; stroke-dasharray: 4 4; fill: none }
.curve { stroke: #c2410c; stroke-width: 1.6; fill: none }
.right { fill: #c2410c }
)";

void draw_histogram(svg& picture, double top, const std::string& name, const std::string& things,
                    const std::array<std::uint64_t, 256>& counts)
{
    const auto total =
        std::max(1.0, static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})));
    const auto most = static_cast<double>(std::max<std::uint64_t>(1, *std::ranges::max_element(counts)));
    const double highest = 1.05 * most / total;  // of the axis on the left
    std::array<double, 256> bars{}, curve{};
    double so_far = 0;
    for (std::size_t level = 0; level < counts.size(); ++level) {
        bars[level] = static_cast<double>(counts[level]) / total / highest;
        so_far += static_cast<double>(counts[level]);
        curve[level] = so_far / total;
    }

    panel area(picture, top, name, things + ", %");
    const double step = nice_step(100 * highest);
    for (int i = 0; i * step <= 100 * highest; ++i)
        area.add_line(i * step / (100 * highest), fmt::format("{:g}", i * step));
    area.add_cumulative_axis();
    area.add_bars(bars);
    area.add_curve(curve);
}

void draw_table(svg& picture, double top, const std::string& name, const std::array<std::uint8_t, 256>& table)
{
    std::array<double, 256> curve{};
    for (std::size_t level = 0; level < table.size(); ++level)
        curve[level] = table[level] / 255.0;
    panel area(picture, top, name, "becomes");
    for (const int level : {0, 64, 128, 192, 255})
        area.add_line(level / 255.0, fmt::format("{}", level));
    area.add_curve(curve);
}

}  // namespace samples
