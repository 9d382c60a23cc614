// The scan kernels over every size, against the host backend and the interval monoid.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/scan.hpp>

#include <doctest/doctest.h>

#include "support/sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using parprims::scan_config;
using parprims::three_phase_scan;

namespace {

std::uint64_t run_number = 0;

/// Values, and what the host makes of them. The first n answers are those of the first n values.
template <class T, class Op>
class reference {
public:
    explicit reference(std::size_t most) : values(most), inclusive_(most), exclusive_(most), inclusive_init_(most)
    {
        fill(values);
        const T* const begin = values.data();
        const T* const end = begin + most;
        const auto host = parprims::host.threads(1);
        parprims::inclusive_scan(host, begin, end, inclusive_.data(), Op{});
        parprims::exclusive_scan(host, begin, end, exclusive_.data(), init(), Op{});
        parprims::inclusive_scan(host, begin, end, inclusive_init_.data(), Op{}, init());
    }

    /// For intervals, the one before the first.
    static T init()
    {
        if constexpr (std::is_arithmetic_v<T>)
            return element<T>(0);
        else
            return T{0xfffffff0, 0xffffffff};
    }

    template <scan_kind Kind>
    const T* answers(bool has_init) const
    {
        return Kind == scan_kind::exclusive ? exclusive_.data() : has_init ? inclusive_init_.data() : inclusive_.data();
    }

    memory<T> values;

private:
    memory<T> inclusive_;
    memory<T> exclusive_;
    memory<T> inclusive_init_;
};

/// How one scan is launched.
template <class Config>
struct launch_of_scan {
    executor::options how;
    Config config;
    device::gpu_properties gpu;
    std::size_t in_offset = 0;
    std::size_t out_offset = 0;
    bool in_place = false;
};

template <scan_kind Kind, class T, class Op, class Config>
void check_scan(reference<T, Op>& expected, std::size_t n, bool has_init, const launch_of_scan<Config>& like)
{
    memory<T> input(n, like.in_offset);
    memory<T> output(n, like.out_offset);
    std::memcpy(static_cast<void*>(input.data()), expected.values.data(), n * sizeof(T));
    T* const out = like.in_place ? input.data() : output.data();
    CAPTURE(n);
    CAPTURE(run_number);
    CAPTURE(has_init);
    CAPTURE(parprims::to_string(like.config));
    CAPTURE(like.gpu.multiprocessors);
    CAPTURE(like.how.resident_blocks);
    scan<Kind, T>(like.how, like.config, like.gpu, static_cast<const T*>(input.data()), n, out,
                  has_init ? std::optional<T>(expected.init()) : std::nullopt, Op{}, parprims::identity{});
    const T* const answers = expected.template answers<Kind>(has_init);
    if (std::memcmp(out, answers, n * sizeof(T)) == 0)
        return;
    for (std::size_t i = 0; i < n; ++i)
        if (!same_bits(out[i], answers[i])) {
            CAPTURE(i);
            CHECK(out[i] == answers[i]);
            FAIL("other bits than those of the host");
        }
}

template <class T, class Op, class Config>
void check_scan(reference<T, Op>& expected, std::size_t n, const launch_of_scan<Config>& like, unsigned kind)
{
    if (kind < 2)
        check_scan<scan_kind::inclusive>(expected, n, kind != 0, like);
    else
        check_scan<scan_kind::exclusive>(expected, n, true, like);
}

template <class Config, class T, class Op>
void check_drawn(reference<T, Op>& expected, std::size_t n, unsigned small_tiles_per_sm)
{
    draw choice(++run_number);
    const unsigned offsets[] = {0, 0, 0, sizeof(T) % 16, 3 * sizeof(T) % 16};
    const unsigned threads = choice.block_threads();
    const unsigned blocks_per_sm = choice.of({1u, 2u});
    const unsigned stages = choice.of({2u, 3u, 4u});
    const launch_of_scan<Config> like{
        choice.schedule(threads),   config_of<Config>(threads, blocks_per_sm, stages, small_tiles_per_sm),
        {choice.multiprocessors()}, choice.of(offsets),
        choice.of(offsets),         choice.of({false, false, true})};
    check_scan(expected, n, like, choice.of({0u, 1u, 2u}));
}

/// Every size once in one pass over tiles in shared memory, in one pass in registers, and in three phases; the rest is drawn.
template <class T, class Op>
void sweep(const std::vector<std::size_t>& sizes)
{
    reference<T, Op> expected(sizes.back());
    for (const std::size_t n : sizes) {
        check_drawn<scan_config>(expected, n, 0);
        if (sizeof(T) <= 16)
            check_drawn<scan_config>(expected, n, 1000);
        check_drawn<three_phase_scan>(expected, n, 0);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("a scan of any size up to 4 tiles has the bits of the host", T, checked<256>, checked<1024>)
{
    sweep<T, hash>(sizes_to_4_units(order::tile<T>, 1, 1));
}

TEST_CASE_TEMPLATE("a scan of sizes up to 4 tiles has the bits of the host", T, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, checked<16>, checked<24>)
{
    // Of the sizes more than 3 away from a multiple of a tile, one in this many.
    constexpr std::size_t stride = order::tile<T> / 32 * 4 + 11;  // not 1 modulo a row
    sweep<T, hash>(sizes_to_4_units(order::tile<T>, stride, 3));
}

TEST_CASE_TEMPLATE("a scan of sizes up to 4 tiles joins intervals", T, checked<24>, checked<256>)
{
    // Of the sizes more than 9 away from a multiple of a tile, one in 55; of the short tiles of large values, one in three.
    sweep<T, joined>(sizes_to_4_units(order::tile<T>, sizeof(T) == 24 ? 55 : 3, 9));
}

TEST_CASE_TEMPLATE("a scan near a power of two has the bits of the host", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t)
{
    sweep<T, hash>(sizes_near_powers(sizeof(T) == 1 ? 1 << 19 : 1 << 17));
}

TEST_CASE("a scan near a power of two joins intervals")
{
    sweep<checked<16>, joined>(sizes_near_powers(1 << 16));
    sweep<checked<256>, joined>(sizes_near_powers(1 << 14));
}

TEST_CASE("a scan joins intervals for every block size and number of resident blocks")
{
    using T = checked<256>;
    reference<T, joined> expected(2 * 64 * order::tile<T>);
    for_each_shape([&](unsigned threads, unsigned blocks) {
        const auto check = [&](const auto& config) {
            draw choice(++run_number);
            executor::options how = choice.schedule(threads);
            how.resident_blocks = blocks;
            // Tiles for each resident block, and some that others must take.
            check_scan(expected, (blocks + 1 + choice.next() % blocks) * order::tile<T> - 5,
                       launch_of_scan<std::remove_cvref_t<decltype(config)>>{how, config, {blocks}},
                       choice.of({0u, 1u, 2u}));
        };
        check(scan_config{threads, 1, 2, 0});
        check(three_phase_scan{threads, 1});
    });
}

TEST_CASE("a block folds more groups of tiles than it has room for at a time")
{
    using T = std::uint8_t;
    const std::size_t n = 34 * order::group_tiles * order::tile<T> + 5;
    reference<T, hash> expected(n);
    draw choice(++run_number);
    check_scan(expected, n, launch_of_scan<scan_config>{choice.schedule(64), {64, 1, 2, 0}, {2000}}, 0);
}

TEST_CASE("a small scan of several groups of tiles joins intervals")
{
    using T = checked<16>;
    const std::size_t most = 70 * order::tile<T>;
    reference<T, joined> expected(most);
    for (unsigned i = 0; i < 12; ++i) {
        draw choice(++run_number);
        const unsigned threads = choice.block_threads();
        check_scan(expected, most - choice.next() % (3 * order::tile<T>),
                   launch_of_scan<scan_config>{choice.schedule(threads), {threads, 1, 2, 1000}, {2}},
                   choice.of({0u, 1u, 2u}));
    }
}

TEST_CASE("the scans were launched in every way, and their protocol was in every state")
{
    check_runs();
    CHECK(met.missing(state::aggregate_ready, state::no_tile_left) == "");
    CHECK(met.missing(state::value_of_earlier_scan, state::tile_kept) == "");
}

TEST_CASE("in order, the protocol of the scan is not in every state")
{
    using T = checked<256>;
    reference<T, joined> expected(80 * order::tile<T>);
    met.clear();
    for (unsigned blocks = 2; blocks <= 6; ++blocks)
        check_scan(expected, expected.values.size(), launch_of_scan<scan_config>{in_order(), {32, 1, 2}, {blocks}}, 0);
    CHECK(met.missing(state::aggregate_ready, state::no_tile_left) == "aggregate_not_ready, aggregate_out_of_order");
}
