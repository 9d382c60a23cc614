// Exercise 7: a scan in two buffers, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// out[i] is the sum of in[0], ..., in[i], within each block of 256 values: an inclusive scan.
struct block_scan {
    struct shared_storage {
        simt::shared_array<int, 2, 256> values;  // int values[2][256]
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + t;
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];
        shared.values[0][t] = value;
        block.sync();

        unsigned from = 0;
        for (unsigned distance = 1; distance < 256; distance *= 2) {
            if (simt::branch(t >= distance))
                value += shared.values[from][t - distance];
            shared.values[1 - from][t] = value;
            from = 1 - from;
            block.sync();
        }
        if (simt::branch(i < n))
            out[i] = value;
    }
};
