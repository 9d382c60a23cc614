// Many histograms on the executor, against counting one by one: segments of every kind, lines of arrays.
#include <parprims/axis.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/segmented_histogram/dispatch.hpp>

#include <doctest/doctest.h>

#include "support/lines.hpp"
#include "support/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace kernel_test;
using parprims::detail::array_lines;
using parprims::detail::fixed_segments;
using parprims::detail::offset_segments;

namespace {

template <class X>
X sample_of(std::uint64_t bits)
{
    if constexpr (std::is_floating_point_v<X>) {
        if (bits % 100 == 0)
            return std::numeric_limits<X>::quiet_NaN();
        return static_cast<X>(bits / 100 % 240) / X{8} - X{2};
    } else {
        return static_cast<X>(bits % 200);
    }
}

/// Counters that a block has room for; of bytes, which are counted by value, always enough.
template <class X>
std::size_t words_of(std::uint64_t seed)
{
    return seed % 4 == 3 && sizeof(X) > 1 ? 20 : 600 + 3000 * (seed % 2);
}

/// The counters of one line, from `find(i)` on: sample i of it.
template <class Counter, class Axis, class Find>
void count_line(const Axis& axis, std::size_t n, Find find, Counter* counts)
{
    for (std::size_t i = 0; i < n; ++i)
        if (const std::size_t slot = axis.slot(find(i)); slot < axis.extent())
            ++counts[slot];
}

template <class Counter>
void check_counts(memory<Counter>& counts, const std::vector<Counter>& expected)
{
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        REQUIRE(counts[i] == expected[i]);
    }
}

template <class Counter, class X, class Axis, class Segments>
void check_segments(std::uint64_t seed, const memory<X>& input, const Axis& axis, const Segments& segments,
                    const std::vector<std::size_t>& offsets)
{
    CAPTURE(seed);
    CAPTURE(segments.count);
    const std::size_t all = segments.count * axis.extent();
    memory<Counter> counts(all);
    std::fill(counts.begin(), counts.end(), Counter{77});
    lines_launcher on(seed, words_of<X>(seed));
    const X* const first = input.data();
    device::enqueue_segmented_histogram(on, segments, first, axis, counts.data());
    std::vector<Counter> expected(all);
    for (std::size_t s = 0; s < segments.count; ++s)
        count_line(
            axis, offsets[s + 1] - offsets[s], [&](std::size_t i) { return first[offsets[s] + i]; },
            expected.data() + s * axis.extent());
    check_counts(counts, expected);
}

template <class Counter, class X, class Axis>
void sweep_segments(const Axis& axis)
{
    for (std::uint64_t seed = 0; seed < 36; ++seed) {
        const std::size_t n = 1 + mix(seed + sizeof(X)) % 5000;
        memory<X> input(n, mix(seed + 7) % (16 / sizeof(X)) * sizeof(X));
        for (std::size_t i = 0; i < n; ++i)
            input[i] = sample_of<X>(mix(seed * n + i) >> 11);
        const auto offsets = offsets_of(n, static_cast<unsigned>(seed % 6), 500, mix(seed));
        memory<std::uint32_t> shared(offsets.size());
        std::copy(offsets.begin(), offsets.end(), shared.begin());
        check_segments<Counter>(seed, input, axis,
                                offset_segments<const std::uint32_t*>{shared.data(), n, offsets.size() - 1}, offsets);
        const std::size_t sizes[] = {1, 2, 7, 32, 33, 100, 1000, 1999, n};
        const std::size_t size = std::min(n, sizes[seed % 9]);
        check_segments<Counter>(seed, input, axis, fixed_segments::of(n, size), equal_offsets(n, size));
    }
}

template <class X, class Axis>
void sweep_lines(const Axis& axis)
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const auto random = [&](unsigned k) { return mix(mix(seed + 100) + k) >> 20; };
        parprims::detail::dimension dimensions[3];
        std::size_t stride = 1;
        std::size_t start = 0;
        const bool has_long_runs = random(30) % 3 == 0;  // of min_run samples and more
        const unsigned layout =
            has_long_runs ? 2 : static_cast<unsigned>(random(0) % 3);  // which dimension varies fastest
        for (unsigned k = 0; k < 3; ++k) {
            const unsigned d = (k + layout) % 3;
            const std::size_t extent = 1 + random(1 + k) % (!has_long_runs ? 23 : k == 0 ? 400 : 9);
            const bool is_reversed = random(10 + k) % 4 == 0;
            dimensions[d] = {extent, static_cast<std::ptrdiff_t>(is_reversed ? -stride : stride), 0};
            start += is_reversed ? (extent - 1) * stride : 0;
            stride *= extent + (random(20 + k) % 3 == 0 ? 2 : 0);
        }
        memory<X> input(stride);
        for (std::size_t i = 0; i < stride; ++i)
            input[i] = sample_of<X>(mix(seed * 10000 + i) >> 11);
        const bool is_along[] = {((seed % 7 + 1) & 1) != 0, ((seed % 7 + 1) & 2) != 0, ((seed % 7 + 1) & 4) != 0};
        std::size_t lines = 1;
        for (unsigned d = 3; d-- > 0;)
            if (!is_along[d]) {
                dimensions[d].out_stride = static_cast<std::ptrdiff_t>(lines * axis.extent());
                lines *= dimensions[d].extent;
            }
        const array_lines array = parprims::detail::lines_along(dimensions, 3, is_along);
        const std::size_t all = lines * axis.extent();
        memory<std::uint32_t> counts(all);
        lines_launcher on(seed, words_of<X>(seed));
        const X* const first = input.data();
        device::enqueue_uniform_lines(on, array, start, stride, device::samples_of(first, axis), counts.data(),
                                      counts.data());
        std::vector<std::uint32_t> expected(all);
        for (std::size_t l = 0; l < lines; ++l)
            count_line(
                axis, array.line.size(),
                [&](std::size_t i) {
                    return first[start + static_cast<std::size_t>(array.lines.offset(l) + array.line.offset(i))];
                },
                expected.data() + array.lines.out_offset(l));
        check_counts(counts, expected);
    }
}

template <unsigned Channels, class X, class... Axes>
void sweep_images(const Axes&... axes)
{
    const parprims::detail::channel_axis<Axes...> axis(axes...);
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        const auto random = [&](unsigned k) { return mix(mix(seed + 100) + k) >> 20; };
        const std::size_t rows = 1 + random(1) % 9;
        const std::size_t columns = 1 + random(2) % (random(6) % 2 == 0 ? 5 : 300);
        const std::size_t samples = Channels == 3 ? 3 + random(3) % 2 : Channels;  // of a pixel
        const std::size_t pitch = columns * samples + random(4) % 20;
        const std::size_t n = (rows - 1) * pitch + (columns - 1) * samples + Channels;
        const bool is_planar = random(5) % 8 == 0;
        memory<X> input(is_planar ? rows * columns * Channels : n, random(7) % (16 / sizeof(X)) * sizeof(X));
        for (std::size_t i = 0; i < input.size(); ++i)
            input[i] = sample_of<X>(mix(seed * 10000 + i) >> 11);
        const auto size = [](std::size_t number) { return static_cast<std::ptrdiff_t>(number); };
        const parprims::detail::dimension interleaved[] = {
            {rows, size(pitch), 0}, {columns, size(samples), 0}, {Channels, 1, 0}};
        const parprims::detail::dimension planar[] = {
            {rows, size(columns), 0}, {columns, 1, 0}, {Channels, size(rows * columns), 0}};
        const auto& dimensions = is_planar ? planar : interleaved;
        memory<std::uint32_t> counts(axis.extent());
        lines_launcher on(seed, seed % 4 == 3 && sizeof(X) > 1 ? 20 : 1200 + 3000 * (seed % 2));
        const X* const first = input.data();
        device::enqueue_channel_histograms(on, dimensions, 3, 0, input.size(), first, axis, counts.data());
        std::vector<std::uint32_t> expected(axis.extent());
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                for (unsigned channel = 0; channel < Channels; ++channel) {
                    const auto at = static_cast<std::ptrdiff_t>(r) * dimensions[0].stride +
                                    static_cast<std::ptrdiff_t>(c) * dimensions[1].stride +
                                    static_cast<std::ptrdiff_t>(channel) * dimensions[2].stride;
                    const std::size_t slot = axis.slot(parprims::detail::channel_sample<X>{first[at], channel});
                    if (slot < axis.extent())
                        ++expected[slot];
                }
        check_counts(counts, expected);
    }
}

}  // namespace

TEST_CASE("a histogram of each channel")
{
    const parprims::integer_axis bytes(0, 150);
    sweep_images<4, std::uint8_t>(bytes, bytes, bytes, parprims::integer_axis(3, 9));
    sweep_images<3, std::uint8_t>(bytes, parprims::integer_axis(3, 9), bytes);
    const parprims::regular_axis floats(19, 0.0f, 19.0f);
    sweep_images<2, float>(floats, parprims::regular_axis(4, -2.0f, 1.0f));
    sweep_images<3, float>(floats, floats.with_flow(), floats);
    sweep_images<3, std::uint16_t>(bytes, bytes, parprims::regular_axis(5, 0, 100));
}

TEST_CASE("a histogram of each segment")
{
    sweep_segments<std::uint32_t, float>(parprims::regular_axis(19, 0.0f, 19.0f));
    sweep_segments<std::uint64_t, double>(parprims::regular_axis(5, 0.0, 25.0).with_flow());
    sweep_segments<float, std::int32_t>(parprims::integer_axis(0, 150));
    sweep_segments<std::uint32_t, std::uint8_t>(parprims::integer_axis<int>(3, 150));
    sweep_segments<double, std::uint16_t>(parprims::regular_axis(16, 0, 160));
}

TEST_CASE("a histogram of each line")
{
    sweep_lines<float>(parprims::regular_axis(19, 0.0f, 19.0f));
    sweep_lines<std::uint8_t>(parprims::integer_axis<int>(3, 150));
}

TEST_CASE("the memory of a block suffices, also for lines that just fit")
{
    for (const std::size_t bytes : {48u, 64u, 99u, 163u, 227u})
        for (const bool are_uneven : {false, true})
            for (const unsigned words : {1u, 3u, 5u})
                for (std::size_t counters = bytes * 1024 / 4 / words - 8; counters <= bytes * 1024 / 4 / words;
                     ++counters) {
                    const device::gpu_properties gpu{2, 2048, bytes * 1024, (bytes + 1) * 1024};
                    const device::lines_size size{1000, 300, 300, counters, 4, are_uneven, false, words};
                    CHECK(device::plan_lines(size, gpu).shared_bytes <= gpu.shared_bytes_per_block);
                }
}

TEST_CASE("neighbouring lines are read together, as many as lie side by side in a cache line of floats")
{
    for (const std::size_t counters : {16u, 256u, 512u})
        for (const unsigned items : {4u, 16u})
            for (const unsigned words : {1u, 3u}) {
                CAPTURE(counters);
                CAPTURE(words);
                const device::lines_plan plan = device::plan_lines(
                    {16384, 16384, 16384, counters, items, false, true, words}, {.multiprocessors = 132});
                CHECK(plan.room == 32);
                CHECK(plan.replicas == 1);
            }
    const auto threads_of = [](std::size_t counters) {
        return device::plan_lines({16384, 16384, 16384, counters, 4, false, true}, {.multiprocessors = 132})
            .block_threads;
    };
    CHECK(threads_of(256) == 256);
    CHECK(threads_of(2048) == 768);
    CHECK(threads_of(8192) == 256);
}

TEST_CASE("short lines: blocks have as many tiles")
{
    for (const std::size_t lines : {30000, 50000, 75000, 98918, 110000, 125364, 200000, 1000000}) {
        CAPTURE(lines);
        const device::lines_plan plan =
            device::plan_lines({lines, 64, 64, 16, 4, false, false}, {.multiprocessors = 132});
        const std::size_t blocks = 132 * plan.blocks_per_sm;
        const std::size_t tiles = parprims::detail::order::ceil_div(lines, std::size_t{plan.room});
        const std::size_t places = parprims::detail::order::ceil_div(tiles, blocks) * blocks;
        CHECK(8 * (places - tiles) <= places);
    }
}

TEST_CASE("the parts of lines cover them, and keep nearly all blocks of a GPU busy until the end")
{
    for (const unsigned multiprocessors : {132u, 108u, 20u, 1u})
        for (const std::size_t lines : {1, 3, 16, 64, 100, 256, 400, 1000, 4096}) {
            CAPTURE(multiprocessors);
            CAPTURE(lines);
            const std::size_t length = (std::size_t{1} << 30) / lines;
            const device::lines_plan plan =
                device::plan_lines({lines, length, length, 256, 4, false, false}, {.multiprocessors = multiprocessors});
            CHECK(plan.room == 1);
            CHECK(plan.split.parts * plan.split.share >= length);
            CHECK((plan.split.parts - 1) * plan.split.share < length);
            const std::size_t blocks = multiprocessors * plan.blocks_per_sm, tiles = lines * plan.split.parts;
            const std::size_t places = parprims::detail::order::ceil_div(tiles, blocks) * blocks;
            CHECK(8 * (places - tiles) <= places);  // parts of whole packets leave a few more idle than one in ten
        }
}

TEST_CASE("a block counts no more samples of a line at a time than 32 bits hold")
{
    constexpr std::size_t most = std::size_t{1} << 32;
    for (const unsigned multiprocessors : {132u, 1u})
        for (const std::size_t lines : {1, 10, 1000})
            for (const unsigned log2_length : {20, 33, 41, 50}) {
                CAPTURE(multiprocessors);
                CAPTURE(lines);
                CAPTURE(log2_length);
                const std::size_t length = std::size_t{1} << log2_length;
                for (const bool are_uneven : {false, true}) {
                    const device::lines_plan plan = device::plan_lines({lines, length, length, 256, 4, are_uneven,
                                                                        false, 1, are_uneven ? lines * length : 0},
                                                                       {.multiprocessors = multiprocessors});
                    CHECK((are_uneven ? plan.positions : plan.split.share) < most);
                    CHECK((are_uneven || plan.split.parts * plan.split.share >= length));
                }
            }
}
