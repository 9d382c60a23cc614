/// @file
/// @brief  The limbs of a block, and how those of all blocks come to the last one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/exact/rounding.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The limbs of a block in shared memory, as digits of 16 bits, in words of 32: atomic additions to these are single instructions, to words of 64
/// bits loops.
template <int Lowest, unsigned Limbs>
struct block_limbs {
    std::uint32_t digits[2 * Limbs];

    PARPRIMS_DEVICE void clear(simt::block block)
    {
        for (unsigned k = block.thread(); k < 2 * Limbs; k += block.threads())
            simt::store(digits, k, std::uint32_t{0});
    }

    /// Adds `mantissa`, of at most 62 bits, times 2^`exponent`; fewer than 2^12 times.
    PARPRIMS_DEVICE void add(std::int64_t mantissa, int exponent)
    {
        const auto place = static_cast<unsigned>(exponent - Lowest);
        const unsigned k = place / 16;
        const unsigned shift = place % 16;
        simt::atomic_add(digits + k,
                         static_cast<std::uint32_t>(static_cast<std::uint64_t>(mantissa) << shift & 0xffff));
        std::int64_t above = mantissa >> (16 - shift);
#pragma unroll
        for (unsigned i = 1; i < 4; ++i, above >>= 16)
            simt::atomic_add(digits + k + i, static_cast<std::uint32_t>(above & 0xffff));
        simt::atomic_add(digits + k + 4, static_cast<std::uint32_t>(above));
    }
    /// Adds to limb k what has at most 40 bits; fewer than 2^8 times.
    PARPRIMS_DEVICE void add_to_limb(unsigned k, std::int64_t value)
    {
        simt::atomic_add(digits + 2 * k, static_cast<std::uint32_t>(value & 0xffff));
        simt::atomic_add(digits + 2 * k + 1, static_cast<std::uint32_t>(value >> 16));
    }

    PARPRIMS_DEVICE std::int64_t limb(unsigned k) const
    {
        const auto low = static_cast<std::int32_t>(simt::load(digits, 2 * k));
        const auto high = static_cast<std::int32_t>(simt::load(digits, 2 * k + 1));
        return low + std::int64_t{high} * 65536;
    }
};

/// What few blocks leave to the last one, in memory that is zero before and after the launch: for each block a head, and its settled limbs that
/// are not zero, each in a word with a flag.
template <unsigned Limbs>
struct block_messages {
    static constexpr std::size_t block_words = Limbs + 1;
    /// Lanes that read the words of a block: they wait for the head and for the first words at the same time.
    static constexpr unsigned lanes = 16;

    std::uint64_t* first;

    /// For one warp: leaves settled limbs.
    template <int Lowest>
    PARPRIMS_DEVICE void publish(std::size_t block, warp::limbs_of_warp<Lowest, Limbs>& from, std::uint32_t seen) const
    {
        std::uint64_t* const to = first + block * block_words;
        const unsigned lane = simt::block::lane();
        unsigned count = 0;
        from.for_each([&](unsigned k, std::int64_t mine) {
            const simt::lane_mask used = simt::ballot(mine != 0);
            const unsigned place = count + simt::count_lanes(used & ((simt::lane_mask{1} << lane) - 1));
            if (mine != 0)
                simt::atomic_store(to + 1 + place, static_cast<std::uint64_t>(mine) << 16 | k << 1 | ready);
            count += simt::count_lanes(used);
        });
        if (lane == 0)
            simt::atomic_store(to, std::uint64_t{seen} << 16 | count << 1 | ready);
    }

    /// For all warps of the last block: adds the limbs of all others, and clears their words. Returns what the lanes of the warp have seen.
    template <int Lowest>
    PARPRIMS_DEVICE std::uint32_t take(simt::block block, block_limbs<Lowest, Limbs>& to) const
    {
        constexpr unsigned groups = simt::warp_size / lanes;
        const unsigned own = block.lane() % lanes;
        std::uint32_t seen = 0;
        for (std::size_t begin = block.warp() * groups; begin < block.count(); begin += block.warps() * groups) {
            const std::size_t from = begin + block.lane() / lanes;
            const bool exists = from < block.count() && from != block.index();
            std::uint64_t* const words = first + from * block_words;
            std::uint64_t word = 0, head = 0;
            block::spin_until([&] {
                word = exists ? simt::atomic_load(words + own) : 0;
                head = simt::shuffle(word, block.lane() - own);
                const bool is_done = !exists || ((head & ready) != 0 && (own > count_in(head) || (word & ready) != 0));
                return simt::ballot(!is_done) == 0;
            });
            if (!exists)
                continue;
            seen |= static_cast<std::uint32_t>(head >> 16);
            for (unsigned i = own;;) {
                if (i <= count_in(head)) {
                    simt::atomic_store(words + i, std::uint64_t{0});
                    if (i != 0)
                        to.add_to_limb(static_cast<unsigned>(word >> 1 & 0x7fff),
                                       static_cast<std::int64_t>(word) >> 16);
                }
                i += lanes;
                if (i > count_in(head))
                    break;
                block::spin_until([&] {
                    word = simt::atomic_load(words + i);
                    return (word & ready) != 0;
                });
            }
        }
        return seen;
    }

private:
    static constexpr std::uint64_t ready = 1;
    PARPRIMS_DEVICE static unsigned count_in(std::uint64_t head) { return static_cast<unsigned>(head >> 1 & 0x7fff); }
};

/// Limbs that many blocks add to, or messages of few, in memory that is zero before and after the launch. Signed limbs, added as unsigned words;
/// wrap-around is harmless.
template <unsigned Limbs>
struct global_limbs {
    std::byte* memory;

    static constexpr std::size_t bytes(std::size_t blocks)
    {
        const std::size_t messages = smaller_of(blocks, most_exact_messages);
        return blocks == 1 ? 0
                           : memory_alignment + messages * block_messages<Limbs>::block_words * sizeof(std::uint64_t);
    }
    PARPRIMS_DEVICE block_messages<Limbs> messages() const { return {limb(0)}; }

    PARPRIMS_DEVICE unsigned* tickets() const { return reinterpret_cast<unsigned*>(memory); }
    PARPRIMS_DEVICE std::uint64_t* limb(unsigned k) const
    {
        return reinterpret_cast<std::uint64_t*>(memory + memory_alignment) + k;
    }
    PARPRIMS_DEVICE std::uint32_t* seen() const { return reinterpret_cast<std::uint32_t*>(limb(Limbs)); }
};

}  // namespace parprims::detail::device
