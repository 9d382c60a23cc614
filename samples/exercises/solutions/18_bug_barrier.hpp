// Exercise 18: find the bug: values are reversed, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Reverses each tile of 256 values: out[first + t] = in[first + 255 - t]. A block takes one tile after another.
struct reverse {
    struct shared_storage {
        simt::shared_array<int, 256> values;
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned tiles;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        for (unsigned tile = static_cast<unsigned>(block.index()); tile < tiles;
             tile += static_cast<unsigned>(block.count())) {
            shared.values[t] = in[tile * 256 + t];
            block.sync();
            out[tile * 256 + t] = shared.values[255 - t];
            block.sync();
        }
    }
};
