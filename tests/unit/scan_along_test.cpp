/// @file
/// @brief  Scans along a dimension: each line has the bits of its own scan, whatever the strides.
#include <doctest/doctest.h>

#include <parprims/scan.hpp>
#include <parprims/scan_along.hpp>

#include "support/arrays.hpp"
#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/order_oracle.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

namespace pp = parprims;
using pp::detail::scan_kind;

namespace {

/// Sums of numbers of very different sizes: any other order gives other bits.
template <class T>
std::vector<T> rough_values_along(std::size_t n)
{
    return generate(n, [](std::uint64_t bits) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(static_cast<std::int64_t>(bits) >> bits % 48);
        else
            return static_cast<T>(bits);
    });
}

/// Scans an array along dimension `d`, to an array with strides of its own or in place.
template <class Backend, class T, class Result>
void check_scan(random_bits& random, const random_array& array, unsigned d, Result init)
{
    const std::vector<T> values = rough_values_along<T>(array.memory);
    const std::vector<std::size_t> extents(array.extents, array.extents + array.rank);
    const bool in_place = std::is_same_v<T, Result> && array.is_distinct && random() % 3 == 0;
    const random_array results = in_place ? array : arranged(random, extents, true);
    const unsigned kind = static_cast<unsigned>(random() % 3);  // inclusive, with init, exclusive
    CAPTURE(kind);
    CAPTURE(in_place);
    CAPTURE(array.rank);
    CAPTURE(d);
    CAPTURE(array.extents[d]);
    CAPTURE(array.strides[d]);

    const auto x = place_guarded<Backend>(values, random() % 3);
    const auto out = poisoned<Backend, Result>(in_place ? 0 : results.memory, random() % 2);
    Result* to_memory = out.begin();
    if constexpr (std::is_same_v<T, Result>)
        to_memory = in_place ? x.begin() : out.begin();
    with_view(array, x.begin(), [&](const auto& view) {
        with_view(results, to_memory, [&](const auto& to) {
            constexpr std::size_t rank = std::remove_cvref_t<decltype(view)>::rank();
            if constexpr (rank == std::remove_cvref_t<decltype(to)>::rank()) {
                if (kind == 0 && std::is_same_v<T, Result>)
                    pp::inclusive_scan(Backend::policy(), view, pp::along(d), to);
                else if (kind != 2)
                    pp::inclusive_scan(Backend::policy(), view, pp::along(d), to, pp::plus{}, init);
                else
                    pp::exclusive_scan(Backend::policy(), view, pp::along(d), to, init);
            }
        });
    });

    std::vector<unsigned> others;
    for (unsigned each = 0; each < array.rank; ++each)
        if (each != d)
            others.push_back(each);
    const auto lines = offsets_of(array, others), out_lines = offsets_of(results, others);
    const auto elements = offsets_of(array, {d}), places = offsets_of(results, {d});
    std::vector<Result> found;
    if constexpr (std::is_same_v<T, Result>)
        found = in_place ? x.read() : out.read();
    else
        found = out.read();
    for (std::size_t l = 0; l < lines.size(); ++l) {
        std::vector<T> line;
        for (const std::ptrdiff_t offset : elements)
            line.push_back(values[array.first + static_cast<std::size_t>(lines[l] + offset)]);
        const bool has_init = !(kind == 0 && std::is_same_v<T, Result>);
        const std::optional<Result> start = has_init ? std::optional(init) : std::nullopt;
        const std::vector<Result> expected =
            kind == 2 ? order_oracle::scan<scan_kind::exclusive, Result>(line.begin(), line.size(), start, pp::plus{},
                                                                         pp::identity{})
                      : order_oracle::scan<scan_kind::inclusive, Result>(line.begin(), line.size(), start, pp::plus{},
                                                                         pp::identity{});
        for (std::size_t i = 0; i < line.size(); ++i) {
            CAPTURE(l);
            CAPTURE(i);
            REQUIRE(same_bits(found[results.first + static_cast<std::size_t>(out_lines[l] + places[i])], expected[i]));
        }
    }
}

template <class Backend, class T, class Result>
void check_random(std::uint64_t seed, unsigned rounds, std::size_t most, Result init)
{
    random_bits random(seed);
    for (unsigned round = 0; round < rounds; ++round) {
        CAPTURE(seed);
        CAPTURE(round);
        const random_array array = arranged(random, random_extents(random, most), random() % 2 == 0);
        check_scan<Backend, T>(random, array, static_cast<unsigned>(random() % array.rank), init);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("lines of random arrays have the bits of their scans", Backend, PARPRIMS_BACKENDS)
{
    check_random<Backend, float>(1, 150, 40000, 3.0f);
    check_random<Backend, double>(2, 60, 40000, -1.0);
    check_random<Backend, std::int8_t>(3, 40, 40000, std::int8_t{7});
    check_random<Backend, float>(4, 40, 40000, 1.0);
}

TEST_CASE_TEMPLATE("long rows and columns have the bits of their scans", Backend, PARPRIMS_BACKENDS)
{
    random_bits random(11);
    for (const std::size_t columns : {1, 3, 33}) {
        random_array array;
        array.rank = 2;
        array.extents[0] = 1200000 / columns;
        array.extents[1] = columns;
        array.strides[0] = static_cast<std::ptrdiff_t>(columns);
        array.strides[1] = 1;
        place_in_memory(array);
        check_scan<Backend, float>(random, array, 0, 1.0f);
        check_scan<Backend, float>(random, array, 1, 1.0f);
        std::swap(array.extents[0], array.extents[1]);
        std::swap(array.strides[0], array.strides[1]);
        array.strides[0] = static_cast<std::ptrdiff_t>(array.extents[1]);
        place_in_memory(array);
        check_scan<Backend, float>(random, array, 1, 1.0f);
    }
}

TEST_CASE_TEMPLATE("a summed-area table is two scans", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto picture = place<Backend>(std::vector<int>{1, 2, 3, 4, 5, 6});
    const auto table = poisoned<Backend, int>(6);
    /// [inclusive_scan]
    const auto pixels = pp::matrix(picture.begin(), 2, 3);  // 1 2 3
                                                            // 4 5 6
    const auto sums = pp::matrix(table.begin(), 2, 3);
    pp::inclusive_scan(policy, pixels, pp::along(1), sums);  // 1 3 6
                                                             // 4 9 15
    pp::inclusive_scan(policy, sums, pp::along(0), sums);    // 1 3 6
                                                             // 5 12 21
    /// [inclusive_scan]
    CHECK(table.read() == std::vector<int>{1, 3, 6, 5, 12, 21});
    /// [exclusive_scan]
    pp::exclusive_scan(policy, pixels, pp::along(1), table.begin(), 0);  // 0 1 3
                                                                         // 0 4 9
    /// [exclusive_scan]
    CHECK(table.read() == std::vector<int>{0, 1, 3, 0, 4, 9});
    const float* const none = nullptr;
    pp::inclusive_scan(policy, pp::matrix(none, 0, 3), pp::along(0), static_cast<float*>(nullptr));
    check_refused("parprims::inclusive_scan", "out", "overlaps the view in part", [&] {
        pp::inclusive_scan(policy, sums, pp::along(1), pp::strided_view(table.begin(), {2, 3}, {1, 2}));
    });
    check_refused("parprims::exclusive_scan", "along", "dimension 2, not from 0 to 1",
                  [&] { pp::exclusive_scan(policy, pixels, pp::along(2), sums, 0); });
    check_works<Backend>();
}
