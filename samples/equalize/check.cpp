#include "equalize/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace {

luminance_counts count_luminances(const samples::image& picture)
{
    luminance_counts counts{};
    for (std::size_t i = 0; i < picture.pixels(); ++i)
        ++counts[luminance_of{picture.values.data(), picture.channels}(i)];
    return counts;
}

std::array<std::uint8_t, 256> table_of(const luminance_counts& cumulative)
{
    std::array<std::uint8_t, 256> table{};
    for (std::size_t level = 0; level < table.size(); ++level)
        table[level] = equalized_level{cumulative.data()}(level);
    return table;
}

std::vector<std::uint8_t> relit(const samples::image& picture, const std::array<std::uint8_t, 256>& table)
{
    std::vector<std::uint8_t> values(picture.values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = relight{picture.values.data(), picture.channels, table.data()}(i);
    return values;
}

/// The greatest difference of a pixel's luminance from what the table says.
int luminance_error(const samples::image& original, const equalization& result)
{
    const luminance_of before{original.values.data(), original.channels};
    const luminance_of after{result.picture.values.data(), original.channels};
    int error = 0;
    for (std::size_t i = 0; i < original.pixels(); ++i)
        error = std::max(error, std::abs(after(i) - result.table[before(i)]));
    return error;
}

/// How far from the straight line the curve of a well equalised picture can be: a step is as high as its luminance is
/// frequent. Rounding moves a luminance by half a level, and a colour's by one more.
double distance_allowed(const equalization& result)
{
    const auto most = static_cast<double>(*std::ranges::max_element(result.before));
    const auto darkest =
        static_cast<double>(*std::ranges::find_if(result.before, [](auto count) { return count != 0; }));
    const double rounding = (result.picture.channels < 3 ? 0.5 : 1.5) / 255;
    return most / (static_cast<double>(result.cumulative.back()) - darkest) + rounding;
}

}  // namespace

double distance_from_line(const luminance_counts& counts)
{
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    double so_far = 0, distance = 0;
    for (std::size_t level = 0; level < counts.size(); ++level) {
        so_far += static_cast<double>(counts[level]);
        distance = std::max(distance, std::abs(so_far / total - static_cast<double>(level) / 255));
    }
    return distance;
}

std::vector<samples::claim> check(const samples::image& original, equalization& result)
{
    const luminance_counts counts = count_luminances(original);
    luminance_counts cumulative{};
    std::partial_sum(counts.begin(), counts.end(), cumulative.begin());
    const bool counts_hold = result.before == counts && result.after == count_luminances(result.picture);
    const bool curve_holds = result.cumulative == cumulative;
    const bool table_holds = result.table == table_of(cumulative);
    const bool pixels_hold = result.picture.values == relit(original, result.table);
    result.timings[0].checked = counts_hold;
    result.timings[1].checked = curve_holds;
    result.timings[2].checked = table_holds;
    result.timings[3].checked = pixels_hold;

    const int luminance_allowed = original.channels < 3 ? 0 : 1;
    const auto levels = std::ranges::count_if(counts, [](auto count) { return count != 0; });
    const double distance = distance_from_line(result.after);
    std::vector<samples::claim> results{
        {"the histograms, the curve, the table and the picture are those of plain loops",
         counts_hold && curve_holds && table_holds && pixels_hold},
        {"the table ascends", std::ranges::is_sorted(result.table)},
        {fmt::format("each pixel has the luminance of the table, to {}", luminance_allowed),
         luminance_error(original, result) <= luminance_allowed}};
    if (levels > 1)
        results.push_back({fmt::format("the cumulative curve is within {:.3f} of the straight line ({:.3f})",
                                       distance_allowed(result), distance),
                           distance <= distance_allowed(result)});
    return results;
}
