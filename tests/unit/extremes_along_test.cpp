/// @file
/// @brief  Extremes along dimensions: the place that a search of each line from left to right finds.
#include <doctest/doctest.h>

#include <parprims/extremes.hpp>
#include <parprims/extremes_along.hpp>

#include "support/arrays.hpp"
#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// Few different values, so that there are ties, and some NaN.
template <class T>
std::vector<T> tied_values(std::size_t n, std::uint64_t seed)
{
    return generate(
        n,
        [](std::uint64_t bits) {
            if constexpr (pp::detail::may_be_nan<T>)
                if (bits % 501 == 0)
                    return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
            return static_cast<T>(static_cast<float>(static_cast<int>(bits >> 8) % 20));
        },
        seed);
}

template <class Backend, class T, class Compare>
void check_extremes(std::uint64_t seed, unsigned rounds, std::size_t most, Compare compare)
{
    random_bits random(seed);
    for (unsigned round = 0; round < rounds; ++round) {
        CAPTURE(seed);
        CAPTURE(round);
        const random_array array = arranged(random, random_extents(random, most), false);
        const unsigned mask = 1 + static_cast<unsigned>(random() % ((1u << array.rank) - 1));
        const auto along = dimensions_in(array.rank, mask, true);
        const auto elements = offsets_of(array, along);
        const auto lines = offsets_of(array, dimensions_in(array.rank, mask, false));
        const std::vector<T> values = tied_values<T>(array.memory, seed + round);
        const auto x = place<Backend>(values, random() % 3);
        const auto least = poisoned<Backend, std::uint32_t>(lines.size());
        const auto largest = poisoned<Backend, std::int64_t>(lines.size());
        const auto both = poisoned<Backend, std::uint64_t>(2 * lines.size());
        with_view(array, x.begin(), [&](const auto& view) {
            with_along(along, [&](const auto& chosen) {
                constexpr std::size_t count = sizeof(chosen.dimensions) / sizeof(chosen.dimensions[0]);
                if constexpr (count <= std::remove_cvref_t<decltype(view)>::rank()) {
                    pp::min_element(Backend::policy(), view, chosen, least.begin(), compare);
                    pp::max_element(Backend::policy(), view, chosen, largest.begin(), compare);
                    pp::minmax_element(Backend::policy(), view, chosen, both.begin(), compare);
                }
            });
        });
        const auto found_least = least.read();
        const auto found_largest = largest.read();
        const auto found_both = both.read();
        for (std::size_t l = 0; l < lines.size(); ++l) {
            std::vector<T> line;
            for (const std::ptrdiff_t offset : elements)
                line.push_back(values[array.first + static_cast<std::size_t>(lines[l] + offset)]);
            const auto first = line.begin();
            const auto host = pp::host.threads(1);
            const auto [low, high] = pp::minmax_element(host, first, line.end(), compare);
            CAPTURE(l);
            if (line.empty()) {
                REQUIRE(found_least[l] == 0);
                REQUIRE(found_both[2 * l + 1] == 0);
                continue;
            }
            REQUIRE(found_least[l] == pp::min_element(host, first, line.end(), compare) - first);
            REQUIRE(found_largest[l] == pp::max_element(host, first, line.end(), compare) - first);
            REQUIRE(found_both[2 * l] == static_cast<std::uint64_t>(low - first));
            REQUIRE(found_both[2 * l + 1] == static_cast<std::uint64_t>(high - first));
        }
    }
}

struct by_half {
    PARPRIMS_HOST_DEVICE bool operator()(std::int32_t a, std::int32_t b) const { return a / 2 < b / 2; }
};

}  // namespace

TEST_CASE_TEMPLATE("extremes of lines are those of a search from left to right", Backend, PARPRIMS_BACKENDS)
{
    check_extremes<Backend, float>(1, 150, 40000, pp::less{});
    check_extremes<Backend, std::int8_t>(2, 50, 40000, pp::less{});
    check_extremes<Backend, std::int32_t>(3, 50, 40000, by_half{});
    check_extremes<Backend, double>(4, 20, 300000, pp::less{});
#if PARPRIMS_CUDA_COMPILER
    check_extremes<Backend, __half>(5, 30, 40000, pp::less{});
#endif
}

TEST_CASE_TEMPLATE("the places of the maxima of rows and columns", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<float>{1, 5, 2, 4, 3, 4});
    const auto places = poisoned<Backend, std::int32_t>(2);
    const auto rows = poisoned<Backend, std::int32_t>(3);
    /// [max_element]
    const auto matrix = pp::matrix(x.begin(), 2, 3);                // 1 5 2
                                                                    // 4 3 4
    pp::max_element(policy, matrix, pp::along(1), places.begin());  // 1 0
    pp::min_element(policy, matrix, pp::along(0), rows.begin());    // 0 1 0
    /// [max_element]
    CHECK(places.read() == std::vector<std::int32_t>{1, 0});
    CHECK(rows.read() == std::vector<std::int32_t>{0, 1, 0});
    const auto both = poisoned<Backend, std::int32_t>(4);
    /// [minmax_element]
    pp::minmax_element(policy, matrix, pp::along(1), pp::matrix(both.begin(), 2, 2));  // 0 1
        // 1 2: the last maximum, as in std
    /// [minmax_element]
    CHECK(both.read() == std::vector<std::int32_t>{0, 1, 1, 2});
    check_refused("parprims::minmax_element", "out", "the extent of dimension 1 is 1, but there are 2 results",
                  [&] { pp::minmax_element(policy, matrix, pp::along(1), pp::matrix(both.begin(), 2, 1)); });
    check_works<Backend>();
}
