#include "equalize/plot.hpp"

#include "support/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace {

constexpr double panel_left = 74, panel_width = 640, panel_height = 190;

double x_of(double level)
{
    return panel_left + level / 256 * panel_width;
}

/// One histogram: bars against the axis on the left, the cumulative curve against the one on the right.
class panel {
public:
    panel(samples::svg& picture, double top, const luminance_counts& counts)
        : picture_(picture), top_(top), counts_(counts),
          total_(static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}))),
          highest_percent_(1.05 * percent(*std::ranges::max_element(counts)))
    {
    }

    void draw(const std::string& name)
    {
        picture_.add(R"(<text class="name" x="{}" y="{}">{}</text>)", panel_left, top_ - 10, name);
        draw_axes();
        draw_bars();
        draw_curve();
    }

private:
    double percent(std::uint64_t count) const { return 100 * static_cast<double>(count) / total_; }
    double y_of(double share) const { return top_ + panel_height * (1 - share); }

    void draw_axes()
    {
        const double right = panel_left + panel_width, middle = top_ + panel_height / 2;
        const double step = samples::nice_step(highest_percent_);
        for (int i = 0; i * step <= highest_percent_; ++i) {
            const double y = y_of(i * step / highest_percent_);
            picture_.add(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", panel_left, y, panel_width);
            picture_.add(R"(<text class="left" x="{:.1f}" y="{:.1f}">{:g}</text>)", panel_left - 8, y + 4, i * step);
        }
        for (const int share : {0, 50, 100})
            picture_.add(R"(<text class="right" x="{:.1f}" y="{:.1f}">{}</text>)", right + 8, y_of(share / 100.0) + 4,
                         share);
        for (const int level : {0, 32, 64, 96, 128, 160, 192, 224, 255}) {
            picture_.add(R"(<path class="tick" d="M{:.1f} {:.1f}v5"/>)", x_of(level + 0.5), y_of(0));
            picture_.add(R"(<text class="middle" x="{:.1f}" y="{:.1f}">{}</text>)", x_of(level + 0.5), y_of(0) + 19,
                         level);
        }
        picture_.add(R"svg(<text class="middle" transform="translate(22 {:.1f}) rotate(-90)">pixels, %</text>)svg",
                     middle);
        picture_.add(
            R"svg(<text class="middle right" transform="translate({:.1f} {:.1f}) rotate(90)">cumulative, %</text>)svg",
            right + 44, middle);
    }

    void draw_bars()
    {
        std::string path;
        for (std::size_t level = 0; level < counts_.size(); ++level)
            if (counts_[level] != 0)
                path += fmt::format("M{:.2f} {:.2f}V{:.2f}h{:.2f}V{:.2f}z", x_of(static_cast<double>(level)), y_of(0),
                                    y_of(percent(counts_[level]) / highest_percent_), panel_width / 256, y_of(0));
        picture_.add(R"(<path class="bars" d="{}"/>)", path);
        picture_.add(R"(<path class="axis" d="M{:.1f} {:.1f}h{:.1f}"/>)", panel_left, y_of(0), panel_width);
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
        picture_.add(R"(<path class="line" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", x_of(0), y_of(0), x_of(256), y_of(1));
        picture_.add(R"(<path class="curve" d="{}H{:.2f}"/>)", path, x_of(256));
    }

    samples::svg& picture_;
    double top_;
    const luminance_counts& counts_;
    double total_;
    double highest_percent_;
};

constexpr const char* styles = R"(.name { font-size: 14px; font-weight: bold }
.bars { fill: #6b8fb5 }
.line { stroke: #999; stroke-dasharray: 4 4; fill: none }
.curve { stroke: #c2410c; stroke-width: 1.6; fill: none }
.right { fill: #c2410c }
)";

}  // namespace

std::string plot_as_svg(const std::string& title, const equalization& result)
{
    samples::svg picture(800, 600, styles);
    picture.add(R"(<text class="title" x="{}" y="30">{}</text>)", panel_left, samples::escaped(title));
    panel(picture, 74, result.before).draw("before");
    panel(picture, 330, result.after).draw("after");
    picture.add(R"(<text class="middle" x="{}" y="566">luminance (0 black, 255 white); dashed: all luminances equally )"
                R"(frequent</text>)",
                panel_left + panel_width / 2);
    return picture.take();
}
