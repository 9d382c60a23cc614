/// @file
/// @brief  What a block of `copy_if` does with a tile: it tests each element, and writes those that pass side by side.
///         Small values stay in registers until then; others are read again.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/copy_if/outputs.hpp>
#include <parprims/detail/device/copy_if/tests.hpp>
#include <parprims/detail/device/copy_if/tile_packets.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/load/fetch.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A `Work` of the long pass and of the short one.
/// @tparam  Input      the elements that are tested
/// @tparam  Outputs    `kept_outputs` of outputs, and an input as the source
/// @tparam  Predicate  of an element, or `starts_run`
/// @tparam  Size       of tiles, as `large_tile`
template <class Input, class Outputs, class Predicate, class Count, class Size>
struct copy_if_work {
    using packets_type = tile_packets<Input, Size::rows>;
    using value_type = typename packets_type::value_type;
    using lane_span = typename packets_type::lane_span;
    static constexpr bool is_staged = packets_type::is_staged;
    static constexpr bool in_packets = packets_type::in_packets;
    static constexpr unsigned items = packets_type::items;
    static constexpr unsigned rows = packets_type::rows;
    /// Whether only the places of the tested elements are used, of which a packet has 8 or 16: a stencil of bytes or of halves, lengths alone.
    static constexpr bool tests_many = !Outputs::writes_kept && items > max_sparse_items;
    static constexpr unsigned max_threads =
        tests_many && rows == small_tile::rows ? few_stencil_threads : copy_if_threads;
    static constexpr unsigned usual_warps = max_threads / simt::warp_size;
    static constexpr unsigned blocks_per_sm(std::size_t) { return Size::blocks_per_sm; }
    static constexpr unsigned short_threads = max_threads;
    static constexpr unsigned short_blocks_per_sm = Size::blocks_per_sm;
    static constexpr bool holds_tile = true;
    static constexpr unsigned slots = 1;
    static constexpr bool can_read_early = false;  // takes less time for bytes, more for doubles
    static constexpr bool writes_lengths = Outputs::writes_lengths;
    /// How many elements of a tile are kept. For lengths also the elements from the last kept one on, as if the tile were full: the last tile's
    /// are not used, and those before the input lie in front of a kept one.
    using total = std::conditional_t<writes_lengths, kept_runs<unsigned>, unsigned>;
    /// The `total` of all earlier tiles together.
    using prefix = std::conditional_t<writes_lengths, kept_runs<std::uint64_t>, std::uint64_t>;

    struct shared_storage {
        unsigned warp_totals[usual_warps];
        unsigned warp_ends[writes_lengths ? usual_warps : 1];  // one past the last kept element, or 0
    };

    // Shared memory of a block. First the fetched packets: each lane reads its own, and for runs the element before, so for runs also the
    // packet before those of each warp. Then the stage: the kept elements, shifted so that they are aligned as in the output.
    PARPRIMS_HOST_DEVICE static constexpr std::size_t fetched_bytes(unsigned threads)
    {
        const std::size_t packets_before = is_starts_run<Predicate> ? threads / simt::warp_size : 0;
        return in_packets ? (std::size_t{threads} * rows + packets_before) * 16 : 0;
    }
    static constexpr bool stages_elements = is_staged && Outputs::writes_elements;
    // The numbers of the kept elements in the tile lie behind the stage. If elements have less than four bytes: in its place, after it has been
    // written out; then two blocks fit 164 KiB (2 bytes) or 228 KiB (bytes).
    static constexpr bool has_numbers_beside =
        Outputs::writes_other && (!stages_elements || sizeof(value_type) >= 2 * sizeof(std::uint16_t));
    PARPRIMS_HOST_DEVICE static constexpr std::size_t stage_bytes(unsigned threads)
    {
        const std::size_t shifts =
            Outputs::writes_rejected ? 48 : 16;  // the rejected ones come behind those that are kept
        return stages_elements ? shifts + std::size_t{threads} * rows * items * sizeof(value_type) : 0;
    }
    static constexpr std::size_t slot_bytes(unsigned threads)
    {
        const std::size_t numbers =
            Outputs::writes_other ? std::size_t{threads} * rows * items * sizeof(std::uint16_t) : 0;
        const std::size_t values = stage_bytes(threads);
        return fetched_bytes(threads) + (has_numbers_beside ? values + numbers : larger_of(values, numbers));
    }

    packets_type packets;
    Outputs outputs;
    Predicate predicate;
    Count count;
    std::size_t tiles;

    using state = typename packets_type::state;
    struct fetched {};

    PARPRIMS_DEVICE std::size_t resize(std::size_t size)
    {
        packets.n = size;
        packets.lead = size == 0 ? 0 : packets.lead;
        tiles = larger_of<std::size_t>(order::ceil_div(order::ceil_div(packets.lead + size, items),
                                                       std::size_t{simt::block::threads()} * rows),
                                       1);
        return tiles;
    }

    PARPRIMS_DEVICE static unsigned char* slot(unsigned char* memory, unsigned) { return memory; }
    PARPRIMS_DEVICE prefix before_first() const { return {}; }

    /// By one thread, for a tile that its block will fetch, if elements are read one by one.
    PARPRIMS_DEVICE void announce(std::size_t tile) const
    {
        if constexpr (!in_packets && is_staged) {
            const std::size_t size = std::size_t{simt::block::threads()} * rows;
            block::prefetch_elements(packets.input, tile * size, smaller_of(packets.n - tile * size, size));
        }
    }

    /// Starts to copy the whole packets of a lane to shared memory; for runs, the first lane also the packet before those of its warp. The warp
    /// must have read its previous packets.
    PARPRIMS_DEVICE void fetch(simt::block block, unsigned char* memory, std::size_t tile, fetched&) const
    {
        if constexpr (in_packets) {
            const lane_span span = packets.span_of(block, tile);
            const auto* const first =
                reinterpret_cast<const simt::packet<16>*>(packets.input.data - packets.lead + span.origin);
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (span.is_whole(r))
                    simt::copy_async(packets.packet_of_row(memory, r), first + r * simt::warp_size);
            if constexpr (is_starts_run<Predicate>)
                if (block.lane() == 0 && packets.first_packet(block, tile) != 0 && span.is_live(0))
                    simt::copy_async(packets.packet_before(memory), first - 1);
            simt::commit_copies();
        }
    }

    /// Loads a lane's packets, tests each element, and counts the elements that the warp keeps.
    PARPRIMS_DEVICE void load(simt::block block, shared_storage& shared, unsigned char* memory, std::size_t tile,
                              const fetched&, state& lane_state) const
    {
        const lane_span span = packets.span_of(block, tile);
        if constexpr (in_packets) {
            if (simt::ballot(!span.is_full()) != 0)
                packets.fill_ends(block, memory, tile);
            simt::wait_copies<0>();
            if constexpr (is_starts_run<Predicate>)
                simt::sync_warp();  // lanes read the packets before theirs
        }
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if constexpr (in_packets)
                lane_state.data[r].bytes = simt::load(packets.packet_of_row(memory, r));
            else if constexpr (is_staged)
                if (span.is_live(r))
                    lane_state.data[r].bytes.value =
                        packets.operand(packets.input[span.origin + r * packets_type::row]);
        lane_state.kept = {};
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            if (span.is_live(r))
                lane_state.kept.add(r, device::find_kept(packets, memory, span, r, lane_state.data[r], predicate));
        if constexpr (Outputs::finds_long_runs)
            device::keep_ends_of_long_runs(block, packets, span, lane_state, predicate);
        if (in_packets && !span.is_full())
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                lane_state.kept.remove(r, packets_type::bits_type::all & ~span.live_bits(r));
        const unsigned warp_total = place_in_warp(lane_state.kept, lane_state.places);
        if (block.lane() == 0)
            simt::store(shared.warp_totals, block.warp(), warp_total);
        if constexpr (writes_lengths) {
            unsigned end = 0;
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                if (const unsigned bits = lane_state.kept.row(r); bits != 0)
                    end = packets.number_in_tile(block, r) + simt::highest_lane(bits) + 1;
            end = ~simt::min_lanes(~end);
            if (block.lane() == 0)
                simt::store(shared.warp_ends, block.warp(), end);
        }
    }

    /// After a barrier: counts the elements that the tile keeps.
    PARPRIMS_DEVICE uninitialized<total> find_total(simt::block block, const shared_storage& shared, unsigned char*,
                                                    [[maybe_unused]] std::size_t tile, state& lane_state) const
    {
        const unsigned of_warp = block.lane() < block.warps() ? simt::load(shared.warp_totals, block.lane()) : 0;
        lane_state.total = simt::sum_lanes(of_warp);
        const unsigned warp_before = simt::sum_lanes(block.lane() < block.warp() ? of_warp : 0);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r)
            lane_state.places[r] += warp_before;
        if constexpr (writes_lengths) {
            const unsigned end = block.lane() < block.warps() ? simt::load(shared.warp_ends, block.lane()) : 0;
            const unsigned last = ~simt::min_lanes(~end);  // 0 if none is kept
            const unsigned elements = block.threads() * rows * items;
            return uninitialized<total>({lane_state.total, elements - last + (last == 0 ? 0 : 1)});
        } else {
            return uninitialized<total>(lane_state.total);
        }
    }

    /// For one warp, whose first `live` lanes hold totals of tiles: adds them up and stores the total of group g.
    PARPRIMS_DEVICE void fold_group(uninitialized<total>* groups, unsigned g, unsigned live,
                                    const uninitialized<total>& found) const
    {
        const total sum = fold_lanes(simt::block::lane() < live ? found.value : total{});
        if (simt::block::lane() == 0)
            simt::store(groups, g, uninitialized<total>(sum));
    }

    /// Adds the groups [begin, end): at most 32 of them, of 32 tiles of 2^15 elements.
    PARPRIMS_DEVICE void append(const uninitialized<total>* groups, unsigned begin, unsigned end, prefix& sum) const
    {
        const unsigned lane = simt::block::lane();
        const total next = fold_lanes(lane >= begin && lane < end ? simt::load(groups, lane) : total{});
        if constexpr (writes_lengths)
            sum = {sum.kept + next.kept, next.tail + (next.kept != 0 ? 0 : sum.tail)};
        else
            sum += next;
    }

    /// Writes the kept elements behind the `earlier` ones, and what belongs to them. Each branch has a barrier after which the numbers are there.
    PARPRIMS_DEVICE void write(simt::block block, unsigned char* memory, std::size_t tile, const state& lane_state,
                               const prefix& earlier) const
    {
        std::uint64_t before = 0;
        if constexpr (writes_lengths)
            before = earlier.kept;
        else
            before = earlier;
        if (tile + 1 == tiles && block.thread() == 0)
            *count = static_cast<std::size_t>((before + lane_state.total) / (Outputs::finds_long_runs ? 2 : 1));
        unsigned char* const stage = memory + fetched_bytes(block.threads());
        auto* const numbers =
            reinterpret_cast<std::uint16_t*>(stage + (has_numbers_beside ? stage_bytes(block.threads()) : 0));
        if constexpr (has_numbers_beside)
            device::store_numbers(block, packets, numbers, lane_state);
        if constexpr (stages_elements)
            device::write_tested(block, packets, outputs, stage, tile, lane_state, before);
        else if constexpr (Outputs::writes_elements)
            device::write_wide(block, packets, outputs, tile, lane_state, before);
        else
            block.sync();
        if constexpr (Outputs::writes_other) {
            if constexpr (!has_numbers_beside) {
                block.sync();  // the kept elements have been read from the stage
                device::store_numbers(block, packets, numbers, lane_state);
                block.sync();
            }
            if constexpr (Outputs::finds_long_runs)
                device::write_long_runs(block, packets, outputs, numbers, tile, lane_state.total, earlier);
            else if constexpr (writes_lengths)
                device::write_lengths(block, packets, outputs, numbers, tile, tiles, lane_state.total, earlier);
            else
                device::write_other(block, packets, outputs, numbers, tile, lane_state.total, before);
        }
    }

private:
    /// Of totals of consecutive ranges, one a lane: the total of all.
    PARPRIMS_DEVICE static total fold_lanes(const total& of_lane)
    {
        if constexpr (writes_lengths) {
            const simt::lane_mask lanes = simt::ballot(of_lane.kept != 0);
            const bool counts = lanes == 0 || simt::block::lane() >= simt::highest_lane(lanes);
            return {simt::sum_lanes(of_lane.kept), simt::sum_lanes(counts ? of_lane.tail : 0)};
        } else {
            return simt::sum_lanes(of_lane);
        }
    }
};

}  // namespace parprims::detail::device
