/// @file
/// @brief  The elements of a tile that a block of `copy_if` tests, as packets: where they lie, and which of them are in the input.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A bit for each element of the packets that a lane has in `Rows` rows. Several rows share a word.
template <unsigned Rows, unsigned Items>
struct packet_bits {
    static constexpr unsigned rows_of_word = 32 / Items;
    static constexpr unsigned all = (1u << Items) - 1;

    unsigned words[(Rows + rows_of_word - 1) / rows_of_word];

    PARPRIMS_DEVICE unsigned row(unsigned r) const { return words[r / rows_of_word] >> r % rows_of_word * Items & all; }
    PARPRIMS_DEVICE bool has(unsigned r, unsigned k) const
    {
        return (words[r / rows_of_word] >> (r % rows_of_word * Items + k) & 1) != 0;
    }
    PARPRIMS_DEVICE void add(unsigned r, unsigned bits) { words[r / rows_of_word] |= bits << r % rows_of_word * Items; }
    PARPRIMS_DEVICE void remove(unsigned r, unsigned bits)
    {
        words[r / rows_of_word] &= ~(bits << r % rows_of_word * Items);
    }
};

/// A row of a tile is 32 packets, one for each lane. If elements are not in memory, or aligned packets may cut
/// them, a packet is one element. The input begins with element `lead` of the packets, which need not be in the first one.
template <class Input, unsigned Rows>
struct tile_packets {
    using value_type = typename Input::value_type;
    /// Whether a lane holds its elements until they are written. Larger ones are read from the input again and written one by one.
    static constexpr bool is_staged =
        sizeof(value_type) <= max_staged_bytes && packet_items<Input> * sizeof(value_type) <= max_staged_packet_bytes;
    static constexpr unsigned items = is_staged ? packet_items<Input> : 1;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned rows = Rows;                    // of a warp
    static constexpr unsigned row = items * simt::warp_size;  // elements

    using bits_type = packet_bits<rows, items>;

    Input input;
    std::size_t n;
    unsigned lead;

    /// Returns the element. If it is a product, prevents fusing it with an addition in the predicate.
    template <class Element>
    PARPRIMS_DEVICE static value_type operand(Element&& element)
    {
        return device::operand<value_type, Input>(identity{}, std::forward<Element>(element));
    }

    /// A packet of the input, or an element.
    struct loaded {
        std::conditional_t<in_packets, simt::packet<16>, uninitialized<value_type>> bytes;

        PARPRIMS_DEVICE value_type value(const tile_packets& packets, unsigned k) const
        {
            if constexpr (in_packets)
                return operand(packets.input.value_of(simt::element<typename Input::source_type>(bytes, k)));
            else
                return bytes.value;
        }
    };

    /// What a thread keeps of a tile, in registers.
    struct state {
        loaded data[rows];
        bits_type kept;         // of each row: whether the elements of its packet are kept
        unsigned places[rows];  // place, among the tile's kept elements, of the first one of the lane's packet in row r
        unsigned total;         // of the tile
    };

    /// The elements of a lane in a tile. Element i of the input is element `lead` + i of its packets.
    struct lane_span {
        std::size_t origin;  // the first element of the lane's packet in row 0
        unsigned begin;      // of the elements from `origin` on, those in [begin, end) are in the input
        unsigned end;

        PARPRIMS_DEVICE bool is_full() const { return begin == 0 && (rows - 1) * row + items <= end; }
        PARPRIMS_DEVICE bool is_whole(unsigned r) const { return r * row >= begin && r * row + items <= end; }
        PARPRIMS_DEVICE bool is_live(unsigned r) const { return r * row + items > begin && r * row < end; }
        /// A bit for each element of the packet of row r that is in the input.
        PARPRIMS_DEVICE unsigned live_bits(unsigned r) const
        {
            const unsigned first = begin > r * row ? smaller_of(begin - r * row, items) : 0;
            const unsigned last = end > r * row ? smaller_of(end - r * row, items) : 0;
            return ((1u << last) - 1) & ~((1u << first) - 1);
        }
    };

    PARPRIMS_DEVICE lane_span span_of(simt::block block, std::size_t tile) const
    {
        const std::size_t origin = (first_packet(block, tile) + block.lane()) * items;
        const std::size_t behind = lead + n > origin ? lead + n - origin : 0;
        return {origin, lead > origin ? lead - static_cast<unsigned>(origin) : 0,
                behind < rows * row ? static_cast<unsigned>(behind) : rows * row};
    }

    /// Where this lane's packet of row r lies in shared memory.
    PARPRIMS_DEVICE static simt::packet<16>* packet_of_row(unsigned char* memory, unsigned r)
    {
        return reinterpret_cast<simt::packet<16>*>(memory) + (simt::block::warp() * rows + r) * simt::warp_size +
               simt::block::lane();
    }

    /// Where the packet before those of this warp lies in shared memory: behind those of all warps.
    PARPRIMS_DEVICE static simt::packet<16>* packet_before(unsigned char* memory)
    {
        return reinterpret_cast<simt::packet<16>*>(memory) + rows * simt::block::threads() + simt::block::warp();
    }

    /// The number of the first packet of the warp's part of a tile.
    PARPRIMS_DEVICE static std::size_t first_packet(simt::block block, std::size_t tile)
    {
        return (tile * block.warps() + block.warp()) * (rows * simt::warp_size);
    }

    /// For a warp: fills the packets of the first and the last element of the input, if they are not whole. One lane for
    /// each element. Places outside the input get a copy of the nearest element.
    PARPRIMS_DEVICE void fill_ends(simt::block block, unsigned char* memory, std::size_t tile) const
    {
        using source = typename Input::source_type;
        const std::size_t ends[] = {lead, lead + n - 1};
        for (const std::size_t end : ends) {
            const std::size_t packet = end / items;
            const std::size_t number = packet - first_packet(block, tile);  // in the warp's part
            const bool is_whole = packet * items >= lead && (packet + 1) * items <= lead + n;
            if (number < rows * simt::warp_size && !is_whole && n != 0 && block.lane() < items) {
                const std::size_t at = packet * items + block.lane();
                const std::size_t i = at < lead ? 0 : smaller_of(at - lead, n - 1);
                auto* const elements = reinterpret_cast<source*>(packet_of_row(memory, 0) - block.lane() + number);
                simt::store(elements, block.lane(), simt::load(input.data, i));
            }
        }
        simt::sync_warp();
    }

    /// The number in the tile of the first element of a lane's packet of row r.
    PARPRIMS_DEVICE static unsigned number_in_tile(simt::block block, unsigned r)
    {
        return ((block.warp() * rows + r) * simt::warp_size + block.lane()) * items;
    }
    /// The element with number 0 in a tile. That of the first tile may lie before the input; its sum with a number does not.
    PARPRIMS_DEVICE std::size_t origin_of(simt::block block, std::size_t tile) const
    {
        return tile * block.threads() * (rows * items) - lead;
    }
    /// The first element of a tile; n behind the last one.
    PARPRIMS_DEVICE std::size_t first_of(simt::block block, std::size_t tile) const
    {
        return tile == 0 ? 0 : smaller_of(origin_of(block, tile), n);
    }
};

}  // namespace parprims::detail::device
