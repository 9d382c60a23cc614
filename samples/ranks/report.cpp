/// @file
/// @brief  The file of the sample `ranks`, what it prints, and its picture.
#include "analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ranks {

std::size_t count_floats(const std::filesystem::path& file)
{
    const std::size_t bytes = std::filesystem::file_size(file);
    if (bytes % sizeof(float) != 0 || bytes < points * sizeof(float))
        throw std::runtime_error(
            fmt::format("{}: must hold at least {} floats and nothing else", file.string(), points));
    return bytes / sizeof(float);
}

std::vector<float> read_floats(const std::filesystem::path& file, std::size_t begin, std::size_t end)
{
    std::vector<float> values(end - begin);
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(begin * sizeof(float)));
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!in)
        throw std::runtime_error(file.string() + ": cannot be read");
    return values;
}

void report(const summary& found, const curve& sums, const std::filesystem::path& picture)
{
    fmt::print("n {}\nmean {:a}\nvariance {:a}\nsmallest {:a}\nlargest {:a}\n", found.n, found.mean, found.variance,
               found.smallest, found.largest);
    for (const std::uint64_t count : found.counts)
        fmt::print("count {}\n", count);
    for (const double sum : sums)
        fmt::print("sum {:a}\n", sum);

    constexpr double width = 640, height = 320;
    std::ofstream svg(picture);
    svg << fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n", width, height);
    const auto most = static_cast<double>(std::max<std::uint64_t>(std::ranges::max(found.counts), 1));
    for (std::size_t bin = 0; bin < found.counts.size(); ++bin) {
        const double tall = static_cast<double>(found.counts[bin]) / most * height;
        svg << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#9ecae1\"/>\n",
                           static_cast<double>(bin) * width / bins, height - tall, width / bins - 1, tall);
    }
    const auto [low, high] = std::ranges::minmax(sums);
    svg << "<polyline fill=\"none\" stroke=\"#d62728\" stroke-width=\"2\" points=\"";
    for (std::size_t i = 0; i < points; ++i)
        svg << fmt::format("{},{} ", static_cast<double>(i) * width / (points - 1),
                           height - (high > low ? (sums[i] - low) / (high - low) * height : 0));
    svg << "\"/>\n</svg>\n";
    if (!svg.flush())
        throw std::runtime_error(picture.string() + ": cannot be written");
}

}  // namespace ranks
