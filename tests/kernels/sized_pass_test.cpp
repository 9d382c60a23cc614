// Scans and copies whose size lies in device memory, by the kernels that their bound selects.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/copy_if/dispatch.hpp>

#include "support/sized.hpp"

#include <cstddef>
#include <cstdint>

using namespace kernel_test;
using parprims::identity;

TEST_CASE_TEMPLATE("a scan of a size in device memory has the bits of that size from the host", T, std::uint8_t,
                   std::uint32_t, std::uint64_t, checked<24>)
{
    constexpr std::size_t tile = order::tile_rows<T> * order::row<T>;
    std::uint64_t seed = sizeof(T);
    const T init = element<T>(1000003);
    for (const std::size_t bound : {std::size_t{1}, tile / 3, tile, 3 * tile - 7, 20 * tile + 1}) {
        memory<T> input(bound, seed % 3 * alignof(T));
        fill(input);
        for (const parprims::scan_config& config :  // one block, a block for each tile, and blocks that draw tiles
             {parprims::scan_config{128, 1, 2, 0}, parprims::scan_config{128, 1, 2, 1},
              parprims::scan_config{128, 1, 3, 8}}) {
            CAPTURE(config.small_tiles_per_sm);
            check_sizes<std::uint32_t, T>(bound, sizes_up_to(bound, {32, order::row<T>, tile}, seed), seed, bound,
                                          [&](auto& on, std::size_t n, results<T>& out) {
                                              if (n != 0)
                                                  device::enqueue_scan<scan_kind::exclusive>(
                                                      on, config, static_cast<const T*>(input.data()), n,
                                                      out.values.data(), __builtin_addressof(init), hash{}, identity{});
                                          });
        }
    }
}

TEST_CASE("a size above a bound of 0 is reported where no kernel has work")
{
    check_sizes<std::int32_t, std::uint32_t>(0, {0}, 1, 1, [](auto&, std::size_t, results<std::uint32_t>&) {});
}

TEST_CASE_TEMPLATE("copy_if of a size in device memory", T, std::uint8_t, std::uint32_t, checked<24>)
{
    const auto keeps = [](const T& x) { return reinterpret_cast<const unsigned char&>(x) % 3 != 0; };
    std::uint64_t seed = sizeof(T);
    for (const std::size_t bound : {std::size_t{1}, std::size_t{1000}, std::size_t{20000}, std::size_t{100000}}) {
        if (bound > 20000 && sizeof(T) > 4)
            continue;
        memory<T> input(bound, seed % 3 * alignof(T));
        fill(input);
        check_sizes<std::int64_t, T>(bound, sizes_up_to(bound, {32, 512, 4096}, seed), seed, bound,
                                     [&](auto& on, std::size_t n, results<T>& out) {
                                         device::enqueue_copy_if(on, static_cast<const T*>(input.data()), n,
                                                                 out.values.data(), keeps, out.numbers.data());
                                     });
    }
}
