/// @file
/// @brief  How the blocks of a pass over few tiles tell each other the totals of their tiles: in flagged words that nothing zeroes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/tuning.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The totals of the tiles of a pass, and the tiles that blocks abandoned. All memory is zero before the first pass; nothing is zeroed
/// between one pass and the next.
///
/// All blocks of a pass read the totals at about the same time. Each total has several copies, and a block reads one of them, so
/// that fewer blocks read one part of the L2 cache at a time.
///
/// Every pass counts 1024 arrivals, whatever the number of its blocks: the block of the last tile counts for the missing ones. So
/// the arrivals counted so far tell the number of the pass: the epoch. The flag of a word is the epoch in which it was written, so a
/// word of an earlier pass is not taken for one of this pass. Flags have 31 bits of the epoch; now and then the words that are not in
/// use are zeroed, so that no word is old enough for its flag to come again.
template <class T>
struct epoch_words {
    using words = block::flagged_words<T>;
    static constexpr std::size_t alignment = 256;  ///< so that arrivals have a cache line for themselves

    /// The low bits of `arrivals` count abandoned tiles, the bits above them arrivals.
    static constexpr unsigned abandoned_bits = 11;
    static constexpr unsigned arrival_bits = 10;
    static constexpr unsigned scan_arrivals = 1u << arrival_bits;
    static constexpr unsigned epoch_bits = abandoned_bits + arrival_bits;  ///< below the epoch
    static_assert(abandoned_bits > arrival_bits);
    static constexpr std::size_t abandoned_bytes = scan_arrivals * sizeof(unsigned);

    unsigned long long* arrivals;
    unsigned* abandoned;    // one more than the number of an abandoned tile, or zero; `scan_arrivals` of them
    std::uint64_t* status;  // word w of copy c of tile t lies at [c * copy_words + t * words::count + w]

    /// Words that the workspace has room for.
    static constexpr unsigned room = (small_scan_bytes - alignment - abandoned_bytes) / sizeof(std::uint64_t);
    /// Words of a copy of all totals: a multiple of 32, so that each copy begins with a cache line.
    static constexpr unsigned copy_words = smaller_of(room / status_copies / 32 * 32, scan_arrivals* words::count);
    /// Tiles of a scan at most: whose totals fit, and whose arrivals can be counted.
    static constexpr unsigned max_tiles = smaller_of(copy_words / words::count, scan_arrivals - 1);

    /// In a workspace of `small_scan_bytes`.
    static epoch_words in(std::byte* memory)
    {
        return {reinterpret_cast<unsigned long long*>(memory), reinterpret_cast<unsigned*>(memory + alignment),
                reinterpret_cast<std::uint64_t*>(memory + alignment + abandoned_bytes)};
    }

    /// The epoch, for a block that has not arrived yet: until it arrives, the epoch does not change. A load takes less time than an arrival.
    PARPRIMS_DEVICE std::uint64_t read_epoch() const { return simt::atomic_load(arrivals) >> epoch_bits; }

    /// What the atomic operation of an arrival returned. The first use of it waits for the operation.
    struct arrival {
        std::uint64_t before;  // the word before the arrival
        unsigned count;

        /// Tiles that this block, the last to arrive, has to take; 0 in any other block.
        PARPRIMS_DEVICE unsigned abandoned() const
        {
            const bool is_last = (before >> abandoned_bits) % scan_arrivals + count == scan_arrivals;
            return is_last ? static_cast<unsigned>(before % (1u << abandoned_bits)) : 0;
        }
    };

    /// For one thread of each block, whose tile is `tile`, after `read_epoch`. As in
    /// tile_tickets::draw, the result is not waited for at once.
    PARPRIMS_DEVICE arrival arrive(unsigned tile, unsigned tiles) const
    {
        const unsigned count = arrivals_of(tile, tiles);
        return {simt::atomic_add(arrivals, simt::separated(std::uint64_t{count} << abandoned_bits)), count};
    }

    /// For one lane: publishes a tile's total.
    PARPRIMS_DEVICE void publish(unsigned tile, std::uint64_t epoch, const T& total) const
    {
        const words published(total, flag(epoch));
#pragma unroll
        for (unsigned c = 0; c < status_copies; ++c)
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                simt::atomic_store(word(c, tile, w), published.words[w]);
    }

    /// For one lane: reads the total of a tile, and again up to `spins` times while it is missing. Returns whether it was found.
    /// All words are read before any is tested, so that their latencies overlap.
    PARPRIMS_DEVICE bool wait(unsigned tile, std::uint64_t epoch, unsigned spins, uninitialized<T>* total) const
    {
        const auto copy = static_cast<unsigned>(simt::block::index()) % status_copies;
        const std::uint64_t* const from = word(copy, tile, 0);
        words found;
        const auto read = [&] {
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                found.words[w] = simt::atomic_load(from + w);
            bool are_there = true;
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                are_there = are_there && words::has_flag(found.words[w], flag(epoch));
            return are_there;
        };
        const bool are_there = block::spin_until(read, spins);
        total->value = found.value();
        return are_there;
    }

    /// For one thread, whose block misses a total: abandons its tile, for the last block to arrive. Returns false, and does nothing, if all
    /// blocks have arrived.
    PARPRIMS_DEVICE bool abandon(unsigned tile, std::uint64_t epoch) const
    {
        const unsigned long long before = simt::atomic_add(arrivals, 1ull);
        if (before >> epoch_bits != epoch) {
            simt::atomic_add(arrivals, ~0ull);
            return false;
        }
        simt::atomic_add_acq_rel(abandoned + before % (1u << abandoned_bits), tile + 1);
        return true;
    }

    /// For one thread of the last block to arrive: the i-th abandoned tile, whose block has read its input.
    PARPRIMS_DEVICE unsigned take_abandoned(unsigned i) const
    {
        unsigned tile = 0;
        block::spin_until([&] { return (tile = simt::atomic_add_acq_rel(abandoned + i, 0)) != 0; });
        simt::store(abandoned, i, 0u);
        simt::atomic_add(arrivals, ~0ull);
        return tile - 1;
    }

    /// For one block: every `epochs_between_zeroing` passes, zeroes the words from tile `first` on, which this pass does not use.
    PARPRIMS_DEVICE void zero_old_words(simt::block block, unsigned first, std::uint64_t epoch) const
    {
        if (epoch % epochs_between_zeroing != 0)
            return;
        for (unsigned c = 0; c < status_copies; ++c)
            for (unsigned w = first * words::count + block.thread(); w < copy_words; w += block.threads())
                simt::store(status, c * copy_words + w, 0u);
        for (unsigned w = status_copies * copy_words + block.thread(); w < room;
             w += block.threads())  // of other types
            simt::store(status, w, 0u);
    }

private:
    /// The last tile's block makes up for the blocks that a pass lacks, so that each pass counts `scan_arrivals`.
    PARPRIMS_DEVICE static unsigned arrivals_of(unsigned tile, unsigned tiles)
    {
        return tile + 1 == tiles ? scan_arrivals + 1 - tiles : 1;
    }

    /// The upper half of a word. Never zero, unlike the flag of a word that no pass has written.
    PARPRIMS_DEVICE static std::uint64_t flag(std::uint64_t epoch) { return (epoch | std::uint64_t{1} << 31) << 32; }

    PARPRIMS_DEVICE std::uint64_t* word(unsigned copy, unsigned tile, unsigned w) const
    {
        return status + copy * copy_words + tile * words::count + w;
    }
};

}  // namespace parprims::detail::device
