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

/// Of elements that are kept: how many, and where the last one ends; 0 if there is none.
template <class Number>
struct kept_runs {
    Number kept;
    std::uint64_t end;
};

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
    static constexpr bool writes_lengths = Outputs::writes_lengths;
    /// Elements of a tile that are kept. For lengths also the end of the last one, in the input; 0 if none is kept.
    using total = std::conditional_t<writes_lengths, kept_runs<unsigned>, unsigned>;
    /// The same of all earlier tiles.
    using prefix = std::conditional_t<writes_lengths, kept_runs<std::uint64_t>, std::uint64_t>;

    struct shared_storage {
        unsigned warp_totals[usual_warps];
        unsigned warp_ends[writes_lengths ? usual_warps : 1];  // of the last kept element, in the tile
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
        const std::size_t values = is_staged && Outputs::writes_elements ? 16 + elements * sizeof(value_type) : 16;
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
    PARPRIMS_DEVICE prefix before_first() const { return {}; }

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
        if constexpr (Outputs::finds_long_runs)
            keep_ends_of_long_runs(block, span, mine);
        if (in_packets && !span.is_full())
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                mine.kept[r] &= span.live_bits(r);
        const unsigned warp_total = place_in_warp<items>(mine.kept, mine.places);
        if (block.lane() == 0)
            simt::store(shared.warp_totals, block.warp(), warp_total);
        if constexpr (writes_lengths) {
            unsigned end = 0;
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (mine.kept[r] != 0)
                    end = number_in_tile(block, r) + simt::highest_lane(mine.kept[r]) + 1;
            end = ~simt::min_lanes(~end);
            if (block.lane() == 0)
                simt::store(shared.warp_ends, block.warp(), end);
        }
    }

    /// After a barrier: counts what the tile keeps.
    PARPRIMS_DEVICE uninitialized<total> find_total(simt::block block, const shared_storage& shared, unsigned char*,
                                                    [[maybe_unused]] std::size_t tile, state& mine) const
    {
        const unsigned of_warp = block.lane() < block.warps() ? simt::load(shared.warp_totals, block.lane()) : 0;
        mine.total = simt::sum_lanes(of_warp);
        const unsigned warp_before = simt::sum_lanes(block.lane() < block.warp() ? of_warp : 0);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            mine.places[r] += warp_before;
        if constexpr (writes_lengths) {
            const unsigned end = block.lane() < block.warps() ? simt::load(shared.warp_ends, block.lane()) : 0;
            const unsigned last = ~simt::min_lanes(~end);
            return uninitialized<total>({mine.total, last == 0 ? 0 : origin_of(block, tile) + last});
        } else {
            return uninitialized<total>(mine.total);
        }
    }

    /// For one warp, whose first `live` lanes hold totals of tiles: adds them up and stores the total of group g.
    PARPRIMS_DEVICE void fold_group(uninitialized<total>* groups, unsigned g, unsigned live,
                                    const uninitialized<total>& found) const
    {
        const bool is_live = simt::block::lane() < live;
        total sum{};
        if constexpr (writes_lengths)
            sum = {simt::sum_lanes(is_live ? found.value.kept : 0), last_end(is_live ? found.value.end : 0)};
        else
            sum = simt::sum_lanes(is_live ? found.value : 0);
        if (simt::block::lane() == 0)
            simt::store(groups, g, uninitialized<total>(sum));
    }

    /// Adds the groups [begin, end), which keep fewer than 2^32 elements.
    PARPRIMS_DEVICE void append(const uninitialized<total>* groups, unsigned begin, unsigned end, prefix& sum) const
    {
        const unsigned lane = simt::block::lane();
        const total found = lane >= begin && lane < end ? simt::load(groups, lane) : total{};
        if constexpr (writes_lengths) {
            const std::uint64_t last = last_end(found.end);
            sum = {sum.kept + simt::sum_lanes(found.kept), last != 0 ? last : sum.end};
        } else {
            sum += simt::sum_lanes(found);
        }
    }

    /// Writes the kept elements, of which the first has place `before`. Has a barrier.
    PARPRIMS_DEVICE void write(simt::block block, unsigned char* memory, std::size_t tile, const state& mine,
                               const prefix& earlier) const
    {
        std::uint64_t before = 0;
        if constexpr (writes_lengths)
            before = earlier.kept;
        else
            before = earlier;
        if (tile + 1 == tiles && block.thread() == 0)
            *count = static_cast<std::size_t>((before + mine.total) / (Outputs::finds_long_runs ? 2 : 1));
        unsigned char* const stage = memory + fetched_bytes(block.threads());
        if constexpr (Outputs::writes_elements) {
            if constexpr (is_staged)
                write_tested(block, stage, tile, mine, before);
            else
                write_wide(block, tile, mine, before);
        }
        if constexpr (Outputs::writes_other) {
            if constexpr (is_staged && Outputs::writes_elements)
                block.sync();  // the kept elements have been read from the stage
            auto* const numbers = reinterpret_cast<std::uint16_t*>(stage);
            store_numbers(block, numbers, mine);
            block.sync();
            if constexpr (Outputs::finds_long_runs)
                write_long_runs(block, numbers, tile, mine.total, earlier);
            else if constexpr (writes_lengths)
                write_lengths(block, numbers, tile, mine.total, earlier);
            else
                write_other(block, numbers, tile, mine.total, before);
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
                                      const state& mine, std::uint64_t before) const
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
    PARPRIMS_DEVICE void write_wide(simt::block block, std::size_t tile, const state& mine, std::uint64_t before) const
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

    /// Stores the numbers of the kept elements in the tile side by side.
    PARPRIMS_DEVICE void store_numbers(simt::block block, std::uint16_t* numbers, const state& mine) const
    {
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
            unsigned place = mine.places[r];
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if ((mine.kept[r] >> k & 1) != 0)
                    simt::store(numbers, place++, static_cast<std::uint16_t>(number_in_tile(block, r) + k));
        }
    }

    /// Writes what belongs to the kept elements: neighbouring lanes read from `source` and write side by side. Each lane reads several
    /// before it writes any.
    PARPRIMS_DEVICE void write_other(simt::block block, const std::uint16_t* numbers, std::size_t tile, unsigned kept,
                                     std::uint64_t before) const
    {
        const std::size_t origin = origin_of(block, tile);
        using other_type = typename decltype(outputs.source)::value_type;
        constexpr unsigned batch = sizeof(other_type) <= 16 ? other_batch : 1;
#pragma unroll 1
        for (unsigned i = block.thread(); i < kept; i += batch * block.threads()) {
            uninitialized<other_type> next[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned place = i + b * block.threads(); place < kept)
                    next[b].value = outputs.source[origin + simt::load(numbers, place)];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned place = i + b * block.threads(); place < kept)
                    outputs.other.set(before + place, next[b].value);
        }
    }

    /// Writes the lengths of the runs that end in the tile: the one before each that begins here, and the last one of the input.
    PARPRIMS_DEVICE void write_lengths(simt::block block, const std::uint16_t* numbers, std::size_t tile, unsigned kept,
                                       const prefix& earlier) const
    {
        const auto begin_of = [&](unsigned i) { return origin_of(block, tile) + simt::load(numbers, i); };
        for (unsigned i = block.thread(); i < kept; i += block.threads())
            if (earlier.kept + i != 0)
                outputs.other.set(earlier.kept + i - 1, begin_of(i) - (i != 0 ? begin_of(i - 1) : earlier.end - 1));
        if (tile + 1 == tiles && block.thread() == 0 && n != 0)
            outputs.other.set(earlier.kept + kept - 1, n - (kept != 0 ? begin_of(kept - 1) : earlier.end - 1));
    }

    /// Writes where long runs begin, and their lengths where they end: first and last elements alternate.
    PARPRIMS_DEVICE void write_long_runs(simt::block block, const std::uint16_t* numbers, std::size_t tile,
                                         unsigned kept, const prefix& earlier) const
    {
        const auto element = [&](unsigned i) { return origin_of(block, tile) + simt::load(numbers, i); };
        for (unsigned i = block.thread(); i < kept; i += block.threads()) {
            const std::uint64_t place = earlier.kept + i;
            if (place % 2 == 0)
                outputs.kept.set(place / 2, element(i));
            else
                outputs.other.set(place / 2, element(i) + 1 - (i != 0 ? element(i - 1) : earlier.end - 1));
        }
    }

    /// The last of the lanes' ends that is not 0; 0 if there is none.
    PARPRIMS_DEVICE static std::uint64_t last_end(std::uint64_t end)
    {
        const simt::lane_mask lanes = simt::ballot(end != 0);
        return lanes == 0 ? 0 : simt::shuffle(end, simt::highest_lane(lanes));
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

    /// Of the first elements of runs, keeps those after which none begins; and keeps those before which one begins that are no first ones
    /// themselves.
    PARPRIMS_DEVICE void keep_ends_of_long_runs(simt::block block, const lane_span& span, state& mine) const
    {
        constexpr unsigned all = (1u << items) - 1;
        unsigned heads[rows + 1];  // behind the last element of the input, runs begin
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            heads[r] = (mine.kept[r] | ~0u << (span.end > r * row ? smaller_of(span.end - r * row, items) : 0)) & all;
        heads[rows] = 1;
        const std::size_t next = span.origin + (rows - 1) * row + items;  // behind the packets of the warp
        if (block.lane() == simt::warp_size - 1 && next < lead + n) {
            if constexpr (is_staged)
                heads[rows] = is_head(mine.data[rows - 1].value(*this, items - 1), operand(input[next - lead])) ? 1 : 0;
            else
                heads[rows] = is_head(operand(input[next - 1]), operand(input[next])) ? 1 : 0;
        }
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
            const unsigned above = simt::shuffle_down(heads[r] & 1, 1);
            const unsigned in_next_row = r + 1 < rows ? simt::shuffle(heads[r + 1] & 1, 0) : heads[rows];
            const unsigned following = block.lane() == simt::warp_size - 1 ? in_next_row : above;
            mine.kept[r] = heads[r] ^ (heads[r] >> 1 | following << (items - 1));
        }
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
