// Segmented reductions on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/segmented/dispatch.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;

namespace {

template <class T, class Op, class Iterator>
std::vector<T> expected_of(Iterator first, const std::vector<std::size_t>& offsets, const T& init)
{
    std::vector<T> expected;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        expected.push_back(order_oracle::reduce<std::remove_cvref_t<decltype(*first)>>(
            first + static_cast<std::ptrdiff_t>(offsets[s]), offsets[s + 1] - offsets[s], init, Op{},
            parprims::identity{}));
    return expected;
}

/// Runs one of both kinds of segments and compares all results.
template <class T, class Op, class Segments, class Iterator>
void check(const Segments& segments, Iterator first, const std::vector<std::size_t>& offsets, std::uint64_t seed,
           std::size_t tile)
{
    CAPTURE(seed);
    CAPTURE(tile);
    CAPTURE(segments.count);
    CAPTURE(segments.n);
    const T init = element<T>(1000003);
    memory<T> output(segments.count);
    segmented_launcher on(
        schedule_of(seed), tile, (segments.n - 1) / order::chunk<std::iter_value_t<Iterator>>, segments.count,
        Segments::is_searched ? 0 : order::ceil_div(segments.longest(), order::chunk<std::iter_value_t<Iterator>>));
    device::enqueue_segmented_reduce<T>(on, segments, first, output.data(), init, Op{});
    const std::vector<T> expected = expected_of<T, Op>(first, offsets, init);
    for (std::size_t s = 0; s < segments.count; ++s) {
        CAPTURE(s);
        CAPTURE(offsets[s]);
        CAPTURE(offsets[s + 1]);
        REQUIRE(same_bits(output[s], expected[s]));
    }
}

template <class T, class Op = hash, class Iterator>
void check_offsets(Iterator first, std::size_t n, const std::vector<std::size_t>& offsets, std::uint64_t seed,
                   std::size_t tile)
{
    memory<std::size_t> shared(offsets.size());
    std::copy(offsets.begin(), offsets.end(), shared.begin());
    const parprims::detail::offset_segments<const std::size_t*> segments{shared.data(), n, offsets.size() - 1};
    check<T, Op>(segments, first, offsets, seed, tile);
}

template <class T, class Op = hash, class Iterator>
void check_fixed(Iterator first, std::size_t n, std::size_t size, std::uint64_t seed, std::size_t tile)
{
    const std::vector<std::size_t> offsets = equal_offsets(n, size);
    check<T, Op>(parprims::detail::fixed_segments::of(n, size), first, offsets, seed, tile);
}

/// More than 32 bytes. Unlike `checked`, any bytes are a value: those of segments of bad offsets are unspecified.
struct wide {
    std::uint64_t parts[5];
    friend wide operator+(const wide& a, const wide& b) { return {{a.parts[0] + b.parts[0], 0, 0, 0, b.parts[4]}}; }
};

/// Runs with offsets of any value; only the accesses are checked.
template <class T, class Iterator>
void check_bad_offsets(Iterator first, std::size_t n, std::uint64_t seed)
{
    CAPTURE(seed);
    const std::size_t count = 1 + mix(seed + 1) % 300;
    memory<std::int64_t> offsets(count + 1);
    for (std::size_t s = 0; s <= count; ++s)
        offsets[s] = static_cast<std::int64_t>(mix(seed * 1000 + s)) >> (seed % 2 == 0 ? 50 : mix(s) % 64);
    memory<T> output(count);
    const parprims::detail::offset_segments<const std::int64_t*> segments{offsets.data(), n, count};
    segmented_launcher on(schedule_of(seed), tile_of(order::chunk<T>, seed), (n - 1) / order::chunk<T>, count, 0);
    device::enqueue_segmented_reduce<T>(on, segments, first, output.data(), T{}, parprims::plus{});
}

constexpr unsigned most_cases = has_tsan ? 6 : 60;
constexpr std::size_t most_chunks = has_tsan ? 4 : 6;  // so that launches have few threads

template <class T, class Op = hash>
void sweep(unsigned cases)
{
    const std::size_t chunk = order::chunk<T>;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        const std::size_t n = 1 + mix(seed + sizeof(T)) % (most_chunks * chunk);
        const std::size_t offset = alignof(T) >= 16 ? 0 : mix(seed + 7) % (128 / alignof(T)) * alignof(T);
        memory<T> input(n, offset);
        fill(input);
        const T* const first = input.data();
        const std::size_t tile = tile_of(chunk, seed / 6);
        check_offsets<T, Op>(first, n, offsets_of(n, static_cast<unsigned>(seed % 6), chunk, mix(seed)), seed, tile);
        const std::size_t sizes[] = {1,     2,         7,         31, 32, 33, order::row<T>, order::row<T> + 1,
                                     chunk, chunk + 1, 3 * chunk, n};
        check_fixed<T, Op>(first, n, sizes[seed % 12], seed, tile);
        if (seed % 3 == 0)
            check_offsets<T, Op>(first, n, equal_offsets(n, 8 << seed % 4), seed, tile);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("a segmented reduction gives the bits of the reduction of each segment", T, std::uint8_t, float,
                   std::uint64_t, checked<24>, checked<256>)
{
    if constexpr (!has_tsan || (sizeof(T) != 8 && sizeof(T) != 24))
        sweep<T>(most_cases / (sizeof(T) > 1 ? 1 : has_tsan ? 4 : 2));
}

TEST_CASE("a block folds several segments of several chunks")
{
    const std::size_t chunk = order::chunk<float>;
    const std::size_t n = 9 * chunk;
    memory<float> input(n);
    fill(input);
    for (std::uint64_t seed = 0; seed < 8; ++seed)  // half of them as few elements
        check_offsets<float>(static_cast<const float*>(input.data()), n,
                             {0, 2 * chunk + 5, 2 * chunk + 5, 5 * chunk, 5 * chunk + 7, 8 * chunk - 3, n}, seed, 0);
}

TEST_CASE("blocks share long segments by offsets")
{
    const std::size_t chunk = order::chunk<std::uint64_t>;
    for (std::uint64_t seed = 0; seed < most_cases; ++seed) {
        const std::size_t n = 1 + mix(mix(seed) + 3) % (12 * chunk);
        memory<std::uint64_t> input(n);
        fill(input);
        check_offsets<std::uint64_t>(static_cast<const std::uint64_t*>(input.data()), n,
                                     offsets_of(n, 5, chunk, mix(seed)), seed, 0);
    }
}

TEST_CASE("segments of exactly a subtree, of one element less and of one more")
{
    const std::size_t chunk = order::chunk<std::uint64_t>;
    const std::size_t n = 20 * chunk;
    memory<std::uint64_t> input(n);
    fill(input);
    for (std::uint64_t seed = 0; seed < (has_tsan ? 2 : 12); ++seed) {  // subtrees of 1, 2, 4, 8 and 16 chunks
        std::vector<std::size_t> offsets{seed};
        for (const std::size_t length : {chunk, 2 * chunk, 4 * chunk - 1, 8 * chunk, chunk + 1, 2 * chunk - 1, chunk})
            offsets.push_back(offsets.back() + length);
        check_offsets<std::uint64_t>(static_cast<const std::uint64_t*>(input.data()), n, offsets, seed, 0);
    }
}

TEST_CASE("a tile of equal segments by offsets is padded only if it has room for that" * doctest::skip(has_tsan))
{
    const std::size_t n = 300'000;  // seven tiles, with 45 KiB and up to a chunk each
    memory<std::uint8_t> input(n);
    fill(input);
    for (const std::size_t size : {4000u, 7648u})  // of the second, the first tile is almost full
        check_offsets<std::uint8_t, parprims::plus>(static_cast<const std::uint8_t*>(input.data()), n,
                                                    equal_offsets(n, size), 2, 0);
}

TEST_CASE("a few lanes fold several rows of bytes, whose copy is padded or not")
{
    for (const std::size_t size : {520u, 600u, 1000u, 1008u, 2000u, 3000u}) {
        const std::size_t n = (has_tsan ? 5 : 20) * size + 7;
        memory<std::uint8_t> input(n);
        fill(input);
        for (std::uint64_t seed = 0; seed < (has_tsan ? 1 : 3); ++seed)
            check_fixed<std::uint8_t>(static_cast<const std::uint8_t*>(input.data()), n, size, seed, 0);
    }
}

TEST_CASE("the chunks of one segment are folded by many warps")
{
    using value = checked<24>;  // a warp folds the totals of 32 chunks at a time
    for (std::uint64_t seed = 0; seed < std::max(1u, most_cases / 10); ++seed) {
        const std::size_t n = (70 + 31 * seed) * order::chunk<value> + seed;
        memory<value> input(n, 8 * (seed % 2));
        fill(input);
        check_offsets<value>(static_cast<const value*>(input.data()), n, {0, 0, 5, n, n}, seed, 0);
    }
}

TEST_CASE("no segment of one size is read past the input's end, also where the last one has few elements")
{
    const std::size_t size = 2 * order::chunk<std::uint8_t>;
    const std::size_t n = 2 * size + 1;
    for (std::size_t offset = 1; offset < 16; offset += 7) {
        memory<std::uint8_t> input(n, offset);
        fill(input);
        check_fixed<std::uint8_t>(static_cast<const std::uint8_t*>(input.data()), n, size, offset, 0);
    }
}

TEST_CASE("segments of many chunks of wide values from narrow elements")
{
    using value =
        checked<24>;  // a tile of bytes has room for several segments of more chunks than a warp folds at a time
    const auto widen = [](std::uint8_t x) { return element<value>(x); };
    const std::size_t size = 33 * order::chunk<value>;
    const std::size_t n = 9 * size + 100;
    memory<std::uint8_t> input(n);
    fill(input);
    check_fixed<value>(parprims::transform_iterator(static_cast<const std::uint8_t*>(input.data()), widen), n, size, 0,
                       0);
}

TEST_CASE("a segmented reduction reads arrays through functions, and iterators that are no arrays")
{
    const auto twice = [](std::uint16_t x) { return static_cast<float>(2 * x); };
    for (std::uint64_t seed = 0; seed < most_cases / 3; ++seed) {
        const std::size_t chunk = order::chunk<float>;
        const std::size_t n = 1 + mix(seed) % (most_chunks / 2 * chunk);
        memory<std::uint16_t> input(n, 2 * (seed % 8));
        fill(input);
        const auto offsets = offsets_of(n, static_cast<unsigned>(seed % 6), chunk, mix(seed));
        check_offsets<float>(parprims::transform_iterator(static_cast<const std::uint16_t*>(input.data()), twice), n,
                             offsets, seed, tile_of(chunk, seed));
        check_fixed<std::uint32_t>(parprims::counting_iterator<std::uint32_t>(7), n, 1 + seed * 97, seed, 64);
    }
}

TEST_CASE("offsets that do not ascend or lie outside lead to no access outside")
{
    if (has_tsan)
        return;  // blocks write to the same places: the values of such segments are unspecified
    const auto difference = [](const parprims::tuple<const float&, const float&>& pair) {
        return parprims::get<0>(pair) - parprims::get<1>(pair);
    };
    for (std::uint64_t seed = 0; seed < most_cases; ++seed) {
        const std::size_t n = 1 + mix(seed) % 9000;
        memory<float> input(n, 4 * (seed % 4));
        fill(input);
        const float* const first = input.data();
        check_bad_offsets<float>(first, n, seed);
        check_bad_offsets<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(first), n, seed);
        if (seed % 3 != 0)
            continue;
        // Elements that are read where they are, not copied to shared memory.
        check_bad_offsets<float>(parprims::transform_iterator(parprims::zip_iterator(first, first), difference), n,
                                 seed);
        memory<wide> wides(n);
        std::fill_n(wides.data(), n, wide{});
        check_bad_offsets<wide>(static_cast<const wide*>(wides.data()), n, seed);
    }
}
