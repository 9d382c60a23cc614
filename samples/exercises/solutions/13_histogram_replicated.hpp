// Exercise 13: a histogram of skewed data, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// As in exercise 12, but nearly all values are the same.
struct histogram {
    static constexpr unsigned replicas = 8;
    struct shared_storage {
        simt::shared_array<unsigned, 64 * replicas> counts;
    };
    simt::global<const unsigned> in;
    unsigned* counts;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned stride = static_cast<unsigned>(block.count()) * 256;
        for (unsigned k = t; k < 64 * replicas; k += 256)
            shared.counts[k] = 0;
        block.sync();
        for (unsigned i = static_cast<unsigned>(block.index()) * 256 + t; simt::branch(i < n); i += stride) {
            const unsigned bin = in[i];
            simt::atomic_add(&shared.counts.data()[bin * replicas + block.lane() % replicas], 1u);
        }
        block.sync();
        if (simt::branch(t < 64)) {
            unsigned sum = 0;
            for (unsigned r = 0; r < replicas; ++r)
                sum += shared.counts[t * replicas + r];
            simt::atomic_add(&counts[t], sum);
        }
    }
};
