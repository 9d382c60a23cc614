// Reductions along dimensions on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/along/extremes.hpp>

#include <doctest/doctest.h>

#include "../unit/support/arrays.hpp"
#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

using namespace kernel_test;

namespace {

/// Numbers from a seed.
struct random_numbers {
    std::uint64_t state;
    std::uint64_t operator()() { return mix(mix(++state * 0x9E3779B97F4A7C15u)) >> 7; }
};

/// Any kernel that can fold the lines, with few or many threads of a line, parts of it, and lines of a block.
class along_launcher : public launcher {
public:
    explicit along_launcher(const executor::options& how)
        : launcher(how,
                   {.multiprocessors = how.seed % 2 == 0 ? 1u : 8u, .shared_bytes_per_block = std::size_t{227} * 1024}),
          random_{how.seed}
    {
    }

    void change(device::lines_kernel& kernel) { kernel.is_of_segments = kernel.is_of_segments && random_() % 3 == 0; }
    void change(device::along_choice& choice)
    {
        choice.is_short = choice.may_be_short && random_() % 2 == 0;
        choice.folds_neighbours = random_() % 2 == 0;
        choice.in_packets = choice.in_packets && random_() % 3 != 0;
        choice.in_run_packets = choice.has_run_packets && random_() % 3 != 0;
        if (!choice.in_packets)
            choice.lanes_along_line = choice.lanes_along_line != (random_() % 4 == 0);
    }

    void change(device::along_leaves& leaves) { leaves.are_folded = random_() % 3 != 0; }
    void change(device::along_depth& depth) { depth.is_deep = random_() % 2 == 0; }

    void change(device::short_lines_plan& plan)
    {
        if (!has_tsan && random_() % 3 == 0)
            return;
        plan.block_threads = 32 * (1 + static_cast<unsigned>(random_() % 2));
        plan.thread_lines = random_() % 4 == 0 ? 1 : plan.most_thread_lines;
        device::divide_short_lines(plan);
    }

    void change(device::along_plan& plan)
    {
        if (!has_tsan && random_() % 3 == 0)
            return;  // as it is planned
        const std::size_t group_lines = plan.shape.group_lines;
        plan.tile_lines =
            1 + static_cast<unsigned>(random_() % std::min<std::size_t>(group_lines, has_tsan ? 5u : 70u));
        if (plan.shape.leaf_positions > 1)  // whole packets, if leaves are those of packets
            plan.tile_lines = (plan.tile_lines + plan.shape.items - 1) / plan.shape.items * plan.shape.items;
        plan.has_whole_rows = plan.shape.are_dense && group_lines <= 40 && random_() % 2 == 0;
        if (plan.has_whole_rows)
            plan.tile_lines = static_cast<unsigned>(group_lines);
        plan.share_positions = 1u << random_() % 9;
        if (plan.shape.group_lines == 1)  // packets lie along a line
            plan.share_positions = std::max(plan.share_positions, plan.shape.items);
        while (plan.share_positions > 1 && plan.share_positions * plan.tile_lines * plan.shape.value_bytes > 65536)
            plan.share_positions /= 2;
        const auto divide = [&] {
            if (plan.share_positions >= plan.positions)
                plan.share_positions = static_cast<unsigned>(plan.positions);
            device::divide_lines(plan);
        };
        divide();
        while (plan.shares > 1 && plan.shares * plan.tiles > (has_tsan ? 8 : 50)) {
            plan.share_positions *= 2;
            divide();
        }
        plan.group = 2u << random_() % 7;
        plan.shared_values =
            std::max<std::size_t>(plan.shared_values, std::size_t{(plan.group + 7) / 8} * plan.tile_lines);
        plan.block_threads = 32 * (1 + static_cast<unsigned>(random_() % 4));
        plan.blocks = std::min<std::size_t>(plan.tiles * plan.shares, 1 + random_() % (has_tsan ? 4 : 40));
    }

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        REQUIRE(shape.shared_bytes <= gpu().shared_bytes_per_block);
        launcher::launch(shape, kernel);
    }

private:
    random_numbers random_;
};

/// As the public function has it, of an array from the lowest element of its memory on.
template <class Iterator, class Output>
device::placed_lines<Iterator, Output> placed(const random_array& array, const random_array& results, unsigned mask,
                                              Iterator input, Output out)
{
    parprims::detail::dimension dimensions[4] = {};
    bool is_along[4] = {};
    for (unsigned d = 0, of_result = 0; d < array.rank; ++d) {
        is_along[d] = (mask >> d & 1) != 0;
        dimensions[d] = {array.extents[d], array.strides[d], is_along[d] ? 0 : results.strides[of_result++]};
    }
    return {parprims::detail::lines_along(dimensions, array.rank, is_along), input, array.first, out, results.first};
}

template <class T, class Value, class Op = hash, class Transform = parprims::identity>
void check_along(random_numbers& random, const random_array& array, unsigned mask, std::uint64_t seed)
{
    std::vector<unsigned> along, left, all;
    std::vector<std::size_t> extents;
    for (unsigned d = 0; d < array.rank; ++d)
        ((mask >> d & 1) != 0 ? along : left).push_back(d);
    for (const unsigned d : left) {
        all.push_back(static_cast<unsigned>(extents.size()));
        extents.push_back(array.extents[d]);
    }
    const random_array results = arranged(random, extents, true);
    CAPTURE(seed);
    CAPTURE(mask);
    CAPTURE(array.rank);
    for (unsigned d = 0; d < array.rank; ++d) {
        INFO("extent " << array.extents[d] << " stride " << array.strides[d]);
    }

    memory<Value> input(array.memory, alignof(Value) * (random() % 3));
    fill(input);
    memory<T> output(results.memory);
    const T init = element<T>(1000003);
    along_launcher on(schedule_of(seed));
    device::enqueue_reduce_along(on,
                                 placed(array, results, mask, static_cast<const Value*>(input.data()), output.data()),
                                 init, Op{}, Transform{});
    const auto elements = offsets_of(array, along);
    const auto lines = offsets_of(array, left);
    const auto places = offsets_of(results, all);
    for (std::size_t l = 0; l < lines.size(); ++l) {
        std::vector<Value> line;
        for (const std::ptrdiff_t offset : elements)
            line.push_back(input[array.first + static_cast<std::size_t>(lines[l] + offset)]);
        CAPTURE(l);
        REQUIRE(same_bits(output[results.first + static_cast<std::size_t>(places[l])],
                          order_oracle::reduce<Value>(line.begin(), line.size(), init, Op{}, Transform{})));
    }
}

template <class T, class Value = T, class Op = hash, class Transform = parprims::identity>
void sweep(unsigned cases, std::size_t most)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        random_numbers random{seed * 1000 + sizeof(Value)};
        const auto rank = static_cast<unsigned>(1 + random() % 4);
        std::vector<std::size_t> extents(rank, 1);
        std::size_t left = most;
        for (std::size_t& extent : extents) {
            constexpr std::size_t usual[] = {0, 1, 2, 3, 4, 8, 13, 32, 64, 96, 128, 300};
            extent = std::min(random() % 4 == 0 ? random() % 5000
                                                : usual[!has_tsan && random() % 12 == 0 ? 0 : 1 + random() % 11],
                              left);
            left /= std::max<std::size_t>(extent, 1);
        }
        std::swap(extents[0], extents[random() % rank]);
        check_along<T, Value, Op, Transform>(random, arranged(random, extents, false),
                                             1 + static_cast<unsigned>(random() % ((1u << rank) - 1)), seed);
    }
}

/// Matrices whose columns lie in packets.
template <class T, class Transform = parprims::identity>
void sweep_matrices(unsigned cases)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        random_numbers random{seed + 77};
        random_array array;
        array.rank = 2;
        array.extents[1] = 32 * (1 + random() % 12) / (random() % 2 + 1);
        array.extents[0] = (has_tsan ? 20000 : 100000) / array.extents[1] / (random() % 4 == 0 ? 1 : 8);
        if (random() % 4 == 0) {
            array.extents[1] = random() % 2500;
            array.extents[0] = 1 + random() % 5;
        }
        array.strides[0] = static_cast<std::ptrdiff_t>(array.extents[1] + 16 * (random() % 2));
        array.strides[1] = 1;
        array.extents[1] -=
            array.extents[1] > 1 && random() % 2 == 0 ? 1 : 0;  // behind the last element of a row is a gap
        place_in_memory(array);
        check_along<T, T, hash, Transform>(random, array, 1 + static_cast<unsigned>(random() % 2), seed);
    }
}

/// An array with lines of several runs without gaps, as the channels of images and the rows of a region have them.
random_array array_of_runs(random_numbers& random)
{
    constexpr std::size_t lengths[] = {1, 3, 4, 128, 130, 131, 196, 512, 700, 2047, 2049};
    random_array array;
    array.rank = 3;
    array.extents[2] = lengths[random() % 11];
    array.extents[1] = 1 + random() % 3;
    array.extents[0] = 1 + (has_tsan ? 2000 : 14000) / (array.extents[1] * array.extents[2]) / (1 + random() % 8);
    const auto pitch = [&](std::size_t elements) {  // also misaligned, backwards, and lines that share elements
        const auto gap = static_cast<std::ptrdiff_t>(random() % 3 == 0 ? random() % 40 : 16 * (random() % 4));
        const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(elements) + gap;
        return random() % 8 == 0 ? std::ptrdiff_t{0} : random() % 3 == 0 ? -apart : apart;
    };
    array.strides[2] = 1;
    array.strides[1] = pitch(array.extents[2]);
    array.strides[0] =
        pitch(array.extents[1] * static_cast<std::size_t>(std::abs(array.strides[1])) * (1 + random() % 3) + 64);
    place_in_memory(array);
    return array;
}

template <class T, class Value = T, class Transform = parprims::identity>
void sweep_runs(unsigned cases)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        random_numbers random{seed + 1234};
        const random_array array = array_of_runs(random);
        const unsigned masks[] = {5, 6, 7, 4};
        check_along<T, Value, hash, Transform>(random, array, masks[random() % 4], seed);
    }
}

struct widened {
    float operator()(std::int8_t x) const { return static_cast<float>(x) * 1.5f; }
};

/// The rows of the order contract stay as long as those of elements.
struct squared {
    float operator()(float x) const { return x * x; }
};

constexpr unsigned most_cases = has_tsan ? 12 : 150;
constexpr std::size_t most_elements = has_tsan ? 4000 : 20000;

}  // namespace

TEST_CASE_TEMPLATE("the last maximum and the first minimum of lines", T, std::int16_t, std::uint8_t, float)
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::both, parprims::less>;
    for (std::uint64_t seed = 0; seed < most_cases / 3; ++seed) {
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
    for (std::uint64_t seed = 0; seed < most_cases / 3; ++seed) {
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

TEST_CASE("lines of random arrays have the bits of their reductions")
{
    sweep<float>(most_cases, most_elements);
    sweep<std::uint64_t>(most_cases / 3, most_elements);
    if constexpr (!has_tsan) {
        sweep<std::uint8_t>(most_cases / 2, most_elements);
        sweep<checked<24>>(most_cases / 3, most_elements);
        sweep<checked<256>>(most_cases / 6, most_elements / 4);
        sweep<float, std::int8_t, hash, widened>(most_cases / 3, most_elements);
    }
}

TEST_CASE("lines that leave gaps between their runs have the bits of their reductions")
{
    sweep_runs<float>(has_tsan ? 6 : 150);
    if constexpr (!has_tsan) {
        sweep_runs<std::uint64_t>(50);
        sweep_runs<std::uint8_t>(50);
        sweep_runs<float, std::int8_t, widened>(50);
    }
}

TEST_CASE("a cursor goes from row to row of a line with runs of any length, also behind 2^32 elements")
{
    for (std::uint64_t seed = 0; seed < 20000; ++seed) {
        random_numbers random{seed};
        parprims::detail::dimension_list line;
        const std::size_t extents[] = {
            2, 3, 7, 49, 128, 130, 3136, 1u << 20, (std::size_t{1} << 31) + 5, std::size_t{1} << 34};
        const auto count = static_cast<unsigned>(2 + random() % 3);
        for (std::size_t left = std::size_t{1} << 62; line.count < count;) {
            const std::size_t extent = std::min(extents[random() % 10], left);
            line.add({extent,
                      static_cast<std::ptrdiff_t>(random() >> (30 + random() % 34)) -
                          static_cast<std::ptrdiff_t>(random() % 1000),
                      0});
            left /= extent;
        }
        const std::size_t row = std::size_t{8} << random() % 7, size = line.size();
        const std::size_t i = random() % 2 == 0 ? random() % size : size - std::min(size, 1 + random() % (16 * row));
        const device::row_steps steps(line, row);
        device::row_cursor cursor(line, seed, i);
        CAPTURE(seed);
        for (unsigned r = 0; r < parprims::detail::order::chunk_rows && i + r * row < size;
             ++r, cursor.next<true>(steps))
            REQUIRE(cursor.at() == seed + static_cast<std::size_t>(line.offset(i + r * row)));
    }
}

TEST_CASE("lines without elements have the value of init, also where a value is narrower than the numbers of a kernel")
{
    if (has_tsan)
        return;  // has no blocks of as many threads as fill results
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        random_numbers random{seed};
        random_array array;
        array.rank = 3;
        array.extents[0] = 2;
        array.extents[2] = 700 - seed;
        array.strides[0] = seed % 2 == 0 ? 20000 : -2;
        array.strides[1] = 3;
        array.strides[2] = 1;
        place_in_memory(array);
        check_along<std::int8_t, float>(random, array, 2, seed);
    }
}

TEST_CASE("columns and rows of matrices have the bits of their reductions")
{
    sweep_matrices<float>(has_tsan ? 3 : 75);
    if constexpr (!has_tsan) {
        sweep_matrices<std::uint64_t>(36);
        sweep_matrices<std::uint8_t>(36);
        sweep_matrices<float, squared>(36);
    }
}
