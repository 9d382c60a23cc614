#include "support/plot.hpp"

#include "support/sizes.hpp"
#include "support/svg.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace samples {

namespace {

constexpr double least_left = 74, top = 56, width = 560, height = 380;
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                             "#000000", "#999933", "#882255", "#44aa99", "#661100", "#6699cc"};

constexpr std::size_t longest_title = 60;

/// From a range of values to places on the paper.
struct scale {
    double low;
    double high;
    bool is_log;
    double left = least_left;  ///< of the paper, beside the axis

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
        picture.add(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", scale.left, scale.y(tick), width);
        picture.add(R"(<text class="left" x="{:.1f}" y="{:.1f}">{:g}</text>)", scale.left - 8, scale.y(tick) + 4, tick);
    }
    picture.add(R"svg(<text class="middle" transform="translate({:.1f} {:.1f}) rotate(-90)">{}</text>)svg",
                scale.left - 56, top + height / 2, escaped(name));
    picture.add(R"(<path class="axis" d="M{0:.1f} {1:.1f}h{2:.1f}M{0:.1f} {1:.1f}v{3:.1f}"/>)", scale.left,
                top + height, width, -height);
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
    picture.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", scale.left + width / 2, top + height + 42,
                escaped(name));
}

void draw_title(svg& picture, const scale& scale, const std::string& title)
{
    picture.add(R"(<text class="title" x="{:.1f}" y="30">{}</text>)", scale.left,
                escaped(printable(title, longest_title)));
}

/// Names below bars end at the middle of their bars, and lean to the left.
constexpr double lean_across = 0.82, lean_down = 0.58, character_width = 7;  // of 35 degrees; an estimate, in pixels

double width_of_name(const std::pair<std::string, double>& bar)
{
    return character_width * static_cast<double>(bar.first.size());
}

/// Room beside the axis for the names of the first bars.
double left_of(const bar_chart& chart, double step)
{
    double most = least_left;
    for (std::size_t i = 0; i < chart.bars.size(); ++i)
        most = std::max(most, lean_across * width_of_name(chart.bars[i]) + 8 - step * (static_cast<double>(i) + 0.5));
    return most;
}

/// Room below the axis for the longest name.
double below(const bar_chart& chart)
{
    double most = 0;
    for (const auto& bar : chart.bars)
        most = std::max(most, lean_down * width_of_name(bar));
    return most + 32;
}

/// Of one size, a line is a bar.
std::optional<bar_chart> as_bars(const line_chart& chart)
{
    std::optional<double> size;
    bar_chart bars{"", chart.y, {}};
    for (const series& line : chart.lines)
        for (const auto& [x, y] : line.points) {
            if (x != size.value_or(x))
                return std::nullopt;
            size = x;
            bars.bars.emplace_back(line.name, y);
        }
    if (!size)
        return std::nullopt;
    bars.title = fmt::format("{}: {} {}", chart.title, format_size(static_cast<std::size_t>(*size)), chart.x);
    return bars;
}

}  // namespace

std::string plot_as_svg(const line_chart& chart)
{
    if (const auto bars = as_bars(chart))
        return plot_as_svg(*bars);
    constexpr int line_height = 18;
    const int legend = static_cast<int>(top) + line_height * static_cast<int>(chart.lines.size());
    svg picture(900, std::max(500, legend), "polyline { fill: none; stroke-width: 1.8 }\n");
    double low = std::numeric_limits<double>::max(), high = 1;
    for (const series& line : chart.lines)
        for (const auto& [x, y] : line.points) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
    const scale across{std::max(1.0, std::min(low, high)), std::max(high, 2 * std::min(low, high)), true};
    const scale up = scale_of(chart);
    const double left = up.left;
    draw_title(picture, up, chart.title);
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
        const double y = top + line_height * static_cast<double>(i);
        picture.add(R"(<path d="M{:.1f} {:.1f}h18" stroke="{}" stroke-width="3"/>)", left + width + 14, y, colour);
        picture.add(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", left + width + 38, y + 4, escaped(chart.lines[i].name));
    }
    return picture.take();
}

std::string plot_as_svg(const bar_chart& chart)
{
    const double step = width / static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
    double high = 0;
    for (const auto& [name, value] : chart.bars)
        high = std::max(high, value);
    const scale up{0, high > 0 ? 1.05 * high : 1, false, left_of(chart, step)};
    svg picture(static_cast<int>(up.left + width + 40), static_cast<int>(top + height + below(chart)), "");
    draw_title(picture, up, chart.title);
    draw_y_axis(picture, up, chart.y);
    const bool has_values = step > 6 * character_width;  // else they would be over each other
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const auto& [name, value] = chart.bars[i];
        const double x = up.left + step * static_cast<double>(i);
        picture.add(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}"/>)", x + 0.15 * step,
                    up.y(value), 0.7 * step, up.y(0) - up.y(value), colours[0]);
        if (has_values)
            picture.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{:.4g}</text>)", x + step / 2, up.y(value) - 5,
                        value);
        picture.add(R"svg(<text class="left" transform="translate({:.1f} {:.1f}) rotate(-35)">{}</text>)svg",
                    x + step / 2, top + height + 16, escaped(name));
    }
    return picture.take();
}

}  // namespace samples
