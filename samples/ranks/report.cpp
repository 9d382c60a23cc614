/// @file
/// @brief  What the sample `ranks` prints, and its picture.
#include "files.hpp"

#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ranks {

void report(const summary& found, const curve& sums, const std::filesystem::path& picture)
{
    fmt::print("n {}\nmean {:a}\nvariance {:a}\nsmallest {:a}\nlargest {:a}\n", found.n, found.mean, found.variance,
               found.smallest, found.largest);
    for (const std::uint64_t count : found.counts)
        fmt::print("count {}\n", count);
    for (const double sum : sums)
        fmt::print("sum {:a}\n", sum);

    constexpr double width = 640, height = 320;
    std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n", width, height);
    const auto most = static_cast<double>(std::max<std::uint64_t>(std::ranges::max(found.counts), 1));
    for (std::size_t bin = 0; bin < found.counts.size(); ++bin) {
        const double tall = static_cast<double>(found.counts[bin]) / most * height;
        svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#9ecae1\"/>\n",
                           static_cast<double>(bin) * width / bins, height - tall, width / bins - 1, tall);
    }
    const auto [low, high] = std::ranges::minmax(sums);
    svg += "<polyline fill=\"none\" stroke=\"#d62728\" stroke-width=\"2\" points=\"";
    for (std::size_t i = 0; i < points; ++i)
        svg += fmt::format("{},{} ", static_cast<double>(i) * width / (points - 1),
                           height - (high > low ? (sums[i] - low) / (high - low) * height : 0));
    svg += "\"/>\n</svg>\n";
    samples::write_files({{picture, svg}});
}

}  // namespace ranks
