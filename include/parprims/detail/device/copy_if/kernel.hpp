/// @file
/// @brief  The kernel of `copy_if`: a block keeps a tile in registers, learns how many elements the tiles before it keep, and
///         writes its own side by side.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/copy_if/places.hpp>
#include <parprims/detail/device/copy_if/status.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// The elements of a row of a tile are in packets, one for each lane. Where elements do not lie in memory, or may lie across
/// aligned packets, a packet is one element. `lead` elements of the first packet lie before the input.
template <class Input, class Output, class Predicate, class Count, class Size>
struct copy_if_kernel {
    using value_type = typename Input::value_type;
    /// Other values are read again, one by one.
    static constexpr bool is_staged =
        sizeof(value_type) <= max_staged_bytes && packet_items<Input> * sizeof(value_type) <= max_staged_packet_bytes;
    static constexpr unsigned items = is_staged ? packet_items<Input> : 1;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned rows = Size::rows;              // of a warp
    static constexpr unsigned row = items * simt::warp_size;  // elements
    static constexpr unsigned max_threads = copy_if_threads;
    static constexpr unsigned min_blocks = Size::blocks_per_sm;
    static constexpr unsigned ticket_slots = 4;

    struct alignas(simt::shared_line_bytes) shared_storage {
        kept_status::shared_storage sums;
        std::size_t tiles[ticket_slots];                         // of the round before, this one and the next two
        unsigned warp_totals[2][max_threads / simt::warp_size];  // of this round and the one before
        bool is_last;
    };
    // The packets of the next tile follow it, of which a lane reads only what it has fetched; then the stage, where the
    // elements that are kept begin as they do in a packet of the output.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t fetched_bytes(unsigned threads)
    {
        return in_packets ? std::size_t{threads} * rows * 16 : 0;
    }
    static constexpr std::size_t shared_bytes(unsigned threads)
    {
        const std::size_t values = is_staged ? std::size_t{threads} * rows * items * sizeof(value_type) : 0;
        return sizeof(shared_storage) + fetched_bytes(threads) + 16 + values;
    }

    Input input;
    std::size_t n;
    unsigned lead;
    Output output;
    Count count;
    Predicate predicate;
    kept_status status;  // its memory is not used for a single tile

    /// In each round a block publishes the count of its next tile, and then writes the elements of its current one: so the counts
    /// before that one, published in the round before, are there.
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Draw the tickets of two tiles, and start to copy the first.
        if (block.thread() == 0)
            for (unsigned round = 0; round < 2; ++round)
                simt::store(shared.tiles, round, draw_tile(block, round));
        block.sync();
        if (simt::load(shared.tiles, 0) < status.tiles)
            fetch(shared, span_of(block, simt::load(shared.tiles, 0)));

        // 2. In each round, publish the count of the next tile and write the current one.
        tile_state current;
        std::size_t current_tile = 0;
        std::size_t counted = 0;   // tiles whose counts have been added
        std::uint64_t before = 0;  // elements that they keep
        for (unsigned round = 0;; ++round) {
            const std::size_t tile = simt::load(shared.tiles, round % ticket_slots);
            const bool more = tile < status.tiles;
            tile_state next;
            if (more)
                prepare(block, shared, tile, round, next);
            if (round != 0) {
                before += status.sum(block, shared.sums, counted, current_tile);
                write(block, shared, current_tile, current, before);
                before += current.total;
                counted = current_tile + 1;
            }
            if (!more)
                break;
            current = next;
            current_tile = tile;
        }

        // 3. The last block to leave zeroes the status words.
        status.depart(block, shared.is_last);
    }

private:
    /// The element. A product is rounded before it is used: never fused with an addition.
    template <class Element>
    PARPRIMS_DEVICE static value_type enter(Element&& element)
    {
        return device::enter<value_type, Input>(identity{}, std::forward<Element>(element));
    }

    /// A packet of the input, or an element.
    struct loaded {
        std::conditional_t<in_packets, simt::packet<16>, uninitialized<value_type>> bytes;

        PARPRIMS_DEVICE value_type value(const copy_if_kernel& kernel, unsigned k) const
        {
            if constexpr (in_packets)
                return kernel.enter(kernel.input.of(simt::element<typename Input::source_type>(bytes, k)));
            else
                return bytes.value;
        }
    };

    /// What a thread keeps of a tile, in registers.
    struct tile_state {
        loaded data[rows];
        unsigned kept[rows];    // bit k of row r: whether element k of its packet is kept
        unsigned places[rows];  // elements of the tile that are kept before those of row r
        unsigned total;         // of the tile
    };

    /// Asks which elements of a tile to keep, and publishes how many they are. Draws a ticket, too, and starts to copy the next
    /// tile: 2^28 ints take 472 us, 488 where that waited for the count to be published (H200, 78e79d1).
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, std::size_t tile, unsigned round,
                                 tile_state& state) const
    {
        const std::size_t drawn = block.thread() == 0 ? draw_tile(block, round + 2) : 0;
        load(shared, span_of(block, tile), state.data, state.kept);
        if (const std::size_t upcoming = simt::load(shared.tiles, (round + 1) % ticket_slots); upcoming < status.tiles)
            fetch(shared, span_of(block, upcoming));
        const unsigned warp_total = place_in_warp<items>(state.kept, state.places);
        unsigned* const warp_totals = shared.warp_totals[round % 2];
        if (block.lane() == 0)
            simt::store(warp_totals, block.warp(), warp_total);
        if (block.thread() == 0)
            simt::store(shared.tiles, (round + 2) % ticket_slots, drawn);
        block.sync();
        const unsigned of_warp = block.lane() < block.warps() ? simt::load(warp_totals, block.lane()) : 0;
        state.total = simt::sum_lanes(of_warp);
        const unsigned warp_before = simt::sum_lanes(block.lane() < block.warp() ? of_warp : 0);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            state.places[r] += warp_before;
        if (status.tiles != 1 && block.thread() == 0)
            status.publish(tile, state.total);
    }

    /// Writes the elements of a tile: by way of shared memory, so that they leave in packets. Has a barrier.
    PARPRIMS_DEVICE void write(simt::block block, shared_storage& shared, std::size_t tile, const tile_state& state,
                               std::size_t before) const
    {
        if (tile + 1 == status.tiles && block.thread() == 0)
            *count = before + state.total;
        if constexpr (is_staged) {
            const unsigned shift = shift_at(before);
            auto* const region = reinterpret_cast<unsigned char*>(&shared + 1) + fetched_bytes(block.threads());
            auto* const stage = reinterpret_cast<value_type*>(region + shift);
#pragma unroll
            for (unsigned r = 0; r < rows; ++r) {
                unsigned place = state.places[r];
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if ((state.kept[r] >> k & 1) != 0)
                        simt::store(stage, place++, state.data[r].value(*this, k));
            }
            block.sync();
            write_stage(block, region, shift, before, state.total);
        } else {
            const std::size_t origin = span_of(block, tile).origin;
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (state.kept[r] != 0)
                    output.set(before + state.places[r], enter(input[origin + r * row]));
            block.sync();
        }
    }

    /// The elements of a lane in a tile. Element i of the input is element `lead` + i of its packets.
    struct lane_span {
        std::size_t origin;  // the first element of the lane's packet in row 0
        unsigned begin;      // of the elements from `origin` on, those in [begin, end) are in the input
        unsigned end;

        PARPRIMS_DEVICE bool is_full() const { return begin == 0 && (rows - 1) * row + items <= end; }
        PARPRIMS_DEVICE bool is_whole(unsigned r) const { return r * row >= begin && r * row + items <= end; }
        PARPRIMS_DEVICE bool is_live(unsigned r) const { return r * row + items > begin && r * row < end; }
    };

    PARPRIMS_DEVICE lane_span span_of(simt::block block, std::size_t tile) const
    {
        const std::size_t first = (tile * block.warps() + block.warp()) * rows * simt::warp_size + block.lane();
        const std::size_t origin = first * items;
        const std::size_t behind = lead + n > origin ? lead + n - origin : 0;
        return {origin, lead > origin ? lead - static_cast<unsigned>(origin) : 0,
                behind < rows * row ? static_cast<unsigned>(behind) : rows * row};
    }

    PARPRIMS_DEVICE std::size_t draw_tile(simt::block block, unsigned round) const
    {
        if (status.tiles == 1)
            return round;
        // With a tile for each block there is none for a second ticket, and drawing one takes time.
        return round != 0 && status.tiles <= block.count() ? status.tiles : status.draw_tile();
    }

    /// Where this lane's packet of row r lies in shared memory.
    PARPRIMS_DEVICE static simt::packet<16>* fetched(shared_storage& shared, unsigned r)
    {
        return reinterpret_cast<simt::packet<16>*>(&shared + 1) + (simt::block::warp() * rows + r) * simt::warp_size +
               simt::block::lane();
    }

    /// Starts to copy the whole packets of a lane to shared memory, once the lane has read those that were there.
    PARPRIMS_DEVICE void fetch(shared_storage& shared, const lane_span& span) const
    {
        if constexpr (in_packets) {
            const auto* const packets = reinterpret_cast<const simt::packet<16>*>(input.data - lead + span.origin);
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (span.is_whole(r))
                    simt::copy_async(fetched(shared, r), packets + r * simt::warp_size);
            simt::commit_copies();
        }
    }

    /// Loads a lane's packets, and asks for each element whether it is kept.
    PARPRIMS_DEVICE void load(shared_storage& shared, const lane_span& span, loaded (&data)[rows],
                              unsigned (&kept)[rows]) const
    {
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            kept[r] = 0;
        if constexpr (in_packets) {
            simt::wait_copies<0>();
            if (!span.is_full())
                load_ends(shared, span, kept);
        }
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if constexpr (in_packets)
                data[r].bytes = simt::load(fetched(shared, r));
            else if constexpr (is_staged)
                if (span.is_whole(r))
                    data[r].bytes.value = enter(input[span.origin + r * row]);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if (span.is_whole(r)) {
                unsigned bits = 0;
                if constexpr (is_staged)
#pragma unroll
                    for (unsigned k = 0; k < items; ++k)
                        bits |= (keeps(data[r].value(*this, k)) ? 1u : 0u) << k;
                else
                    bits = keeps(enter(input[span.origin + r * row])) ? 1 : 0;
                kept[r] = bits;
            }
    }

    /// Brings the first and the last packet, if they are not whole, to shared memory element by element, and asks which are kept.
    PARPRIMS_DEVICE void load_ends(shared_storage& shared, const lane_span& span, unsigned (&kept)[rows]) const
    {
#pragma unroll 1
        for (unsigned r = 0; r < rows; ++r) {
            if (span.is_whole(r) || !span.is_live(r))
                continue;
            using source = typename Input::source_type;
            auto* const elements = reinterpret_cast<source*>(fetched(shared, r));
            unsigned bits = 0;
#pragma unroll 1
            for (unsigned k = 0; k < items; ++k)
                if (r * row + k >= span.begin && r * row + k < span.end) {
                    const source element = simt::load(input.data, span.origin + r * row + k - lead);
                    simt::store(elements, k, element);
                    bits |= (keeps(enter(input.of(element))) ? 1u : 0u) << k;
                }
#pragma unroll
            for (unsigned q = 0; q < rows; ++q)  // registers have no index
                kept[q] = q == r ? bits : kept[q];
        }
    }

    PARPRIMS_DEVICE bool keeps(const value_type& value) const { return static_cast<bool>(predicate(value)); }

    static constexpr bool writes_packets =
        std::is_same_v<typename Output::value_type, value_type> && alignof(value_type) <= 16;

    /// Where element i of the output lies behind a multiple of 16.
    PARPRIMS_DEVICE unsigned shift_at([[maybe_unused]] std::size_t i) const
    {
        if constexpr (writes_packets)
            return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data + i) % 16);
        else
            return 0;
    }

    /// Writes `total` elements to the output, from place `before` on.
    PARPRIMS_DEVICE void write_stage(simt::block block, const unsigned char* stage, unsigned shift, std::size_t before,
                                     unsigned total) const
    {
        const auto* const values = reinterpret_cast<const value_type*>(stage + shift);
        if constexpr (writes_packets) {
            using packet = simt::packet<16>;
            const unsigned end = shift + total * static_cast<unsigned>(sizeof(value_type));
            auto* const to = reinterpret_cast<unsigned char*>(output.data + before) - shift;
            for (unsigned p = block.thread(); p < end / 16; p += block.threads())
                if (p > 0 || shift == 0)
                    simt::store_streaming(reinterpret_cast<packet*>(to) + p,
                                          simt::load(reinterpret_cast<const packet*>(stage), p));
            // The packets at both ends also have bytes of other tiles.
            const unsigned byte = block.thread() % 16;
            if (block.thread() < 16 && shift != 0 && byte >= shift && byte < end)
                simt::store(to, byte, simt::load(stage, byte));
            const unsigned last = end / 16 * 16 + byte;
            if (block.thread() >= 16 && block.thread() < 32 && last < end && (last >= 16 || shift == 0))
                simt::store(to, last, simt::load(stage, last));
        } else {
            for (unsigned i = block.thread(); i < total; i += block.threads())
                output.set(before + i, simt::load(values, i));
        }
    }
};

}  // namespace parprims::detail::device
