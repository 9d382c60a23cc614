/// @file
/// @brief  Which elements of a tile `copy_if` keeps: those that a predicate accepts, heads of runs, or both ends of long
///         runs; and where they go.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/copy_if/tile_packets.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <class Equal, class T>
PARPRIMS_DEVICE inline bool is_head(const starts_run<Equal>& test, const T& previous, const T& value)
{
    return !test.equal(previous, value);
}

/// The element before the lane's packet of row r, in shared memory.
template <class Packets>
PARPRIMS_DEVICE inline typename Packets::value_type value_before(const Packets& packets, unsigned char* memory,
                                                                 unsigned r)
{
    using source = typename decltype(packets.input)::source_type;
    const auto* const packet =
        r == 0 && simt::block::lane() == 0 ? packets.packet_before(memory) : packets.packet_of_row(memory, r) - 1;
    return packets.operand(
        packets.input.value_of(simt::load(reinterpret_cast<const source*>(packet), Packets::items - 1)));
}

/// Which elements of a lane's packet of row r the predicate accepts, as bits.
template <class Packets, class Predicate>
PARPRIMS_DEVICE inline unsigned find_kept(const Packets& packets, unsigned char*,
                                          const typename Packets::lane_span& span, unsigned r,
                                          const typename Packets::loaded& packet, const Predicate& predicate)
{
    if constexpr (Packets::is_staged) {
        unsigned bits = 0;
#pragma unroll
        for (unsigned k = 0; k < Packets::items; ++k)
            bits |= (static_cast<bool>(predicate(packet.value(packets, k))) ? 1u : 0u) << k;
        return bits;
    } else {
        const typename Packets::value_type value = packets.operand(packets.input[span.origin + r * Packets::row]);
        return static_cast<bool>(predicate(value)) ? 1 : 0;
    }
}

/// Which elements of a lane's packet of row r differ from the one before them, as bits. The first element of the input is kept.
template <class Packets, class Equal>
PARPRIMS_DEVICE inline unsigned find_kept(const Packets& packets, unsigned char* memory,
                                          const typename Packets::lane_span& span, unsigned r,
                                          const typename Packets::loaded& packet, const starts_run<Equal>& test)
{
    const auto& input = packets.input;
    const std::size_t i = span.origin + r * Packets::row;
    unsigned bits = 0;
    if constexpr (Packets::is_staged)
#pragma unroll
        for (unsigned k = 1; k < Packets::items; ++k)
            bits |= (device::is_head(test, packet.value(packets, k - 1), packet.value(packets, k)) ? 1u : 0u) << k;
    if (i <= packets.lead)
        return bits | 1u << (packets.lead - i);
    if constexpr (!Packets::is_staged)
        return device::is_head(test, packets.operand(input[i - 1]), packets.operand(input[i])) ? 1 : 0;
    else if constexpr (!Packets::in_packets)
        return device::is_head(test, packets.operand(input[i - 1]), packet.value(packets, 0)) ? 1 : 0;
    else
        return bits |
               (device::is_head(test, device::value_before(packets, memory, r), packet.value(packets, 0)) ? 1u : 0u);
}

/// Keeps the first and the last element of each run of two elements or more: heads whose next element is no head, and other elements whose
/// next element is a head.
template <class Packets, class Equal>
PARPRIMS_DEVICE inline void keep_ends_of_long_runs(simt::block block, const Packets& packets,
                                                   const typename Packets::lane_span& span,
                                                   typename Packets::state& lane_state, const starts_run<Equal>& test)
{
    constexpr unsigned rows = Packets::rows, row = Packets::row, items = Packets::items;
    constexpr unsigned all = (1u << items) - 1;
    unsigned heads[rows + 1];  // past the end of the input, each element counts as a head
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
        heads[r] =
            (lane_state.kept.row(r) | ~0u << (span.end > r * row ? smaller_of(span.end - r * row, items) : 0)) & all;
    heads[rows] = 1;
    lane_state.kept = {};
    // The first element behind the packets of the warp, for its last lane.
    const std::size_t next = span.origin + (rows - 1) * row + items;
    if (block.lane() == simt::warp_size - 1 && next < packets.lead + packets.n) {
        const auto& input = packets.input;
        if constexpr (Packets::is_staged)
            heads[rows] = device::is_head(test, lane_state.data[rows - 1].value(packets, items - 1),
                                          packets.operand(input[next - packets.lead]))
                              ? 1
                              : 0;
        else
            heads[rows] = device::is_head(test, packets.operand(input[next - 1]), packets.operand(input[next])) ? 1 : 0;
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
        const unsigned above = simt::shuffle_down(heads[r] & 1, 1);
        const unsigned in_next_row = r + 1 < rows ? simt::shuffle(heads[r + 1] & 1, 0) : heads[rows];
        const unsigned following = block.lane() == simt::warp_size - 1 ? in_next_row : above;
        lane_state.kept.add(r, heads[r] ^ (heads[r] >> 1 | following << (items - 1)));
    }
}

/// How many elements of the warp are kept before those of this lane, for each row of `Items` elements a lane; returns how many the
/// warp keeps. The counts of several rows are added in one word.
template <unsigned Items, unsigned Rows>
PARPRIMS_DEVICE inline unsigned place_in_warp(const packet_bits<Rows, Items>& kept, unsigned (&places)[Rows])
{
    constexpr unsigned bits = Items * simt::warp_size < 256 ? 8 : 16;
    constexpr unsigned fields = Rows < 32 / bits ? Rows : 32 / bits;
    static_assert(Rows % fields == 0);
    unsigned before = 0;
#pragma unroll
    for (unsigned r = 0; r < Rows; r += fields) {
        unsigned counts = 0;
#pragma unroll
        for (unsigned f = 0; f < fields; ++f)
            counts |= simt::count_lanes(kept.row(r + f)) << f * bits;
        const unsigned scanned = warp::scan_full_lanes(counts, plus{});
        const unsigned totals = simt::shuffle(scanned, simt::warp_size - 1);
        const unsigned below = scanned - counts;
#pragma unroll
        for (unsigned f = 0; f < fields; ++f) {
            places[r + f] = before + (below >> f * bits & ((1u << bits) - 1));
            before += totals >> f * bits & ((1u << bits) - 1);
        }
    }
    return before;
}

}  // namespace parprims::detail::device
