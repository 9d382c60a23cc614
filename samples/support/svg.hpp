/// @file
/// @brief  An SVG picture that is written element by element.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace samples {

/// @brief  `text` between tags or in an attribute, without what no picture may hold.
std::string escaped(const std::string& text);

/// @brief  A step of 1, 2 or 5 times a power of ten that divides an axis from 0 to `top` in two to five.
double nice_step(double top);

class svg {
public:
    /// @param  styles  lines of CSS, besides those that every picture has
    svg(int width, int height, const std::string& styles);

    template <class... Values>
    void add(fmt::format_string<Values...> format, Values&&... values)
    {
        text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
    }

    std::string take() { return std::move(text_) + "</svg>\n"; }

private:
    std::string text_;
};

}  // namespace samples
