// Exercise 10: a scan in a single pass, solved.
#include "exercises/support/block_scan.hpp"

#include <parprims/simt/simt.hpp>

#include <cstdint>

namespace simt = parprims::simt;

/// A word that a tile publishes: how far it is, and a sum. One word, so that both come together.
PARPRIMS_DEVICE inline std::uint64_t word_of(unsigned state, int sum)
{
    return std::uint64_t{state} << 32 | static_cast<unsigned>(sum);
}
PARPRIMS_DEVICE inline unsigned state_of(std::uint64_t word)
{
    return static_cast<unsigned>(word >> 32);
}
PARPRIMS_DEVICE inline int sum_of(std::uint64_t word)
{
    return static_cast<int>(static_cast<unsigned>(word));
}
constexpr unsigned has_total = 1;   // the sum is that of the tile alone
constexpr unsigned has_prefix = 2;  // the sum is that of all tiles up to this one

/// out is the inclusive scan of in. Each block has one tile of 256 values.
struct scan {
    struct shared_storage {
        exercises::block_storage<int> of_block;
        simt::shared_array<unsigned, 1> tile;
        simt::shared_array<int, 1> before;
    };
    simt::global<const int> in;
    simt::global<int> out;
    std::uint64_t* words;  // one a tile, 0 at first
    unsigned* ticket;      // 0 at first
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // Tiles are given out in the order in which blocks start, so a block waits only for blocks that run.
        const unsigned t = block.thread();
        if (t == 0)
            shared.tile[0] = simt::atomic_add(ticket, 1u);
        block.sync();
        const unsigned tile = shared.tile[0];
        const unsigned i = tile * 256 + t;
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];
        const int sum = exercises::scan_of_block(block, shared.of_block, value);

        if (t == 255) {  // its sum is the tile's total
            int before = 0;
            simt::atomic_store(&words[tile], word_of(tile == 0 ? has_prefix : has_total, sum));
            for (unsigned other = tile; other-- > 0;) {
                std::uint64_t word = simt::atomic_load(&words[other]);
                while (state_of(word) == 0) {
                    simt::pause();
                    word = simt::atomic_load(&words[other]);
                }
                before += sum_of(word);
                if (state_of(word) == has_prefix)
                    break;
            }
            simt::atomic_store(&words[tile], word_of(has_prefix, before + sum));
            shared.before[0] = before;
        }
        block.sync();
        if (simt::branch(i < n))
            out[i] = sum + shared.before[0];
    }
};
