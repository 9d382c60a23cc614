// Scans by a cluster or by a block for each tile, small enough to be run with each planted bug.
#include "scan_check.hpp"

using namespace mutants;

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_scan<scan_kind::inclusive, std::uint8_t>(88 * order::row<std::uint8_t> + 5, 1, short_scan{},
                                                       parprims::plus{}, std::nullopt, seed,
                                                       "bytes that do not begin with a word");
        using small = checked<16>;
        check_scan<scan_kind::inclusive, small>(2 * order::tile<small> - 20 * order::row<small> - 5, 0,
                                                short_scan{{128, 1, 2, 1000}}, joined{}, std::nullopt, seed,
                                                "a small scan of two tiles");
        check_scan<scan_kind::inclusive, small>(order::tile<small> - 5, 0, short_scan{{64, 1, 2, 1000}}, joined{},
                                                std::nullopt, seed, "a small scan of few blocks");
        check_scan<scan_kind::inclusive, small>(12 * order::tile<small> - 5, 0, short_scan{{32, 1, 2, 1000}}, joined{},
                                                std::optional(small{0xfffffff0, 0xffffffff}), seed,
                                                "a small scan of more tiles than a cluster has blocks");
    });
}
