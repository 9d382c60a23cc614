/// @file
/// @brief  What an experiment asks samples/plot.py to draw: lines over sizes, or bars.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace samples {

/// @brief  Lines over a logarithmic axis. Where all points have one x, each line becomes a bar.
struct line_chart {
    std::string title;
    std::string x;
    std::string y;
    bool log_y = true;
    std::vector<std::pair<std::string, std::vector<std::vector<double>>>> lines{};

    /// @brief  Adds a point to the line of that name, which begins with its first point. It may have an error bar.
    void add(const std::string& name, double at, double value, std::same_as<double> auto... error)
    {
        auto line = std::ranges::find(lines, name, [](const auto& each) { return each.first; });
        if (line == lines.end())
            line = lines.insert(lines.end(), {name, {}});
        line->second.push_back({at, value, error...});
    }

    nlohmann::json to_json() const
    {
        return {{"title", title}, {"x", x}, {"y", y}, {"log_y", log_y}, {"lines", lines}};
    }
};

}  // namespace samples
