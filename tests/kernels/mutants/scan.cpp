// Scans of several groups of tiles, in one pass and in three phases, small enough to be run with each planted bug.
#include "program.hpp"

#include "../../unit/support/order_oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

using namespace kernel_test;
using parprims::scan_config;
using parprims::three_phase_scan;

namespace {

template <scan_kind Kind, class T, class Source = T, class Config, class Op>
void check(std::size_t n, std::size_t offset, const Config& config, Op op, std::optional<T> init, std::uint64_t seed,
           const char* name, unsigned blocks = 0)
{
    memory<Source> input(n, offset);
    memory<T> output(n);
    fill(input);
    const auto expected = order_oracle::scan<Kind, T>(input.data(), n, init, op, parprims::identity{});
    const device::gpu_properties gpu{blocks != 0 ? blocks : 3 + static_cast<unsigned>(seed % 3)};
    const auto scan_to = [&](T* out) {
        scan<Kind>(schedule_of(seed), config, gpu, static_cast<const Source*>(input.data()), n, out, init, op,
                   parprims::identity{});
        for (std::size_t i = 0; i < n; ++i)
            mutants::require(same_bits(out[i], expected[i]), name);
    };
    scan_to(output.data());
    if constexpr (std::is_same_v<T, Source>)
        if (offset != 0)
            scan_to(input.data());
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        using interval = checked<256>;
        constexpr std::size_t n = (mutants::has_tsan ? 35 : 70) * order::tile<interval> + 37;
        const interval before{0xfffffff0, 0xffffffff};
        check<scan_kind::inclusive, interval>(n, 0, scan_config{64, 1, 3, 0}, joined{}, std::nullopt, seed,
                                              "single pass");
        check<scan_kind::inclusive, interval>(3 * order::tile<interval> - 5, 0, scan_config{64, 1, 3, 0}, joined{},
                                              std::nullopt, seed, "a tile for each block");
        check<scan_kind::exclusive, interval>(n, 0, three_phase_scan{64, 1}, joined{}, std::optional(before), seed,
                                              "three phases");
        check<scan_kind::exclusive, std::uint64_t, std::uint8_t>(4 * order::tile<std::uint64_t> - 5, 1,
                                                                 scan_config{64, 1, 2, 0}, hash{},
                                                                 std::optional<std::uint64_t>(3), seed,
                                                                 "stages refilled by lanes that read others' parts", 1);
        check<scan_kind::inclusive, std::uint32_t>(4 * order::tile<std::uint32_t>, 8, scan_config{64, 1, 2, 0}, hash{},
                                                   std::nullopt, seed, "in place, from the middle of a packet");
        check<scan_kind::inclusive, std::uint8_t>(24 * order::row<std::uint8_t>, 1, scan_config{}, parprims::plus{},
                                                  std::nullopt, seed, "bytes shifted in registers");
        using small = checked<16>;
        check<scan_kind::inclusive, small>(2 * order::tile<small> - 20 * order::row<small> - 5, 0,
                                           scan_config{128, 1, 2, 1000}, joined{}, std::nullopt, seed,
                                           "a small scan whose warps hold copies of another warp's row");
        check<scan_kind::inclusive, small>(order::tile<small> - 5, 0, scan_config{64, 1, 2, 1000}, joined{},
                                           std::nullopt, seed, "a small scan of few blocks");
        check<scan_kind::exclusive, small>(12 * order::tile<small> - 5, 0, scan_config{32, 1, 2, 1000}, joined{},
                                           std::optional(small{0xfffffff0, 0xffffffff}), seed,
                                           "a small scan of more tiles than a cluster has blocks");
    });
}
