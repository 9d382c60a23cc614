// Extremes of lines of arrays on the executor, beside a search of each line.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/along/extremes.hpp>

#include <doctest/doctest.h>

#include "../unit/support/arrays.hpp"
#include "support/along.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

using namespace kernel_test;

namespace {

constexpr unsigned most_cases = has_tsan ? 4 : 50;

}  // namespace

TEST_CASE_TEMPLATE("the last maximum and the first minimum of lines", T, std::int16_t, std::uint8_t, float)
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::both, parprims::less>;
    for (std::uint64_t seed = 0; seed < most_cases; ++seed) {
        random_numbers random{seed * 31 + 5};
        random_array array;
        array.rank = 2;
        array.extents[0] = 1 + random() % (has_tsan ? 300 : 3000);
        array.extents[1] = 1 + random() % (has_tsan ? 10 : 70);
        if (random() % 3 == 0) {
            array.extents[1] = array.extents[0];
            array.extents[0] = 1 + random() % 5;
        }
        array.strides[0] = static_cast<std::ptrdiff_t>(array.extents[1] + random() % 3);
        array.strides[1] = 1;
        place_in_memory(array);
        const unsigned d = random() % 2;  // along which
        memory<T> input(array.memory);
        for (std::size_t i = 0; i < input.size(); ++i)
            input[i] = static_cast<T>(random() % 50);
        const std::size_t lines = array.extents[1 - d];
        memory<std::uint32_t> output(2 * lines);
        random_array results;
        results.rank = 1;
        results.strides[0] = 2;
        along_launcher on(schedule_of(seed));
        device::enqueue_extremes_along(
            on, placed(array, results, 1u << d, static_cast<const T*>(input.data()), output.data()), 1, search{});
        for (std::size_t l = 0; l < lines; ++l) {
            const auto at = [&](std::size_t i) {
                return static_cast<int>(input[i * static_cast<std::size_t>(array.strides[d]) +
                                              l * static_cast<std::size_t>(array.strides[1 - d])]);
            };
            std::size_t least = 0, largest = 0;
            for (std::size_t i = 1; i < array.extents[d]; ++i) {
                least = at(i) < at(least) ? i : least;
                largest = at(i) >= at(largest) ? i : largest;
            }
            CAPTURE(seed);
            CAPTURE(l);
            REQUIRE(output[2 * l] == least);
            REQUIRE(output[2 * l + 1] == largest);
        }
    }
}

/// Every row of a matrix by the kernel that is planned: on one multiprocessor, tiles that leave out the gaps, or warps.
template <class T>
void check_extremes_of_rows(std::size_t columns, std::size_t pitch, bool by_warps = false)
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::both, parprims::less>;
    random_numbers random{columns * 1000 + pitch};
    random_array array;
    array.rank = 2;
    array.extents[0] = 500;
    array.extents[1] = columns;
    array.strides[0] = static_cast<std::ptrdiff_t>(pitch);
    array.strides[1] = 1;
    place_in_memory(array);
    memory<T> input(array.memory);
    for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = static_cast<T>(random() % 50);
    memory<std::uint32_t> output(2 * array.extents[0]);
    random_array results;
    results.rank = 1;
    results.strides[0] = 2;
    const auto rows = parprims::detail::fixed_segments::lines(array.extents[0], columns, pitch);
    REQUIRE(device::skips_gaps(device::make_input(static_cast<const T*>(input.data())), rows) == !by_warps);
    if (by_warps)
        REQUIRE(device::sizes_of(rows, sizeof(T)).are_in_place);
    launcher on(schedule_of(pitch), {.multiprocessors = 1, .shared_bytes_per_block = std::size_t{227} * 1024});
    device::enqueue_extremes_along(on, placed(array, results, 2, static_cast<const T*>(input.data()), output.data()), 1,
                                   search{});
    CAPTURE(columns);
    CAPTURE(pitch);
    for (std::size_t r = 0; r < array.extents[0]; ++r) {
        const T* const row = input.data() + r * pitch;
        REQUIRE(output[2 * r] == std::min_element(row, row + columns) - row);
        REQUIRE(output[2 * r + 1] + 1 ==
                columns - static_cast<std::size_t>(std::max_element(std::make_reverse_iterator(row + columns),
                                                                    std::make_reverse_iterator(row)) -
                                                   std::make_reverse_iterator(row + columns)));
    }
}

TEST_CASE("the last maximum and the first minimum of rows of which no gaps are read" * doctest::skip(has_tsan))
{
    check_extremes_of_rows<std::int16_t>(16, 32);  // copied by packets
    check_extremes_of_rows<std::int16_t>(18, 30);  // by 4 bytes
    check_extremes_of_rows<float>(100, 128);
    check_extremes_of_rows<float>(33, 50);
    check_extremes_of_rows<double>(40, 1000);
    check_extremes_of_rows<double>(33, 64);
    check_extremes_of_rows<float>(600, 700, true);
    check_extremes_of_rows<double>(1000, 1200, true);  // more than a chunk from row to row
}

TEST_CASE("the first maximum of lines that leave gaps between their runs")
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::maximum, parprims::less>;
    for (std::uint64_t seed = 0; seed < most_cases; ++seed) {
        random_numbers random{seed * 17 + 3};
        random_array array = array_of_runs(random);
        const unsigned mask = random() % 2 == 0 ? 5 : 7;
        memory<float> input(array.memory);
        for (std::size_t i = 0; i < input.size(); ++i)
            input[i] = static_cast<float>(random() % 1000);
        const auto lines = offsets_of(array, dimensions_in(3, mask, false));
        const auto elements = offsets_of(array, dimensions_in(3, mask, true));
        memory<std::uint32_t> output(lines.size());
        random_array results;
        results.rank = 1;
        results.strides[0] = 1;
        along_launcher on(schedule_of(seed));
        device::enqueue_extremes_along(
            on, placed(array, results, mask, static_cast<const float*>(input.data()), output.data()), 1, search{});
        for (std::size_t l = 0; l < lines.size(); ++l) {
            const auto at = [&](std::size_t i) {
                return input[array.first + static_cast<std::size_t>(lines[l] + elements[i])];
            };
            std::size_t largest = 0;
            for (std::size_t i = 1; i < elements.size(); ++i)
                largest = at(i) > at(largest) ? i : largest;
            CAPTURE(seed);
            CAPTURE(l);
            REQUIRE(output[l] == largest);
        }
    }
}
