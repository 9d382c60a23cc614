// A summed-area table is two scans of a matrix: along its rows, and in place along its columns. Compiled as CUDA where a GPU may run
// it, as C++ elsewhere.
#include "adaptive_threshold/threshold.hpp"

#include <parprims/parprims.hpp>

namespace pp = parprims;

namespace {

/// Pixel i in black or white. The sum of any box is four numbers of the table. They are modulo 2^32, and so is the sum: right for
/// boxes of up to 2^24 pixels, however large the picture is.
struct compare_with_box {
    const std::uint8_t* grey;
    const std::uint32_t* table;
    std::size_t width, height, radius;

    PARPRIMS_HOST_DEVICE std::uint32_t sum_above_and_left(std::size_t x, std::size_t y) const
    {
        return x == 0 || y == 0 ? 0 : table[(y - 1) * width + x - 1];
    }
    PARPRIMS_HOST_DEVICE std::uint8_t operator()(std::size_t i) const
    {
        const box of = box::around(i % width, i / width, width, height, radius);
        const std::uint32_t sum = sum_above_and_left(of.right, of.bottom) - sum_above_and_left(of.left, of.bottom) -
                                  sum_above_and_left(of.right, of.top) + sum_above_and_left(of.left, of.top);
        return is_black(grey[i], sum, of.pixels()) ? 0 : 255;
    }
};

/// The arrays are where the policy runs.
template <class Policy>
void make_table(const Policy& policy, const std::uint8_t* grey, std::size_t width, std::size_t height,
                std::uint32_t* table)
{
    // The type of the init is the type of the sums.
    const auto sums = pp::matrix(table, height, width);
    pp::inclusive_scan(policy, pp::matrix(grey, height, width), pp::along(1), sums, pp::plus{}, std::uint32_t{0});
    pp::inclusive_scan(policy, sums, pp::along(0), sums);
}

template <class Policy>
void compare_pixels(const Policy& policy, const compare_with_box& compare, std::size_t pixels, std::uint8_t* results)
{
    const pp::counting_iterator<std::size_t> first(0);
    pp::transform(policy, first, first + static_cast<std::ptrdiff_t>(pixels), results, compare);
}

}  // namespace

std::vector<std::vector<std::uint8_t>> threshold(const std::vector<std::uint8_t>& grey, std::size_t width,
                                                 const std::vector<std::size_t>& radii,
                                                 [[maybe_unused]] const samples::place& where)
{
    const std::size_t pixels = grey.size(), height = pixels / width;
    std::vector<std::vector<std::uint8_t>> results(radii.size(), std::vector<std::uint8_t>(pixels));
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::device_buffer<std::uint8_t> on_gpu = pp::to_device(grey);
        pp::device_buffer<std::uint32_t> table(pixels);
        pp::device_buffer<std::uint8_t> result(pixels);
        make_table(pp::device, on_gpu.data(), width, height, table.data());
        for (std::size_t i = 0; i < radii.size(); ++i) {
            compare_pixels(pp::device, {on_gpu.data(), table.data(), width, height, radii[i]}, pixels, result.data());
            result.copy_to(results[i]);
        }
        return results;
    }
#endif
    std::vector<std::uint32_t> table(pixels);
    make_table(pp::host, grey.data(), width, height, table.data());
    for (std::size_t i = 0; i < radii.size(); ++i)
        compare_pixels(pp::host, {grey.data(), table.data(), width, height, radii[i]}, pixels, results[i].data());
    return results;
}
