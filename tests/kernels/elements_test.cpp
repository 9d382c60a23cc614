// Extremes, copy_if and transform on the executor: every alignment, ties, and the look-back between blocks.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using parprims::detail::extreme;
using parprims::detail::extreme_search;
using parprims::detail::positions;

namespace {

/// Blocks of any number of warps; the kernels for few elements, and those for many.
class any_threads : public launcher {
public:
    using launcher::launcher;

    template <class Plan>
    void change(Plan& plan) const
    {
        const unsigned most = has_tsan ? 64 : plan.block_threads;
        plan.block_threads = std::min(most, 32u << mix(options().seed) % 4);
        if constexpr (requires { plan.rows; })
            plan.rows = 1 + mix(options().seed) / 4 % 2;
        if constexpr (requires { plan.is_few; })
            plan.is_few = mix(options().seed) / 4 % 2 == 0;
        if constexpr (requires { plan.lane_packets; }) {
            plan.lane_packets = 2u << mix(options().seed) / 4 % 3;
            if (mix(options().seed) / 12 % 2 == 0)
                plan.max_tiles = 0;
        }
    }
};

/// Blocks of one warp, so that there are many tiles. Blocks draw them, or each has one.
template <bool Draws>
class one_warp : public launcher {
public:
    using launcher::launcher;

    void change(device::copy_if_plan& plan) const
    {
        plan = {Draws ? device::large_tile::rows : device::small_tile::rows, 32,
                Draws ? 0 : device::epoch_words<unsigned>::max_tiles};
    }
};

/// Few different values, so that most are ties.
template <class T>
void fill_with_ties(memory<T>& values, std::uint64_t seed, unsigned different = 5)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(mix(i + 1000 * seed) % different);
}

/// Values of the whole range of T, with few ties.
template <class T>
void fill_with_any(memory<T>& values, std::uint64_t seed)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(static_cast<std::int64_t>(mix(i + 1000 * seed)));
}

template <extreme Which, class T>
void check_extremes(const executor::options& how, const T* first, std::size_t n, const positions<2>& expected)
{
    using search = extreme_search<Which, parprims::less>;
    memory<std::uint64_t> found(search::count);
    any_threads on(how, device::gpu_properties{1 + static_cast<unsigned>(how.seed % 5)});
    device::enqueue_extremes(
        on, first, n, device::stored_positions<search::count, device::pointer_output<std::uint64_t>>{{found.data()}},
        search{});
    for (unsigned k = 0; k < search::count; ++k)
        CHECK(found[k] == expected.at[k]);
}

struct is_small {
    template <class T>
    bool operator()(const T& x) const
    {
        return x < static_cast<T>(limit);
    }
    unsigned limit;
};

template <class T, class Launcher = any_threads, class Iterator>
void check_copy(const executor::options& how, Iterator first, std::size_t n, std::size_t offset, unsigned limit,
                unsigned multiprocessors = 0)
{
    std::vector<T> expected;
    std::copy_if(first, first + static_cast<std::ptrdiff_t>(n), std::back_inserter(expected), is_small{limit});
    memory<T> out(expected.size(), offset);  // nothing is written behind the last one
    memory<std::size_t> count(1);
    if (multiprocessors == 0)
        multiprocessors = 1 + static_cast<unsigned>(how.seed % 5);
    Launcher on(how, device::gpu_properties{multiprocessors});
    device::enqueue_copy_if(on, first, n, out.data(), is_small{limit},
                            device::converted_output<std::size_t*>{count.data()});
    REQUIRE(count[0] == expected.size());
    CHECK(std::equal(expected.begin(), expected.end(), out.begin()));
}

template <class T>
void check_extremes_anywhere()
{
    std::uint64_t seed = sizeof(T);
    const std::size_t packet = 16 / sizeof(T);
    for (const std::size_t n : sizes(3000 * packet, {packet, 32 * packet, 1024 * packet}, seed, 3))
        for (std::size_t offset = 0; offset < 16; offset += n < 100 ? sizeof(T) : 16 - sizeof(T)) {
            memory<T> values(n, offset);
            if (++seed % 3 == 0)
                fill_with_any(values, seed);
            else
                fill_with_ties(values, seed);
            CAPTURE(n);
            CAPTURE(offset);
            const T* const first = values.data();
            const auto [least, greatest] = std::minmax_element(first, first + n);
            const auto at = [&](const T* it) { return static_cast<std::size_t>(it - first); };
            check_extremes<extreme::minimum>(schedule_of(seed), first, n, {{at(least), 0}});
            check_extremes<extreme::maximum>(schedule_of(seed), first, n,
                                             {{at(std::max_element(first, first + n)), 0}});
            check_extremes<extreme::both>(schedule_of(seed), first, n, {{at(least), at(greatest)}});
        }
}

template <class T>
void check_copy_anywhere()
{
    std::uint64_t seed = sizeof(T);
    constexpr std::size_t warp_tile = std::size_t{32} * device::large_tile::rows * 16 / sizeof(T);
    for (const std::size_t n : sizes((has_tsan ? 12 : 40) * warp_tile + 1, {warp_tile, 8 * warp_tile}, seed, 3))
        for (const unsigned limit : {0, 2, 5}) {
            memory<T> values(n, mix(++seed) % 128 / sizeof(T) * sizeof(T));
            fill_with_ties(values, seed);
            CAPTURE(n);
            CAPTURE(limit);
            const std::size_t offset = seed / 3 % 16 / sizeof(T) * sizeof(T);
            check_copy<T>(schedule_of(seed), static_cast<const T*>(values.data()), n, offset, limit);
        }
}

}  // namespace

TEST_CASE_TEMPLATE("extremes are found at every offset, the first or the last of many", T, std::uint8_t, std::int8_t,
                   std::uint16_t, std::int16_t, float, double)
{
    if constexpr (!has_tsan || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, float>)
        check_extremes_anywhere<T>();
}

TEST_CASE_TEMPLATE("the extreme of numbers with NaN is the first NaN, or the last", T, float, double)
{
    for (const std::size_t n : {3, 40, 5000}) {
        CAPTURE(n);
        memory<T> values(n, sizeof(T));
        fill_with_ties(values, n);
        values[n / 3] = -std::numeric_limits<T>::quiet_NaN();
        values[n - 1] = std::numeric_limits<T>::quiet_NaN();
        const T* const first = values.data();
        check_extremes<extreme::minimum>(schedule_of(n), first, n, {{n / 3, 0}});
        check_extremes<extreme::maximum>(schedule_of(n), first, n, {{n / 3, 0}});
        check_extremes<extreme::both>(schedule_of(n), first, n, {{n / 3, n - 1}});
    }
}

TEST_CASE_TEMPLATE("zeros of both signs are equal", T, float, double)
{
    for (const std::size_t n : {3, 40, 5000}) {
        CAPTURE(n);
        memory<T> values(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = i % 2 == 0 ? T{0} : -T{0};
        const T* const first = values.data();
        check_extremes<extreme::minimum>(schedule_of(n), first, n, {{0, 0}});
        check_extremes<extreme::maximum>(schedule_of(n), first, n, {{0, 0}});
        check_extremes<extreme::both>(schedule_of(n), first, n, {{0, n - 1}});
    }
}

TEST_CASE_TEMPLATE("copy_if keeps the order at every offset", T, std::uint8_t, std::uint32_t, double)
{
    if constexpr (!has_tsan || sizeof(T) != 8)
        check_copy_anywhere<T>();
}

TEST_CASE("copy_if takes any iterator")
{
    const parprims::counting_iterator<std::uint32_t> numbers(0);
    for (const std::size_t n : {1, 31, 2048, 5000}) {
        CAPTURE(n);
        check_copy<std::uint32_t>(schedule_of(n), numbers, n, 4, 3000);
    }
}

TEST_CASE("copy_if keeps computed values that are too large for shared memory")
{
    struct wide {
        double values[3];
        bool operator<(const wide& other) const { return values[0] < other.values[0]; }
        bool operator==(const wide&) const = default;
        explicit wide(double x) : values{x, 2 * x, 3 * x} {}
        wide() = default;
    };
    const auto widened = [](float x) { return wide(x); };
    for (const std::size_t n : {1, 33, 1000, 5000}) {
        CAPTURE(n);
        memory<float> in(n);
        fill_with_ties(in, n);
        check_copy<wide>(schedule_of(n), parprims::transform_iterator(static_cast<const float*>(in.data()), widened), n,
                         0, 3);
    }
}

TEST_CASE("kernels of elements fit the shared memory of compute capability 7.5")
{
    struct largest {
        unsigned char bytes[1024];
    };
    struct wide {
        double values[2];
    };
    struct widen {
        wide operator()(std::uint8_t x) const { return {{static_cast<double>(x), 0}}; }
    };
    struct never {
        bool operator()(const largest&, const largest&) const { return false; }
        bool operator()(const wide&) const { return false; }
    };
    using extremes = device::extremes_kernel<device::pointer_input<largest>, extreme_search<extreme::both, never>,
                                             device::announced_output<positions<2>>, std::size_t>;
    using copy =
        device::long_pass<device::copy_if_work<device::function_input<widen, const std::uint8_t>,
                                               parprims::detail::kept_outputs<device::pointer_output<wide>>, never,
                                               device::converted_output<std::size_t*>, device::large_tile>>;
    constexpr std::size_t shared_bytes_of_75 = 64 * 1024;
    CHECK(sizeof(extremes::shared_storage) <= shared_bytes_of_75);
    CHECK(copy::shared_bytes(32) <= shared_bytes_of_75);
}

TEST_CASE("copy_if looks back further than a block has threads")
{
    const parprims::counting_iterator<std::uint32_t> numbers(0);
    const std::size_t of_short_tiles = has_tsan ? 3000 : 30000;
    for (std::uint64_t seed = 0; seed < (has_tsan ? 1 : 12); ++seed) {
        executor::options how = schedule_of(seed);
        how.order = executor::schedule::warps;  // one warp far behind: the tiles after its own have no prefix
        how.resident_blocks = 64;
        check_copy<std::uint32_t, one_warp<true>>(how, numbers, 30000, 0, 20000, 22);
        check_copy<std::uint32_t, one_warp<false>>(how, numbers, of_short_tiles, 0, 20000, 22);
    }
}

TEST_CASE("copy_if of more tiles than a block zeroes")
{
    constexpr std::size_t tile = 32 * device::large_tile::rows;
    constexpr std::size_t most = (device::max_reset_bytes - device::memory_alignment) / sizeof(std::uint64_t);
    for (const std::size_t tiles : {most, most + 1}) {
        CAPTURE(tiles);
        check_copy<std::uint32_t, one_warp<true>>(schedule_of(tiles), parprims::counting_iterator<std::uint32_t>(0),
                                                  tiles * tile, 0, 200000, 4);
    }
}

/// Transforms `n` elements to an array that begins `offset` elements behind a multiple of 16 bytes.
template <class Result, class Iterator, class F>
void check_transform(Iterator first, std::size_t n, std::size_t offset, const F& f)
{
    CAPTURE(n);
    CAPTURE(offset);
    memory<Result> out(n, offset * sizeof(Result));
    any_threads on(schedule_of(n + offset));
    device::enqueue_transform<Result>(on, first, n, out.data(), f);
    bool is_right = true;
    for (std::size_t i = 0; i < n; ++i)
        is_right = is_right && out[i] == static_cast<Result>(f(first[static_cast<std::ptrdiff_t>(i)]));
    CHECK(is_right);
}

struct twice_and_one {
    template <class T>
    T operator()(const T& x) const
    {
        return static_cast<T>(2 * x + 1);
    }
};

template <class T>
void check_transform_anywhere()
{
    const std::size_t packet = 16 / sizeof(T);
    const std::size_t row = 32 * packet;
    for (const std::size_t n : {std::size_t{1}, packet + 1, row - 1, row, row + 1, 4 * row, 11 * row + packet + 1}) {
        for (std::size_t offset = 0; offset<packet; offset += packet> 4 ? 3 : 1) {
            memory<T> in(n, mix(n + offset) % packet * sizeof(T));
            fill_with_any(in, n);
            const T* const first = in.data();
            check_transform<T>(first, n, offset, twice_and_one{});
            check_transform<T>(parprims::transform_iterator(first, twice_and_one{}), n, offset, twice_and_one{});
            // In place an element would change twice.
            std::vector<T> expected(n);
            std::transform(in.begin(), in.end(), expected.begin(), twice_and_one{});
            any_threads on(schedule_of(n));
            device::enqueue_transform<T>(on, first, n, in.data(), twice_and_one{});
            CHECK(std::equal(in.begin(), in.end(), expected.begin()));
        }
    }
}

TEST_CASE_TEMPLATE("transform writes each element once, wherever input and output begin", T, std::uint8_t, std::int16_t,
                   float, std::uint64_t)
{
    if constexpr (!has_tsan || sizeof(T) == 1 || sizeof(T) == 4)
        check_transform_anywhere<T>();
}

TEST_CASE("transform takes arrays of several types, and types that fill no packet")
{
    for (const std::size_t n : {1, 127, 128, 1500}) {
        memory<std::uint8_t> bytes(n, 1);
        memory<float> floats(n, 12);
        memory<std::uint64_t> words(n, 8);
        fill_with_any(bytes, 1);
        fill_with_any(floats, 2);
        fill_with_any(words, 3);
        const std::uint8_t* const byte = bytes.data();
        const auto sum = [](const auto& pair) { return get<0>(pair) + get<1>(pair); };
        for (const std::size_t offset : {0, 1}) {
            check_transform<float>(byte, n, offset, [](std::uint8_t x) { return x * 0.5f; });
            check_transform<float>(parprims::zip_iterator(byte, static_cast<const float*>(floats.data())), n, offset,
                                   sum);
            check_transform<std::uint64_t>(parprims::zip_iterator(byte, words.data()), n, offset, sum);
            check_transform<std::uint8_t>(static_cast<const float*>(floats.data()), n, offset,
                                          [](float x) { return x > 1; });
            check_transform<double>(parprims::counting_iterator<int>(5), n, offset, twice_and_one{});
        }
    }
}
