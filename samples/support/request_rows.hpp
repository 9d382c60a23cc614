/// @file
/// @brief  A picture of requests, from the rows that requests.hpp draws. Plain C++: for the programs that write it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace samples {

inline constexpr int request_row_height = 118;
inline constexpr int request_row_width = 742;
inline constexpr int request_left = 60;  ///< of the first of 32 boxes for lanes or banks
inline constexpr int request_cell = 21;  ///< from one to the next

/// An SVG of the rows, one below the other.
inline std::string svg_of_rows(const std::string& title, const std::vector<std::string>& rows)
{
    std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + std::to_string(request_row_width) +
                      " " + std::to_string(34 + request_row_height * static_cast<int>(rows.size())) +
                      "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n" +
                      "<text x='8' y='18' font-size='14'>" + title + "</text>\n";
    svg += "<defs><text id='numbers' text-anchor='middle' font-size='9'>";  // of lanes and of banks
    for (int i = 0; i < 32; ++i)
        svg += "<tspan x='" + std::to_string(request_left + i * request_cell + (request_cell - 3) / 2) + "' y='10.5'>" +
               std::to_string(i) + "</tspan>";
    svg += "</text></defs>\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
        svg += "<g transform='translate(0," + std::to_string(34 + request_row_height * static_cast<int>(i)) + ")'>\n" +
               rows[i] + "</g>\n";
    return svg + "</svg>\n";
}

}  // namespace samples
