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
    std::vector<int> out(5), expected(5);
    const auto square = [](int a) { return a * a; };
    const auto is_large = [](int a) { return a > 2 ? 1 : 0; };
    const auto policy = pp::host;
    /// [std_reduce]
    const int sum = pp::reduce(policy, x.begin(), x.end(), 0);                         // std::reduce, accumulate
    const int product = pp::reduce(policy, x.begin(), x.end(), 1, pp::multiplies{});   // std::reduce
    const int smallest = pp::reduce(policy, x.begin(), x.end(), x[0], pp::minimum{});  // *std::min_element
    const int squares = pp::transform_reduce(policy, x.begin(), x.end(), 0, pp::plus{}, square);  // transform_reduce
    const int dot = pp::transform_reduce(policy, x.begin(), x.end(), y.begin(), 0);               // std::inner_product
    const int large = pp::transform_reduce(policy, x.begin(), x.end(), 0, pp::plus{}, is_large);  // std::count_if
    /// [std_reduce]
    CHECK(sum == std::reduce(x.begin(), x.end(), 0));
    CHECK(product == std::reduce(x.begin(), x.end(), 1, std::multiplies{}));
    CHECK(smallest == *std::min_element(x.begin(), x.end()));
    CHECK(squares == std::transform_reduce(x.begin(), x.end(), 0, std::plus{}, square));
    CHECK(dot == std::inner_product(x.begin(), x.end(), y.begin(), 0));
    CHECK(large == std::count_if(x.begin(), x.end(), is_large));

    const auto check = [&] { CHECK(out == expected); };
    /// [std_scan]
    pp::inclusive_scan(policy, x.begin(), x.end(), out.begin());  // std::inclusive_scan
    /// [std_scan]
    std::inclusive_scan(x.begin(), x.end(), expected.begin());
    check();
    /// [std_scan_more]
    pp::inclusive_scan(policy, x.begin(), x.end(), out.begin(), pp::maximum{}, 2);  // op, then init, as in std
    /// [std_scan_more]
    std::inclusive_scan(
        x.begin(), x.end(), expected.begin(), [](int a, int b) { return std::max(a, b); }, 2);
    check();
    /// [std_scan_exclusive]
    pp::exclusive_scan(policy, x.begin(), x.end(), out.begin(), 10);  // std::exclusive_scan
    /// [std_scan_exclusive]
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), 10);
    check();
    /// [std_scan_transform]
    pp::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), pp::plus{}, square);
    /// [std_scan_transform]
    std::transform_inclusive_scan(x.begin(), x.end(), expected.begin(), std::plus{}, square);
    check();
}

TEST_CASE("guide: ranges")
{
    const std::vector<int> x{3, 1, 4};
    std::vector<int> out(3);
    /// [ranges]
    const int sum = pp::reduce(pp::host, x);  // a range where std has a pair of iterators
    pp::inclusive_scan(pp::host, x, out.begin());
    /// [ranges]
    CHECK(sum == 8);
    CHECK(out == std::vector<int>{3, 4, 8});
}

TEST_CASE("[device] guide: from Thrust and CUB")
{
    const std::vector<float> values{3, 1, 4, 1, 5};
    /// [from_gpu]
    pp::device_buffer<float> x = pp::to_device(values);  // thrust::device_vector<float> x(values)
    const float sum = pp::reduce(pp::device, x, 0.0f);   // thrust::reduce(x.begin(), x.end(), 0.0f)
    pp::device_buffer<float> total(1);
    pp::reduce_into(pp::device, x, total.begin(), 0.0f);  // cub::DeviceReduce::Sum, both calls of it
    pp::inclusive_scan(pp::device, x, x.begin());         // cub::DeviceScan::InclusiveSum
    pp::device_buffer<std::uint32_t> counts(8);
    pp::histogram(pp::device, x, pp::regular_axis(8, 0.0f, 16.0f),
                  counts.begin());                // cub::DeviceHistogram::HistogramEven
    const std::vector<float> back = x.to_host();  // thrust::copy to a host_vector
    /// [from_gpu]
    CHECK(sum == 14);
    CHECK(total.to_host().front() == 14);
    CHECK(back.back() == 14);
    CHECK(counts.to_host() == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 0, 0, 1});
}
