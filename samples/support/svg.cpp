#include "support/svg.hpp"

#include "support/text.hpp"

#include <cmath>

namespace samples {

std::string escaped(const std::string& text)
{
    std::string result;
    for (const char c : printable(text))
        result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return result;
}

double nice_step(double top)
{
    const double power = std::pow(10, std::floor(std::log10(top / 2)));
    for (const double factor : {5.0, 2.0})
        if (factor * power <= top / 2)
            return factor * power;
    return power;
}

svg::svg(int width, int height, const std::string& styles)
{
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}">
<style>
text {{ font: 12px sans-serif; fill: #333 }}
.title {{ font-size: 16px; font-weight: bold }}
.left {{ text-anchor: end }}
.middle {{ text-anchor: middle }}
.grid {{ stroke: #e4e4e4; fill: none }}
.tick, .axis {{ stroke: #666; fill: none }}
{2}</style>
<rect width="{0}" height="{1}" fill="#fff"/>)",
        width, height, styles);
}

}  // namespace samples
