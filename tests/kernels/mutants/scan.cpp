// Scans of several groups of tiles, in one pass and in three phases, small enough to be run with each planted bug.
#include "scan_check.hpp"

using namespace mutants;

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        using interval = checked<256>;
        constexpr std::size_t n = (mutants::has_tsan ? 35 : 70) * order::tile<interval> + 37;
        const interval before{0xfffffff0, 0xffffffff};
        check_scan<scan_kind::inclusive, interval>(n, 0, long_scan{{64, 1, 3, 0}}, joined{}, std::nullopt, seed,
                                                   "single pass");
        check_scan<scan_kind::inclusive, interval>(3 * order::tile<interval> - 5, 0, long_scan{{64, 1, 3, 0}}, joined{},
                                                   std::nullopt, seed, "a tile for each block");
        check_scan<scan_kind::exclusive, interval>(n, 0, three_phase_scan{64, 1}, joined{}, std::optional(before), seed,
                                                   "three phases");
        check_scan<scan_kind::exclusive, std::uint64_t, std::uint8_t>(
            4 * order::tile<std::uint64_t> - 5, 1, long_scan{{64, 1, 2, 0}}, hash{}, std::optional<std::uint64_t>(3),
            seed, "stages refilled by lanes that read others' parts", 1);
        check_scan<scan_kind::inclusive, std::uint32_t>(4 * order::tile<std::uint32_t>, 8, long_scan{{64, 1, 2, 0}},
                                                        hash{}, std::nullopt, seed,
                                                        "in place, from the middle of a packet");
    });
}
