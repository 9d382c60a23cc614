// The reduction kernel over every size, against the host backend.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/reduce.hpp>

#include <doctest/doctest.h>

#include "support/sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace kernel_test;

namespace {

std::uint64_t run_number = 0;

/// The first `n` of `values`, in memory of their own, reduced on both backends.
template <class T>
void check_reduce(memory<T>& values, std::size_t n, const executor::options& how, const parprims::reduce_config& config,
                  const device::gpu_properties& gpu, std::size_t offset = 0)
{
    memory<T> input(n, offset);
    std::memcpy(static_cast<void*>(input.data()), values.data(), n * sizeof(T));
    const T* const first = input.data();
    const T init = element<T>(1000003);
    const T expected = parprims::reduce(parprims::host.threads(1), first, first + n, init, hash{});

    CAPTURE(n);
    CAPTURE(run_number);
    CAPTURE(parprims::to_string(config));
    CAPTURE(gpu.multiprocessors);
    CAPTURE(how.resident_blocks);
    const T result = reduce(how, config, gpu, first, n, init, hash{}, parprims::identity{});
    REQUIRE(same_bits(result, expected));
}

template <class T>
void sweep(const std::vector<std::size_t>& sizes)
{
    memory<T> values(sizes.back());
    fill(values);
    for (const std::size_t n : sizes) {
        draw choice(++run_number);
        const unsigned offsets[] = {0, 0, sizeof(T) % 16, 3 * sizeof(T) % 16};
        const parprims::reduce_config config{choice.block_threads(), choice.of({1u, 2u}),
                                             choice.of({1u, 1u, 1u, 2u, 4u})};
        check_reduce(values, n, choice.schedule(config.block_threads), config, {choice.multiprocessors()},
                     choice.of(offsets));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce of sizes up to 4 chunks has the bits of the host", T, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, checked<16>, checked<24>, checked<256>)
{
    // Of the sizes more than 17 away from a multiple of a chunk, one in three; of narrow values, whose chunks are long, one in eleven.
    sweep<T>(sizes_to_4_units(order::chunk<T>, sizeof(T) <= 2 ? 11 : 3, 17));
}

TEST_CASE_TEMPLATE("reduce near a power of two has the bits of the host", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, checked<16>, checked<24>)
{
    sweep<T>(sizes_near_powers(1 << 20));
}

TEST_CASE("reduce of large values near a power of two has the bits of the host")
{
    sweep<checked<256>>(sizes_near_powers(1 << 16));
}

TEST_CASE_TEMPLATE("reduce of many branches has the bits of the host", T, checked<24>, std::uint64_t)
{
    // A block of two warps for each branch of two chunks. The last block's warps have 5, 6 or 11 leaves of partials to share out,
    // and what each of them has must be a node.
    constexpr bool is_lean = device::flagged_partials<T>::has_few_words;
    constexpr std::size_t leaf = (is_lean ? 128 : 32) * 2 * order::chunk<T>;
    constexpr std::size_t most = is_lean ? 6 : 11;
    memory<T> values(most * leaf);
    fill(values);
    for (const std::size_t leaves : {5, 6, 11})
        for (unsigned i = 0; i < 2 && leaves <= most; ++i) {
            draw choice(++run_number);
            check_reduce(values, leaves * leaf - choice.next() % leaf, choice.schedule(64), {64, 1, 1}, {1u << 14});
        }
}

TEST_CASE("reduce has the bits of the host for every block size and number of resident blocks")
{
    using T = std::uint32_t;
    memory<T> values(1024 / 32 * 64 * order::chunk<T>);
    fill(values);
    for_each_shape([&](unsigned threads, unsigned blocks) {
        // A chunk for each warp of as many blocks as are resident; the last chunk is not whole.
        const std::size_t n = std::max(threads / 32 * blocks * order::chunk<T>, 2 * order::chunk<T>) - 7;
        executor::options how = draw(++run_number).schedule(threads);
        how.resident_blocks = blocks;
        check_reduce(values, n, how, {threads, 1, 1}, {blocks});
    });
}

TEST_CASE("the reductions were launched in every way, and their protocol was in every state")
{
    check_runs([](unsigned threads) { return threads <= device::max_reduce_threads; });
    CHECK(met.missing(state::ticket_wrapped, state::last_block_between) == "");
}

TEST_CASE("in order, the protocol of the reduction is not in every state")
{
    using T = checked<16>;
    memory<T> values(40 * order::chunk<T>);
    fill(values);
    met.clear();
    for (unsigned blocks = 2; blocks <= 6; ++blocks)
        check_reduce(values, values.size(), in_order(), {32, 1, 1}, {blocks});
    CHECK(met.missing(state::ticket_wrapped, state::last_block_between) == "last_block_first, last_block_between");
}
