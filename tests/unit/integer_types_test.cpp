/// @file
/// @brief  long, long long and their unsigned forms work as the fixed-width types of their sizes do.
#include <doctest/doctest.h>

#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
using fixed_width = pp::detail::fixed_width_t<T>;

static_assert(std::is_same_v<fixed_width<unsigned long long>, std::uint64_t>);
static_assert(std::is_same_v<fixed_width<long long>, std::int64_t>);
static_assert(std::is_same_v<fixed_width<long>, std::conditional_t<sizeof(long) == 8, std::int64_t, std::int32_t>>);
static_assert(std::is_same_v<fixed_width<int>, int> && std::is_same_v<fixed_width<char32_t>, char32_t>);

/// Numbers as a T and as the fixed-width type of its size.
template <class T>
struct numbers {
    std::vector<T> values = generate(10000, [](std::uint64_t bits) { return static_cast<T>(bits % 1000); });
    std::vector<fixed_width<T>> fixed{values.begin(), values.end()};
};

template <class Backend, class T>
void check_integer()
{
    const numbers<T> given;
    const auto values = place<Backend>(given.values);
    const auto fixed = place<Backend>(given.fixed);
    const std::size_t n = given.values.size();

    const auto in = [&](const auto& x) { return pp::reduce(Backend::policy(), x.begin(), x.end()); };
    static_assert(std::is_same_v<decltype(in(values)), T>);
    CHECK(in(values) == static_cast<T>(in(fixed)));

    const auto scanned = [&](const auto& x, auto zero) {
        const auto out = poisoned<Backend, decltype(zero)>(n);
        pp::exclusive_scan(Backend::policy(), x.begin(), x.end(), out.begin(), zero, pp::maximum{});
        const std::vector<decltype(zero)> results = out.read();
        return std::vector<T>(results.begin(), results.end());
    };
    CHECK(scanned(values, T{}) == scanned(fixed, fixed_width<T>{}));

    const auto counted = [&](const auto& x, auto zero) {
        using counter = decltype(zero);
        const auto counts = poisoned<Backend, counter>(10 + 3);
        const auto axis = pp::regular_axis<counter>(10, 100, 900).with_flow();
        pp::histogram(Backend::policy(), x.begin(), x.end(), axis, counts.begin());
        const std::vector<counter> results = counts.read();
        return std::vector<T>(results.begin(), results.end());
    };
    CHECK(counted(values, T{}) == counted(fixed, fixed_width<T>{}));
}

}  // namespace

TEST_CASE_TEMPLATE("integers that are no fixed-width types give what the type of their size gives", Backend,
                   PARPRIMS_BACKENDS)
{
    check_integer<Backend, long>();
    check_integer<Backend, unsigned long>();
    check_integer<Backend, long long>();
    check_integer<Backend, unsigned long long>();
}
