/// @file
/// @brief  Sums of integers of one or two bytes, by packets: any order of additions gives the same bits.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Whether a reduction adds integers of one or two bytes of an array, so that packets may be added in any order.
template <class Input, class T, class Op>
inline constexpr bool is_sum_of_packets = [] {
    if constexpr (Input::is_pointer)
        return is_packed_sum<T, Op> && std::is_same_v<typename Input::value_type, T>;
    return false;
}();

/// Bytes [first, last) of a packet, and zeros in place of the others.
PARPRIMS_DEVICE inline simt::packet<16> part_of(simt::packet<16> source, unsigned first, unsigned last)
{
    const unsigned kept = (0xffffu >> (16 - last)) & ~0u << first;  // a bit for each byte
#pragma unroll
    for (unsigned w = 0; w < 4; ++w)  // four bits become four bytes
        source.words[w] &= ((kept >> 4 * w & 0xf) * 0x00204081u & 0x01010101u) * 0xffu;
    return source;
}

/// For the lanes of a warp, `lanes` of them a segment: the sum of `size` elements from `begin` on, or of none. The result is in
/// the first lane of a segment. Its low bits count.
template <class T, class Tile>
PARPRIMS_DEVICE inline std::uint32_t sum_by_lanes(const Tile& elements, unsigned begin, unsigned size, unsigned lanes)
{
    const unsigned lane = simt::block::lane() & (lanes - 1);
    const unsigned first = elements.shift + begin * unsigned{sizeof(T)};  // byte of the copy
    const unsigned end = first + size * unsigned{sizeof(T)};
    std::uint32_t sum = 0;
#pragma unroll 1
    for (unsigned byte = (first & ~15u) + 16 * lane; byte < end; byte += 16 * lanes) {
        simt::packet<16> next = elements.packet_at(byte);
        if (byte < first || end - byte < 16)
            next = part_of(next, byte < first ? first - byte : 0, end - byte < 16 ? end - byte : 16);
        sum += packed_total<T>(next);
    }
    for (unsigned distance = lanes / 2; distance != 0; distance /= 2)
        sum += simt::shuffle_down(sum, distance);
    return sum;
}

/// For one warp: the sum of `size` elements of an array, in lane 0. Its low bits count. Elements before the first aligned packet
/// and after the last one are read one by one, as a packet there may extend beyond the array.
template <class T>
PARPRIMS_DEVICE inline std::uint32_t sum_in_place(const T* data, unsigned size)
{
    using packet = simt::packet<16>;
    constexpr unsigned items = 16 / sizeof(T);
    const unsigned lane = simt::block::lane();
    const unsigned misalignment = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % 16) / sizeof(T);
    const unsigned before = smaller_of((items - misalignment) % items, size);
    const unsigned packets = (size - before) / items;
    const unsigned behind = before + packets * items;
    std::uint32_t sum = lane < before ? static_cast<std::uint32_t>(simt::load(data, lane)) : 0;
    if (behind + lane < size)
        sum += static_cast<std::uint32_t>(simt::load(data, behind + lane));
    const auto* const source = reinterpret_cast<const packet*>(data + before);
#pragma unroll 1
    for (unsigned first = lane; first < packets; first += packets_in_flight * simt::warp_size) {
        packet loaded[packets_in_flight];
#pragma unroll
        for (unsigned b = 0; b < packets_in_flight; ++b)
            if (first + b * simt::warp_size < packets)
                loaded[b] = simt::load_streaming(source + first + b * simt::warp_size);
#pragma unroll
        for (unsigned b = 0; b < packets_in_flight; ++b)
            if (first + b * simt::warp_size < packets)
                sum += packed_total<T>(loaded[b]);
    }
    for (unsigned distance = simt::warp_size / 2; distance != 0; distance /= 2)
        sum += simt::shuffle_down(sum, distance);
    return sum;
}

}  // namespace parprims::detail::device
