/// @file
/// @brief  Views of arrays: what they take, what they refuse, and the lines that they have.
#include <doctest/doctest.h>

#include <parprims/detail/arrays.hpp>
#include <parprims/view.hpp>

#include "support/data.hpp"
#include "support/refusal.hpp"

#if __has_include(<mdspan>)
#include <mdspan>
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace pp = parprims;
using pp::detail::array_lines;
using pp::detail::array_shape;
using pp::detail::dimension;

namespace {

/// The interface of std::mdspan, with an index type and an accessor of its own.
template <class Reference = float&>
struct foreign_view {
    using reference = Reference;
    static constexpr std::size_t rank() { return 2; }
    constexpr int extent(std::size_t d) const { return d == 0 ? 3 : 4; }
    constexpr int stride(std::size_t d) const { return d == 0 ? 4 : 1; }
    float* data_handle() const { return data; }

    float* data;
};
static_assert(pp::array_view<foreign_view<>>);
static_assert(pp::array_view<pp::strided_view<const float*, 3>>);
static_assert(pp::array_view<decltype(pp::matrix(std::vector<int>().begin(), 2, 3))>);
static_assert(!pp::array_view<std::vector<int>>);
static_assert(!pp::array_view<int*>);
static_assert(pp::detail::has_plain_access<foreign_view<>>);
static_assert(!pp::detail::has_plain_access<foreign_view<float>>);
#if defined(__cpp_lib_mdspan)
static_assert(pp::array_view<std::mdspan<float, std::dextents<int, 3>>>);
#endif

array_shape shape_of(const std::vector<std::size_t>& extents, const std::vector<std::ptrdiff_t>& strides)
{
    array_shape shape;
    shape.rank = static_cast<unsigned>(extents.size());
    for (unsigned d = shape.rank; d-- > 0;)
        REQUIRE(pp::detail::add_dimension(shape, d, extents[d], strides[d]));
    return shape;
}

/// The offsets of all elements.
std::vector<std::ptrdiff_t> offsets_of(const array_shape& shape)
{
    std::vector<std::ptrdiff_t> offsets{0};
    for (unsigned d = 0; d < shape.rank; ++d) {
        std::vector<std::ptrdiff_t> next;
        for (const std::ptrdiff_t offset : offsets)
            for (std::size_t i = 0; i < shape.extents[d]; ++i)
                next.push_back(offset + static_cast<std::ptrdiff_t>(i) * shape.strides[d]);
        offsets = next;
    }
    return offsets;
}

array_shape random_shape(random_bits& random, std::size_t most)
{
    std::vector<std::size_t> extents;
    std::vector<std::ptrdiff_t> strides;
    for (std::uint64_t rank = 1 + random() % 4; rank-- > 0;) {
        extents.push_back(random() % most);
        strides.push_back(static_cast<std::ptrdiff_t>(random() % 25) - 12);
    }
    return shape_of(extents, strides);
}

bool are_distinct(const array_shape& shape)
{
    try {
        pp::detail::check_distinct("parprims::test", "out", shape);
        return true;
    } catch (const pp::invalid_argument&) {
        return false;
    }
}

}  // namespace

TEST_CASE("the lines of an array have its elements, in row-major order, however dimensions are merged")
{
    random_bits random(7);
    unsigned merged = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto rank = static_cast<unsigned>(1 + random() % 4);
        dimension dimensions[4];
        bool is_along[4] = {};
        // Strides of arrays without gaps, so that dimensions merge, and others.
        std::ptrdiff_t dense = 1;
        unsigned along = 0;
        for (unsigned d = rank; d-- > 0;) {
            const std::size_t extent = random() % 5;
            const std::ptrdiff_t stride = random() % 4 != 0 ? dense : static_cast<std::ptrdiff_t>(random() % 31) - 15;
            dimensions[d] = {extent, stride, random() % 4 != 0 ? dense : 100};
            dense *= static_cast<std::ptrdiff_t>(extent);
            is_along[d] = random() % 2 == 0;
            along += is_along[d] ? 1 : 0;
        }
        const array_lines lines = pp::detail::lines_along(dimensions, rank, is_along);
        merged += lines.line.count + lines.lines.count < rank ? 1 : 0;

        // (offset, offset in the output) of each element of a line, or of the first elements of all lines.
        using places = std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>;
        const auto expected = [&](bool of_line) {
            places all{{0, 0}};
            for (unsigned d = 0; d < rank; ++d) {
                if (is_along[d] != of_line)
                    continue;
                places next;
                for (const auto& [in, out] : all)
                    for (std::size_t i = 0; i < dimensions[d].extent; ++i)
                        next.emplace_back(in + static_cast<std::ptrdiff_t>(i) * dimensions[d].stride,
                                          out + static_cast<std::ptrdiff_t>(i) * dimensions[d].out_stride);
                all = next;
            }
            return all;
        };
        const auto found = [](const pp::detail::dimension_list& list) {
            places all;
            for (std::size_t i = 0; i < list.size(); ++i)
                all.emplace_back(list.offset(i), list.out_offset(i));
            return all;
        };
        REQUIRE(found(lines.line) == expected(true));
        const places all = found(lines.lines), wanted = expected(false);
        REQUIRE(std::multiset(all.begin(), all.end()) == std::multiset(wanted.begin(), wanted.end()));
    }
    CHECK(merged > 5000);
}

TEST_CASE("lists of extents and strides may have integers of several types")
{
    const std::vector<float> x(100);
    const std::size_t rows = 4;
    const std::ptrdiff_t pitch = 20;
    const pp::strided_view mirrored(x.data() + 60, {rows, 3}, {-pitch, 1});
    static_assert(mirrored.rank() == 2);
    CHECK(mirrored.extent(0) == 4);
    CHECK(mirrored.extent(1) == 3);
    CHECK(mirrored.stride(0) == -20);
    CHECK(mirrored.stride(1) == 1);
    const std::size_t extents[] = {5, 2};
    const int strides[] = {2, 1};
    const pp::strided_view<const float*, 2> of_arrays(x.data(), extents, strides);
    CHECK(of_arrays.extent(0) == 5);
    CHECK(of_arrays.stride(0) == 2);
}

TEST_CASE("neighbouring lines are neighbours in memory")
{
    const dimension rows{100, 1, 1};
    const dimension columns{50, 100, 100};
    const dimension planes{7, 5000, 5000};
    const dimension fortran[3] = {rows, columns, planes};
    const bool along_columns[3] = {false, true, false};
    const array_lines lines = pp::detail::lines_along(fortran, 3, along_columns);
    CHECK(lines.lines.stride() == 1);
    CHECK(lines.lines.size() == 700);
    CHECK(lines.line.stride() == 100);

    const bool along_all[3] = {true, true, true};
    const dimension c_order[3] = {planes, columns, rows};
    CHECK(pp::detail::lines_along(c_order, 3, along_all).line.count == 1);
    CHECK(pp::detail::lines_along(fortran, 3, along_all).line.count == 3);  // another order of elements
    const bool along_planes[3] = {true, false, false};
    CHECK(pp::detail::lines_along(c_order, 3, along_planes).lines.count == 1);
}

TEST_CASE("an output of which two elements are one is refused")
{
    random_bits random(3);
    unsigned refused = 0, accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        const array_shape shape = random_shape(random, 5);
        const auto offsets = offsets_of(shape);
        const bool is_distinct = std::set(offsets.begin(), offsets.end()).size() == offsets.size();
        if (are_distinct(shape)) {
            ++accepted;
            REQUIRE(is_distinct);
        } else {
            ++refused;
        }
    }
    CHECK(refused > 3000);
    CHECK(accepted > 5000);
    CHECK(are_distinct(shape_of({3, 4}, {4, 1})));
    CHECK(are_distinct(shape_of({3, 4}, {-9, 2})));
    CHECK(are_distinct(shape_of({1, 4}, {0, 1})));
    CHECK(are_distinct(shape_of({0, 4}, {0, 0})));
    CHECK_FALSE(are_distinct(shape_of({3, 4}, {3, 1})));
    CHECK_FALSE(are_distinct(shape_of({2}, {0})));
}

TEST_CASE("arrays with memory in common are seen, also between rows of a pitch")
{
    random_bits random(5);
    const std::vector<float> memory(400);
    unsigned apart = 0, kept = 0;
    for (int round = 0; round < 20000; ++round) {
        const array_shape a = random_shape(random, 4), b = random_shape(random, 4);
        const float* const first = memory.data() + 200;
        const std::ptrdiff_t between = static_cast<std::ptrdiff_t>(random() % 41) - 20;
        std::multiset<std::ptrdiff_t> of_a;
        for (const std::ptrdiff_t offset : offsets_of(a))
            of_a.insert(offset);
        bool has_common = false;
        for (const std::ptrdiff_t offset : offsets_of(b))
            has_common = has_common || of_a.count(offset + between) != 0;
        using bytes = pp::detail::array_bytes;
        if (pp::detail::may_overlap(bytes::of(first, a), bytes::of(first + between, b)))
            ++kept;
        else
            REQUIRE_FALSE(has_common);
        apart += has_common ? 0 : 1;
    }
    CHECK(kept > 1000);
    CHECK(apart > 1000);
    // Row sums to the last column of the same memory.
    const float* const p = memory.data();
    const auto overlap = [&](const array_shape& a, const float* at, const array_shape& b) {
        return pp::detail::may_overlap(pp::detail::array_bytes::of(p, a), pp::detail::array_bytes::of(at, b));
    };
    CHECK_FALSE(overlap(shape_of({10, 7}, {8, 1}), p + 7, shape_of({10}, {8})));
    CHECK(overlap(shape_of({10, 8}, {8, 1}), p + 7, shape_of({10}, {8})));
    CHECK_FALSE(overlap(shape_of({10, 7}, {8, 1}), p + 79, shape_of({10}, {1})));
    CHECK(overlap(shape_of({10, 7}, {8, 1}), p + 78, shape_of({10}, {1})));
}

TEST_CASE("views that reach outside of any memory, and wrong dimensions, are refused")
{
    std::vector<float> x(100), y(100);
    const std::ptrdiff_t huge = std::numeric_limits<std::ptrdiff_t>::max();
    constexpr const char* function = "parprims::test";
    const auto refused = [&](const char* argument, const char* reason, const auto& view, const auto& chosen,
                             const auto& out) {
        check_refused(function, argument, reason,
                      [&] { (void)pp::detail::checked_lines_along<false>(function, view, chosen, out); });
    };
    const float* const null = nullptr;
    const auto m = pp::matrix(x.begin(), 10, 10);
    refused("view", "the extent of dimension 1 is -1", pp::matrix(x.begin(), 3, -1), pp::along(0), y.begin());
    refused("view", "reach further than any memory", pp::matrix(x.data(), huge, 3), pp::along(0), y.begin());
    refused("view", "reach further than any memory", pp::strided_view(x.data(), {4L, 1L}, {-huge / 4, 1L}),
            pp::along(0), y.begin());
    refused("view", "reach further than any memory", pp::strided_view(x.data(), {huge, huge}, {0, 0}), pp::along(0),
            y.begin());
    const std::ptrdiff_t half = std::ptrdiff_t{1} << 32;  // 2^64 elements are 0 in 64 bits
    refused("view", "reach further than any memory", pp::strided_view(x.data(), {half, half}, {0, 0}), pp::along(0),
            y.begin());
    refused("view", "reach further than any memory", pp::strided_view(x.data(), {half, half / 2, 2L}, {0, 0, 0}),
            pp::along(0), y.begin());
    refused("view", "null pointer with n = 6", pp::matrix(null, 2, 3), pp::along(0), y.begin());
    refused("along", "dimension 2, not from 0 to 1", m, pp::along(2), y.begin());
    refused("along", "dimension -1, not from 0 to 1", m, pp::along(-1), y.begin());
    refused("along", "dimension 1 twice", m, pp::along(1, 1), y.begin());
    refused("out", "the extent of dimension 0 is 9, but there are 10 results", m, pp::along(1),
            pp::strided_view(y.begin(), {9}, {1}));
    refused("out", "the results reach further than any memory", pp::strided_view(x.data(), {half, half, 0L}, {0, 0, 1}),
            pp::along(2), y.begin());  // 2^64 sums of nothing
    refused("out", "elements of it may overlap", m, pp::along(1), pp::strided_view(y.begin(), {10}, {0}));
    refused("out", "overlaps the view; use separate memory", m, pp::along(1), x.begin() + 99);
    refused("out", "null pointer with n = 10", m, pp::along(1), static_cast<float*>(nullptr));
    check_refused(function, "out", "overlaps the view in part", [&] {
        (void)pp::detail::checked_lines_along<true>(function, pp::matrix(x.begin(), 5, 10), pp::along(1),
                                                    pp::matrix(x.begin() + 1, 5, 10));
    });
    (void)pp::detail::checked_lines_along<true>(function, m, pp::along(1), m);
    (void)pp::detail::checked_lines_along<false>(function, pp::matrix(null, 0, 3), pp::along(1),
                                                 static_cast<float*>(nullptr));
    (void)pp::detail::checked_lines_along<false>(function, pp::matrix(x.begin(), 10, 9, 10), pp::along(1),
                                                 pp::strided_view(x.begin() + 9, {10}, {10}));
}
