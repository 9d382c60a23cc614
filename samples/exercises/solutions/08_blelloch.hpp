// Exercise 8: a scan with as few additions as a loop, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// out[i] is the sum of the elements before in[i], within each block of 512 values: an exclusive scan.
struct block_scan {
    struct shared_storage {
        simt::shared_array<int, 528> values;  // 512, and room for padding
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned n;

    /// Where value k is kept. Change it last, when the scan is right: with k itself there are bank conflicts.
    PARPRIMS_DEVICE static unsigned place(unsigned k) { return k + k / 32; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned first = static_cast<unsigned>(block.index()) * 512;
        for (unsigned k = t; k < 512; k += 256) {
            int value = 0;
            if (simt::branch(first + k < n))
                value = in[first + k];
            shared.values[place(k)] = value;
        }
        block.sync();

        for (unsigned distance = 1; distance < 512; distance *= 2) {
            const unsigned k = 2 * distance * (t + 1) - 1;
            if (simt::branch(t < 256 / distance))
                shared.values[place(k)] += shared.values[place(k - distance)];
            block.sync();
        }
        if (simt::branch(t == 0))
            shared.values[place(511)] = 0;
        block.sync();
        for (unsigned distance = 256; distance > 0; distance /= 2) {
            const unsigned k = 2 * distance * (t + 1) - 1;
            if (simt::branch(t < 256 / distance)) {
                const int before = shared.values[place(k - distance)];
                const int above = shared.values[place(k)];
                shared.values[place(k - distance)] = above;
                shared.values[place(k)] = before + above;
            }
            block.sync();
        }

        for (unsigned k = t; k < 512; k += 256)
            if (simt::branch(first + k < n))
                out[first + k] = shared.values[place(k)];
    }
};
