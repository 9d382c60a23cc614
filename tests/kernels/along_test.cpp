// Reductions along dimensions on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/along/dispatch.hpp>

#include <doctest/doctest.h>

#include "../unit/support/arrays.hpp"
#include "../unit/support/order_oracle.hpp"
#include "support/along.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;

namespace {

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
