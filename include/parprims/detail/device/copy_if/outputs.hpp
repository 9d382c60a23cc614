/// @file
/// @brief  How a block of `copy_if` writes a tile: the elements that are kept and those that are not, through shared memory, and what
///         belongs to the kept ones: values of keys, lengths and offsets of runs. `Outputs` are `kept_outputs` of outputs.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/load/covering.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// How many elements are kept, and the elements from the last kept one, itself included, to the end of the range; all if none is kept.
template <class Number>
struct kept_runs {
    Number kept;
    Number tail;
};

/// Whether staged elements of type T are written to an output as packets.
template <class T, class Output>
inline constexpr bool writes_packets = std::is_same_v<typename Output::value_type, T> && alignof(T) <= 16;

/// Bytes from the last 16-byte boundary to element i of an output.
template <class T, class Output>
PARPRIMS_DEVICE inline unsigned shift_at(const Output& output, [[maybe_unused]] std::size_t i)
{
    if constexpr (writes_packets<T, Output>)
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data + i) % 16);
    else
        return 0;
}

/// Writes `total` elements to an output, from place `before` on.
template <class T, class Output>
PARPRIMS_DEVICE inline void write_stage(simt::block block, const Output& output, const unsigned char* stage,
                                        unsigned shift, std::size_t before, unsigned total)
{
    const auto* const values = reinterpret_cast<const T*>(stage + shift);
    if constexpr (writes_packets<T, Output>) {
        block::write_covering(reinterpret_cast<unsigned char*>(output.data + before) - shift, stage, shift,
                              shift + total * static_cast<unsigned>(sizeof(T)), block.thread(), block.threads());
    } else {
        for (unsigned i = block.thread(); i < total; i += block.threads())
            output.set(before + i, simt::load(values, i));
    }
}

/// Writes elements through shared memory, so that whole packets can be stored.
template <class Packets, class Outputs>
PARPRIMS_DEVICE inline void write_tested(simt::block block, const Packets& packets, const Outputs& outputs,
                                         unsigned char* region, [[maybe_unused]] std::size_t tile,
                                         const typename Packets::state& lane_state, std::uint64_t before)
{
    using value_type = typename Packets::value_type;
    const unsigned shift = device::shift_at<value_type>(outputs.kept, before);
    auto* const stage = reinterpret_cast<value_type*>(region + shift);
    [[maybe_unused]] typename Packets::lane_span span{};
    [[maybe_unused]] unsigned char* rejected_region = region;
    [[maybe_unused]] unsigned rejected_shift = 0;
    [[maybe_unused]] value_type* rejected_stage = stage;
    [[maybe_unused]] std::size_t first = 0;  // of the tile, in the input
    [[maybe_unused]] std::size_t rejected_before = 0;
    if constexpr (Outputs::writes_rejected) {
        span = packets.span_of(block, tile);
        first = packets.first_of(block, tile);
        rejected_before = first - before;
        rejected_shift = device::shift_at<value_type>(outputs.rejected, rejected_before);
        rejected_region += (shift + lane_state.total * sizeof(value_type) + 15) / 16 * 16;
        rejected_stage = reinterpret_cast<value_type*>(rejected_region + rejected_shift);
    }
#pragma unroll
    for (unsigned r = 0; r < Packets::rows; ++r) {
        unsigned place = lane_state.places[r];
        [[maybe_unused]] unsigned rejected = 0;  // bits
        [[maybe_unused]] unsigned rejected_place = 0;
        if constexpr (Outputs::writes_rejected) {
            rejected = span.live_bits(r) & ~lane_state.kept.row(r);
            const std::size_t i = span.origin + r * Packets::row;
            rejected_place = static_cast<unsigned>((i > packets.lead ? i - packets.lead : 0) - first) - place;
        }
#pragma unroll
        for (unsigned k = 0; k < Packets::items; ++k) {
            if (lane_state.kept.has(r, k))
                simt::store(stage, place++, lane_state.data[r].value(packets, k));
            if constexpr (Outputs::writes_rejected)
                if ((rejected >> k & 1) != 0)
                    simt::store(rejected_stage, rejected_place++, lane_state.data[r].value(packets, k));
        }
    }
    block.sync();
    device::write_stage<value_type>(block, outputs.kept, region, shift, before, lane_state.total);
    if constexpr (Outputs::writes_rejected)
        device::write_stage<value_type>(block, outputs.rejected, rejected_region, rejected_shift, rejected_before,
                                        static_cast<unsigned>(packets.first_of(block, tile + 1) - first) -
                                            lane_state.total);
}

/// Reads larger elements again, and writes them one by one.
template <class Packets, class Outputs>
PARPRIMS_DEVICE inline void write_wide(simt::block block, const Packets& packets, const Outputs& outputs,
                                       std::size_t tile, const typename Packets::state& lane_state,
                                       std::uint64_t before)
{
    const typename Packets::lane_span span = packets.span_of(block, tile);
#pragma unroll
    for (unsigned r = 0; r < Packets::rows; ++r) {
        const std::size_t i = span.origin + r * Packets::row;
        const std::size_t place = before + lane_state.places[r];
        if (lane_state.kept.has(r, 0))
            outputs.kept.set(place, packets.operand(packets.input[i]));
        else if constexpr (Outputs::writes_rejected)
            if (span.is_live(r))
                outputs.rejected.set(i - place, packets.operand(packets.input[i]));
    }
    block.sync();
}

/// Stores, side by side, which elements of the tile are kept: their numbers in the tile.
template <class Packets>
PARPRIMS_DEVICE inline void store_numbers(simt::block block, const Packets& packets, std::uint16_t* numbers,
                                          const typename Packets::state& lane_state)
{
#pragma unroll
    for (unsigned r = 0; r < Packets::rows; ++r) {
        unsigned place = lane_state.places[r];
#pragma unroll
        for (unsigned k = 0; k < Packets::items; ++k)
            if (lane_state.kept.has(r, k))
                simt::store(numbers, place++, static_cast<std::uint16_t>(packets.number_in_tile(block, r) + k));
    }
}

/// Writes what belongs to the kept elements: neighbouring lanes read from `source` and write side by side. Each lane reads several
/// before it writes any.
template <class Packets, class Outputs>
PARPRIMS_DEVICE inline void write_other(simt::block block, const Packets& packets, const Outputs& outputs,
                                        const std::uint16_t* numbers, std::size_t tile, unsigned kept,
                                        std::uint64_t before)
{
    const std::size_t origin = packets.origin_of(block, tile);
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

/// For each run that begins in the tile: writes the length of the run before it. In the last tile also the length of the last run.
template <class Packets, class Outputs>
PARPRIMS_DEVICE inline void write_lengths(simt::block block, const Packets& packets, const Outputs& outputs,
                                          const std::uint16_t* numbers, std::size_t tile, std::size_t tiles,
                                          unsigned kept, const kept_runs<std::uint64_t>& earlier)
{
    const auto number = [&](unsigned i) { return std::uint32_t{simt::load(numbers, i)}; };
    for (unsigned i = block.thread(); i < kept; i += block.threads())
        if (earlier.kept + i != 0)
            outputs.other.set(earlier.kept + i - 1,
                              i != 0 ? std::uint64_t{number(i) - number(i - 1)} : earlier.tail + number(0));
    if (tile + 1 == tiles && block.thread() == 0 && packets.n != 0) {
        const std::uint64_t elements = packets.n - packets.origin_of(block, tile);
        outputs.other.set(earlier.kept + kept - 1, kept != 0 ? elements - number(kept - 1) : earlier.tail + elements);
    }
}

/// Writes where long runs begin, and their lengths where they end. First and last elements alternate: an even place is that of a first one.
template <class Packets, class Outputs>
PARPRIMS_DEVICE inline void write_long_runs(simt::block block, const Packets& packets, const Outputs& outputs,
                                            const std::uint16_t* numbers, std::size_t tile, unsigned kept,
                                            const kept_runs<std::uint64_t>& earlier)
{
    const auto number = [&](unsigned i) { return std::uint32_t{simt::load(numbers, i)}; };
    for (unsigned i = block.thread(); i < kept; i += block.threads()) {
        const std::uint64_t place = earlier.kept + i;
        if (place % 2 == 0)
            outputs.kept.set(place / 2, packets.origin_of(block, tile) + number(i));
        else
            outputs.other.set(place / 2,
                              1 + (i != 0 ? std::uint64_t{number(i) - number(i - 1)} : earlier.tail + number(0)));
    }
}

}  // namespace parprims::detail::device
