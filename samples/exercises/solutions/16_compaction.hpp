// Exercise 16: the values that a filter keeps, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Writes the values that are not 0 to out, in their order, and their number to *kept. One block of 256 threads does it all.
struct compaction {
    struct shared_storage {
        simt::shared_array<unsigned, 8> of_warps;
    };
    simt::global<const int> in;
    simt::global<int> out;
    simt::global<unsigned> kept;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        unsigned written = 0;  // before this tile, the same in all threads
        for (unsigned first = 0; first < n; first += 256) {
            const unsigned i = first + block.thread();
            int value = 0;
            if (simt::branch(i < n))
                value = in[i];
            const simt::lane_mask votes = simt::ballot(value != 0);
            if (simt::branch(block.lane() == 0))
                shared.of_warps[block.warp()] = simt::count_lanes(votes);
            block.sync();
            unsigned place = written + simt::count_lanes(votes & ((simt::lane_mask{1} << block.lane()) - 1));
            for (unsigned w = 0; w < 8; ++w) {
                const unsigned count = shared.of_warps[w];
                place += w < block.warp() ? count : 0;
                written += count;
            }
            if (simt::branch(value != 0))
                out[place] = value;
            block.sync();
        }
        if (block.thread() == 0)
            kept[0] = written;
    }
};
