// A summed-area table is two scans of a matrix: along its rows, and in place along its columns. This source is the same for both
// backends: compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "adaptive_threshold/threshold.hpp"

#include "support/for_each_index.hpp"
#include "support/memory.hpp"

#include <parprims/parprims.hpp>

#include <span>

namespace pp = parprims;

namespace {

/// Makes pixel i black or white. The sum of any box is four numbers of the table. They are modulo 2^32, and so is the sum: right for
/// boxes of up to 2^24 pixels, however large the picture is.
struct compare_with_box {
    const std::uint8_t* grey;
    const std::uint32_t* table;
    std::uint8_t* out;
    std::size_t width, height, radius;

    PARPRIMS_HOST_DEVICE std::uint32_t sum_above_and_left(std::size_t x, std::size_t y) const
    {
        return x == 0 || y == 0 ? 0 : table[(y - 1) * width + x - 1];
    }
    PARPRIMS_HOST_DEVICE void operator()(std::size_t i) const
    {
        const box of = box::around(i % width, i / width, width, height, radius);
        const std::uint32_t sum = sum_above_and_left(of.right, of.bottom) - sum_above_and_left(of.left, of.bottom) -
                                  sum_above_and_left(of.right, of.top) + sum_above_and_left(of.left, of.top);
        out[i] = is_black(grey[i], sum, of.pixels()) ? 0 : 255;
    }
};

template <class Policy>
std::vector<std::vector<std::uint8_t>> threshold_with(const Policy& policy, const std::vector<std::uint8_t>& picture,
                                                      std::size_t width, const std::vector<std::size_t>& radii)
{
    const std::size_t height = picture.size() / width;
    const auto grey = samples::bring(policy, std::span(picture));
    auto table = samples::make_array<std::uint32_t>(policy, picture.size());
    auto black_or_white = samples::make_array<std::uint8_t>(policy, picture.size());

    // The type of the init is the type of the sums.
    const auto sums = pp::matrix(table.data(), height, width);
    pp::inclusive_scan(policy, pp::matrix(grey.data(), height, width), pp::along(1), sums, pp::plus{},
                       std::uint32_t{0});
    pp::inclusive_scan(policy, sums, pp::along(0), sums);

    std::vector<std::vector<std::uint8_t>> results;
    for (const std::size_t radius : radii) {
        samples::for_each_index(policy, picture.size(),
                                compare_with_box{grey.data(), table.data(), black_or_white.data(), width, height,
                                                 radius});
        results.push_back(samples::fetch(black_or_white));
    }
    return results;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> threshold(const std::vector<std::uint8_t>& grey, std::size_t width,
                                                 const std::vector<std::size_t>& radii, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return threshold_with(policy, grey, width, radii); });
}
