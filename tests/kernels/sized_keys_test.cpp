// Calls by key whose size lies in device memory: of short inputs, of longer ones, and of either.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/by_key/dispatch.hpp>

#include "support/sized.hpp"

#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

template <class T>
void check_bound(std::size_t bound, std::size_t run, std::uint64_t seed, const std::vector<std::size_t>& sizes)
{
    CAPTURE(run);
    memory<std::uint32_t> keys(bound, seed % 3 * 4);
    for (std::size_t i = 0; i < bound; ++i)
        keys[i] = static_cast<std::uint32_t>(i / run);
    memory<T> input(bound, seed % 2 * alignof(T));
    fill(input);
    const auto* const first_key = static_cast<const std::uint32_t*>(keys.data());
    const auto* const first = static_cast<const T*>(input.data());
    const T init = element<T>(1000003);
    check_sizes<std::uint32_t, T>(bound, sizes, seed, bound + 1, [&](auto& on, std::size_t n, results<T>& out) {
        device::enqueue_reduce_by_key<T>(on, first_key, n, first, out.numbers.data() + 1, out.values.data(),
                                         out.numbers.data(), parprims::equal_to{}, hash{});
    });
    check_sizes<std::uint32_t, T>(bound, sizes, seed + 1, bound, [&](auto& on, std::size_t n, results<T>& out) {
        if (n != 0)
            device::enqueue_scan_by_key<scan_kind::exclusive, T>(
                on, first_key, n, first, out.values.data(), __builtin_addressof(init), parprims::equal_to{}, hash{});
    });
}

}  // namespace

TEST_CASE_TEMPLATE("calls by key of a size in device memory have the bits of that size from the host", T, std::uint8_t,
                   std::uint32_t, checked<16>, checked<24>)
{
    std::uint64_t seed = sizeof(T);
    for (const std::size_t bound : {std::size_t{1}, std::size_t{700}, std::size_t{9000}})
        check_bound<T>(bound, bound == 700 ? 1 : 37, seed, sizes_up_to(bound, {32, 1024}, seed));
}

TEST_CASE("calls by key have the shape that is that of the size, not of the bound")
{
    using T = checked<16>;
    constexpr std::size_t most = order::short_input<T>;
    check_bound<T>(most + 5000, 1000, 3, {0, 1, 4000, most, most + 1, most + 5000});
}
