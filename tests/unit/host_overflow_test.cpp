/// @file
/// @brief  Integers whose sums and products wrap only in partial results: this file is compiled so that a signed overflow ends the
///         program (CMakeLists.txt).
#include <parprims/by_key.hpp>
#include <parprims/functional.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// The largest number and its negative in turn: running sums are one of the two or 0, but those of every second element wrap.
template <class T>
std::vector<T> swinging(std::size_t n)
{
    constexpr T most = std::numeric_limits<T>::max();
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = i % 4 == 0 || i % 4 == 3 ? most : static_cast<T>(-most);
    return values;
}

/// The running sums of segments of `size` elements.
template <class T>
std::vector<T> running_sums(const std::vector<T>& values, std::size_t size)
{
    std::vector<T> sums(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        sums[i] = i % size == 0 ? values[i] : static_cast<T>(sums[i - 1] + values[i]);
    return sums;
}

const std::size_t sizes[] = {7, 1000, 40'003};  // part of a row, of a tile, and several tiles

}  // namespace

TEST_CASE_TEMPLATE("no sum overflows that the program does not have", T, std::int8_t, std::int32_t, std::int64_t)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const std::vector<T> values = swinging<T>(n);
        std::vector<T> out(n);
        const std::vector<T> sums = running_sums(values, n);
        CHECK(pp::reduce(pp::host, values, T{0}) == sums.back());
        pp::inclusive_scan(pp::host, values, out.begin());
        CHECK(out == sums);
        pp::exclusive_scan(pp::host, values, out.begin(), T{0});
        CHECK(std::vector<T>(out.begin() + 1, out.end()) == std::vector<T>(sums.begin(), sums.end() - 1));

        const std::size_t size = 500;  // of segments
        const std::vector<T> by_segment = running_sums(values, size);
        pp::segmented_inclusive_scan(pp::host, values, size, out.begin());
        CHECK(out == by_segment);
        const auto keys =
            pp::transform_iterator(pp::counting_iterator<std::size_t>(0), [=](std::size_t i) { return i / size; });
        const auto end = keys + static_cast<std::ptrdiff_t>(n);
        pp::inclusive_scan_by_key(pp::host, keys, end, values.begin(), out.begin());
        CHECK(out == by_segment);
        std::vector<T> totals((n + size - 1) / size), totals_by_key(totals.size());
        pp::segmented_reduce(pp::host, values, size, totals.begin(), T{0});
        CHECK(totals.front() == by_segment[(n < size ? n : size) - 1]);
        CHECK(pp::reduce_by_key(pp::host, keys, end, values.begin(), pp::discard_iterator(), totals_by_key.begin()) ==
              totals.size());
        CHECK(totals_by_key == totals);
    }
}

TEST_CASE_TEMPLATE("products are exact modulo a power of two", T, std::uint16_t, std::int32_t, std::int64_t)
{
    constexpr T most = std::numeric_limits<T>::max();  // its square is 1 modulo 2^k, up to the sign bit
    const std::vector<T> values(1001, most);
    std::vector<T> out(values.size());
    pp::inclusive_scan(pp::host, values, out.begin(), pp::multiplies{});
    std::make_unsigned_t<T> product = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        product =
            static_cast<std::make_unsigned_t<T>>(std::uintmax_t{product} * static_cast<std::make_unsigned_t<T>>(most));
        REQUIRE(out[i] == static_cast<T>(product));
    }
    CHECK(pp::reduce(pp::host, values, T{1}, pp::multiplies{}) == out.back());
}

static_assert(pp::plus{}(std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
static_assert(static_cast<std::uint16_t>(pp::multiplies{}(std::uint16_t{65535}, std::uint16_t{65535})) == 1);
