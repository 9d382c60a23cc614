/// @file
/// @brief  What the blocks of a small scan tell each other. Nothing has to be zeroed between one scan and the next.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parprims::detail::device {

/// Arrivals of blocks, what they publish, and who has left his work to others. Zero before the first scan, whatever it is
/// later.
///
/// Every scan counts 1024 arrivals, whatever the number of its blocks: the last block counts for those that are not there.
/// So the arrivals before a block's own tell the number of the scan, the epoch. A word of a published value holds four bytes
/// of it and the epoch, written and read as one: it speaks for itself, and a word of an earlier scan is none of this one.
/// Epochs are told apart by 31 bits; now and then words that are not in use are zeroed, so that none is older than that.
template <class T>
struct small_scan_board {
    static constexpr unsigned words = (sizeof(T) + 3) / 4;
    static constexpr unsigned max_blocks = 512;
    static constexpr std::size_t left_bytes = max_blocks * sizeof(unsigned);
    static constexpr unsigned forever = ~0u;

    /// The number of arrivals, shifted, above the number of blocks that have left.
    static constexpr unsigned left_bits = 11;
    static constexpr unsigned epoch_bits = left_bits + 10;
    static constexpr std::uint64_t epochs_between_zeroing = 1 << 20;

    unsigned long long* arrivals;
    unsigned* left_blocks;  // one more than the number of a block, or zero; `max_blocks` of them
    std::uint64_t* status;  // word w of value v lies at [v * words + w]
    unsigned status_words;  // that there is room for

    /// What a block learns from its arrival.
    struct arrival {
        std::uint64_t epoch;
        unsigned left;  // blocks whose work is left to this one: to the last that arrives
    };

    /// For one thread of each block.
    PARPRIMS_DEVICE arrival arrive(unsigned block, unsigned blocks) const
    {
        constexpr unsigned of_a_scan = 1u << (epoch_bits - left_bits);
        const unsigned mine = block + 1 == blocks ? of_a_scan + 1 - blocks : 1;
        const unsigned long long before = simt::atomic_add(arrivals, std::uint64_t{mine} << left_bits);
        const bool is_last = (before >> left_bits) % of_a_scan + mine == of_a_scan;
        return {before >> epoch_bits, is_last ? static_cast<unsigned>(before % (1u << left_bits)) : 0};
    }

    /// For one lane: publishes value `v`.
    PARPRIMS_DEVICE void publish(unsigned v, std::uint64_t epoch, const T& value) const
    {
        std::uint32_t parts[words] = {};
        std::memcpy(parts, static_cast<const void*>(&value), sizeof(T));
#pragma unroll
        for (unsigned w = 0; w < words; ++w)
            simt::atomic_store(status + v * words + w, tag(epoch) | parts[w]);
    }

    /// For one lane: looks for value `v`, and `looks` times more where it is not there. Whether it came.
    PARPRIMS_DEVICE bool wait(unsigned v, std::uint64_t epoch, unsigned looks, uninitialized<T>& value) const
    {
        std::uint32_t parts[words];
        bool is_there = true;
#pragma unroll
        for (unsigned w = 0; w < words; ++w) {
            std::uint64_t word = simt::atomic_load(status + v * words + w);
            for (; (word ^ tag(epoch)) >> 32 != 0 && looks != 0; looks -= looks == forever ? 0 : 1) {
                simt::pause();
                word = simt::atomic_load(status + v * words + w);
            }
            is_there = is_there && (word ^ tag(epoch)) >> 32 == 0;
            parts[w] = static_cast<std::uint32_t>(word);
        }
        std::memcpy(static_cast<void*>(&value), parts, sizeof(T));
        return is_there;
    }

    /// For one thread, whose block has not got what it waited for: leaves its work to the last block to arrive. False, and
    /// nothing done, if all have arrived.
    PARPRIMS_DEVICE bool leave(unsigned block, std::uint64_t epoch) const
    {
        const unsigned long long before = simt::atomic_add(arrivals, 1ull);
        if (before >> epoch_bits != epoch) {
            simt::atomic_add(arrivals, ~0ull);
            return false;
        }
        simt::atomic_add_acq_rel(left_blocks + before % (1u << left_bits), block + 1);
        return true;
    }

    /// For one thread of the last block: the i-th block that has left. It has read what it wanted to.
    PARPRIMS_DEVICE unsigned take_left(unsigned i) const
    {
        unsigned block = simt::atomic_add_acq_rel(left_blocks + i, 0);
        for (; block == 0; block = simt::atomic_add_acq_rel(left_blocks + i, 0))
            simt::pause();
        simt::store(left_blocks, i, 0u);
        simt::atomic_add(arrivals, ~0ull);
        return block - 1;
    }

    /// For one block: zeroes the words from value `first` on, which nobody uses in this scan, when it is time.
    PARPRIMS_DEVICE void zero_old_words(simt::block block, unsigned first, std::uint64_t epoch) const
    {
        if (epoch % epochs_between_zeroing == 0)
            for (unsigned w = first * words + block.thread(); w < status_words; w += block.threads())
                simt::store(status, w, 0u);
    }

private:
    /// In the upper half of a word. Never zero, as words are that nobody has written.
    PARPRIMS_DEVICE static std::uint64_t tag(std::uint64_t epoch) { return (epoch | std::uint64_t{1} << 31) << 32; }
};

}  // namespace parprims::detail::device
