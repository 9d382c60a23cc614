/// @file
/// @brief  reduce along dimensions: the bits of each line are those of its own reduction, whatever the strides.
#include <doctest/doctest.h>

#include <parprims/exact_plus.hpp>
#include <parprims/reduce.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/stream.hpp>

#include "support/arrays.hpp"
#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/order_oracle.hpp"
#include "support/refusal.hpp"

#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// Sums of numbers of very different sizes: any other order gives other bits.
template <class T>
std::vector<T> rough_values_of(std::size_t n)
{
    return generate(n, [](std::uint64_t bits) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(static_cast<std::int64_t>(bits) >> bits % 48);
        else
            return static_cast<T>(bits);
    });
}

struct halved {
    PARPRIMS_HOST_DEVICE double operator()(float x) const { return 0.5 * x; }
};

/// The result has the size of an element: transformed rows without gaps are segments.
struct squared {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x * x; }
};

struct doubled {
    PARPRIMS_HOST_DEVICE double operator()(double x) const { return x + x; }
};

/// Can be copied, but not assigned.
struct fixed {
    const float number;
};
struct number_of {
    PARPRIMS_HOST_DEVICE float operator()(const fixed& x) const { return x.number; }
};

/// Reduces an array along the dimensions of `mask`, to an array without gaps or to one with strides.
template <class Backend, class T, class Result, class Op, class Transform>
void check_along(random_bits& random, const random_array& array, unsigned mask, Result init, Op op, Transform transform)
{
    const auto along = dimensions_in(array.rank, mask, true);
    const auto left = dimensions_in(array.rank, mask, false);
    const std::vector<T> values = rough_values_of<T>(array.memory);
    std::vector<std::size_t> extents;
    for (const unsigned d : left)
        extents.push_back(array.extents[d]);
    const random_array results = arranged(random, extents, true);
    std::vector<unsigned> all;
    for (unsigned d = 0; d < results.rank; ++d)
        all.push_back(d);
    CAPTURE(array.rank);
    CAPTURE(mask);
    for (unsigned d = 0; d < array.rank; ++d) {
        CAPTURE(array.extents[d]);
        CAPTURE(array.strides[d]);
    }

    const auto x = place<Backend>(values, random() % 3);
    const auto out = poisoned<Backend, Result>(results.memory, random() % 2);
    const auto call = [&](const auto& view, const auto& chosen, const auto& to) {
        if constexpr (std::is_same_v<Transform, pp::identity>)
            pp::reduce(Backend::policy(), view, chosen, to, init, op);
        else
            pp::transform_reduce(Backend::policy(), view, chosen, to, init, op, transform);
    };
    with_view(array, x.begin(), [&](const auto& view) {
        with_along(along, [&](const auto& chosen) {
            constexpr std::size_t count = sizeof(chosen.dimensions) / sizeof(chosen.dimensions[0]);
            constexpr std::size_t rank = std::remove_cvref_t<decltype(view)>::rank();
            if constexpr (count == rank)
                call(view, chosen, out.begin());
            else if constexpr (count < rank)
                with_view(results, out.begin(), [&](const auto& to) {
                    if constexpr (std::remove_cvref_t<decltype(to)>::rank() == rank - count)
                        call(view, chosen, to);
                });
        });
    });

    const auto elements = offsets_of(array, along);
    const auto lines = offsets_of(array, left);
    const auto places = offsets_of(results, all);
    std::vector<Result> expected(results.memory);
    if (!expected.empty())
        std::memset(static_cast<void*>(expected.data()), poison, expected.size() * sizeof(Result));
    for (std::size_t l = 0; l < lines.size(); ++l) {
        std::vector<T> line;
        for (const std::ptrdiff_t offset : elements)
            line.push_back(values[array.first + static_cast<std::size_t>(lines[l] + offset)]);
        expected[results.first + static_cast<std::size_t>(places[l])] =
            order_oracle::reduce<T>(line.begin(), line.size(), init, op, transform);
    }
    CHECK(same_values(out.read(), expected));
}

template <class Backend, class T, class Result, class Op, class Transform>
void check_random(std::uint64_t seed, unsigned rounds, std::size_t elements, Result init, Op op, Transform transform)
{
    random_bits random(seed);
    for (unsigned round = 0; round < rounds; ++round) {
        CAPTURE(seed);
        CAPTURE(round);
        const std::vector<std::size_t> extents = random_extents(random, elements);
        check_along<Backend, T>(random, arranged(random, extents, false),
                                1 + static_cast<unsigned>(random() % ((1u << extents.size()) - 1)), init, op,
                                transform);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("lines of random arrays have the bits of their reductions", Backend, PARPRIMS_BACKENDS)
{
    check_random<Backend, float>(1, 300, 40000, 3.0f, pp::plus{}, pp::identity{});
    check_random<Backend, double>(2, 100, 40000, -1.0, pp::plus{}, pp::identity{});
    check_random<Backend, std::int8_t>(3, 100, 40000, 7, pp::plus{}, pp::identity{});
    check_random<Backend, float>(4, 100, 40000, 1.0, pp::plus{}, halved{});
}

TEST_CASE_TEMPLATE("long lines, few or many, have the bits of their reductions", Backend, PARPRIMS_BACKENDS)
{
    random_bits random(11);
    for (const std::size_t columns : {1, 2, 3, 4, 5, 31, 33, 64, 200}) {
        const std::size_t rows = 300000 / columns;
        random_array array;
        array.rank = 2;
        array.extents[0] = rows;
        array.extents[1] = columns;
        for (const std::size_t pitch : {columns, columns + 3, 3 * columns}) {
            array.strides[0] = static_cast<std::ptrdiff_t>(pitch);
            array.strides[1] = 1;
            place_in_memory(array);
            check_along<Backend, float>(random, array, 1, 0.0f, pp::plus{}, pp::identity{});
            check_along<Backend, float>(random, array, 2, 0.0f, pp::plus{}, pp::identity{});
            check_along<Backend, float>(random, array, 3, 0.0f, pp::plus{}, pp::identity{});
            check_along<Backend, float>(random, array, 2, 0.0f, pp::plus{}, squared{});
        }
    }
}

TEST_CASE_TEMPLATE("the sums of the columns and rows of a matrix", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto columns = poisoned<Backend, float>(3);
    const auto rows = poisoned<Backend, float>(2);
    const auto largest = poisoned<Backend, float>(1);
    /// [reduce]
    const auto matrix = pp::matrix(x.begin(), 2, 3);                                    // 1 2 3
                                                                                        // 4 5 6
    pp::reduce(policy, matrix, pp::along(0), columns.begin(), 0.0f);                    // 5 7 9
    pp::reduce(policy, matrix, pp::along(1), rows.begin(), 0.0f);                       // 6 15
    pp::reduce(policy, matrix, pp::along(0, 1), largest.begin(), 0.0f, pp::maximum{});  // 6
    /// [reduce]
    CHECK(columns.read() == std::vector<float>{5, 7, 9});
    CHECK(rows.read() == std::vector<float>{6, 15});
    CHECK(largest.read() == std::vector<float>{6});
    pp::reduce(policy, matrix, pp::along(1), rows.begin());
    CHECK(rows.read() == std::vector<float>{6, 15});
    const squared square;
    /// [transform_reduce]
    pp::transform_reduce(policy, matrix, pp::along(1), rows.begin(), 0.0f, pp::plus{}, square);  // 14 77
    /// [transform_reduce]
    CHECK(rows.read() == std::vector<float>{14, 77});
}

#if __has_include(<cuda/std/mdspan>)
TEST_CASE_TEMPLATE("cuda::std::mdspan of every layout is read by its strides", Backend, PARPRIMS_BACKENDS)
{
    namespace md = cuda::std;
    using columns_known = md::extents<unsigned, md::dynamic_extent, 4>;
    std::vector<float> numbers(32);  // their sums are exact in any order
    std::iota(numbers.begin(), numbers.end(), 1.0f);
    const auto x = place<Backend>(numbers);
    const auto columns = poisoned<Backend, float>(4), rows = poisoned<Backend, float>(3);
    const auto check = [&](const auto& view, std::size_t row, std::size_t column) {
        std::vector<float> of_columns(4), of_rows(3);
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 4; ++c) {
                of_columns[c] += numbers[r * row + c * column];
                of_rows[r] += numbers[r * row + c * column];
            }
        pp::reduce(Backend::policy(), view, pp::along(0), columns.begin());
        CHECK(columns.read() == of_columns);
        pp::reduce(Backend::policy(), view, pp::along(1), md::mdspan(rows.begin(), md::dextents<int, 1>(3)));
        CHECK(rows.read() == of_rows);
    };
    const float* const first = x.begin();
    check(md::mdspan(first, md::dextents<int, 2>(3, 4)), 4, 1);
    check(md::mdspan<const float, columns_known, md::layout_left>(first, 3), 1, 3);
    check(md::mdspan(first, md::layout_stride::mapping(md::dextents<std::size_t, 2>(3, 4), md::array<int, 2>{7, 2})), 7,
          2);
}
#endif

TEST_CASE_TEMPLATE("transformed elements need not be assignable", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto view = pp::matrix(reinterpret_cast<const fixed*>(x.begin()), 2, 3);
    const auto out = poisoned<Backend, float>(5);
    pp::transform_reduce(Backend::policy(), view, pp::along(0), out.begin(), 0.0f, pp::plus{}, number_of{});
    pp::transform_reduce(Backend::policy(), view, pp::along(1), out.begin() + 3, 0.0f, pp::plus{}, number_of{});
    CHECK(out.read() == std::vector<float>{5, 7, 9, 6, 15});
}

TEST_CASE_TEMPLATE("lines without elements get init, and no lines get nothing", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const float* const none = nullptr;
    const auto out = poisoned<Backend, float>(3);
    pp::reduce(policy, pp::matrix(none, 0, 3), pp::along(0), out.begin(), 4.0f);
    CHECK(out.read() == std::vector<float>{4, 4, 4});
    pp::reduce(policy, pp::matrix(none, 0, 3), pp::along(1), static_cast<float*>(nullptr), 4.0f);
}

TEST_CASE_TEMPLATE("reduce along dimensions refuses what it cannot read or write", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<float>(12, 1.0f));
    const auto out = poisoned<Backend, float>(4);
    const auto m = pp::matrix(x.begin(), 3, 4);
    check_refused("parprims::reduce", "along", "dimension 2, not from 0 to 1",
                  [&] { pp::reduce(policy, m, pp::along(2), out.begin(), 0.0f); });
    check_refused("parprims::reduce", "out", "overlaps the view",
                  [&] { pp::reduce(policy, m, pp::along(0), x.begin() + 8, 0.0f); });
    check_refused("parprims::transform_reduce", "out", "elements of it may overlap", [&] {
        pp::transform_reduce(policy, m, pp::along(0), pp::strided_view(out.begin(), {4}, {0}), 0.0f, pp::plus{},
                             pp::identity{});
    });
    CHECK(out.untouched());
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("exact sums of rows and columns are those of each line", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<double> values = generate(30 * 70, [](std::uint64_t bits) {
        return static_cast<double>(static_cast<std::int64_t>(bits)) * (bits % 3 == 0 ? 1e-30 : 1e20);
    });
    const auto x = place<Backend>(values);
    const auto columns = poisoned<Backend, double>(70);
    const auto planes = poisoned<Backend, double>(6);
    pp::reduce(Backend::policy(), pp::matrix(x.begin(), 30, 70), pp::along(0), columns.begin(), 1.0, pp::exact_plus{});
    pp::reduce(Backend::policy(), pp::strided_view(x.begin(), {5, 6, 70}, {420, 70, 1}), pp::along(0, 2),
               planes.begin(), 0.0, pp::exact_plus{});
    const auto sum = [&](std::size_t first, const std::vector<std::size_t>& offsets, double init) {
        std::vector<double> line;
        for (const std::size_t offset : offsets)
            line.push_back(values[first + offset]);
        return pp::reduce(pp::host, line, init, pp::exact_plus{});
    };
    std::vector<double> expected;
    std::vector<std::size_t> column, plane;
    for (std::size_t r = 0; r < 30; ++r)
        column.push_back(r * 70);
    for (std::size_t c = 0; c < 70; ++c)
        expected.push_back(sum(c, column, 1.0));
    CHECK(same_values(columns.read(), expected));
    const auto upwards = poisoned<Backend, float>(70);
    pp::reduce(Backend::policy(), pp::strided_view(x.begin() + 29 * 70, {30, 70}, {-70, 1}), pp::along(0),
               upwards.begin(), 1.0f, pp::exact_plus{});
    CHECK(same_values(upwards.read(), std::vector<float>(expected.begin(), expected.end())));
    const auto channels = poisoned<Backend, double>(350);
    pp::reduce(Backend::policy(), pp::strided_view(x.begin(), {5, 6, 70}, {420, 70, 1}), pp::along(1), channels.begin(),
               1.0, pp::exact_plus{});
    expected.clear();
    for (std::size_t i = 0; i < 350; ++i)
        expected.push_back(sum(i / 70 * 420 + i % 70, {0, 70, 140, 210, 280, 350}, 1.0));
    CHECK(same_values(channels.read(), expected));
    for (std::size_t a = 0; a < 5; ++a)
        for (std::size_t c = 0; c < 70; ++c)
            plane.push_back(a * 420 + c);
    expected.clear();
    for (std::size_t b = 0; b < 6; ++b)
        expected.push_back(sum(b * 70, plane, 0.0));
    CHECK(same_values(planes.read(), expected));
    const auto rows = poisoned<Backend, double>(30);
    pp::reduce(Backend::policy(), pp::matrix(x.begin(), 30, 70), pp::along(1), rows.begin(), 3.0, pp::exact_plus{});
    column.clear();
    for (std::size_t c = 0; c < 70; ++c)
        column.push_back(c);
    expected.clear();
    for (std::size_t r = 0; r < 30; ++r)
        expected.push_back(sum(r * 70, column, 3.0));
    CHECK(same_values(rows.read(), expected));
    pp::reduce(Backend::policy(), pp::matrix(static_cast<const double*>(nullptr), 0, 70), pp::along(0), columns.begin(),
               2.0, pp::exact_plus{});
    CHECK(columns.read() == std::vector<double>(70, 2.0));
    pp::reduce(Backend::policy(), pp::strided_view(x.begin() + 5, {30, 60}, {70, 1}), pp::along(1), rows.begin(), 3.0,
               pp::exact_plus{});  // with gaps
    column.resize(60);
    expected.clear();
    for (std::size_t r = 0; r < 30; ++r)
        expected.push_back(sum(r * 70 + 5, column, 3.0));
    CHECK(same_values(rows.read(), expected));
    const auto counts = poisoned<Backend, std::int32_t>(2);
    const auto ones = place<Backend>(std::vector<std::int32_t>(10, 1));
    pp::reduce(Backend::policy(), pp::matrix(ones.begin(), 2, 5), pp::along(1), counts.begin(), 0, pp::exact_plus{});
    CHECK(counts.read() == std::vector<std::int32_t>{5, 5});
}

TEST_CASE_TEMPLATE("exact sums of transformed lines are those of what the transform returns", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<double>{1e20, 1, -1e20, 2, 3, 4});
    const auto sums = place<Backend>(std::vector<double>(2));
    pp::transform_reduce(Backend::policy(), pp::matrix(x.begin(), 2, 3), pp::along(1), sums.begin(), 0.5,
                         pp::exact_plus{}, doubled{});
    CHECK(sums.read() == std::vector<double>{2.5, 18.5});
    pp::transform_reduce(Backend::policy(), pp::strided_view(x.begin() + 2, {2, 3}, {3, -1}), pp::along(1),
                         sums.begin(), 1.5, pp::exact_plus{}, doubled{});  // from right to left
    CHECK(sums.read() == std::vector<double>{3.5, 19.5});
}
