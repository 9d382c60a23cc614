/// @file
/// @brief  Pictures of measurements as SVG: lines over sizes, and bars.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace samples {

struct series {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

/// @brief  Lines over a logarithmic axis of sizes, or bars where there is one size. Points that are not above 0 are left out.
struct line_chart {
    std::string title;
    std::string x;
    std::string y;
    bool log_y = true;
    std::vector<series> lines;
};

/// @brief  One bar a name, from 0.
struct bar_chart {
    std::string title;
    std::string y;
    std::vector<std::pair<std::string, double>> bars;
};

std::string plot_as_svg(const line_chart& chart);
std::string plot_as_svg(const bar_chart& chart);

}  // namespace samples
