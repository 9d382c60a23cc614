// The reduction kernel on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>

using namespace kernel_test;

namespace {

/// The small kernel takes it for a quick operator, and applies it to rows that do not exist, whose results it drops.
struct quick_hash : hash {};

}  // namespace
template <>
inline constexpr bool parprims::detail::device::is_quick_operator<quick_hash> = true;

namespace {

/// Blocks, subtrees and schedules of many kinds for one input.
template <class T, class Iterator>
void check_reduce(Iterator first, std::size_t n, std::uint64_t seed)
{
    const T init = element<T>(1000003);
    const T expected =
        order_oracle::reduce<std::remove_cvref_t<decltype(*first)>>(first, n, init, hash{}, parprims::identity{});
    const unsigned warps[] = {1, 2, has_tsan ? 1u : 4u, has_tsan ? 3u : 5u};
    const parprims::reduce_config config{32 * warps[seed * 7 / 3 % 4], 1 + static_cast<unsigned>(seed / 4 % 2),
                                         static_cast<unsigned>(seed % 5 < 3 ? 1u << seed % 5 >> 1 : 0)};
    const device::gpu_properties gpu{2 + static_cast<unsigned>(seed % 4)};
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(config.subtree_chunks);
    const T result = reduce(schedule_of(seed), config, gpu, first, n, init, hash{}, parprims::identity{});
    REQUIRE(same_bits(result, expected));

    // In one block, or in several.
    device::gpu_properties few = gpu;
    few.multiprocessors = has_tsan ? 40 : 64;
    const auto check_small = [&](auto op) {
        CAPTURE((std::is_same_v<decltype(op), quick_hash>));
        const std::optional<T> small =
            small_reduce(schedule_of(seed), config.block_threads, few, first, n, init, op, parprims::identity{});
        if (small)
            REQUIRE(same_bits(*small, expected));
    };
    if constexpr (!has_tsan)
        check_small(hash{});
    check_small(quick_hash{});
}

template <class T>
void sweep(std::size_t chunks, std::size_t offset, unsigned between)
{
    const std::size_t chunk = order::chunk<T>;
    std::uint64_t seed = sizeof(T);
    for (std::size_t n : sizes(chunks * chunk + 1, {order::row<T>, chunk}, seed, between)) {
        memory<T> input(n, offset);
        fill(input);
        check_reduce<T>(static_cast<const T*>(input.data()), n, ++seed);
        check_reduce<T>(static_cast<const T*>(input.data()), n, ++seed);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce keeps the order contract for values of any size", T, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, checked<16>, checked<24>, checked<256>)
{
    if constexpr (!has_tsan || sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 256)
        sweep<T>(sizeof(T) < 4 ? 5 : has_tsan ? 9 : 20, 0, 20);
}

TEST_CASE_TEMPLATE("reduce keeps the order contract for pointers that are not aligned to 16 bytes", T, std::uint8_t,
                   float, std::uint64_t)
{
    if constexpr (!has_tsan || sizeof(T) == 4)
        sweep<T>(4, sizeof(T), 10);
}

TEST_CASE("a reduction of too many elements for the small kernel is done by the other")
{
    using T = checked<16>;
    memory<T> input(40 * order::chunk<T> - 7);
    fill(input);
    const T* const first = input.data();
    const T init = element<T>(1000003);
    const device::gpu_properties gpu{4};
    REQUIRE_FALSE(small_reduce(schedule_of(1), 64, gpu, first, input.size(), init, hash{}, parprims::identity{}));
    const T result = reduce_by_size(launcher(schedule_of(1), gpu), {.block_threads = 64}, first, input.size(), init,
                                    hash{}, parprims::identity{});
    CHECK(same_bits(result, order_oracle::reduce<T>(first, input.size(), init, hash{}, parprims::identity{})));
}

TEST_CASE("reduce folds partials that are more than a leaf for each warp")
{
    using T = checked<256>;
    std::uint64_t seed = 0;
    for (std::size_t chunks : {33, 64, 65, 100, 257}) {
        if (has_tsan && chunks > 65)
            break;
        memory<T> input(chunks * order::chunk<T> - 7);
        fill(input);
        for (unsigned i = 0; i < (has_tsan ? 1 : 6); ++i)  // TSan takes its time for each block
            check_reduce<T>(static_cast<const T*>(input.data()), input.size(), seed++);
    }
}

TEST_CASE("reduce folds partials that are more than a leaf for each warp, and branches between many barriers")
{
    using T = checked<16>;
    using parprims::identity;
    const auto check = [](std::size_t chunks, const parprims::reduce_config& config, unsigned multiprocessors,
                          std::uint64_t seed) {
        CAPTURE(chunks);
        CAPTURE(multiprocessors);
        CAPTURE(seed);
        memory<T> input(chunks * order::chunk<T> - 7);
        fill(input);
        const T* const first = input.data();
        const T init = element<T>(1000003);
        const T expected = order_oracle::reduce<T>(first, input.size(), init, hash{}, identity{});
        const T result =
            reduce(schedule_of(seed), config, {multiprocessors}, first, input.size(), init, hash{}, identity{});
        REQUIRE(same_bits(result, expected));
    };
    // A leaf is 128 partials, here of a chunk for each warp.
#if defined(__SANITIZE_THREAD__)
    check(129, {32, 1, 0}, 400, 3);  // TSan takes its time for each block
#else
    for (const std::size_t chunks : {129, 256, 300})
        for (const unsigned threads : {32u, 64u, 128u})
            check(chunks * (threads / 32), {threads, 1, 0}, 400, chunks + threads);
#endif
    check(1200, {32, 1, 0}, 1, 3);  // a block holds 512 totals
}

namespace {

/// Elements of the type To, each from its own bits.
template <class To>
struct spread {
    template <class From>
    To operator()(const From& element) const
    {
        return static_cast<To>(static_cast<To>(element) * 7 + 3);
    }
};

template <class From, class To>
void sweep_functions(std::size_t offset)
{
    const std::size_t chunk = order::chunk<To>;
    std::uint64_t seed = sizeof(From) + 16 * sizeof(To);
    for (std::size_t n : sizes(4 * chunk + 1, {order::row<To>, chunk}, seed, 6)) {
        memory<From> input(n, offset);
        fill(input);
        using iterator = parprims::transform_iterator<spread<To>, const From*>;
        check_reduce<To>(iterator(input.data(), {}), n, ++seed);
        check_reduce<To>(iterator(input.data(), {}), n, ++seed);
    }
}

}  // namespace

TEST_CASE("reduce keeps the order contract for functions of what a pointer refers to")
{
    for (const unsigned offset : {0u, 1u, 4u}) {
        CAPTURE(offset);
        sweep_functions<std::uint8_t, std::uint32_t>(offset);
        if constexpr (!has_tsan) {
            sweep_functions<std::uint8_t, std::uint8_t>(offset);
            sweep_functions<std::uint32_t, std::uint8_t>(4 * offset);
            sweep_functions<std::uint32_t, std::uint32_t>(4 * offset);
            sweep_functions<std::uint16_t, std::uint64_t>(2 * offset);
        }
    }
}

namespace {

struct two_words {
    std::uint64_t words[2];
};

/// The function makes values that are smaller than those that fix the order; these are loaded one by one.
template <class To>
void sweep_values_made_of(std::uint64_t seed)
{
    const auto made = [](const two_words& element) {
        return static_cast<To>(element.words[0] ^ element.words[1] >> 7);
    };
    constexpr std::size_t chunk = order::chunk<two_words>;
    for (const std::size_t n : {std::size_t{5}, chunk - 1, chunk, 3 * chunk, 7 * chunk + 3}) {
        CAPTURE(n);
        memory<two_words> input(n);
        for (std::size_t i = 0; i < n; ++i)
            std::construct_at(input.data() + i, two_words{{i * 0x9E3779B97F4A7C15u, i}});
        const parprims::strided_iterator<const two_words*> first(input.data(), 1);
        const To init = element<To>(77);
        const To expected = order_oracle::reduce<two_words>(first, n, init, hash{}, made);
        CHECK(same_bits(reduce(schedule_of(++seed), {64, 1, 0}, {4}, first, n, init, hash{}, made), expected));
    }
}

}  // namespace

TEST_CASE("reduce keeps the order contract where a function makes smaller values")
{
    sweep_values_made_of<std::uint32_t>(2);
    if constexpr (!has_tsan) {
        sweep_values_made_of<std::uint8_t>(1);
        sweep_values_made_of<std::uint64_t>(3);
    }
}

namespace {

/// Numbers that are added up one by one, so that no word of a total is another.
template <class Part, unsigned Count>
struct parts {
    Part part[Count];
    friend parts operator+(const parts& a, const parts& b)
    {
        parts sum;
        for (unsigned i = 0; i < Count; ++i)
            sum.part[i] = static_cast<Part>(a.part[i] + b.part[i]);
        return sum;
    }
};

template <class T>
T some_value(std::size_t i)
{
    T value;
    std::uint32_t words[(sizeof(T) + 3) / 4];
    for (std::size_t w = 0; w < std::size(words); ++w)
        words[w] = static_cast<std::uint32_t>(mix(i * std::size(words) + w + 1));
    std::memcpy(&value, words, sizeof(T));
    return value;
}

template <class T>
bool all_words_differ(const T& value)
{
    std::uint32_t words[(sizeof(T) + 3) / 4] = {};
    std::memcpy(words, &value, sizeof(T));
    return std::set<std::uint32_t>(std::begin(words), std::end(words)).size() == std::size(words);
}

template <class T>
void check_returned()
{
    using parprims::identity;
    using parprims::plus;
    std::uint64_t seed = 0;
    for (const std::size_t n : {std::size_t{1}, order::chunk<T> - 1, 7 * order::chunk<T> + 3}) {
        CAPTURE(n);
        memory<T> input(n);
        for (std::size_t i = 0; i < n; ++i)
            input[i] = some_value<T>(i);
        const T* const first = input.data();
        const T init = some_value<T>(n);
        const T expected = order_oracle::reduce<T>(first, n, init, plus{}, identity{});
        REQUIRE(all_words_differ(expected));
        const device::gpu_properties gpu{4};
        // By one block and by several, in both kernels.
        for (const unsigned subtree_chunks : {1u, 8u})
            CHECK(same_bits(reduce<T, announced<T>>(schedule_of(++seed), {64, 1, subtree_chunks}, gpu, first, n, init,
                                                    plus{}, identity{}),
                            expected));
        const auto small =
            small_reduce<T, announced<T>>(schedule_of(++seed), 64, {}, first, n, init, plus{}, identity{});
        if (small)
            CHECK(same_bits(*small, expected));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce returns every word of a value", T, std::uint32_t, std::uint64_t, parts<std::uint16_t, 3>,
                   parts<std::uint32_t, 2>, parts<std::uint32_t, 3>, parts<std::uint32_t, 4>, parts<std::uint32_t, 6>,
                   parts<std::uint32_t, 16>)
{
    if constexpr (!has_tsan || sizeof(T) == 12)
        check_returned<T>();
}
