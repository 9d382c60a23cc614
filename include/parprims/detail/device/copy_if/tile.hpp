/// @file
/// @brief  What a block of `copy_if` does with a tile: it tests each element, and writes those that pass without gaps.
///         Small values stay in registers until then; others are read again.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/copy_if/places.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/load/covering.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A row of a tile is 32 packets, one for each lane. If elements are not in memory, or aligned packets may cut
/// them, a packet is one element. The first `lead` elements of the packets lie before the input.
///
/// A `Work` of the long pass and of the short one.
/// @tparam  Input      the elements that are tested
/// @tparam  Outputs    `kept_outputs` of outputs, and an input as the source
/// @tparam  Predicate  of an element, or `starts_run`
/// @tparam  Size       of tiles, as `large_tile`
template <class Input, class Outputs, class Predicate, class Count, class Size>
struct copy_if_work {
    using value_type = typename Input::value_type;
    static constexpr bool reads_previous = is_starts_run<Predicate>;
    /// Whether the elements that pass go through shared memory. Larger ones are read from the input again and written one by one.
    static constexpr bool is_staged =
        sizeof(value_type) <= max_staged_bytes && packet_items<Input> * sizeof(value_type) <= max_staged_packet_bytes;
    static constexpr unsigned items = is_staged ? packet_items<Input> : 1;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned rows = Size::rows;              // of a warp
    static constexpr unsigned row = items * simt::warp_size;  // elements
    static constexpr unsigned max_threads = copy_if_threads;
    static constexpr unsigned usual_warps = max_threads / simt::warp_size;
    static constexpr unsigned blocks_per_sm(std::size_t) { return Size::blocks_per_sm; }
    static constexpr unsigned short_threads = max_threads;
    static constexpr unsigned short_blocks_per_sm = Size::blocks_per_sm;
    static constexpr bool holds_tile = true;
    static constexpr unsigned slots = 1;
    /// 2^27 elements take 0.97 (bytes) to 1.08 (doubles) of the time with it (H100, beside 216927a).
    static constexpr bool can_read_early = false;
    using total = unsigned;        // elements of a tile that are kept
    using prefix = std::uint64_t;  // elements that earlier tiles keep

    struct shared_storage {
        unsigned warp_totals[usual_warps];
    };

    // Shared memory of a block. First the fetched packets; each lane reads its own. Then the stage: the kept elements, shifted so that
    // they are aligned as in the output.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t fetched_bytes(unsigned threads)
    {
        return in_packets ? std::size_t{threads} * rows * 16 : 0;
    }
    static constexpr std::size_t slot_bytes(unsigned threads)
    {
        const std::size_t elements = std::size_t{threads} * rows * items;
        const std::size_t values = is_staged && Outputs::writes_kept ? 16 + elements * sizeof(value_type) : 16;
        const std::size_t shifts =
            Outputs::writes_rejected ? 32 : 0;  // the rejected ones come behind those that are kept
        const std::size_t numbers = Outputs::writes_other ? elements * sizeof(std::uint16_t) : 0;
        return fetched_bytes(threads) + larger_of(values + shifts, numbers);
    }

    Input input;
    std::size_t n;
    unsigned lead;
    Outputs outputs;
    Predicate predicate;
    Count count;
    std::size_t tiles;

    /// A packet of the input, or an element.
    struct loaded {
        std::conditional_t<in_packets, simt::packet<16>, uninitialized<value_type>> bytes;

        PARPRIMS_DEVICE value_type value(const copy_if_work& work, unsigned k) const
        {
            if constexpr (in_packets)
                return work.operand(work.input.value_of(simt::element<typename Input::source_type>(bytes, k)));
            else
                return bytes.value;
        }
    };

    /// What a thread keeps of a tile, in registers.
    struct state {
        loaded data[rows];
        unsigned kept[rows];    // bit k of row r: whether element k of its packet is kept
        unsigned places[rows];  // place, among the tile's kept elements, of the first one of the lane's packet in row r
        unsigned total;         // of the tile
    };
    struct fetched {};

    PARPRIMS_DEVICE std::size_t resize(std::size_t size)
    {
        n = size;
        lead = n == 0 ? 0 : lead;
        tiles = larger_of<std::size_t>(
            order::ceil_div(order::ceil_div(lead + n, items), std::size_t{simt::block::threads()} * rows), 1);
        return tiles;
    }

    PARPRIMS_DEVICE static unsigned char* slot(unsigned char* memory, unsigned) { return memory; }
    PARPRIMS_DEVICE prefix before_first() const { return 0; }

    /// Starts to copy the whole packets of a lane to shared memory. The lane must have read its previous packets.
    PARPRIMS_DEVICE void fetch(simt::block block, unsigned char* memory, std::size_t tile, fetched&) const
    {
        if constexpr (in_packets) {
            const lane_span span = span_of(block, tile);
            const auto* const packets = reinterpret_cast<const simt::packet<16>*>(input.data - lead + span.origin);
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (span.is_whole(r))
                    simt::copy_async(packet_of_row(memory, r), packets + r * simt::warp_size);
            simt::commit_copies();
        }
    }

    /// Loads a lane's packets, which were copied, asks for each element whether it is kept, and counts those of the warp.
    PARPRIMS_DEVICE void load(simt::block block, shared_storage& shared, unsigned char* memory, std::size_t tile,
                              const fetched&, state& mine) const
    {
        const lane_span span = span_of(block, tile);
        if constexpr (in_packets) {
            if (simt::ballot(!span.is_full()) != 0)
                fill_ends(block, memory, tile);
            simt::wait_copies<0>();
            if constexpr (reads_previous)
                simt::sync_warp();  // lanes read the packets before theirs
        }
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if constexpr (in_packets)
                mine.data[r].bytes = simt::load(packet_of_row(memory, r));
            else if constexpr (is_staged)
                if (span.is_live(r))
                    mine.data[r].bytes.value = operand(input[span.origin + r * row]);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            mine.kept[r] = 0;
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if (span.is_live(r)) {
                unsigned bits = 0;
                if constexpr (reads_previous)
                    bits = find_heads(memory, span, r, mine.data[r]);
                else if constexpr (is_staged)
#pragma unroll
                    for (unsigned k = 0; k < items; ++k)
                        bits |= (keeps(mine.data[r].value(*this, k)) ? 1u : 0u) << k;
                else
                    bits = keeps(operand(input[span.origin + r * row])) ? 1 : 0;
                mine.kept[r] = bits;
            }
        if (in_packets && !span.is_full())
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                mine.kept[r] &= span.live_bits(r);
        const unsigned warp_total = place_in_warp<items>(mine.kept, mine.places);
        if (block.lane() == 0)
            simt::store(shared.warp_totals, block.warp(), warp_total);
    }

    /// After a barrier: counts what the tile keeps.
    PARPRIMS_DEVICE uninitialized<total> find_total(simt::block block, const shared_storage& shared, unsigned char*,
                                                    std::size_t, state& mine) const
    {
        const unsigned of_warp = block.lane() < block.warps() ? simt::load(shared.warp_totals, block.lane()) : 0;
        mine.total = simt::sum_lanes(of_warp);
        const unsigned warp_before = simt::sum_lanes(block.lane() < block.warp() ? of_warp : 0);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            mine.places[r] += warp_before;
        return uninitialized<total>(mine.total);
    }

    /// For one warp, whose first `live` lanes hold totals of tiles: adds them up and stores the total of group g.
    PARPRIMS_DEVICE void fold_group(uninitialized<total>* groups, unsigned g, unsigned live,
                                    const uninitialized<total>& found) const
    {
        const unsigned sum = simt::sum_lanes(simt::block::lane() < live ? found.value : 0);
        if (simt::block::lane() == 0)
            simt::store(groups, g, sum);
    }

    /// Adds the groups [begin, end), which keep fewer than 2^32 elements.
    PARPRIMS_DEVICE void append(const uninitialized<total>* groups, unsigned begin, unsigned end, prefix& sum) const
    {
        const unsigned lane = simt::block::lane();
        sum += simt::sum_lanes(lane >= begin && lane < end ? simt::load(groups, lane) : 0);
    }

    /// Writes the kept elements, of which the first has place `before`. Has a barrier.
    PARPRIMS_DEVICE void write(simt::block block, unsigned char* memory, std::size_t tile, const state& mine,
                               prefix before) const
    {
        if (tile + 1 == tiles && block.thread() == 0)
            *count = static_cast<std::size_t>(before + mine.total);
        unsigned char* const stage = memory + fetched_bytes(block.threads());
        if constexpr (Outputs::writes_kept) {
            if constexpr (is_staged)
                write_tested(block, stage, tile, mine, before);
            else
                write_wide(block, tile, mine, before);
        }
        if constexpr (Outputs::writes_other) {
            if constexpr (is_staged && Outputs::writes_kept)
                block.sync();  // the kept elements have been read from the stage
            write_other(block, reinterpret_cast<std::uint16_t*>(stage), tile, mine, before);
        }
    }

private:
    /// Returns the element. If it is a product, prevents fusing it with an addition in the predicate.
    template <class Element>
    PARPRIMS_DEVICE static value_type operand(Element&& element)
    {
        return device::operand<value_type, Input>(identity{}, std::forward<Element>(element));
    }

    PARPRIMS_DEVICE bool keeps(const value_type& value) const { return static_cast<bool>(predicate(value)); }

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

    template <class Output>
    static constexpr bool writes_packets =
        std::is_same_v<typename Output::value_type, value_type> && alignof(value_type) <= 16;

    /// Bytes from the last 16-byte boundary to element i of an output.
    template <class Output>
    PARPRIMS_DEVICE static unsigned shift_at(const Output& output, [[maybe_unused]] std::size_t i)
    {
        if constexpr (writes_packets<Output>)
            return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data + i) % 16);
        else
            return 0;
    }

    /// Writes `total` elements to an output, from place `before` on.
    template <class Output>
    PARPRIMS_DEVICE static void write_stage(simt::block block, const Output& output, const unsigned char* stage,
                                            unsigned shift, std::size_t before, unsigned total)
    {
        const auto* const values = reinterpret_cast<const value_type*>(stage + shift);
        if constexpr (writes_packets<Output>) {
            block::write_covering(reinterpret_cast<unsigned char*>(output.data + before) - shift, stage, shift,
                                  shift + total * static_cast<unsigned>(sizeof(value_type)), block.thread(),
                                  block.threads());
        } else {
            for (unsigned i = block.thread(); i < total; i += block.threads())
                output.set(before + i, simt::load(values, i));
        }
    }

    /// Writes elements through shared memory, so that whole packets can be stored.
    PARPRIMS_DEVICE void write_tested(simt::block block, unsigned char* region, [[maybe_unused]] std::size_t tile,
                                      const state& mine, prefix before) const
    {
        const unsigned shift = shift_at(outputs.kept, before);
        auto* const stage = reinterpret_cast<value_type*>(region + shift);
        [[maybe_unused]] lane_span span{};
        [[maybe_unused]] unsigned char* rejected_region = region;
        [[maybe_unused]] unsigned rejected_shift = 0;
        [[maybe_unused]] value_type* rejected_stage = stage;
        [[maybe_unused]] std::size_t first = 0;  // of the tile, in the input
        [[maybe_unused]] std::size_t rejected_before = 0;
        if constexpr (Outputs::writes_rejected) {
            span = span_of(block, tile);
            first = first_of(block, tile);
            rejected_before = first - before;
            rejected_shift = shift_at(outputs.rejected, rejected_before);
            rejected_region += (shift + mine.total * sizeof(value_type) + 15) / 16 * 16;
            rejected_stage = reinterpret_cast<value_type*>(rejected_region + rejected_shift);
        }
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
            unsigned place = mine.places[r];
            [[maybe_unused]] unsigned rejected = 0;  // bits
            [[maybe_unused]] unsigned rejected_place = 0;
            if constexpr (Outputs::writes_rejected) {
                rejected = span.live_bits(r) & ~mine.kept[r];
                const std::size_t i = span.origin + r * row;
                rejected_place = static_cast<unsigned>((i > lead ? i - lead : 0) - first) - place;
            }
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                if ((mine.kept[r] >> k & 1) != 0)
                    simt::store(stage, place++, mine.data[r].value(*this, k));
                if constexpr (Outputs::writes_rejected)
                    if ((rejected >> k & 1) != 0)
                        simt::store(rejected_stage, rejected_place++, mine.data[r].value(*this, k));
            }
        }
        block.sync();
        write_stage(block, outputs.kept, region, shift, before, mine.total);
        if constexpr (Outputs::writes_rejected)
            write_stage(block, outputs.rejected, rejected_region, rejected_shift, rejected_before,
                        static_cast<unsigned>(first_of(block, tile + 1) - first) - mine.total);
    }

    /// Reads larger elements again, and writes them one by one.
    PARPRIMS_DEVICE void write_wide(simt::block block, std::size_t tile, const state& mine, prefix before) const
    {
        const lane_span span = span_of(block, tile);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
            const std::size_t i = span.origin + r * row;
            const std::size_t place = before + mine.places[r];
            if (mine.kept[r] != 0)
                outputs.kept.set(place, operand(input[i]));
            else if constexpr (Outputs::writes_rejected)
                if (span.is_live(r))
                    outputs.rejected.set(i - place, operand(input[i]));
        }
        block.sync();
    }

    /// Writes what belongs to the kept elements. Their numbers in the tile go through shared memory, so that neighbouring lanes read
    /// from `source` and write side by side. Each lane reads several before it writes any.
    PARPRIMS_DEVICE void write_other(simt::block block, std::uint16_t* numbers, std::size_t tile, const state& mine,
                                     prefix before) const
    {
        const unsigned packet = block.warp() * (rows * simt::warp_size) + block.lane();  // of row 0
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
            unsigned place = mine.places[r];
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if ((mine.kept[r] >> k & 1) != 0)
                    simt::store(numbers, place++,
                                static_cast<std::uint16_t>((packet + r * simt::warp_size) * items + k));
        }
        block.sync();
        const std::size_t origin = tile * tile_packets(block) * items - lead;  // the sum with a number is not negative
        using other_type = typename decltype(outputs.source)::value_type;
        constexpr unsigned batch = sizeof(other_type) <= 16 ? other_batch : 1;
#pragma unroll 1
        for (unsigned i = block.thread(); i < mine.total; i += batch * block.threads()) {
            uninitialized<other_type> next[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned place = i + b * block.threads(); place < mine.total)
                    next[b].value = outputs.source[origin + simt::load(numbers, place)];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned place = i + b * block.threads(); place < mine.total)
                    outputs.other.set(before + place, next[b].value);
        }
    }

    /// Which elements of a lane's packet of row r differ from the one before them, as bits. The first element of the input is kept.
    PARPRIMS_DEVICE unsigned find_heads(unsigned char* memory, const lane_span& span, unsigned r,
                                        const loaded& packet) const
    {
        const std::size_t i = span.origin + r * row;
        unsigned bits = 0;
        if constexpr (is_staged)
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                bits |= (is_head(packet.value(*this, k - 1), packet.value(*this, k)) ? 1u : 0u) << k;
        if (i <= lead)
            return bits | 1u << (lead - i);
        if constexpr (!is_staged)
            return is_head(operand(input[i - 1]), operand(input[i])) ? 1 : 0;
        else if constexpr (!in_packets)
            return is_head(operand(input[i - 1]), packet.value(*this, 0)) ? 1 : 0;
        else
            return bits | (is_head(value_before(memory, i, r), packet.value(*this, 0)) ? 1u : 0u);
    }

    /// The element before the lane's packet of row r. It lies in shared memory, except that before the packets of the warp.
    PARPRIMS_DEVICE value_type value_before(unsigned char* memory, std::size_t i, unsigned r) const
    {
        using source = typename Input::source_type;
        if (r == 0 && simt::block::lane() == 0)
            return operand(input.value_of(simt::load(input.data, i - lead - 1)));
        return operand(input.value_of(simt::load(reinterpret_cast<const source*>(packet_of_row(memory, r)) - 1)));
    }

    PARPRIMS_DEVICE bool is_head(const value_type& previous, const value_type& value) const
    {
        return !predicate.equal(previous, value);
    }

    PARPRIMS_DEVICE static std::size_t tile_packets(simt::block block) { return block.threads() * rows; }
    /// The first element of a tile; n behind the last one.
    PARPRIMS_DEVICE std::size_t first_of(simt::block block, std::size_t tile) const
    {
        const std::size_t origin = tile * tile_packets(block) * items;
        return smaller_of(origin > lead ? origin - lead : 0, n);
    }
};

}  // namespace parprims::detail::device
