// The reduction kernel on the executor, against the order contract written down serially.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <cstdint>

using namespace kernel_test;

namespace {

/// Blocks, subtrees and schedules of many kinds for one input.
template <class T, class Iterator>
void check_reduce(Iterator first, std::size_t n, std::uint64_t seed)
{
    const T init = element<T>(1000003);
    const T expected =
        order_oracle::reduce<std::remove_cvref_t<decltype(*first)>>(first, n, init, hash{}, parprims::identity{});
    const unsigned warps[] = {1, 2, 4, 5};
    const parprims::reduce_config config{32 * warps[seed * 7 / 3 % 4], 1 + static_cast<unsigned>(seed / 4 % 2),
                                         static_cast<unsigned>(seed % 5 < 3 ? 1u << seed % 5 >> 1 : 0)};
    const device::machine gpu{2 + static_cast<unsigned>(seed % 4)};
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(config.subtree_chunks);
    const T result = reduce(schedule_of(seed), config, gpu, first, n, init, hash{}, parprims::identity{});
    REQUIRE(same_bits(result, expected));
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
    sweep<T>(sizeof(T) < 4 ? 5 : 20, 0, 20);
}

TEST_CASE_TEMPLATE("reduce keeps the order contract for pointers that are not aligned to 16 bytes", T, std::uint8_t,
                   float, std::uint64_t)
{
    sweep<T>(4, sizeof(T), 10);
}

TEST_CASE("reduce folds partials that are more than a leaf for each warp")
{
    using T = checked<256>;
    std::uint64_t seed = 0;
    for (std::size_t chunks : {33, 64, 65, 100, 257}) {
        memory<T> input(chunks * order::chunk<T> - 7);
        fill(input);
        for (unsigned i = 0; i < 6; ++i)
            check_reduce<T>(static_cast<const T*>(input.data()), input.size(), seed++);
    }
}
