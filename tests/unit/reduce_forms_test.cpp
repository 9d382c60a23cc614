/// @file
/// @brief  The ways to call reduce: ranges, iterators, launch configurations, streams.
#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/reduce.hpp>
#include <parprims/stream.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#endif

namespace pp = parprims;

namespace {

/// The sum of x * y over pairs.
struct product_of_pair {
    template <class Pair>
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(const Pair& pair) const
    {
        const auto& [x, y] = pair;
        return x * y;
    }
};

constexpr std::size_t sizes[] = {0, 1, 1000, 300001};

}  // namespace

TEST_CASE_TEMPLATE("transform_reduce takes two ranges", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto x = place<Backend>(small_values<std::uint32_t>(n));
        std::vector<std::uint64_t> numbers(n);
        std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
        const auto y = place<Backend>(numbers);
        const std::vector<std::uint32_t> values = x.read();
        std::uint64_t products = 7;
        std::uint64_t largest = 0;
        for (std::size_t i = 0; i < n; ++i) {
            products += values[i] * numbers[i];
            largest = std::max(largest, values[i] + numbers[i]);
        }
        const auto policy = Backend::policy();
        CHECK(pp::transform_reduce(policy, x.begin(), x.end(), y.begin(), std::uint64_t{7}) == products);
        CHECK(pp::transform_reduce(policy, x.begin(), x.end(), pp::counting_iterator<std::uint64_t>(1),
                                   std::uint64_t{7}) == products);
        CHECK(pp::transform_reduce(policy, x.begin(), x.end(), y.begin(), std::uint64_t{0}, pp::maximum{},
                                   pp::plus{}) == largest);
        const auto out = poisoned<Backend, std::uint64_t>(2);
        pp::transform_reduce_into(policy, x.begin(), x.end(), y.begin(), out.begin(), std::uint64_t{7});
        pp::transform_reduce_into(policy, x.begin(), x.end(), y.begin(), out.begin() + 1, std::uint64_t{0},
                                  pp::maximum{}, pp::plus{});
        CHECK(out.read() == std::vector<std::uint64_t>{products, largest});
        // Two iterators and a value are one range still.
        CHECK(pp::transform_reduce(policy, y.begin(), y.end(), std::uint64_t{0}, pp::plus{}, square{}) ==
              pp::transform_reduce(policy, y.begin(), y.end(), y.begin(), std::uint64_t{0}));
    }
}

TEST_CASE("the example of transform_reduce of two ranges")
{
    /// [inner_product]
    const std::vector<double> length{1.5, 2.0, 3.0};
    const std::vector<int> count{2, 1, 4};
    const double total = pp::transform_reduce(pp::host, length.begin(), length.end(), count.begin(), 0.0);  // 17
    /// [inner_product]
    CHECK(total == 17.0);
    const int* const nowhere = nullptr;
    CHECK_THROWS_AS((void)pp::transform_reduce(pp::host, length.begin(), length.end(), nowhere, 0.0),
                    pp::invalid_argument);
    double kept = 0;
    CHECK_THROWS_AS(pp::transform_reduce_into(pp::host, length.begin(), length.end(), nowhere, &kept, 0.0),
                    pp::invalid_argument);
    /// [inner_product_into]
    std::vector<double> out(1);
    pp::transform_reduce_into(pp::host, length, count.begin(), out.begin(), 0.5);  // 17.5
    /// [inner_product_into]
    CHECK(out.front() == 17.5);
}

TEST_CASE("reduce takes ranges that end with a sentinel")
{
    CHECK(pp::reduce(pp::host, std::views::iota(0) | std::views::take(5), 0) == 10);
    CHECK(pp::reduce(pp::host, std::views::iota(0) | std::views::take(5)) == 10);
    std::vector<int> values{1, 2, 3, 4};
    const std::ranges::subrange counted(std::counted_iterator(values.begin(), 3), std::default_sentinel);
    CHECK(pp::reduce(pp::host, counted, 0) == 6);
    CHECK(pp::transform_reduce(pp::host, counted, 0, pp::plus{}, square{}) == 14);
    CHECK(!pp::random_access_range<decltype(std::views::iota(0))>);  // endless: tests/compile_fail/every_call.cpp
}

TEST_CASE("reduce on the host takes truth values")
{
    const std::size_t n = 1000003;
    const auto values = std::make_unique<bool[]>(n);
    const bool* const first = values.get();
    CHECK(!pp::reduce(pp::host, first, first + n, false, pp::bit_or{}));
    values[700001] = true;
    CHECK(pp::reduce(pp::host, first, first + n, false, pp::bit_or{}));
    CHECK(pp::reduce(pp::host, first, first + n, false, pp::maximum{}));
    CHECK(pp::reduce(pp::host, first, first + n, false, pp::bit_xor{}));
    CHECK(!pp::reduce(pp::host, first, first + n, true, pp::minimum{}));
    const std::vector<bool> bits(first, first + n);
    CHECK(pp::reduce(pp::host, bits, false, pp::bit_or{}));
    const auto is_large = [](int x) { return x > 999; };
    CHECK(pp::transform_reduce(pp::host, std::vector<int>{5, 1000, 7}, false, pp::bit_or{}, is_large));
}

TEST_CASE_TEMPLATE("reduce reads counting, constant and transform iterators", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto end = static_cast<std::ptrdiff_t>(n);
        const pp::counting_iterator<std::uint32_t> numbers(1);
        const auto sum = static_cast<std::uint32_t>(n * (n + 1) / 2);
        CHECK(pp::reduce(Backend::policy(), numbers, numbers + end, std::uint32_t{0}) == sum);

        const pp::constant_iterator<std::uint32_t> threes(3);
        CHECK(pp::reduce(Backend::policy(), threes, threes + end) == 3 * n);

        const pp::transform_iterator squares(numbers, square{});
        std::uint32_t expected = 5;
        for (std::uint32_t i = 1; i <= n; ++i)
            expected += i * i;
        CHECK(pp::reduce(Backend::policy(), squares, squares + end, std::uint32_t{5}) == expected);
    }
}

TEST_CASE_TEMPLATE("reduce reads zip and strided iterators", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto end = static_cast<std::ptrdiff_t>(n);
        const std::vector<std::uint32_t> values = small_values<std::uint32_t>(2 * n);
        const auto x = place<Backend>(values, 1);
        std::uint32_t products = 9, evens = 9;
        for (std::uint32_t i = 0; i < n; ++i) {
            products += values[i] * i;
            evens += values[2 * i];
        }
        const pp::zip_iterator pairs(static_cast<const std::uint32_t*>(x.begin()),
                                     pp::counting_iterator<std::uint32_t>(0));
        CHECK(pp::transform_reduce(Backend::policy(), pairs, pairs + end, std::uint32_t{9}, pp::plus{},
                                   product_of_pair{}) == products);
        const pp::strided_iterator every_second(static_cast<const std::uint32_t*>(x.begin()), 2);
        CHECK(pp::reduce(Backend::policy(), every_second, every_second + end, std::uint32_t{9}) == evens);
    }
}

TEST_CASE("reduce takes ranges of the host, contiguous or not")
{
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    CHECK(pp::reduce(pp::host, values) == 499500);
    CHECK(pp::reduce(pp::host, values, 1) == 499501);
    CHECK(pp::reduce(pp::host, values, 7, pp::maximum{}) == 999);
    CHECK(pp::reduce(pp::host, std::span<const int>(values), std::int64_t{1}) == 499501);
    CHECK(pp::reduce(pp::host, std::deque<int>(values.begin(), values.end()), 1) == 499501);
    CHECK(pp::reduce(pp::host, std::array<int, 3>{1, 2, 3}) == 6);
    int plain[] = {4, 5};
    CHECK(pp::reduce(pp::host, plain) == 9);
    CHECK(pp::transform_reduce(pp::host, values, std::int64_t{0}, pp::plus{}, [](int x) { return 2 * x; }) == 999000);

    int total = 0;
    pp::reduce_into(pp::host, values, &total, 1);
    CHECK(total == 499501);
    std::vector<std::int64_t> totals(1);
    pp::transform_reduce_into(pp::host, values, totals.begin(), std::int64_t{0}, pp::plus{},
                              [](int x) { return 2 * x; });
    CHECK(totals.front() == 999000);
}

TEST_CASE("reduce starts from a value-initialised element where none is given")
{
    const std::vector<std::uint8_t> values(300, 1);
    const auto sum = pp::reduce(pp::host, values.begin(), values.end());
    static_assert(std::is_same_v<decltype(sum), const std::uint8_t>);
    CHECK(sum == 300 - 256);
}

TEST_CASE("reduce runs on any number of threads")
{
    const std::vector<float> values = small_values<float>(1 << 20);
    const float expected = pp::reduce(pp::host, values, 0.0f);
    for (const unsigned threads : {1u, 2u, 3u, 64u}) {
        CAPTURE(threads);
        CHECK(pp::reduce(pp::host.threads(threads), values, 0.0f) == expected);
    }
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] reduce takes a device_buffer, in any stream")
{
    const std::vector<float> values = small_values<float>(100000);
    const float expected = pp::reduce(pp::host, values, 0.0f);
    const pp::stream work;
    const pp::device_buffer<float> x = pp::to_device(values, work);
    CHECK(pp::reduce(pp::device.on(work), x, 0.0f) == expected);
    CHECK(pp::reduce(pp::device.on(work), x) == expected);
    CHECK(pp::reduce(pp::device, x, 0.0f) == expected);

    pp::device_buffer<float> total(1, work);
    pp::reduce_into(pp::device.on(work), x, total.begin(), 1.0f);
    CHECK(total.to_host().front() == expected + 1);
    pp::device_buffer<double> squares(1, work);
    pp::transform_reduce_into(pp::device.on(work), x, squares.begin(), 0.0, pp::plus{}, square{});
    CHECK(squares.to_host().front() == pp::transform_reduce(pp::host, values, 0.0, pp::plus{}, square{}));
}

TEST_CASE("[device] reduce reads page-locked and managed memory")
{
    const std::vector<float> values = small_values<float>(50000);
    const float expected = pp::reduce(pp::host, values, 0.0f);
    const pp::pinned_buffer<float> pinned(values);
    CHECK(pp::reduce(pp::device, pinned.begin(), pinned.end(), 0.0f) == expected);

    float* managed = nullptr;
    REQUIRE(cudaMallocManaged(&managed, values.size() * sizeof(float)) == cudaSuccess);
    std::copy(values.begin(), values.end(), managed);
    CHECK(pp::reduce(pp::device, managed, managed + values.size(), 0.0f) == expected);
    cudaFree(managed);
}

TEST_CASE("[device] reduce gives the same answer for every launch configuration")
{
    for (const std::size_t n : {std::size_t{1}, std::size_t{5000}, std::size_t{1234567}}) {
        const std::vector<float> values = small_values<float>(n);
        const float expected = pp::reduce(pp::host, values, 0.0f);
        const pp::device_buffer<float> x = pp::to_device(values);
        for (const unsigned block_threads : {32u, 64u, 96u, 256u, 992u, 1024u})
            for (const unsigned blocks_per_sm : {1u, 2u, 8u, 32u})
                for (const unsigned subtree_chunks : {0u, 1u, 2u, 64u, 65536u}) {
                    const pp::reduce_config config{block_threads, blocks_per_sm, subtree_chunks};
                    CAPTURE(n);
                    CAPTURE(pp::to_string(config));
                    CHECK(pp::reduce(pp::device.with(config), x, 0.0f) == expected);
                }
    }
}

TEST_CASE("[device] reduce reads Thrust's counting, transform and zip iterators")
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto end = static_cast<std::ptrdiff_t>(n);
        const thrust::counting_iterator<std::uint64_t> numbers(0);
        const std::uint64_t sum = n == 0 ? 0 : std::uint64_t{n} * (n - 1) / 2;
        CHECK(pp::reduce(pp::device, numbers, numbers + end, std::uint64_t{0}) == sum);

        const auto squares = thrust::make_transform_iterator(numbers, square{});
        std::uint64_t sum_of_squares = 0;
        for (std::uint64_t i = 0; i < n; ++i)
            sum_of_squares += i * i;
        CHECK(pp::reduce(pp::device, squares, squares + end, std::uint64_t{0}) == sum_of_squares);

        const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(numbers, squares));
        const auto add_up = [] __host__ __device__(const thrust::tuple<std::uint64_t, std::uint64_t>& pair) {
            return thrust::get<0>(pair) + thrust::get<1>(pair);
        };
        CHECK(pp::transform_reduce(pp::device, pairs, pairs + end, std::uint64_t{1}, pp::plus{}, add_up) ==
              1 + sum + sum_of_squares);
    }
}

#endif
