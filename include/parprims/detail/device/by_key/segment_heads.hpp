/// @file
/// @brief  Where segments begin, as a bit for each element: so a segmented scan is a scan by key without keys.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/by_key/rows.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Sets the bits. Those of segments of one size need not be zero before.
template <class Segments>
struct mark_heads_kernel {
    struct shared_storage {};
    static constexpr unsigned max_threads = mark_heads_threads;

    Segments segments;
    std::uint32_t* bits;
    std::size_t words;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t threads = block.count() * block.threads();
        const std::size_t thread = block.index() * block.threads() + block.thread();
        if constexpr (Segments::is_searched) {
            // Elements from the last offset on are a segment, too. Of equal offsets one sets the bit: many would wait for each other.
            for (std::size_t s = thread; s <= segments.count; s += threads) {
                const std::size_t head = segments.begin(s);
                if (head < segments.n && (s == 0 || segments.begin(s - 1) != head))
                    simt::atomic_or(bits + head / 32, std::uint32_t{1} << head % 32);
            }
        } else {
            for (std::size_t w = thread; w < words; w += threads) {
                const std::size_t rest = 32 * w % segments.size;
                std::uint32_t word = 0;
                for (std::size_t b = rest == 0 ? 0 : segments.size - rest; b < 32; b += segments.size)
                    word |= std::uint32_t{1} << b;
                simt::store(bits, w, word);
            }
        }
    }
};

/// Runs that begin where bits are set, and at the first element.
template <unsigned Items>
struct bit_heads {
    using bits_type = lane_bits<Items>;
    struct lane_keys {};
    static constexpr std::size_t region_bytes = 0;
    static constexpr unsigned words = Items > 32 ? 2 : 1;  // that hold a lane's bits, aligned

    const std::uint32_t* bits;
    std::size_t n;

    struct state {
        std::uint32_t words[bit_heads::words];
    };

    /// Reads the bits of this lane, in the row from element `first` on.
    PARPRIMS_DEVICE void fetch(unsigned char*, std::size_t first, state& read) const
    {
        const std::size_t place = first + simt::block::lane() * Items;
#pragma unroll
        for (unsigned w = 0; w < words; ++w)
            read.words[w] = place + 32 * w < n ? simt::load(bits, place / 32 + w) : 0;
    }

    PARPRIMS_DEVICE bits_type find(unsigned char*, std::size_t first, const state& read, lane_keys&) const
    {
        const std::size_t place = first + simt::block::lane() * Items;
        bits_type heads = read.words[0] >> place % 32;
        if constexpr (words == 2)
            heads |= static_cast<bits_type>(read.words[1]) << 32;
        if constexpr (Items < 32)
            heads &= (bits_type{1} << Items) - 1;
        if (place + Items > n)
            heads &= first_bits<Items>(place < n ? n - place : 0);
        return place == 0 ? heads | 1 : heads;
    }
};

}  // namespace parprims::detail::device
