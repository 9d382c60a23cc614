/// @file
/// @brief  Rows of an array that does not begin with a packet, on their way to the registers of a warp.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::block {

/// Rows of a packet a lane that follow each other, of elements that are aligned to less than 4 bytes. Each aligned packet is loaded once; a lane takes the
/// end of its part of a row from the lane above, and lane 31 from lane 0 of the row behind. For one warp: all lanes must call each member.
///
/// @tparam  Bytes  of a packet
template <unsigned Bytes, unsigned Rows>
class split_rows {
public:
    using packet = simt::packet<Bytes>;

    /// Loads the packets of row i, of which the first `head` bytes are not used.
    PARPRIMS_DEVICE void load(unsigned i, const packet* source, unsigned head)
    {
        const unsigned lane = simt::block::lane();
        packets_[i] = simt::load_part(source + lane, lane == 0 ? head : 0, Bytes);
    }

    /// Loads the first `shift` bytes of the packet behind the last row. The packet begins `left` bytes before the end of the array.
    PARPRIMS_DEVICE void load_behind(const packet* source, unsigned shift, std::size_t left)
    {
        const unsigned lane = simt::block::lane();
        if (left >= Bytes) {
            if (lane == 0)
                behind_ = simt::load_part(source, 0, shift);
            return;
        }
        // The array ends in this packet: a byte by each lane.
        std::uint32_t bytes = 0;
        if (lane < shift)
            bytes = simt::load(reinterpret_cast<const unsigned char*>(source), lane);
        bytes |= simt::shuffle_down(bytes, 1) << 8;
        bytes |= simt::shuffle_down(bytes, 2) << 16;
#pragma unroll
        for (unsigned w = 0; w < Bytes / 4; ++w)
            behind_.words[w] = simt::shuffle(bytes, 4 * w);
    }

    /// This lane's packet of row i.
    PARPRIMS_DEVICE packet packet_of(unsigned i) const { return packets_[i]; }

    /// This lane's part of row i, which begins `Words` words and `rest` bytes behind a packet.
    /// @param  is_last  whether no row of this warp lies behind row i
    template <unsigned Words>
    PARPRIMS_DEVICE packet joined(unsigned i, bool is_last, unsigned rest) const
    {
        constexpr unsigned count = Bytes / 4;
        const unsigned lane = simt::block::lane();
        std::uint32_t words[2 * count];  // of this lane and the one above
#pragma unroll
        for (unsigned w = 0; w < count; ++w) {
            words[w] = packets_[i].words[w];
            if (w <= Words) {
                // A choice of words: one of packets would keep all of them in local memory.
                const std::uint32_t behind =
                    i + 1 < Rows && !is_last ? packets_[i + 1 < Rows ? i + 1 : i].words[w] : behind_.words[w];
                words[count + w] = simt::shuffle(lane == 0 ? behind : words[w], (lane + 1) % simt::warp_size);
            }
        }
        packet result;
#pragma unroll
        for (unsigned w = 0; w < count; ++w)
            result.words[w] = numeric::funnel_shift(words[w + Words], words[w + Words + 1], 8 * rest);
        return result;
    }

private:
    packet packets_[Rows];
    packet behind_{};  // of lane 0
};

/// This lane's part of the row of 16 bytes a lane that begins with element `first` of an array, `left` elements before its end, and not
/// with a packet. For one warp: all lanes must call this.
template <class T, class Index>
PARPRIMS_DEVICE inline simt::packet<16> split_row(const T* data, Index first, Index left)
{
    using packet = simt::packet<16>;
    const unsigned shift = block::shift_of(data + first);
    const auto* const source =
        reinterpret_cast<const packet*>(reinterpret_cast<const unsigned char*>(data + first) - shift);
    split_rows<16, 1> row;
    row.load(0, source, shift);
    row.load_behind(source + simt::warp_size, shift, left * sizeof(T) + shift - simt::warp_size * sizeof(packet));
    packet part;
    with_words_of<4>(shift,
                     [&](auto words) { part = row.template joined<decltype(words)::value>(0, true, shift % 4); });
    return part;
}

}  // namespace parprims::detail::block
