// Scans along a dimension on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/along/scan_dispatch.hpp>

#include <doctest/doctest.h>

#include "../unit/support/arrays.hpp"
#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

using namespace kernel_test;

namespace {

/// Passes of lines, blocks that have a line at a time, or rows of all lines, staged or not; lanes along lines or across.
class scan_along_launcher : public launcher {
public:
    explicit scan_along_launcher(const executor::options& how)
        : launcher(how, {.multiprocessors = 1,
                         .shared_bytes_per_block = std::size_t{how.seed % 2 == 0 ? 227u : 64u} * 1024}),
          random_{how.seed}
    {
    }

    void change(device::along_scan_choice& choice)
    {
        choice.has_passes = random_() % 8 == 0;
        choice.has_blocks = choice.has_blocks && random_() % 3 != 0;
        choice.is_staged = choice.is_staged != (random_() % 4 == 0);
        choice.lanes_along_line = choice.lanes_along_line != (random_() % 4 == 0);
    }

    /// Warps that have more rows than planned.
    static constexpr unsigned held_rows = 64;
    void change(device::line_tiles_plan& plan)
    {
        plan.blocks = 1 + random_() % plan.blocks;
        plan.block_threads = 32 * (1 + static_cast<unsigned>(random_() % (plan.block_threads / 32)));
    }

    template <class Kernel>
    void launch(const device::launch_shape& shape, const Kernel& kernel)
    {
        REQUIRE(shape.shared_bytes <= gpu().shared_bytes_per_block);
        launcher::launch(shape, kernel);
    }

private:
    random_numbers random_;
};

template <scan_kind Kind, class T, class Value, class Op>
void check_scan(random_numbers& random, const random_array& array, unsigned d, bool has_init, std::uint64_t seed)
{
    const std::vector<std::size_t> extents(array.extents, array.extents + array.rank);
    const bool in_place = std::is_same_v<T, Value> && array.is_distinct && random() % 3 == 0;
    const random_array results = in_place ? array : arranged(random, extents, true);
    std::vector<unsigned> others;
    parprims::detail::dimension dimensions[4] = {};
    bool is_along[4] = {};
    for (unsigned each = 0; each < array.rank; ++each) {
        dimensions[each] = {array.extents[each], array.strides[each], results.strides[each]};
        is_along[each] = each == d;
        if (each != d)
            others.push_back(each);
    }
    CAPTURE(seed);
    CAPTURE(d);
    CAPTURE(has_init);
    CAPTURE(array.extents[d]);
    CAPTURE(array.strides[d]);

    memory<Value> input(array.memory, 16 * (random() % 2) + (random() % 2) * alignof(Value));
    fill(input);
    const std::vector<Value> before(input.begin(), input.end());
    memory<T> output(results.memory, 16 * (random() % 2));
    T* out = output.data();
    if constexpr (std::is_same_v<T, Value>)
        out = in_place ? input.data() : out;
    const T init = element<T>(1000003);
    scan_along_launcher on(schedule_of(seed));
    const device::placed_lines<const Value*, T*> lines{parprims::detail::lines_along(dimensions, array.rank, is_along),
                                                       input.data(), array.first, out, results.first};
    device::enqueue_scan_along<Kind, T>(on, {}, lines, has_init ? std::addressof(init) : nullptr, Op{},
                                        parprims::identity{});
    const auto firsts = offsets_of(array, others), out_firsts = offsets_of(results, others);
    const auto elements = offsets_of(array, {d}), places = offsets_of(results, {d});
    for (std::size_t l = 0; l < firsts.size(); ++l) {
        std::vector<Value> line;
        for (const std::ptrdiff_t offset : elements)
            line.push_back(before[array.first + static_cast<std::size_t>(firsts[l] + offset)]);
        std::optional<T> start;
        if (has_init)
            start.emplace(init);
        const std::vector<T> expected =
            order_oracle::scan<Kind, T>(line.begin(), line.size(), start, Op{}, parprims::identity{});
        for (std::size_t i = 0; i < line.size(); ++i) {
            CAPTURE(l);
            CAPTURE(i);
            REQUIRE(same_bits(out[results.first + static_cast<std::size_t>(out_firsts[l] + places[i])], expected[i]));
        }
    }
}

template <class T, class Value = T, class Op = hash>
void sweep(unsigned cases, std::size_t most)
{
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        random_numbers random{seed * 1000 + sizeof(Value)};
        std::vector<std::size_t> extents = random_extents(random, most);
        if (seed % 5 == 0) {
            extents.resize(1 + seed % 2);
            extents[0] = 3 * most + seed;  // several tiles
            extents.back() = extents.size() == 2 ? 1 + seed % 3 : extents[0];
        }
        const random_array array = arranged(random, extents, random() % 2 == 0);
        const auto d = seed % 5 == 0 ? 0u : static_cast<unsigned>(random() % array.rank);
        if (seed % 3 == 0)
            check_scan<scan_kind::exclusive, T, Value, Op>(random, array, d, true, seed);
        else
            check_scan<scan_kind::inclusive, T, Value, Op>(random, array, d, seed % 3 == 1, seed);
    }
}

}  // namespace

TEST_CASE("lines of random arrays have the bits of their scans")
{
    sweep<float>(150, 12000);
    sweep<std::uint64_t>(60, 12000);
    sweep<std::uint8_t>(30, 30000);
    sweep<checked<24>>(40, 6000);
    sweep<checked<256>>(10, 500);
    sweep<checked<1024>>(6, 900);  // several groups of tiles
    sweep<double, float, parprims::plus>(30, 12000);
}

TEST_CASE("rows that lie backwards, across each other or are short have the bits of their scans")
{
    random_numbers random{17};
    for (const std::size_t lines : {1, 2, 3, 7, 40, 70})
        for (const std::size_t length : {1, 2, 3, 10, 33, 100, 128, 1000}) {
            const auto across = static_cast<std::ptrdiff_t>(lines), along = static_cast<std::ptrdiff_t>(length);
            for (const auto& [line_stride, step] : {std::pair<std::ptrdiff_t, std::ptrdiff_t>{along, 1},
                                                    {-along, -1},
                                                    {along + 3, -1},
                                                    {1, across},
                                                    {-1, across + 2}}) {
                random_array array{2, {lines, length}, {line_stride, step}, 0, 1, true};
                place_in_memory(array);
                check_scan<scan_kind::inclusive, float, float, hash>(random, array, 1, false, lines * 1000 + length);
                check_scan<scan_kind::exclusive, double, float, parprims::plus>(random, array, 1, true,
                                                                                lines * 1000 + length);
            }
        }
}

namespace {

/// Threads with a row each, of all lines.
struct rows_of_lines : launcher {
    using launcher::launcher;

    void change(device::along_scan_choice& choice) const { choice.has_passes = choice.has_blocks = false; }
};

/// Joins intervals; counts the calls with others than neighbours.
struct neighbours_only {
    unsigned* others;

    checked<16> operator()(const checked<16>& a, const checked<16>& b) const
    {
        *others += a.last + 1 == b.first ? 0 : 1;
        return {a.first, b.last};
    }
};

}  // namespace

TEST_CASE("a scan of columns calls the operator with elements and partial results only")
{
    using T = checked<16>;
    constexpr std::size_t columns = 3;
    for (std::size_t length = 1; length < 200; ++length) {
        memory<T> input(length * columns), output(length * columns);
        for (std::size_t i = 0; i < input.size(); ++i)
            input[i] = element<T>(i / columns);
        unsigned others = 0;
        const parprims::detail::dimension dimensions[] = {{length, columns, columns}, {columns, 1, 1}};
        const bool is_along[] = {true, false};
        rows_of_lines on(schedule_of(length), device::gpu_properties{.multiprocessors = 1});
        const device::placed_lines<const T*, T*> lines{parprims::detail::lines_along(dimensions, 2, is_along),
                                                       input.data(), 0, output.data(), 0};
        device::enqueue_scan_along<scan_kind::inclusive, T>(on, {}, lines, static_cast<const T*>(nullptr),
                                                            neighbours_only{&others}, parprims::identity{});
        CAPTURE(length);
        REQUIRE(others == 0);
        REQUIRE(output[input.size() - 1].last == length - 1);
    }
}
