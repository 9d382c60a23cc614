// Scans and reductions by key on the executor: runs of any lengths at every alignment, the look-back between blocks.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/host/by_key.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <doctest/doctest.h>

#include "support/by_key.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

using namespace kernel_test;
namespace order = parprims::detail::order;

// In this program every input is short, or none is, as the type says: short ones are otherwise all that a test has time for.
template <>
inline constexpr std::size_t order::short_input<std::int16_t> = 0;
template <>
inline constexpr std::size_t order::short_input<std::int8_t> = 0;
template <>
inline constexpr std::size_t order::short_input<float> = 0;
template <>
inline constexpr std::size_t order::short_input<checked<16>> = 0;

// Short tiles of two rows, so that there are many, and blocks that TSan has threads for.
using short_value = std::uint64_t;
template <>
inline constexpr unsigned order::tile_rows<parprims::detail::keyed<short_value, std::size_t, true>> = 2;
template <>
inline constexpr std::size_t order::short_input<short_value> = std::size_t{100} * 128;

namespace {

enum class one_of_few : std::int32_t {};

/// One of the calls and one of the lengths, which the seed picks.
template <class K, class T>
void check(std::size_t n, std::uint64_t seed)
{
    constexpr unsigned lengths[] = {2, 1, 30, 0, 1000};
    const unsigned length = lengths[mix(seed) % 5];
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(length);
    const problem<K, T> x(n, length, seed);
    const executor::options how = schedule_of(seed);
    if (seed % 4 < 2)
        return check_reduce(how, x);
    if (n == 0)
        return;
    // So that fewer kernels are compiled, keys of one byte are for inclusive scans. TSan, with few types of keys, has both kinds.
    if constexpr (has_tsan || sizeof(K) == 1)
        if (!has_tsan || seed % 4 == 2)
            check_scan<scan_kind::inclusive>(how, x);
    if constexpr (has_tsan || sizeof(K) != 1)
        if (!has_tsan || seed % 4 == 3)
            check_scan<scan_kind::exclusive>(how, x);
}

template <class T>
using shape_of = device::keyed_tile<T, order::short_input<T> != 0>;
template <class T>
constexpr std::size_t tile = shape_of<T>::size;

/// Whether the status words of a workspace do for the tiles of every short input.
template <class T>
constexpr bool fits_workspace =
    shape_of<T>::max_tiles <= device::epoch_words<parprims::detail::keyed<T, unsigned>>::max_tiles;
template <std::size_t Size, std::size_t Alignment = 1>
struct alignas(Alignment) bytes {
    unsigned char values[Size];
};
static_assert(fits_workspace<bytes<1>> && fits_workspace<bytes<3>> && fits_workspace<bytes<5>> &&
              fits_workspace<bytes<7>> && fits_workspace<bytes<8, 8>> && fits_workspace<bytes<9>> &&
              fits_workspace<bytes<12, 4>> && fits_workspace<bytes<13>> && fits_workspace<bytes<16>> &&
              fits_workspace<bytes<16, 8>> && fits_workspace<bytes<16, 16>>);

}  // namespace

TEST_CASE("calls by key have the host's bits for every n, over tiles of a few rows")
{
    // A tile of 256 bytes has two rows, so that there are many tiles, and blocks that TSan has threads for.
    using wide = checked<256>;
    for (std::size_t n = 0; n <= 5 * tile<wide> + 1; n += has_tsan ? 29 : 1)
        check<std::uint8_t, wide>(n, n);
    if (has_tsan)
        return;
    for (std::uint64_t seed = 0; seed < 12; ++seed)  // several groups of tiles
        check<std::int32_t, wide>((40 + 8 * seed) * tile<wide> + seed, seed);
}

TEST_CASE("calls by key of short inputs have the host's bits for every n, with a block for each tile")
{
    static_assert(shape_of<short_value>::max_tiles == 100);
    for (std::size_t n = 0; n <= 5 * tile<short_value> + 1; n += has_tsan ? 29 : 1)
        if (n % 2 == 0)
            check<std::uint8_t, short_value>(n, mix(n));
        else
            check<std::int64_t, short_value>(n, mix(n));
    if constexpr (!has_tsan)
        for (std::size_t n = 0; n <= tile<short_value>; ++n) {
            // Keys that are written in words, two at a time, and enums, of which only those that were stored are read.
            const auto length = static_cast<unsigned>(n % 3);
            check_reduce(schedule_of(n), problem<std::int16_t, short_value>(n, length, mix(n)));
            check_reduce(schedule_of(n), problem<one_of_few, short_value>(n, length, mix(n)));
        }
    if (has_tsan)
        return;
    for (std::uint64_t seed = 0; seed < 12; ++seed)  // several groups of tiles
        check<std::int32_t, short_value>((29 + 6 * seed) * tile<short_value> + seed, seed);
}

TEST_CASE_TEMPLATE("calls by key have the host's bits around the ends of rows and tiles", T, std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t, float, checked<16>, checked<24>, checked<64>, three_bytes, twelve_bytes)
{
    if constexpr (!has_tsan) {  // which has too few threads for their blocks
        using shape = shape_of<T>;
        std::uint64_t seed = 7 * sizeof(T);
        for (const std::size_t n : sizes(3 * shape::size + 1, {shape::row, shape::size}, seed, 3)) {
            check<std::uint8_t, T>(n, ++seed);
            check<std::int64_t, T>(n, ++seed);
        }
        if (std::is_same_v<T, twelve_bytes>)  // many tiles of a type whose limit is its own
            check<std::int32_t, T>(32 * shape::size + 7, 55);
    }
}

TEST_CASE("calls by key have the host's bits on a GPU with little shared memory")
{
    if (has_tsan)
        return;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const problem<std::int64_t, float> x(3 * tile<float> + 5, 1 + static_cast<unsigned>(seed * seed), seed);
        check_reduce<least_memory_launcher>(schedule_of(seed), x);
        check_scan<scan_kind::exclusive, least_memory_launcher>(schedule_of(seed), x);
    }
}

namespace {

/// A scan of n values in segments of one size, or of any lengths: many, most of them behind the end, or few, which blocks of short
/// inputs mark in their tiles. The first offset may be greater than 0.
template <scan_kind Kind, class T>
void check_segmented_scan(std::size_t n, bool of_one_size, std::uint64_t seed)
{
    CAPTURE(n);
    CAPTURE(seed);
    memory<T> values(n, seed % 3 * sizeof(T));
    fill(values);
    const auto check = [&](const auto& segments) {
        const T init = element<T>(1000);
        memory<T> out(n), expected(n);
        launcher on(schedule_of(seed), gpu_of(seed));
        device::enqueue_segmented_scan<Kind, T>(on, segments, n, static_cast<const T*>(values.data()), out.data(),
                                                std::addressof(init), hash{});
        host::segmented_scan<Kind, T>(1, segments, static_cast<const T*>(values.data()), expected.data(),
                                      std::addressof(init), hash{});
        const std::size_t first = segments.begin(0);  // what is before belongs to no segment
        CHECK(std::equal(out.data() + first, out.data() + n, expected.data() + first, [](const T& a, const T& b) {
            return std::memcmp(std::addressof(a), std::addressof(b), sizeof(T)) == 0;
        }));
    };
    if (of_one_size)
        return check(parprims::detail::fixed_segments::of(n, 1 + mix(seed) % 100));
    const std::size_t count = seed % 2 == 0 ? n : n / 50 + 1;
    memory<std::int32_t> offsets(count + 1);
    for (std::size_t i = 0, at = mix(seed) % 3; i <= count; ++i, at += mix(i + seed) % (seed % 4 == 0 ? 3 : 200))
        offsets[i] = static_cast<std::int32_t>(std::min(at, n));
    check(parprims::detail::offset_segments<const std::int32_t*>{offsets.data(), n, count});
}

}  // namespace

TEST_CASE_TEMPLATE("segmented scans have the host's bits", T, std::uint8_t, short_value, float, checked<256>)
{
    if constexpr (!has_tsan || sizeof(T) == 8 || sizeof(T) == 256)
        for (std::uint64_t seed = 0; seed < (has_tsan ? 3 : 12); ++seed) {
            const std::size_t n = seed % 3 == 0 ? 30 : (has_tsan ? 2 : 3) * tile<T> + 7;  // one row, or a few tiles
            for (const bool of_one_size : {false, true}) {
                check_segmented_scan<scan_kind::exclusive, T>(n, of_one_size, seed);
                check_segmented_scan<scan_kind::inclusive, T>(n, of_one_size, seed);
            }
        }
}

TEST_CASE_TEMPLATE("segmented scans have the host's bits for every n over a few tiles", T, short_value, checked<256>)
{
    if (has_tsan)
        return;
    for (std::size_t n = 1; n <= 3 * tile<T> + 1; ++n)
        for (const bool of_one_size : {false, true}) {
            check_segmented_scan<scan_kind::exclusive, T>(n, of_one_size, mix(n));
            check_segmented_scan<scan_kind::inclusive, T>(n, of_one_size, mix(n) + 1);
        }
}

TEST_CASE_TEMPLATE("segmented scans have the host's bits where they write every second element", T, std::uint8_t,
                   short_value, float)
{
    if (has_tsan && sizeof(T) != 8)
        return;
    for (const std::size_t n : {tile<T> / 2, 2 * tile<T> + shape_of<T>::row + 1}) {
        memory<T> values(n), out(2 * n - 1), expected(n);
        fill(values);
        std::fill(out.data(), out.data() + out.size(), T{0});
        const auto segments = parprims::detail::fixed_segments::of(n, 77);
        launcher on(schedule_of(n), gpu_of(n));
        device::enqueue_segmented_scan<scan_kind::inclusive, T>(on, segments, n, static_cast<const T*>(values.data()),
                                                                parprims::strided_iterator<T*>(out.data(), 2), nullptr,
                                                                hash{});
        host::segmented_scan<scan_kind::inclusive, T>(1, segments, static_cast<const T*>(values.data()),
                                                      expected.data(), static_cast<const T*>(nullptr), hash{});
        CAPTURE(n);
        for (std::size_t i = 0; i < out.size(); ++i)
            REQUIRE(same_bits(out[i], i % 2 == 0 ? expected[i / 2] : T{0}));
    }
}

TEST_CASE("calls by key take computed keys and values")
{
    if (has_tsan)
        return;
    const std::size_t n = 3 * tile<std::uint32_t> + 5;
    const parprims::counting_iterator<std::uint32_t> numbers(0);
    const parprims::transform_iterator keys(numbers, [](std::uint32_t i) { return i / 3; });
    memory<std::uint32_t> first(n);
    memory<std::uint64_t> totals(n);
    memory<std::size_t> count(1);
    launcher on(schedule_of(3), gpu_of(2));
    device::enqueue_reduce_by_key<std::uint32_t>(on, keys, n, numbers, first.data(), totals.data(),
                                                 device::converted_output<std::size_t*>{count.data()}, equal_to{},
                                                 parprims::plus{});
    REQUIRE(count[0] == n / 3 + 1);
    for (std::uint32_t i = 0; i < n / 3; ++i) {
        CHECK(first[i] == i);
        CHECK(totals[i] == 9 * i + 3);
    }
}

TEST_CASE("calls by key take keys and values that are computed from several arrays")
{
    using parprims::zip_iterator;
    using key = parprims::tuple<std::uint32_t, std::uint8_t>;
    static_assert(device::rows_of<shape_of<float>, zip_iterator<std::uint32_t*, std::uint8_t*>>::is_staged);
    struct odd {  // cannot be assigned, so a lane reads it directly
        const float value;
    };
    const auto to_odd = [](const auto& both) { return odd{parprims::get<0>(both)}; };
    static_assert(
        !device::rows_of<shape_of<float>, parprims::transform_iterator<std::remove_const_t<decltype(to_odd)>,
                                                                       zip_iterator<float*, float*>>>::is_staged);
    for (const std::size_t n : {std::size_t{1}, tile<float> - 31, 2 * tile<float> + 5}) {
        CAPTURE(n);
        memory<std::uint32_t> a(n), first_a(n);
        memory<std::uint8_t> b(n), first_b(n);
        memory<float> x(n), y(n), totals(n);
        memory<std::size_t> count(1);
        std::vector<std::size_t> heads;
        std::vector<float> expected;
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = static_cast<std::uint32_t>(i / 4);
            b[i] = static_cast<std::uint8_t>(i / 3 % 2);
            x[i] = static_cast<float>(mix(i) % 16);
            y[i] = static_cast<float>(i % 7);
            if (i == 0 || a[i] != a[i - 1] || b[i] != b[i - 1]) {
                heads.push_back(i);
                expected.push_back(0);
            }
            expected.back() += x[i] * y[i];
        }
        const auto product = [](const auto& both) { return parprims::get<0>(both) * parprims::get<1>(both); };
        const auto same = [](const key& l, const key& r) {
            return parprims::get<0>(l) == parprims::get<0>(r) && parprims::get<1>(l) == parprims::get<1>(r);
        };
        launcher on(schedule_of(n), gpu_of(2));
        device::enqueue_reduce_by_key<float>(on, zip_iterator(a.data(), b.data()), n,
                                             parprims::transform_iterator(zip_iterator(x.data(), y.data()), product),
                                             zip_iterator(first_a.data(), first_b.data()), totals.data(),
                                             device::converted_output<std::size_t*>{count.data()}, same,
                                             parprims::plus{});
        REQUIRE(count[0] == heads.size());
        for (std::size_t r = 0; r < heads.size(); ++r) {
            REQUIRE(first_a[r] == a[heads[r]]);
            REQUIRE(first_b[r] == b[heads[r]]);
            REQUIRE(totals[r] == expected[r]);
        }
    }
}

namespace {

template <class Shape, class K, class T = typename Shape::value_type>
constexpr std::size_t shared_bytes_of_reduction()
{
    using heads = device::heads_of<Shape, const K*, equal_to>;
    using result = device::run_result<Shape, heads, device::pointer_output<K>, device::pointer_output<T>,
                                      device::converted_output<std::size_t*>>;
    using values = device::rows_of<Shape, const T*>;
    using work = device::keyed_work<Shape, heads, values, parprims::plus, result>;
    return device::kernel_of<work>::shared_bytes(Shape::rows);
}

/// Of a reduction as all GPUs launch it, or as those with little shared memory do.
template <class T, bool IsLean>
constexpr std::size_t most_shared_bytes()
{
    const auto most = []<class... K>(std::type_identity<K>...) {
        return std::max({shared_bytes_of_reduction<device::keyed_tile<T, false, IsLean>, K>()...,
                         shared_bytes_of_reduction<device::keyed_tile<T, true, IsLean>, K>()...});
    };
    return most(std::type_identity<char>{}, std::type_identity<std::int32_t>{}, std::type_identity<std::int64_t>{},
                std::type_identity<checked<24>>{}, std::type_identity<checked<32>>{}, std::type_identity<checked<64>>{},
                std::type_identity<checked<256>>{}, std::type_identity<checked<1024>>{});
}

}  // namespace

TEST_CASE_TEMPLATE("a block of a reduction by key fits the shared memory of any GPU", T, char, std::int16_t, float,
                   double, checked<16>, checked<24>, checked<64>, checked<256>, checked<1024>)
{
    if constexpr (!has_tsan) {                            // which has no part in it
        const auto most = most_shared_bytes<T, false>();  // of GPUs with asynchronous copies
        CHECK(most <= 99 * 1024);
        const auto least = most_shared_bytes<T, true>();
        CHECK(least <= least_memory_launcher::shared_bytes);
    }
}
