/// @file
/// @brief  The guide's calls for those who come from std, Thrust or CUB. std is the oracle.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace pp = parprims;

TEST_CASE("guide: from std")
{
    const std::vector<int> x{3, 1, 4, 1, 5}, y{2, 7, 1, 8, 2};
    const auto square = [](int a) { return a * a; };
    const auto is_large = [](int a) { return a > 2 ? 1 : 0; };
    const auto policy = pp::host;
    /// [std_reduce]
    const int sum = pp::reduce(policy, x.begin(), x.end(), 0);                         // std::reduce, accumulate
    const int product = pp::reduce(policy, x.begin(), x.end(), 1, pp::multiplies{});   // std::reduce
    const int smallest = pp::reduce(policy, x.begin(), x.end(), x[0], pp::minimum{});  // std::min_element
    const int dot = pp::transform_reduce(policy, x.begin(), x.end(), y.begin(), 0);    // std::inner_product
    const int squares = pp::transform_reduce(policy, x.begin(), x.end(), 0, pp::plus{}, square);
    const int large = pp::transform_reduce(policy, x.begin(), x.end(), 0, pp::plus{}, is_large);  // std::count_if
    const int simple = pp::reduce(policy, x, 0);                                                  // a range does, too
    /// [std_reduce]
    CHECK(sum == std::reduce(x.begin(), x.end(), 0));
    CHECK(product == std::reduce(x.begin(), x.end(), 1, std::multiplies{}));
    CHECK(smallest == *std::min_element(x.begin(), x.end()));
    CHECK(dot == std::inner_product(x.begin(), x.end(), y.begin(), 0));
    CHECK(squares == std::transform_reduce(x.begin(), x.end(), 0, std::plus{}, square));
    CHECK(large == std::count_if(x.begin(), x.end(), is_large));
    CHECK(simple == sum);
}

TEST_CASE("guide: scans from std")
{
    const std::vector<int> x{3, 1, 4, 1, 5};
    const auto square = [](int a) { return a * a; };
    const auto policy = pp::host;
    std::vector<int> a(5), b(5), c(5), d(5), expected(5);
    /// [std_scan]
    pp::inclusive_scan(policy, x.begin(), x.end(), a.begin());                    // as std::inclusive_scan
    pp::inclusive_scan(policy, x.begin(), x.end(), b.begin(), pp::maximum{}, 2);  // op, then init, as in std
    pp::exclusive_scan(policy, x.begin(), x.end(), c.begin(), 10);                // as std::exclusive_scan
    pp::transform_inclusive_scan(policy, x.begin(), x.end(), d.begin(), pp::plus{}, square);
    /// [std_scan]
    std::inclusive_scan(x.begin(), x.end(), expected.begin());
    CHECK(a == expected);
    std::inclusive_scan(
        x.begin(), x.end(), expected.begin(), [](int l, int r) { return std::max(l, r); }, 2);
    CHECK(b == expected);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), 10);
    CHECK(c == expected);
    std::transform_inclusive_scan(x.begin(), x.end(), expected.begin(), std::plus{}, square);
    CHECK(d == expected);
}

TEST_CASE("[device] guide: from Thrust and CUB")
{
    const std::vector<float> values{3, 1, 4, 1, 5};
    /// [from_gpu]
    pp::device_buffer<float> x = pp::to_device(values);  // thrust::device_vector<float> x(values)
    pp::device_buffer<float> total(1);
    pp::device_buffer<std::uint32_t> counts(8);
    const pp::regular_axis axis(8, 0.0f, 16.0f);

    const float sum = pp::reduce(pp::device, x, 0.0f);    // thrust::reduce(x.begin(), x.end(), 0.0f)
    pp::reduce_into(pp::device, x, total.begin(), 0.0f);  // cub::DeviceReduce::Sum, both calls of it
    pp::histogram(pp::device, x, axis, counts.begin());   // cub::DeviceHistogram::HistogramEven
    pp::inclusive_scan(pp::device, x, x.begin());         // cub::DeviceScan::InclusiveSum
    const std::vector<float> back = x.to_host();          // thrust::copy to a host_vector
    /// [from_gpu]
    CHECK(sum == 14);
    CHECK(total.to_host().front() == 14);
    CHECK(back.back() == 14);
    CHECK(counts.to_host() == std::vector<std::uint32_t>{2, 1, 2, 0, 0, 0, 0, 0});
}

TEST_CASE("guide: histograms from NumPy and Boost.Histogram")
{
    const std::vector<float> x{0.5f, 1.5f, 1.5f}, y{2.5f, 0.5f, 0.5f};
    const auto policy = pp::host;
    /// [from_numpy]
    const pp::regular_axis ax(2, 0.0f, 2.0f), ay(3, 0.0f, 3.0f);  // boost::histogram::axis::regular<float>(2, 0, 2)
    std::vector<std::uint32_t> counts(2), grid(2 * 3);
    pp::histogram(policy, x, ax, counts.begin());                  // np.histogram(x, 2, (0, 2))
    pp::histogram(policy, x, ax, counts.begin(), pp::accumulate);  // Boost's fill(x), which adds
    const pp::zip_iterator points(x.begin(), y.begin());
    const pp::product_axis axis(ax, ay);  // boost::histogram::make_histogram(ax, ay)
    pp::histogram(policy, points, points + std::ssize(x), axis, grid.begin());  // np.histogram2d, np.histogramdd
    /// [from_numpy]
    CHECK(counts == std::vector<std::uint32_t>{2, 4});
    CHECK(grid == std::vector<std::uint32_t>{0, 0, 1, 2, 0, 0});
}
