// The calls around copy_if on the executor: a stencil, the first elements of runs, what belongs to them, and elements that are not kept.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/copy_if/dispatch.hpp>

#include <doctest/doctest.h>

#include "support/sized.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using namespace kernel_test;
using parprims::detail::kept_outputs;
using parprims::detail::no_iterator;
using parprims::detail::starts_run;

namespace {

/// A GPU with 1 to 5 multiprocessors, and often too little shared memory for the largest tiles of 256 threads.
device::gpu_properties gpu_of(std::uint64_t seed)
{
    constexpr std::size_t kib[] = {227, 227, 64, 48};
    device::gpu_properties gpu{1 + static_cast<unsigned>(seed % 5)};
    gpu.shared_bytes_per_block = kib[mix(seed + 6) % 4] * 1024;
    return gpu;
}

/// Blocks of any number of warps, and tiles of each size, drawn or not.
class any_tiles : public launcher {
public:
    explicit any_tiles(std::uint64_t seed) : launcher(schedule_of(seed), gpu_of(seed)) {}

    void change(device::copy_if_plan& plan) const
    {
        plan.block_threads = std::min(plan.block_threads, 32u << mix(options().seed) % 4);
        plan.lane_packets = 2u << mix(options().seed) / 4 % 3;
        const std::size_t limits[] = {0, 2, plan.max_tiles};
        plan.max_tiles = limits[mix(options().seed) / 12 % 3];
    }
    template <class Kernel>
    void launch(const device::launch_shape& shape, const Kernel& kernel)
    {
        REQUIRE(shape.shared_bytes <= gpu().shared_bytes_per_block);
        launcher::launch(shape, kernel);
    }
};

template <std::size_t Bytes>
struct wide {
    unsigned char bytes[Bytes];
};

/// A value with a key.
template <class T>
T keyed_value(std::uint64_t key)
{
    T value{};
    reinterpret_cast<unsigned char&>(value) = static_cast<unsigned char>(key);
    return value;
}
template <class T>
unsigned char key_of(const T& value)
{
    return reinterpret_cast<const unsigned char&>(value);
}
struct same_key {
    template <class T>
    bool operator()(const T& a, const T& b) const
    {
        return key_of(a) == key_of(b);
    }
};
struct key_below {
    unsigned limit;

    template <class T>
    bool operator()(const T& x) const
    {
        return key_of(x) < limit;
    }
};
template <class T>
T same(const T& x)
{
    return x;
}

/// Fills an array with runs that are about `length` long.
template <class T>
void fill_runs(memory<T>& keys, unsigned length, std::uint64_t seed)
{
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (mix(seed + i) % length == 0)
            ++key;
        keys[i] = keyed_value<T>(key);
    }
}

/// Other bytes than before.
template <class T>
void fill_bytes(memory<T>& values, std::uint64_t seed)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t k = 0; k < sizeof(T); ++k)
            reinterpret_cast<unsigned char*>(values.data() + i)[k] = static_cast<unsigned char>(mix(seed + i * 64 + k));
}

template <class T, class U>
struct types {
    using key = T;
    using value = U;
};

/// What the kernels write is what `keeps(i)` says.
template <class T, class U, class Predicate, class Keeps>
void check_selection(std::uint64_t seed, memory<T>& tested, const Predicate& predicate, Keeps keeps)
{
    const std::size_t n = tested.size();
    CAPTURE(n);
    CAPTURE(seed);
    std::vector<std::size_t> kept, rejected;
    for (std::size_t i = 0; i < n; ++i)
        (keeps(i) ? kept : rejected).push_back(i);
    memory<U> source(n, mix(seed) % 8 * alignof(U));
    fill_bytes(source, seed);
    memory<std::size_t> count(1);
    memory<T> keys_out(kept.size(), mix(seed + 1) % 16 * alignof(T));  // nothing is written behind the last one
    memory<U> values_out(kept.size(), mix(seed + 2) % 16 * alignof(U));
    memory<T> rejected_out(rejected.size(), mix(seed + 3) % 16 * alignof(T));
    const T* const first = tested.data();
    const U* const values = source.data();
    any_tiles on(seed);
    const auto check = [&](const auto& outputs) {
        device::enqueue_copy_if(on, first, n, outputs, predicate, count.data());
        REQUIRE(count[0] == kept.size());
    };
    const auto check_keys = [&](memory<T>& out, const std::vector<std::size_t>& places) {
        for (std::size_t i = 0; i < places.size(); ++i)
            REQUIRE(same_bits(out[i], tested[places[i]]));
        fill_bytes(out, seed + 4);
    };
    const auto check_values = [&] {
        for (std::size_t i = 0; i < kept.size(); ++i)
            REQUIRE(same_bits(values_out[i], source[kept[i]]));
        fill_bytes(values_out, seed + 5);
    };
    // What is kept elsewhere does not depend on who says what is kept: all of it with runs alone.
    constexpr bool is_of_runs = std::is_same_v<Predicate, starts_run<same_key>>;
    if constexpr (is_of_runs) {
        check(keys_out.data());
        check_keys(keys_out, kept);
        check(kept_outputs<no_iterator, const U*, U*>{{}, values, values_out.data(), {}});
        check_values();
    }
    check(kept_outputs<T*, const U*, U*>{keys_out.data(), values, values_out.data(), {}});
    check_keys(keys_out, kept);
    check_values();
    check(kept_outputs<T*, no_iterator, no_iterator, T*>{keys_out.data(), {}, {}, rejected_out.data()});
    check_keys(keys_out, kept);
    check_keys(rejected_out, rejected);
    if constexpr (is_of_runs && sizeof(T) == 4) {
        using iterator = parprims::transform_output_iterator<T (*)(const T&), T*>;
        check(kept_outputs<T*, no_iterator, no_iterator, iterator>{
            keys_out.data(), {}, {}, iterator(rejected_out.data(), same<T>)});
        check_keys(rejected_out, rejected);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("what is kept, what belongs to it, and what is not kept", Types, types<std::uint8_t, std::uint32_t>,
                   types<std::uint16_t, std::uint8_t>, types<std::uint32_t, std::uint64_t>,
                   types<std::uint64_t, std::uint16_t>, types<wide<3>, std::uint32_t>, types<wide<16>, wide<24>>,
                   types<wide<40>, std::uint8_t>)
{
    using T = typename Types::key;
    using U = typename Types::value;
    std::uint64_t seed = sizeof(T) + sizeof(U);
    constexpr std::size_t tile =
        std::size_t{device::large_tile::rows} * 32 * device::packet_items<device::pointer_input<T>>;
    for (const std::size_t n : sizes(9 * tile, {tile, 4 * tile}, seed, 3))
        for (const unsigned length : {1, 3, 300}) {
            memory<T> keys(n, mix(++seed) % 128 / alignof(T) * alignof(T));
            fill_runs(keys, length, seed);
            check_selection<T, U>(seed, keys, starts_run<same_key>{},
                                  [&](std::size_t i) { return i == 0 || key_of(keys[i - 1]) != key_of(keys[i]); });
            check_selection<T, U>(seed, keys, key_below{85 * length % 257},
                                  [&](std::size_t i) { return key_of(keys[i]) < 85 * length % 257; });
        }
}

TEST_CASE("the first elements of runs of what an iterator reads, or a function makes")
{
    std::uint64_t seed = 5;
    for (const std::size_t n : {1, 31, 32, 600, 5000, 40001}) {
        memory<std::uint32_t> keys(n, mix(++seed) % 32 * 4);
        fill_runs(keys, 3, seed);
        const auto low = [](std::uint32_t x) { return static_cast<std::uint16_t>(x & 1); };
        std::vector<std::uint16_t> expected;
        for (std::size_t i = 0; i < n; ++i)
            if (i == 0 || low(keys[i - 1]) != low(keys[i]))
                expected.push_back(low(keys[i]));
        const parprims::transform_iterator of_array(keys.data(), low);
        const parprims::transform_iterator of_iterator(parprims::strided_iterator(keys.data(), 1), low);
        const auto check = [&](auto first) {
            memory<std::uint16_t> out(expected.size(), 2 * (n % 8));
            memory<std::size_t> count(1);
            any_tiles on(++seed);
            device::enqueue_copy_if(on, first, n, out.data(), starts_run<parprims::equal_to>{}, count.data());
            REQUIRE(count[0] == expected.size());
            CHECK(std::equal(expected.begin(), expected.end(), out.begin()));
        };
        check(of_array);
        check(of_iterator);
    }
}

TEST_CASE("runs of a size in device memory, and their places")
{
    std::uint64_t seed = 9;
    for (const std::size_t bound : {std::size_t{1}, std::size_t{1000}, std::size_t{70000}}) {
        memory<std::uint32_t> keys(bound, 4);
        fill_runs(keys, 3, ++seed);
        check_sizes<std::int64_t, std::uint32_t>(
            bound, sizes_up_to(bound, {32, 512, 4096}, seed), seed, bound,
            [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
                const kept_outputs<no_iterator, parprims::counting_iterator<std::uint32_t>, std::uint32_t*> places{
                    {}, parprims::counting_iterator<std::uint32_t>(0), out.values.data(), {}};
                device::enqueue_copy_if(on, static_cast<const std::uint32_t*>(keys.data()), n, places,
                                        starts_run<parprims::equal_to>{}, out.numbers.data());
            });
    }
}

namespace {

template <class T>
void check_lengths(std::uint64_t seed, memory<T>& keys)
{
    const std::size_t n = keys.size();
    CAPTURE(n);
    CAPTURE(seed);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || key_of(keys[i - 1]) != key_of(keys[i]))
            begins.push_back(i);
    memory<T> values(begins.size(), mix(seed) % 16 * alignof(T));
    memory<std::uint32_t> lengths(begins.size(), mix(seed + 1) % 16 * 4);
    memory<std::size_t> count(1);
    any_tiles on(seed);
    const kept_outputs<T*, parprims::detail::run_lengths, std::uint32_t*> outputs{
        values.data(), {}, lengths.data(), {}};
    device::enqueue_copy_if(on, static_cast<const T*>(keys.data()), n, outputs, starts_run<same_key>{}, count.data());
    REQUIRE(count[0] == begins.size());
    for (std::size_t r = 0; r < begins.size(); ++r) {
        REQUIRE(same_bits(values[r], keys[begins[r]]));
        REQUIRE(lengths[r] == (r + 1 < begins.size() ? begins[r + 1] : n) - begins[r]);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("lengths of runs, also of those that reach over tiles", T, std::uint8_t, std::uint16_t, wide<3>,
                   std::uint32_t, double, wide<40>)
{
    std::uint64_t seed = sizeof(T);
    constexpr std::size_t tile =
        std::size_t{device::large_tile::rows} * 32 * device::packet_items<device::pointer_input<T>>;
    for (const std::size_t n : sizes(40 * tile / (sizeof(T) <= 2 ? 3 : 1), {tile, 4 * tile}, seed, 3))
        for (const unsigned length : {1u, 3u, 300u, 9000u, 1000000u}) {
            memory<T> keys(n, mix(++seed) % 128 / alignof(T) * alignof(T));
            fill_runs(keys, length, seed);
            check_lengths<T>(seed, keys);
        }
}

TEST_CASE("lengths of runs of a size in device memory")
{
    std::uint64_t seed = 11;
    for (const std::size_t bound : {std::size_t{1}, std::size_t{1000}, std::size_t{70000}}) {
        memory<std::uint32_t> keys(bound, 4);
        fill_runs(keys, 100, ++seed);
        check_sizes<std::int64_t, std::uint32_t>(
            bound, sizes_up_to(bound, {32, 512, 4096}, seed), seed, bound,
            [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
                const kept_outputs<no_iterator, parprims::detail::run_lengths, std::uint32_t*> lengths{
                    {}, {}, out.values.data(), {}};
                device::enqueue_copy_if(on, static_cast<const std::uint32_t*>(keys.data()), n, lengths,
                                        starts_run<parprims::equal_to>{}, out.numbers.data());
            });
    }
}

TEST_CASE_TEMPLATE("runs of several elements, also where they begin and end in different tiles", T, std::uint8_t,
                   std::uint32_t, double, wide<40>)
{
    std::uint64_t seed = 3 * sizeof(T);
    constexpr std::size_t tile =
        std::size_t{device::large_tile::rows} * 32 * device::packet_items<device::pointer_input<T>>;
    for (const std::size_t n : sizes(40 * tile / (sizeof(T) == 1 ? 3 : 1), {tile, 4 * tile}, seed, 3))
        for (const unsigned length : {1u, 2u, 3u, 300u, 9000u, 1000000u}) {
            CAPTURE(n);
            CAPTURE(length);
            memory<T> keys(n, mix(++seed) % 128 / alignof(T) * alignof(T));
            fill_runs(keys, length, seed);
            std::vector<std::size_t> begins, sizes_of_runs;
            for (std::size_t i = 0, end; i < n; i = end) {
                for (end = i + 1; end < n && key_of(keys[end]) == key_of(keys[i]);)
                    ++end;
                if (end - i > 1) {
                    begins.push_back(i);
                    sizes_of_runs.push_back(end - i);
                }
            }
            memory<std::uint32_t> offsets(begins.size(), 4);
            memory<std::uint64_t> lengths(begins.size(), 8);
            memory<std::size_t> count(1);
            any_tiles on(seed);
            const kept_outputs<std::uint32_t*, parprims::detail::long_run_lengths, std::uint64_t*> outputs{
                offsets.data(), {}, lengths.data(), {}};
            device::enqueue_copy_if(on, static_cast<const T*>(keys.data()), n, outputs, starts_run<same_key>{},
                                    count.data());
            REQUIRE(count[0] == begins.size());
            for (std::size_t r = 0; r < begins.size(); ++r) {
                REQUIRE(offsets[r] == begins[r]);
                REQUIRE(lengths[r] == sizes_of_runs[r]);
            }
        }
}
