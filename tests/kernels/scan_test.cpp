// The scan kernels on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/launch_config.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using parprims::scan_config;
using parprims::three_phase_scan;

namespace {

/// One way to scan, and its answers for the longest input of a sweep: those for a shorter one are the first of them.
template <scan_kind Kind, class T, class Op>
struct scan_way {
    std::optional<T> init;
    Op op;
    std::vector<T> expected;

    scan_way(std::size_t limit, std::optional<T> first, Op how) : init(first), op(how)
    {
        memory<T> input(limit);
        fill(input);
        expected = order_oracle::scan<Kind, T>(input.data(), limit, init, op, parprims::identity{});
    }

    template <class Config>
    void check(const memory<T>& input, std::uint64_t seed, std::size_t out_offset, unsigned small_tiles_per_sm) const
    {
        const std::size_t n = input.size();
        const unsigned warps[] = {1, 2, 4, 3};
        const auto config = config_of<Config>(32 * warps[seed * 7 / 3 % 4], 1 + static_cast<unsigned>(seed / 4 % 2),
                                              2 + static_cast<unsigned>(seed / 8 % 3), small_tiles_per_sm);
        const device::gpu_properties gpu{2 + static_cast<unsigned>(seed / 3 % 4)};
        memory<T> output(n, out_offset);
        CAPTURE(n);
        CAPTURE(seed);
        CAPTURE(parprims::to_string(config));
        CAPTURE(gpu.multiprocessors);
        scan<Kind>(schedule_of(seed), config, gpu, input.data(), n, output.data(), init, op, parprims::identity{});
        for (std::size_t i = 0; i < n; ++i)
            if (!same_bits(output[i], expected[i])) {
                CAPTURE(i);
                REQUIRE(output[i] == expected[i]);
                REQUIRE(same_bits(output[i], expected[i]));
            }
    }
};

template <class T, class Config = scan_config, class Op>
void sweep(std::size_t limit, Op op, unsigned seeds, unsigned between, std::size_t offset = 0,
           unsigned small_tiles_per_sm = 0)
{
    // An init that is the interval before the first.
    T init = element<T>(0);
    if constexpr (!std::is_arithmetic_v<T>)
        init = T{0xfffffff0, 0xffffffff};
    const scan_way<scan_kind::inclusive, T, Op> inclusive(limit, std::nullopt, op);
    const scan_way<scan_kind::exclusive, T, Op> exclusive(limit, init, op);
    const scan_way<scan_kind::inclusive, T, Op> with_init(limit, init, op);
    std::uint64_t seed = sizeof(T) + (std::is_same_v<Config, three_phase_scan> ? 1 : 0);
    for (std::size_t n : sizes(limit, {order::row<T>, order::tile<T>}, seed, between)) {
        memory<T> input(n, offset);
        fill(input);
        for (unsigned i = 0; i < seeds; ++i) {
            inclusive.template check<Config>(input, ++seed, offset, small_tiles_per_sm);
            with_init.template check<Config>(input, ++seed, offset, small_tiles_per_sm);
            exclusive.template check<Config>(input, ++seed, offset, small_tiles_per_sm);
        }
    }
}

}  // namespace

TEST_CASE("answers for a shorter input are the first of those for a longer one")
{
    const auto answers = [](std::size_t n) {
        memory<std::uint64_t> input(n);
        fill(input);
        return order_oracle::scan<scan_kind::exclusive, std::uint64_t>(
            input.data(), n, std::optional(element<std::uint64_t>(0)), hash{}, parprims::identity{});
    };
    constexpr std::size_t tile = order::tile<std::uint64_t>;
    const auto longest = answers(35 * tile);
    for (const std::size_t n : sizes(35 * tile, {order::row<std::uint64_t>, tile}, 1)) {
        CAPTURE(n);
        const auto these = answers(n);
        CHECK(std::equal(these.begin(), these.end(), longest.begin()));
    }
}

// Values of other sizes: sweep_scan_test.cpp. Other places, and functions: scan_offsets_test.cpp.

TEST_CASE_TEMPLATE("a single-pass scan keeps the order contract", T, std::uint8_t, std::uint32_t, checked<24>)
{
    sweep<T>(4 * order::tile<T> + 1, hash{}, 1, 10);
}

TEST_CASE("a single-pass scan of many tiles keeps the order contract")
{
    using T = checked<256>;
    sweep<T>(4 * order::tile<T> + 1, hash{}, 8, 30);
    sweep<T>(70 * order::tile<T> + 1, hash{}, 1, 5);
}

TEST_CASE("a single-pass scan joins intervals")
{
    using T = checked<256>;
    sweep<T>(70 * order::tile<T> + 1, joined{}, 1, 5);
}

TEST_CASE_TEMPLATE("a three-phase scan keeps the order contract", T, std::uint32_t, checked<256>)
{
    sweep<T, three_phase_scan>(4 * order::tile<T> + 1, hash{}, 1, 10);
}

TEST_CASE("a three-phase scan of many tiles keeps the order contract")
{
    using T = checked<256>;
    sweep<T, three_phase_scan>(70 * order::tile<T> + 1, hash{}, 1, 0);
}

TEST_CASE_TEMPLATE("a scan adds small integers as the order contract has it", T, std::int8_t, std::uint16_t)
{
    sweep<T>(3 * order::tile<T> + 1, parprims::plus{}, 1, 5);
    sweep<T, three_phase_scan>(3 * order::tile<T> + 1, parprims::plus{}, 1, 0);
    sweep<T>(2 * order::tile<T> + 1, parprims::plus{}, 1, 0, sizeof(T));
}

TEST_CASE("a small scan of several tiles may write where it reads")
{
    using T = std::uint64_t;
    constexpr std::size_t n = 3 * order::tile<T> - 5;
    memory<T> input(n);
    fill(input);
    const auto expected =
        order_oracle::scan<scan_kind::inclusive, T>(input.data(), n, std::optional<T>(), hash{}, parprims::identity{});
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
        CAPTURE(seed);
        memory<T> values(n);
        fill(values);
        scan<scan_kind::inclusive, T>(schedule_of(seed), scan_config{64, 1, 2, 1000}, {4},
                                      static_cast<const T*>(values.data()), n, values.data(), std::optional<T>(),
                                      hash{}, parprims::identity{});
        CHECK(std::equal(expected.begin(), expected.end(), values.data()));
    }
}

TEST_CASE_TEMPLATE("a small scan keeps the order contract", T, std::uint8_t, std::uint32_t)
{
    sweep<T>(4 * order::tile<T> + 1, hash{}, 2, 10, 0, 1000);
    sweep<T>(2 * order::tile<T> + 1, hash{}, 1, 5, sizeof(T), 1000);
}

TEST_CASE_TEMPLATE("a small scan adds small integers as the order contract has it", T, std::int8_t, std::uint16_t)
{
    sweep<T>(3 * order::tile<T> + 1, parprims::plus{}, 1, 5, 0, 1000);
    sweep<T>(2 * order::tile<T> + 1, parprims::plus{}, 1, 0, sizeof(T), 1000);
}

TEST_CASE_TEMPLATE("a scan keeps the order contract where it writes every second element", T, std::uint8_t,
                   std::uint16_t, std::uint32_t)
{
    constexpr std::size_t row = order::row<T>, n = 3 * order::tile<T> + row + 3;
    memory<T> input(n);
    fill(input);
    const auto expected =
        order_oracle::scan<scan_kind::inclusive, T>(input.data(), n, std::optional<T>(), hash{}, parprims::identity{});
    std::uint64_t seed = sizeof(T);
    const auto check = [&](std::size_t count, const auto& config) {
        memory<T> output(2 * count - 1);
        std::fill(output.data(), output.data() + output.size(), T{0});
        CAPTURE(count);
        CAPTURE(parprims::to_string(config));
        scan<scan_kind::inclusive, T>(schedule_of(++seed), config, {2}, static_cast<const T*>(input.data()), count,
                                      parprims::strided_iterator<T*>(output.data(), 2), std::optional<T>(), hash{},
                                      parprims::identity{});
        for (std::size_t i = 0; i < output.size(); ++i)
            REQUIRE(output[i] == (i % 2 == 0 ? expected[i / 2] : T{0}));
    };
    for (const std::size_t count : {std::size_t{1}, row - 1, row, 2 * row + 1, n}) {
        check(count, scan_config{64, 1, 2, 0});
        check(count, scan_config{64, 1, 2, 1000});
        check(count, three_phase_scan{64, 1});
    }
}

TEST_CASE("blocks that refill their stages keep the order contract")
{
    using T = std::uint32_t;
    // One block or two take all tiles. Where the input is not aligned, a lane fetches what others read.
    std::uint64_t seed = 0;
    for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
        memory<T> input(6 * order::tile<T> + 5, offset);
        fill(input);
        const auto expected = order_oracle::scan<scan_kind::inclusive, T>(
            input.data(), input.size(), std::optional<T>(), hash{}, parprims::identity{});
        const auto check = [&](const auto& config) {
            memory<T> output(input.size());
            CAPTURE(offset);
            CAPTURE(parprims::to_string(config));
            CAPTURE(++seed);
            scan<scan_kind::inclusive, T>(schedule_of(seed), config, {1 + static_cast<unsigned>(seed % 2)},
                                          static_cast<const T*>(input.data()), input.size(), output.data(),
                                          std::optional<T>(), hash{}, parprims::identity{});
            bool same = true;
            for (std::size_t i = 0; i < input.size(); ++i)
                same = same && output[i] == expected[i];
            CHECK(same);
        };
        for (const unsigned stages : {2u, 3u, 4u})
            check(scan_config{64, 1, stages, 0});
        check(three_phase_scan{64, 1});
    }
}

TEST_CASE("where shared memory has room for one tile, each tile has a block and keeps the order contract")
{
    // As on compute capability 7.5, whose blocks may have 64 KiB: one tile of 32 KiB fits, two do not.
    device::gpu_properties gpu{2, 1024, 64 * 1024, 64 * 1024};
    gpu.architecture = 75;
    using T = std::uint32_t;
    const std::size_t most = 70 * order::tile<T> + 5;
    memory<T> input(most);
    fill(input);
    const auto expected = order_oracle::scan<scan_kind::exclusive, T>(input.data(), most, std::optional<T>(7), hash{},
                                                                      parprims::identity{});
    std::uint64_t seed = 0;
    for (const std::size_t n : {order::tile<T>, order::tile<T> + 1, 5 * order::tile<T> - 1, most}) {
        memory<T> output(n);
        CAPTURE(n);
        CAPTURE(++seed);
        scan<scan_kind::exclusive, T>(schedule_of(seed), scan_config{64, 1, 4, 0}, gpu,
                                      static_cast<const T*>(input.data()), n, output.data(), std::optional<T>(7),
                                      hash{}, parprims::identity{});
        CHECK(std::equal(output.begin(), output.end(), expected.begin()));
    }
}
