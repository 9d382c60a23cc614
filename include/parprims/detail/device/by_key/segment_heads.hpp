/// @file
/// @brief  Where segments begin, as a bit for each element: so a segmented scan is a scan by key without keys.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/by_key/key_heads.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Sets the bits where segments by offsets begin.
template <class Segments>
struct mark_heads_kernel {
    struct shared_storage {};
    static constexpr unsigned max_threads = mark_heads_threads;

    Segments segments;
    std::uint32_t* bits;  // zero before

    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t blocks)
    {
        segments.count = count;
        return count == 0 ? 0 : smaller_of(order::ceil_div(count + 1, std::size_t{simt::block::threads()}), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t threads = block.count() * block.threads();
        // Elements from the last offset on are a segment, too. Of equal offsets only the first one sets the bit: atomics on one word
        // would wait for each other.
        for (std::size_t s = block.index() * block.threads() + block.thread(); s <= segments.count; s += threads) {
            const std::size_t head = segments.begin(s);
            if (head < segments.n && (s == 0 || segments.begin(s - 1) != head))
                simt::atomic_or(bits + head / 32, std::uint32_t{1} << head % 32);
        }
    }
};

/// Zeroes the bits of the elements up to the last offset, for a number of segments in device memory: those up to its bound may be many more.
template <class Segments>
struct zero_heads_kernel {
    struct shared_storage {};
    static constexpr unsigned max_threads = mark_heads_threads;

    Segments segments;
    std::uint32_t* bits;
    std::size_t words;

    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t blocks)
    {
        segments.count = count;
        words = count == 0 ? 0 : segments.begin(count) / 32 + 1;
        return smaller_of(order::ceil_div(words, std::size_t{simt::block::threads()}), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t i = block.index() * block.threads() + block.thread(); i < words;
             i += block.count() * block.threads())
            simt::store(bits, i, 0u);
    }
};

/// Finds where segments begin, as `key_heads` finds runs: every `size` elements, or where bits are set. One type, so that one kernel
/// serves both.
template <unsigned Items>
struct segment_heads {
    using bits_type = lane_bits<Items>;
    struct lane_keys {};
    static constexpr std::size_t region_bytes = 0;
    static constexpr unsigned words = Items > 32 ? 2 : 1;  // that hold a lane's bits, aligned

    std::size_t size;           // of segments; 0: they begin where bits are set
    const std::uint32_t* bits;  // null if segments have one size, or if blocks mark their tiles
    std::size_t n;

    struct state {
        std::uint32_t words[segment_heads::words];
    };

    /// Reads the bits of this lane, in the row from element `first` on.
    PARPRIMS_DEVICE void fetch(unsigned char*, std::size_t first, state& read) const
    {
        if (bits == nullptr)
            return;
        const std::size_t position = first + simt::block::lane() * Items;
#pragma unroll
        for (unsigned w = 0; w < words; ++w)
            read.words[w] = position + 32 * w < n ? simt::load(bits, position / 32 + w) : 0;
    }

    PARPRIMS_DEVICE bits_type find(unsigned char*, std::size_t first, const state& read, lane_keys&) const
    {
        const std::size_t position = first + simt::block::lane() * Items;
        bits_type heads = size != 0 ? heads_of_size(position) : read.words[0] >> position % 32;
        if constexpr (words == 2)
            heads |= size != 0 ? bits_type{0} : static_cast<bits_type>(read.words[1]) << 32;
        if constexpr (Items < 32)
            heads &= (bits_type{1} << Items) - 1;
        if (position + Items > n)
            heads &= first_bits<Items>(position < n ? n - position : 0);
        return position == 0 ? heads | 1 : heads;
    }

private:
    /// The bits of `Items` elements from element `position` on, or of more.
    PARPRIMS_DEVICE bits_type heads_of_size(std::size_t position) const
    {
        const std::size_t rest = position - quotient(position, size) * size;
        const std::size_t before = rest == 0 ? 0 : size - rest;
        bits_type heads = before < Items ? bits_type{1} << before : 0;
        for (std::size_t distance = size; distance < Items; distance *= 2)
            heads |= heads << distance;
        return heads;
    }
};

/// `segment_heads` for segments whose number may lie in device memory.
template <class Segments, unsigned Items>
struct offset_heads : segment_heads<Items> {
    Segments segments;

    /// Returns the elements up to the last offset.
    PARPRIMS_DEVICE std::size_t resize(std::size_t count)
    {
        segments.count = count;
        return this->n = count == 0 ? 0 : segments.begin(count);
    }
};

/// The segments by offsets of a short input. If they are few, each block reads all offsets, and marks in shared memory where segments
/// begin in its tile. That takes less time than another kernel, `mark_heads_kernel`.
template <class Segments, class Shape>
struct tile_heads : offset_heads<Segments, Shape::items> {
    using typename segment_heads<Shape::items>::state;
    static constexpr unsigned tile_words = Shape::size / 32;

    /// For a block: marks the tile from element `first` on, and reads each lane's bits. Does nothing if memory has them. Has barriers.
    PARPRIMS_DEVICE void mark(simt::block block, std::uint32_t (&tile_bits)[tile_words], unsigned first,
                              state& read) const
    {
        if (this->bits != nullptr)
            return;
        for (std::size_t begin = 0; begin <= this->segments.count; begin += offsets_at_a_time * block.threads()) {
            unsigned heads[offsets_at_a_time];
#pragma unroll
            for (unsigned k = 0; k < offsets_at_a_time; ++k) {
                const std::size_t s = begin + k * block.threads() + block.thread();
                heads[k] = static_cast<unsigned>(s <= this->segments.count ? this->segments.begin(s) : this->n);
            }
            if (begin == 0) {  // while they are loaded
                for (unsigned w = block.thread(); w < tile_words; w += block.threads())
                    simt::store(tile_bits, w, 0u);
                block.sync();
            }
#pragma unroll
            for (unsigned k = 0; k < offsets_at_a_time; ++k)
                if (const unsigned place = heads[k] - first; place < Shape::size && heads[k] < this->n)
                    simt::atomic_or(tile_bits + place / 32, std::uint32_t{1} << place % 32);
        }
        block.sync();
        read.words[0] = simt::load(tile_bits, (block.warp() * Shape::row + block.lane() * Shape::items) / 32);
    }
};

}  // namespace parprims::detail::device
