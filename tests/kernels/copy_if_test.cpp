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

using sum_work = device::copy_if_work<device::pointer_input<std::uint8_t>,
                                      parprims::detail::kept_outputs<device::pointer_output<std::uint8_t>>, is_chosen,
                                      std::size_t*, device::large_tile>;

/// As many elements as a tile may keep, or a few less.
unsigned count_of(std::size_t tile)
{
    return device::copy_if_threads * sum_work::rows * sum_work::items - static_cast<unsigned>(mix(tile) % 100);
}

/// Publishes the counts of all tiles, and finds what comes after the last one.
struct sum_kernel {
    struct shared_storage {
        device::tile_prefix<sum_work>::group_totals groups;
    };

    sum_work work;
    device::tile_words<unsigned> words;
    std::uint64_t* sums;

    void operator()(simt::block block, shared_storage& shared) const
    {
        for (std::size_t tile = block.warp(); tile < words.tiles; tile += block.warps())
            words.publish(tile, count_of(tile));
        device::tile_prefix<sum_work> before(work, words);
        simt::store(sums, block.thread(), before.find(block, shared.groups, words.tiles, [] {}));
    }
};

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
    constexpr std::size_t tiles = 140000;
    constexpr unsigned threads = 64;
    memory<std::byte> words(device::tile_words<unsigned>::bytes(tiles));
    std::fill(words.begin(), words.end(), std::byte{});
    std::uint64_t expected = 0;
    for (std::size_t tile = 0; tile < tiles; ++tile)
        expected += count_of(tile);
    REQUIRE(expected > 0xffffffff);
    memory<std::uint64_t> sums(threads);
    const sum_work work{{{nullptr}, 0, 0}, {{nullptr}, {}, {}, {}}, {}, nullptr, tiles};
    launch(schedule_of(1), 1, threads, sizeof(sum_kernel::shared_storage),
           sum_kernel{work, {{words.data(), tiles, false, false}}, sums.data()});
    CHECK(std::all_of(sums.begin(), sums.end(), [&](std::uint64_t sum) { return sum == expected; }));
}
