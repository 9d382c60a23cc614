/// @file
/// @brief  Calls on the host for number types and iterators that take paths of their own: SIMD, staged input, blocks without branches.
#include <doctest/doctest.h>

#include <parprims/by_key.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/extremes.hpp>
#include <parprims/iterator.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/transform.hpp>

#include "support/by_key_oracle.hpp"
#include "support/data.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace pp = parprims;
namespace order = parprims::detail::order;

namespace {

/// Numbers whose sums depend on the order, if they are floating-point numbers.
template <class T>
std::vector<T> numbers(std::size_t n, std::uint64_t seed)
{
    if constexpr (std::is_floating_point_v<T>)
        return spread_values<T>(n, seed);
    else
        return generate(
            n, [](std::uint64_t bits) { return static_cast<T>(bits % 1000); }, seed);
}

/// Where segments of random lengths of at most `longest` begin, some of them empty.
std::vector<std::uint32_t> random_offsets(std::size_t n, std::uint64_t longest, std::uint64_t seed)
{
    std::vector<std::uint32_t> offsets{0};
    for (random_bits random(seed); offsets.back() < n;)
        offsets.push_back(
            static_cast<std::uint32_t>(std::min<std::uint64_t>(n, offsets.back() + random() % (longest + 1))));
    return offsets;
}

/// All forms, over runs between offsets. Values come from an array and from a transform.
template <class T, class Op>
void check_runs(const std::vector<T>& values, const std::vector<std::uint32_t>& offsets, unsigned threads)
{
    const std::size_t n = values.size();
    std::vector<std::uint64_t> keys(n);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        std::fill(keys.begin() + offsets[s], keys.begin() + offsets[s + 1], s);
    const T init = static_cast<T>(3);
    const auto expected = by_key_oracle::run(keys, values, init, pp::equal_to{}, Op{});
    const auto policy = pp::host.threads(threads);
    const auto check = [&](auto first) {
        std::vector<T> out(n);
        pp::inclusive_scan_by_key(policy, keys.begin(), keys.end(), first, out.begin(), pp::equal_to{}, Op{});
        CHECK(same_values(out, expected.inclusive));
        pp::exclusive_scan_by_key(policy, keys.begin(), keys.end(), first, out.begin(), init, pp::equal_to{}, Op{});
        CHECK(same_values(out, expected.exclusive));
        pp::segmented_inclusive_scan(policy, first, first + static_cast<std::ptrdiff_t>(n), offsets.begin(),
                                     offsets.end(), out.begin(), Op{});
        CHECK(same_values(out, expected.inclusive));
        std::vector<std::uint64_t> run_keys(expected.keys.size());
        std::vector<T> totals(expected.totals.size());
        CHECK(pp::reduce_by_key(policy, keys.begin(), keys.end(), first, run_keys.begin(), totals.begin(),
                                pp::equal_to{}, Op{}) == expected.keys.size());
        CHECK(run_keys == expected.keys);
        CHECK(same_values(totals, expected.totals));
    };
    check(values.data());
    check(pp::transform_iterator(values.data(), [](T x) { return x; }));
}

template <class T, class Op>
void check_by_key()
{
    using short_pair = parprims::detail::keyed<T, std::size_t, true>;
    using long_pair = parprims::detail::keyed<T>;
    constexpr std::size_t row = order::row<short_pair>;
    constexpr std::size_t tile = order::tile<short_pair>;
    constexpr std::size_t most = order::short_input<T>;
    for (const std::size_t n : {std::size_t{1}, row - 1, row, row + 1, 5 * tile + 3 * row + 7,
                                most + 9 * order::tile<long_pair> + order::row<long_pair> + 13}) {
        const bool is_long = n > most;
        for (const std::uint64_t longest : {2, 40, 3000}) {
            CAPTURE(n);
            CAPTURE(longest);
            check_runs<T, Op>(numbers<T>(n, n + longest), random_offsets(n, longest, n), is_long ? 3 : 1);
        }
        check_runs<T, Op>(numbers<T>(n, 2), {0, static_cast<std::uint32_t>(n)}, 2);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("host calls by key have the bits of the order contract", T, float, double, std::int32_t,
                   std::uint64_t, std::int8_t)
{
    check_by_key<T, pp::plus>();
}

TEST_CASE("host calls by key follow it for other operators, too")
{
    check_by_key<float, pp::minimum>();
    check_by_key<std::uint32_t, pp::maximum>();
    check_by_key<std::int64_t, pp::minimum>();
}

TEST_CASE_TEMPLATE("host scans through iterators have the bits of scans of arrays", T, float, double, std::int32_t,
                   std::uint64_t)
{
    const auto triple = [](T x) { return static_cast<T>(3 * x); };
    for (const std::size_t n : {order::tile<T> - 1, order::tile<T>, 5 * order::tile<T> + 3 * order::row<T> + 7}) {
        CAPTURE(n);
        const std::vector<T> values = numbers<T>(n, n);
        std::vector<T> tripled(n);
        pp::transform(pp::host, values.begin(), values.end(), tripled.begin(), triple);
        std::vector<T> expected(n), out(n);
        pp::inclusive_scan(pp::host, tripled.begin(), tripled.end(), expected.begin());
        const pp::transform_iterator first(values.data(), triple);
        pp::inclusive_scan(pp::host, first, first + static_cast<std::ptrdiff_t>(n), out.begin());
        CHECK(same_values(out, expected));
        const pp::transform_output_iterator same(out.data(), [](T x) { return x; });
        pp::exclusive_scan(pp::host, tripled.begin(), tripled.end(), expected.begin(), T{5});
        pp::exclusive_scan(pp::host, tripled.data(), tripled.data() + n, same, T{5});
        CHECK(same_values(out, expected));
        pp::exclusive_scan(pp::host, first, first + static_cast<std::ptrdiff_t>(n), same, T{5});
        CHECK(same_values(out, expected));
    }
}

TEST_CASE_TEMPLATE("host searches find what std finds among equal values", T, float, std::int8_t, std::int64_t)
{
    for (const std::uint64_t different : {1, 3, 1000})
        for (const std::size_t n : {1, 2, 255, 256, 257, 258, 513, 1100, 100000}) {
            CAPTURE(different);
            CAPTURE(n);
            const auto x = generate(
                n, [=](std::uint64_t bits) { return static_cast<T>(bits % different); }, n);
            CHECK(pp::min_element(pp::host, x.begin(), x.end()) == std::min_element(x.begin(), x.end()));
            CHECK(pp::max_element(pp::host, x.begin(), x.end()) == std::max_element(x.begin(), x.end()));
            const auto found = pp::minmax_element(pp::host, x.begin(), x.end());
            const auto expected = std::minmax_element(x.begin(), x.end());
            CHECK(found.first == expected.first);
            CHECK(found.second == expected.second);
        }
}

TEST_CASE("init keeps its value where its operator& returns no address")
{
    const std::vector<affine> maps = {{2, 0, 1}, {1, 5, 1}, {3, 1, 1}};
    const std::vector<int> keys = {7, 7, 8};
    const affine init{1, 10, 1};
    const auto check = [&](std::vector<affine> expected, auto call) {
        std::vector<affine> out(expected.size());
        call(out.begin());
        CHECK(same_values(out, expected));
    };
    check({{1, 10, 1}, {2, 20, 2}, {2, 25, 3}},
          [&](auto out) { pp::exclusive_scan(pp::host, maps, out, init, then{}); });
    check({{2, 20, 2}, {2, 25, 3}, {6, 76, 4}},
          [&](auto out) { pp::inclusive_scan(pp::host, maps, out, then{}, init); });
    check({{1, 10, 1}, {2, 20, 2}, {2, 25, 3}},
          [&](auto out) { pp::transform_exclusive_scan(pp::host, maps, out, init, then{}, pp::identity{}); });
    check({{2, 20, 2}, {2, 25, 3}, {6, 76, 4}}, [&](auto out) {
        pp::transform_inclusive_scan(pp::host, maps.begin(), maps.end(), out, then{}, pp::identity{}, init);
    });
    check({{1, 10, 1}, {2, 20, 2}, {1, 10, 1}},
          [&](auto out) { pp::exclusive_scan_by_key(pp::host, keys, maps, out, init, pp::equal_to{}, then{}); });
    check({{1, 10, 1}, {2, 20, 2}, {1, 10, 1}},
          [&](auto out) { pp::segmented_exclusive_scan(pp::host, maps, 2, out, init, then{}); });
    check({{1, 10, 1}, {2, 20, 2}, {1, 10, 1}}, [&](auto out) {
        pp::segmented_exclusive_scan(pp::host, maps, std::vector{0, 2, 3}, out, init, then{});
    });
    check({{2, 25, 3}, {3, 31, 2}}, [&](auto out) { pp::segmented_reduce(pp::host, maps, 2, out, init, then{}); });
}
