/// @file
/// @brief  Packets that are not aligned: one made from two aligned ones, and rows of packets stored to any address.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::block {

/// Bytes [shift, shift + Bytes) of two packets that follow each other. `shift` is less than Bytes, and a multiple of Unit.
template <unsigned Unit, unsigned Bytes>
PARPRIMS_DEVICE inline simt::packet<Bytes> shifted(const simt::packet<Bytes>& low, const simt::packet<Bytes>& high,
                                                   unsigned shift)
{
    constexpr unsigned count = Bytes / 4;
    std::uint32_t words[2 * count];
#pragma unroll
    for (unsigned w = 0; w < count; ++w) {
        words[w] = low.words[w];
        words[count + w] = high.words[w];
    }
    // First by whole words, as the bits of `shift` say, then by bytes.
#pragma unroll
    for (unsigned step = count / 2; step != 0; step /= 2)
        if (Unit <= 4 * step)
#pragma unroll
            for (unsigned w = 0; w + step < 2 * count; ++w)
                words[w] = (shift & 4 * step) != 0 ? words[w + step] : words[w];
    simt::packet<Bytes> result;
#pragma unroll
    for (unsigned w = 0; w < count; ++w)
        result.words[w] = Unit % 4 == 0 ? words[w] : numeric::funnel_shift(words[w], words[w + 1], shift % 4 * 8);
    return result;
}

/// Writes row r of 16 bytes a lane from shared memory to an array that begins `shift` bytes behind a multiple of 16, by words.
/// Less code and fewer registers than `store_rows`. For one warp: all lanes must call this.
template <class T>
PARPRIMS_DEVICE inline void store_row(T* data, unsigned shift, unsigned r, const unsigned char* row)
{
    using word = simt::packet<4>;
    constexpr unsigned count = 4 * simt::warp_size;
    const unsigned lane = simt::block::lane();
    const unsigned rest = alignof(T) % 4 == 0 ? 0 : shift % 4;
    auto* const target = reinterpret_cast<word*>(reinterpret_cast<unsigned char*>(data) - rest) + r * count;
    const auto* const words = reinterpret_cast<const word*>(row);
#pragma unroll
    for (unsigned i = 0; i < count / simt::warp_size; ++i) {
        const unsigned w = i * simt::warp_size + lane;
        word next = simt::load(words, w);
        if (rest != 0 && w > 0)
            next.words[0] = numeric::funnel_shift(simt::load(words, w - 1).words[0], next.words[0], 32 - 8 * rest);
        if (rest == 0 || w > 0)
            simt::store(target, w, next);
    }
    // The words at both ends also have bytes of other warps.
    if constexpr (alignof(T) < 4)
        if (rest != 0 && lane < 4) {
            const unsigned byte = lane < rest ? 4 * count + lane : lane;
            simt::store(reinterpret_cast<unsigned char*>(target), byte, simt::load<unsigned char>(row, byte - rest));
        }
}

/// Writes rows of a packet a lane as aligned packets, the first `Below` words of which come from the lane below. Lane 0 follows
/// lane 31 of the row above. Leaves out the first packet, which also has bytes of other warps.
template <unsigned Below, unsigned Rows, class Place>
PARPRIMS_DEVICE inline void store_from_below(simt::packet<16>* packets, Place place,
                                             const simt::packet<16> (&rows)[Rows])
{
    const unsigned lane = simt::block::lane();
    simt::packet<16> above{};
#pragma unroll
    for (unsigned b = 0; b < Rows; ++b) {
        simt::packet<16> target;
#pragma unroll
        for (unsigned w = 4 - Below; w < 4; ++w) {
            const std::uint32_t below = simt::shuffle(rows[b].words[w], (lane - 1) % simt::warp_size);
            const unsigned to = w - (4 - Below);
            target.words[to] = b == 0 || lane > 0 ? below : above.words[to];
            above.words[to] = below;
        }
#pragma unroll
        for (unsigned w = Below; w < 4; ++w)
            target.words[w] = rows[b].words[w - Below];
        if (b > 0 || lane > 0)
            simt::store_streaming(packets + (place + b * simt::warp_size + lane), target);
    }
}

/// Moves rows by `rest` bytes, less than a word: each word begins with the last bytes of the word before.
template <unsigned Rows>
PARPRIMS_DEVICE inline void move_by_bytes(simt::packet<16> (&rows)[Rows], unsigned rest)
{
    const unsigned lane = simt::block::lane();
    std::uint32_t above = 0;
#pragma unroll
    for (unsigned b = 0; b < Rows; ++b) {
        const std::uint32_t last = simt::shuffle(rows[b].words[3], (lane - 1) % simt::warp_size);
        std::uint32_t before = b == 0 || lane > 0 ? last : above;
        above = last;
#pragma unroll
        for (unsigned w = 0; w < 4; ++w) {
            const std::uint32_t word = rows[b].words[w];
            rows[b].words[w] = numeric::funnel_shift(before, word, 32 - 8 * rest);
            before = word;
        }
    }
}

/// Writes rows of 16 bytes a lane to an array that begins `shift` bytes behind a multiple of 16, from its row `r` on. For one warp:
/// all lanes must call this.
template <unsigned Rows, class T, class Row>
PARPRIMS_DEVICE inline void store_rows(T* data, unsigned shift, Row r, const simt::packet<16> (&rows)[Rows])
{
    const unsigned lane = simt::block::lane();
    auto* const packets = reinterpret_cast<simt::packet<16>*>(reinterpret_cast<unsigned char*>(data) - shift);
    const auto place = r * simt::warp_size;
    if (alignof(T) >= 16 || shift == 0) {
#pragma unroll
        for (unsigned b = 0; b < Rows; ++b)
            simt::store_streaming(packets + (place + b * simt::warp_size + lane), rows[b]);
        return;
    }

    if constexpr (alignof(T) == 8) {
        using half = simt::packet<8>;
        // A single row is stored in halves, without shuffles: scans of 6 to 396 misaligned tiles of 64-bit integers take 0.92 to 1.0 of
        // the time (H200, 5d82250).
        if constexpr (Rows == 1) {
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                simt::store(reinterpret_cast<half*>(data), 2 * (place + lane) + h, simt::element<half>(rows[0], h));
            return;
        }
        store_from_below<2>(packets, place, rows);
        auto* const halves = reinterpret_cast<half*>(packets + place);
        if (lane == 0)
            simt::store(halves, 1, simt::element<half>(rows[0], 0));
        if (lane == simt::warp_size - 1)
            simt::store(halves, 2 * Rows * simt::warp_size, simt::element<half>(rows[Rows - 1], 1));
        return;
    }

    const unsigned kept = 16 - shift;

    // The packets at both ends also have bytes of other warps: 16 lanes write the first bytes, 16 the last ones.
    const bool is_front = lane < 16;
    const unsigned byte = is_front ? lane : lane - shift;  // of the packet of lane 0 or 31
    const simt::packet<16> end =
        simt::shuffle(simt::select(lane == 0, rows[0], rows[Rows - 1]), is_front ? 0 : simt::warp_size - 1);
    if (is_front ? byte < kept : lane - 16 < shift)
        simt::store(reinterpret_cast<unsigned char*>(packets + (place + (is_front ? 0 : Rows * simt::warp_size))) +
                        (is_front ? shift + lane : lane - 16),
                    static_cast<unsigned char>(shifted<1>(end, end, byte % 16).words[0]));

    // Small values first move by bytes, then by words, with a branch for each number of them: fewer instructions.
    if constexpr (alignof(T) < 4) {
        simt::packet<16> moved[Rows];
#pragma unroll
        for (unsigned b = 0; b < Rows; ++b)
            moved[b] = rows[b];
        if (shift % 4 != 0)
            move_by_bytes(moved, shift % 4);
        switch (shift / 4) {
        case 0: return store_from_below<0>(packets, place, moved);
        case 1: return store_from_below<1>(packets, place, moved);
        case 2: return store_from_below<2>(packets, place, moved);
        default: return store_from_below<3>(packets, place, moved);
        }
    }

    // An aligned packet ends with the first bytes of its lane, and begins with the last ones of the lane below. Lane 0 follows lane
    // 31 of the row above.
    simt::packet<16> above{};
#pragma unroll
    for (unsigned b = 0; b < Rows; ++b) {
        const simt::packet<16> below = simt::shuffle(rows[b], (lane - 1) % simt::warp_size);
        if (b > 0 || lane > 0)
            simt::store_streaming(packets + (place + b * simt::warp_size + lane),
                                  shifted<alignof(T)>(simt::select(lane > 0, below, above), rows[b], kept));
        above = below;
    }
}

}  // namespace parprims::detail::block
