// Reductions whose size lies in device memory, by the kernels that their bound selects.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/sized.hpp"

#include <cstddef>
#include <cstdint>

using namespace kernel_test;
using parprims::identity;

TEST_CASE_TEMPLATE("a reduction of a size in device memory has the bits of that size from the host", T, std::uint8_t,
                   std::uint32_t, std::uint64_t, checked<24>, checked<256>)
{
    constexpr std::size_t chunk = order::chunk<T>;
    std::uint64_t seed = sizeof(T);
    const T init = element<T>(1000003);
    for (const std::size_t bound : {std::size_t{1}, chunk / 3, chunk + 1, 5 * chunk, 40 * chunk + 7, 300 * chunk})
        for (const unsigned subtree_chunks : {0u, 1u, 2u}) {
            if (bound > 40 * chunk + 7 && (sizeof(T) > 8 || subtree_chunks == 2))
                continue;
            CAPTURE(subtree_chunks);
            memory<T> input(bound, seed % 3 * alignof(T));
            fill(input);
            const parprims::reduce_config config{128, 1 + static_cast<unsigned>(seed % 2), subtree_chunks};
            check_sizes<std::int32_t, T>(bound, sizes_up_to(bound, {32, order::row<T>, chunk}, seed), seed, 1,
                                         [&](auto& on, std::size_t n, results<T>& out) {
                                             device::enqueue_reduce(on, config, static_cast<const T*>(input.data()), n,
                                                                    out.values.data(), init, hash{}, identity{});
                                         });
        }
}

TEST_CASE("a size in device memory may have any integer type")
{
    memory<std::uint32_t> input(100);
    fill(input);
    const auto check = [&]<class Count>(Count) {
        check_sizes<Count, std::uint32_t>(
            100, {0, 3, 100}, 5, 1, [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
                device::enqueue_reduce(on, {}, static_cast<const std::uint32_t*>(input.data()), n, out.values.data(),
                                       5u, hash{}, identity{});
            });
    };
    check(std::int8_t{});
    check(std::uint8_t{});
    check(std::int16_t{});
    check(std::uint16_t{});
    check(std::int32_t{});
    check(std::uint32_t{});
    check(std::int64_t{});
    check(std::uint64_t{});
    check(char{});
}
