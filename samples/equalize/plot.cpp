#include "equalize/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace {

constexpr double panel_left = 74, panel_width = 640, panel_height = 190;

/// A step of 1, 2 or 5 times a power of ten that divides an axis of percent in two to five.
double nice_step(double top)
{
    const double power = std::pow(10, std::floor(std::log10(top / 2)));
    for (const double factor : {5.0, 2.0})
        if (factor * power <= top / 2)
            return factor * power;
    return power;
}

double x_of(double level)
{
    return panel_left + level / 256 * panel_width;
}

/// One histogram: bars against the axis on the left, the cumulative curve against the one on the right.
class panel {
public:
    panel(std::string& svg, double top, const luminance_counts& counts)
        : svg_(svg), top_(top), counts_(counts),
          total_(static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}))),
          highest_percent_(1.05 * percent(*std::ranges::max_element(counts)))
    {
    }

    void draw(const std::string& name)
    {
        add(R"(<text class="name" x="{}" y="{}">{}</text>)", panel_left, top_ - 10, name);
        draw_axes();
        draw_bars();
        draw_curve();
    }

private:
    template <class... Values>
    void add(fmt::format_string<Values...> format, Values&&... values)
    {
        svg_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
    }

    double percent(std::uint64_t count) const { return 100 * static_cast<double>(count) / total_; }
    double y_of(double share) const { return top_ + panel_height * (1 - share); }

    void draw_axes()
    {
        const double right = panel_left + panel_width, middle = top_ + panel_height / 2;
        const double step = nice_step(highest_percent_);
        for (int i = 0; i * step <= highest_percent_; ++i) {
            const double y = y_of(i * step / highest_percent_);
            add(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", panel_left, y, panel_width);
            add(R"(<text class="left" x="{:.1f}" y="{:.1f}">{:g}</text>)", panel_left - 8, y + 4, i * step);
        }
        for (const int share : {0, 50, 100})
            add(R"(<text class="right" x="{:.1f}" y="{:.1f}">{}</text>)", right + 8, y_of(share / 100.0) + 4, share);
        for (const int level : {0, 32, 64, 96, 128, 160, 192, 224, 255}) {
            add(R"(<path class="tick" d="M{:.1f} {:.1f}v5"/>)", x_of(level + 0.5), y_of(0));
            add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", x_of(level + 0.5), y_of(0) + 19, level);
        }
        add(R"svg(<text class="middle" transform="translate(22 {:.1f}) rotate(-90)">pixels, %</text>)svg", middle);
        add(R"svg(<text class="middle right" transform="translate({:.1f} {:.1f}) rotate(90)">cumulative, %</text>)svg",
            right + 44, middle);
    }

    void draw_bars()
    {
        std::string path;
        for (std::size_t level = 0; level < counts_.size(); ++level)
            if (counts_[level] != 0)
                path += fmt::format("M{:.2f} {:.2f}V{:.2f}h{:.2f}V{:.2f}z", x_of(static_cast<double>(level)), y_of(0),
                                    y_of(percent(counts_[level]) / highest_percent_), panel_width / 256, y_of(0));
        add(R"(<path class="bars" d="{}"/>)", path);
        add(R"(<path class="axis" d="M{:.1f} {:.1f}h{:.1f}"/>)", panel_left, y_of(0), panel_width);
    }

    void draw_curve()
    {
        std::string path = fmt::format("M{:.1f} {:.1f}", x_of(0), y_of(0));
        double so_far = 0;
        for (std::size_t level = 0; level < counts_.size(); ++level) {
            so_far += static_cast<double>(counts_[level]);
            if (counts_[level] != 0 || level == counts_.size() - 1)
                path += fmt::format("H{:.2f}V{:.2f}", x_of(static_cast<double>(level) + 0.5), y_of(so_far / total_));
        }
        add(R"(<path class="line" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", x_of(0), y_of(0), x_of(256), y_of(1));
        add(R"(<path class="curve" d="{}H{:.2f}"/>)", path, x_of(256));
    }

    std::string& svg_;
    double top_;
    const luminance_counts& counts_;
    double total_;
    double highest_percent_;
};

std::string escaped(const std::string& text)
{
    std::string result;
    for (const char c : text)
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return result;
}

constexpr const char* head = R"(<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" viewBox="0 0 800 600">
<style>
text { font: 12px sans-serif; fill: #333 }
.title { font-size: 16px; font-weight: bold }
.name { font-size: 14px; font-weight: bold }
.left { text-anchor: end }
.middle { text-anchor: middle }
.grid { stroke: #e4e4e4; fill: none }
.tick, .axis { stroke: #666; fill: none }
.bars { fill: #6b8fb5 }
.line { stroke: #999; stroke-dasharray: 4 4; fill: none }
.curve { stroke: #c2410c; stroke-width: 1.6; fill: none }
.right { fill: #c2410c }
</style>
<rect width="800" height="600" fill="#fff"/>
)";

}  // namespace

std::string plot_as_svg(const std::string& title, const equalization& result)
{
    std::string svg = head;
    svg += fmt::format("<text class=\"title\" x=\"{}\" y=\"30\">{}</text>\n", panel_left, escaped(title));
    panel(svg, 74, result.before).draw("before");
    panel(svg, 330, result.after).draw("after");
    svg += fmt::format(
        "<text class=\"middle\" x=\"{}\" y=\"566\">luminance (0 black, 255 white); "
        "dashed: all luminances equally frequent</text>\n</svg>\n",
        panel_left + panel_width / 2);
    return svg;
}
