// copy_if of values of any size on the executor: through arrays, functions and output iterators, and counts of many tiles.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/error.hpp>

#include <parprims/detail/device/copy_if/dispatch.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace kernel_test;
namespace simt = parprims::detail::simt;

namespace {

/// `Count` units of an unsigned type, aligned to one of them.
template <class Unit, unsigned Count>
struct units {
    Unit values[Count];

    static units of(std::size_t i)
    {
        units result;
        for (unsigned k = 0; k < Count; ++k)
            result.values[k] = static_cast<Unit>(mix(Count * i + k + 1) >> 7);
        return result;
    }
    friend bool operator==(const units&, const units&) = default;
};

/// Keeps `limit` of 256 values: none, some or all.
struct is_chosen {
    unsigned limit;

    template <class T>
    bool operator()(const T& x) const
    {
        return static_cast<unsigned char>(x.values[0]) < limit;
    }
};

/// Blocks of any number of warps, and tiles of each size, drawn or not.
class any_tiles : public launcher {
public:
    using launcher::launcher;

    void change(device::copy_if_plan& plan) const
    {
        plan.block_threads = std::min(plan.block_threads, 32u << mix(options().seed) % 4);
        plan.lane_packets = 2u << mix(options().seed) / 4 % 3;
        const std::size_t limits[] = {0, 2, plan.max_tiles};
        plan.max_tiles = limits[mix(options().seed) / 12 % 3];
    }
};

template <class T>
T converted(const T& x)
{
    return x;
}

/// Copies to an array that begins `offset` bytes behind a multiple of 16, as an array and as any output.
template <class T, class Iterator>
void check_copy(std::uint64_t seed, Iterator first, std::size_t n, std::size_t offset, is_chosen predicate)
{
    CAPTURE(n);
    CAPTURE(offset);
    CAPTURE(predicate.limit);
    std::vector<T> expected;
    std::copy_if(first, first + static_cast<std::ptrdiff_t>(n), std::back_inserter(expected), predicate);
    memory<std::size_t> count(1);
    memory<T> array(expected.size(), offset);  // nothing is written behind the last one
    memory<T> other(expected.size(), offset);
    any_tiles on(schedule_of(seed), device::gpu_properties{1 + static_cast<unsigned>(seed % 5)});
    const auto copy_to = [&](auto out) {
        device::enqueue_copy_if(on, first, n, out, predicate, device::converted_output<std::size_t*>{count.data()});
        REQUIRE(count[0] == expected.size());
    };
    copy_to(array.data());
    CHECK(std::equal(expected.begin(), expected.end(), array.begin()));
    copy_to(parprims::transform_output_iterator(other.data(), converted<T>));
    CHECK(std::equal(expected.begin(), expected.end(), other.begin()));
}

template <class T>
void fill_units(memory<T>& values, std::size_t seed)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = T::of(i + 1000 * seed);
}

/// The largest tile of a block of `warps`.
template <class T>
constexpr std::size_t tile(unsigned warps)
{
    return std::size_t{warps} * device::large_tile::rows * simt::warp_size *
           device::packet_items<device::pointer_input<T>>;
}

}  // namespace

TEST_CASE_TEMPLATE("copy_if keeps values of any size, in an array or through an output iterator", T,
                   units<std::uint8_t, 1>, units<std::uint16_t, 1>, units<std::uint8_t, 3>, units<std::uint16_t, 3>,
                   units<std::uint32_t, 3>, units<std::uint64_t, 2>, units<std::uint64_t, 5>)
{
    std::uint64_t seed = sizeof(T);
    const std::size_t most = 5 * tile<T>(4);
    for (const std::size_t n : sizes(most, {tile<T>(1), tile<T>(8)}, seed, 3))
        for (const unsigned limit : {0, 90, 256}) {
            memory<T> values(n, mix(++seed) % 128 / alignof(T) * alignof(T));
            fill_units(values, seed);
            const std::size_t offset = mix(seed + 50) % 16 / alignof(T) * alignof(T);
            check_copy<T>(seed, static_cast<const T*>(values.data()), n, offset, {limit});
        }
}

TEST_CASE_TEMPLATE("copy_if keeps what a function makes of narrower elements, or of wider ones", T,
                   units<std::uint8_t, 1>, units<std::uint32_t, 1>, units<std::uint64_t, 1>, units<std::uint64_t, 2>)
{
    struct widened {
        T operator()(std::uint8_t x) const { return T::of(x); }
        T operator()(const units<std::uint64_t, 3>& x) const { return T::of(x.values[1]); }
    };
    std::uint64_t seed = sizeof(T);
    for (const std::size_t n : {1, 40, 511, 2049, 9000})
        for (const unsigned limit : {90, 256}) {
            const std::size_t offset = mix(++seed) % 16 / alignof(T) * alignof(T);
            memory<std::uint8_t> bytes(n, mix(seed) % 128);
            memory<units<std::uint64_t, 3>> wide(n, seed % 2 * 8);
            fill(bytes);
            fill_units(wide, seed);
            check_copy<T>(seed, parprims::transform_iterator(std::as_const(bytes).data(), widened{}), n, offset,
                          {limit});
            check_copy<T>(seed, parprims::transform_iterator(std::as_const(wide).data(), widened{}), n, offset,
                          {limit});
        }
}

namespace {

template <class Outputs, class Predicate>
using work_of_bytes =
    device::copy_if_work<device::pointer_input<std::uint8_t>, Outputs, Predicate, std::size_t*, device::large_tile>;
using bytes_output = device::pointer_output<std::uint8_t>;
using sum_work = work_of_bytes<parprims::detail::kept_outputs<bytes_output>, is_chosen>;
using length_work =
    work_of_bytes<parprims::detail::kept_outputs<bytes_output, parprims::detail::run_lengths, bytes_output>,
                  parprims::detail::starts_run<parprims::equal_to>>;
constexpr unsigned tile_of_bytes = device::copy_if_threads * sum_work::rows * sum_work::items;

/// As many elements as a tile may keep, or a few less.
unsigned count_of(std::size_t tile)
{
    return tile_of_bytes - static_cast<unsigned>(mix(tile) % 100);
}

/// Publishes the totals of all tiles, and finds what comes after the last one.
template <class Work>
struct sum_kernel {
    struct shared_storage {
        typename device::tile_prefix<Work>::group_totals groups;
    };

    Work work;
    device::tile_words<typename Work::total> words;
    const typename Work::total* totals;
    typename Work::prefix* sums;

    void operator()(simt::block block, shared_storage& shared) const
    {
        for (std::size_t tile = block.warp(); tile < words.tiles; tile += block.warps())
            words.publish(tile, simt::load(totals, tile));
        device::tile_prefix<Work> before(work, words);
        simt::store(sums, block.thread(), before.find(block, shared.groups, words.tiles, [] {}));
    }
};

/// Every thread of a block finds `expected` after the last tile.
template <class Work>
void check_sum(const memory<typename Work::total>& totals, const typename Work::prefix& expected)
{
    constexpr unsigned threads = 64;
    using kernel_type = sum_kernel<Work>;
    using words_type = device::tile_words<typename Work::total>;
    const std::size_t tiles = totals.size();
    memory<std::byte> words(words_type::bytes(tiles));
    std::fill(words.begin(), words.end(), std::byte{});
    memory<typename Work::prefix> sums(threads);
    const Work work{{{nullptr}, 0, 0}, {}, {}, nullptr, tiles};
    launch(schedule_of(1), 1, threads, sizeof(typename kernel_type::shared_storage),
           kernel_type{work, {{words.data(), tiles, false, false}}, totals.data(), sums.data()});
    for (unsigned thread = 0; thread < threads; ++thread)
        REQUIRE(same_bits(sums[thread], expected));
}

}  // namespace

TEST_CASE("copy_if of more tiles than tickets of 32 bits number is refused before memory is taken")
{
    any_tiles on(schedule_of(1), device::gpu_properties{1});
    const parprims::transform_iterator first(parprims::counting_iterator<std::size_t>(0), &units<std::uint32_t, 1>::of);
    CHECK_THROWS_AS(device::enqueue_copy_if(on, first, std::size_t{1} << 45,
                                            static_cast<units<std::uint32_t, 1>*>(nullptr), is_chosen{0},
                                            device::converted_output<std::size_t*>{nullptr}),
                    parprims::invalid_argument);
}

TEST_CASE("copy_if adds counts of tiles to more than 32 bits hold")
{
    memory<unsigned> totals(140000);
    std::uint64_t expected = 0;
    for (std::size_t tile = 0; tile < totals.size(); ++tile)
        expected += totals[tile] = count_of(tile);
    REQUIRE(expected > 0xffffffff);
    check_sum<sum_work>(totals, expected);
}

TEST_CASE("copy_if adds numbers of runs, and elements of a run, to more than 32 bits hold")
{
    constexpr std::size_t tiles = 140000;
    memory<device::kept_runs<unsigned>> totals(tiles);
    for (const std::size_t last : {std::size_t{2}, tiles - 3}) {  // the last tile in which a run begins
        device::kept_runs<std::uint64_t> expected{};
        for (std::size_t tile = 0; tile < tiles; ++tile) {
            if (tile <= last)
                totals[tile] = {count_of(tile), 1 + static_cast<unsigned>(tile % 7)};
            else
                totals[tile] = {0, tile_of_bytes};
            expected.kept += totals[tile].kept;
            expected.tail = totals[tile].tail + (totals[tile].kept != 0 ? 0 : expected.tail);
        }
        REQUIRE((last == 2 ? expected.tail : expected.kept) > 0xffffffff);
        check_sum<length_work>(totals, expected);
    }
}

TEST_CASE("copy_if has small tiles as long as they are few, then medium and large ones; a short pass has room for all")
{
    constexpr unsigned threads = 256;
    for (const unsigned most_tiles :
         {device::epoch_words<unsigned>::max_tiles, device::epoch_words<device::kept_runs<unsigned>>::max_tiles})
        for (const unsigned multiprocessors : {132u, 200u, 1000u})
            for (const unsigned items : {4u, 16u})
                for (const unsigned few_threads : {128u, 256u})
                    for (const unsigned largest_rows : {4u, 8u}) {
                        CAPTURE(most_tiles);
                        CAPTURE(multiprocessors);
                        CAPTURE(items);
                        CAPTURE(few_threads);
                        CAPTURE(largest_rows);
                        const std::size_t most =
                            std::min(most_tiles, device::max_copied_tiles_per_sm * multiprocessors);
                        const std::size_t most_small =
                            items == 4 ? std::min(most_tiles, device::max_sparse_tiles_per_sm * multiprocessors) : most;
                        const std::size_t small = most_small * few_threads * 2;  // packets, at most
                        const std::size_t few_medium = most * few_threads * 4;
                        const std::size_t medium = most * threads * 4;
                        const auto check = [&](std::size_t packets) {
                            CAPTURE(packets);
                            const device::copy_if_plan plan =
                                device::plan_copy_if(packets, items, threads, few_threads, largest_rows, most_tiles,
                                                     device::gpu_properties{multiprocessors});
                            const bool is_single =
                                items == 4 && packets > 2 * few_threads && packets <= 4 * few_threads;
                            const std::size_t tile = std::size_t{plan.block_threads} * plan.lane_packets;
                            const std::size_t tiles = (packets + tile - 1) / tile;
                            const bool is_small = packets <= small && !is_single;
                            REQUIRE(plan.lane_packets == (is_small ? 2 : packets <= medium ? 4 : largest_rows));
                            REQUIRE(plan.block_threads == (packets <= few_medium ? few_threads : threads));
                            REQUIRE(plan.max_tiles ==
                                    std::min(most_tiles, device::max_largest_tiles_per_sm * multiprocessors));
                            REQUIRE((packets > medium || tiles <= plan.max_tiles));
                        };
                        for (const std::size_t bound : {std::size_t{2 * few_threads}, std::size_t{4 * few_threads},
                                                        small, few_medium, medium, 8 * medium})
                            for (const std::size_t packets : {bound - 1, bound, bound + 1})
                                check(packets);
                        for (std::size_t packets = 0; packets < 8 * medium; packets += 1 + packets / 16)
                            check(packets);
                    }
}
