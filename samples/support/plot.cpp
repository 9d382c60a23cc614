#include "support/plot.hpp"

#include "support/sizes.hpp"
#include "support/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace samples {

namespace {

constexpr double left = 74, top = 56, width = 560, height = 380;
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                             "#000000", "#999933", "#882255", "#44aa99", "#661100", "#6699cc"};

/// From a range of values to places on the paper.
struct scale {
    double low;
    double high;
    bool is_log;

    double share(double value) const
    {
        return is_log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    }
    double x(double value) const { return left + width * share(value); }
    double y(double value) const { return top + height * (1 - share(value)); }
};

/// A scale that holds everything, whole decades of it where it is logarithmic.
scale scale_of(const line_chart& chart)
{
    double low = std::numeric_limits<double>::max(), high = 0;
    for (const series& line : chart.lines)
        for (const auto& [x, y] : line.points)
            if (y > 0) {
                low = std::min(low, y);
                high = std::max(high, y);
            }
    if (high == 0)
        low = high = 1;
    if (!chart.log_y)
        return {0, 1.05 * high, false};
    const double bottom = std::pow(10, std::floor(std::log10(low)));
    return {bottom, std::max(10 * bottom, std::pow(10, std::ceil(std::log10(high)))), true};
}

void draw_y_axis(svg& picture, const scale& scale, const std::string& name)
{
    std::vector<double> ticks;
    if (scale.is_log) {
        for (double tick = scale.low; tick <= 1.001 * scale.high; tick *= 10)
            ticks.push_back(tick);
    } else {
        const double step = nice_step(scale.high);
        for (int i = 0; i * step <= scale.high; ++i)
            ticks.push_back(i * step);
    }
    for (const double tick : ticks) {
        picture.add(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", left, scale.y(tick), width);
        picture.add(R"(<text class="left" x="{:.1f}" y="{:.1f}">{:g}</text>)", left - 8, scale.y(tick) + 4, tick);
    }
    picture.add(R"svg(<text class="middle" transform="translate(18 {:.1f}) rotate(-90)">{}</text>)svg",
                top + height / 2, escaped(name));
    picture.add(R"(<path class="axis" d="M{0:.1f} {1:.1f}h{2:.1f}M{0:.1f} {1:.1f}v{3:.1f}"/>)", left, top + height,
                width, -height);
}

void draw_x_axis(svg& picture, const scale& scale, const std::string& name)
{
    const int first = static_cast<int>(std::ceil(std::log2(scale.low))), last = static_cast<int>(std::log2(scale.high));
    const int step = std::max(1, (last - first + 7) / 8);
    for (int exponent = first; exponent <= last; exponent += step) {
        const double x = scale.x(std::exp2(exponent));
        picture.add(R"(<path class="tick" d="M{:.1f} {:.1f}v5"/>)", x, top + height);
        picture.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", x, top + height + 19,
                    format_size(std::size_t{1} << exponent));
    }
    picture.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", left + width / 2, top + height + 42,
                escaped(name));
}

void draw_title(svg& picture, const std::string& title)
{
    picture.add(R"(<text class="title" x="{}" y="30">{}</text>)", left, escaped(title));
}

}  // namespace

std::string plot_as_svg(const line_chart& chart)
{
    svg picture(900, 500, "polyline { fill: none; stroke-width: 1.8 }\n");
    draw_title(picture, chart.title);
    double low = std::numeric_limits<double>::max(), high = 1;
    for (const series& line : chart.lines)
        for (const auto& [x, y] : line.points) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
    const scale across{std::max(1.0, std::min(low, high)), std::max(high, 2 * std::min(low, high)), true};
    const scale up = scale_of(chart);
    draw_y_axis(picture, up, chart.y);
    draw_x_axis(picture, across, chart.x);
    for (std::size_t i = 0; i < chart.lines.size(); ++i) {
        const char* const colour = colours[i % colours.size()];
        std::string points;
        for (const auto& [x, y] : chart.lines[i].points)
            if (y > 0) {
                points += fmt::format("{:.1f},{:.1f} ", across.x(x), up.y(y));
                picture.add(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="{}"/>)", across.x(x), up.y(y), colour);
            }
        picture.add(R"(<polyline points="{}" stroke="{}"/>)", points, colour);
        const double y = top + 18 * static_cast<double>(i);
        picture.add(R"(<path d="M{:.1f} {:.1f}h18" stroke="{}" stroke-width="3"/>)", left + width + 14, y, colour);
        picture.add(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", left + width + 38, y + 4, escaped(chart.lines[i].name));
    }
    return picture.take();
}

std::string plot_as_svg(const bar_chart& chart)
{
    svg picture(left + width + 40, 560, "");
    draw_title(picture, chart.title);
    double high = 0;
    for (const auto& [name, value] : chart.bars)
        high = std::max(high, value);
    const scale up{0, high > 0 ? 1.05 * high : 1, false};
    draw_y_axis(picture, up, chart.y);
    const double step = width / static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const auto& [name, value] = chart.bars[i];
        const double x = left + step * static_cast<double>(i);
        picture.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"/>)", x + 0.15 * step,
                    up.y(value), 0.7 * step, up.y(0) - up.y(value), colours[0]);
        picture.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{:.4g}</text>)", x + step / 2, up.y(value) - 5,
                    value);
        picture.add(R"svg(<text class="left" transform="translate({:.1f} {:.1f}) rotate(-35)">{}</text>)svg",
                    x + step / 2, top + height + 16, escaped(name));
    }
    return picture.take();
}

}  // namespace samples
