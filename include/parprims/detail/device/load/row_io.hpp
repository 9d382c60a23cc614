/// @file
/// @brief  Rows of elements in global and in shared memory, and how a warp moves them: in aligned packets, wherever they begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/covering.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::block {

/// Rows of `Items` consecutive elements a lane, of which a warp moves `Batch` at a time. A batch has a region of shared memory.
///
/// A row is a multiple of 16 bytes. So all rows of an array begin `shift` bytes after a multiple of 16, and a batch begins
/// `shift` bytes after the beginning of its region: the aligned packets that cover it are copied as they are. The first and the
/// last one also hold bytes of neighbouring batches, which are not used.
template <class Element, unsigned Items, unsigned Batch>
struct row_io {
    static constexpr std::size_t lane_bytes = Items * sizeof(Element);
    static constexpr std::size_t row_bytes = simt::warp_size * lane_bytes;
    static constexpr std::size_t batch_bytes = Batch * row_bytes;
    static constexpr bool can_shift = alignof(Element) < 16;
    /// A packet more, but a whole line of shared memory, so that rows cover no more lines than they must. A region may begin anywhere in a
    /// line, where the input does.
    static constexpr std::size_t region_bytes = batch_bytes + (can_shift ? simt::shared_line_bytes : 0);

    /// Bytes that a lane reads at a time; 0 where its part of a row is no whole number of packets, or too many.
    static constexpr unsigned packet_bytes = lane_bytes % 16 == 0 && lane_bytes <= 64 ? 16
                                             : lane_bytes == 8 || lane_bytes == 4 ? static_cast<unsigned>(lane_bytes)
                                                                                  : 0;
    using packet = simt::packet<packet_bytes != 0 ? packet_bytes : 1>;
    static constexpr unsigned packets = packet_bytes != 0 ? lane_bytes / packet_bytes : 1;
    static constexpr bool can_split =
        packet_bytes != 0 && alignof(Element) < packet_bytes;  // a lane's packet may lie in two aligned ones

    /// Whether a lane's part of a row is a packet of two halves, which no element crosses: see `load_rows`.
    static constexpr bool has_halves = alignof(Element) == 8 && lane_bytes == 16;

    /// The first byte of element e of a batch.
    PARPRIMS_DEVICE static std::size_t place(unsigned e) { return e * sizeof(Element); }

    /// Starts to copy a batch from `from` to its region, or the `left` elements to the end of the array. Reads nothing after the end: the
    /// bytes of the last packet are copied one by one.
    PARPRIMS_DEVICE static void copy(unsigned char* region, const Element* from, unsigned shift, std::size_t left)
    {
        using words = simt::packet<16>;
        constexpr unsigned rounds = (batch_bytes / 16 + simt::warp_size - 1) / simt::warp_size;
        constexpr unsigned count = batch_bytes / sizeof(Element);
        const unsigned lane = simt::block::lane();
        auto* const to = reinterpret_cast<words*>(region);
        const auto* const source = reinterpret_cast<const words*>(reinterpret_cast<const unsigned char*>(from) - shift);
        if constexpr (batch_bytes / 16 % simt::warp_size == 0)
            if (left >= count + 15 / sizeof(Element) + 1) {  // whole packets, one more if the batch is shifted
#pragma unroll(rounds <= 16 ? rounds : 1)
                for (unsigned t = 0; t < rounds; ++t)
                    simt::copy_async(to + t * simt::warp_size + lane, source + t * simt::warp_size + lane,
                                     t == 0 && lane == 0 ? shift : 0);
                if (lane == 0 && shift != 0)
                    simt::copy_async(to + batch_bytes / 16, source + batch_bytes / 16, 0, shift);
                return;
            }
        const auto near = static_cast<unsigned>(left < count + 16 ? left : count + 16);  // so that 32 bits suffice
        block::copy_covering<batch_bytes / 16 % simt::warp_size == 0 ? 1 : 4>(
            region, reinterpret_cast<const unsigned char*>(source), shift,
            (near < count ? near : count) * static_cast<unsigned>(sizeof(Element)),
            near * static_cast<unsigned>(sizeof(Element)), lane, simt::warp_size, [](unsigned byte) { return byte; });
    }

    /// The packets with this lane's part of a row. `row_begin` is aligned, and the row begins `shift` bytes behind it.
    PARPRIMS_DEVICE static void load_packets(const unsigned char* row_begin, unsigned shift, packet (&parts)[packets])
    {
        const unsigned lane = simt::block::lane();
        const auto* const source = reinterpret_cast<const packet*>(row_begin) + shift / packet_bytes + lane * packets;
        const unsigned rest = can_split ? shift % packet_bytes : 0;
#pragma unroll
        for (unsigned p = 0; p < packets; ++p)
            parts[p] = simt::load(source, p);
        if (rest == 0)
            return;
        const packet next = simt::load(source, packets);
#pragma unroll
        for (unsigned p = 0; p < packets; ++p)
            parts[p] = shifted<alignof(Element)>(parts[p], p + 1 < packets ? parts[p + 1] : next, rest);
    }

    /// This lane's parts of full rows with halves, the first of which begins `shift` bytes behind `rows_begin`: 0 or 8.
    template <unsigned Rows>
    PARPRIMS_DEVICE static void load_rows(const unsigned char* rows_begin, unsigned shift, packet (&parts)[Rows])
    {
        static_assert(has_halves);
        const unsigned lane = simt::block::lane();
        if (shift == 0) {
#pragma unroll
            for (unsigned b = 0; b < Rows; ++b)
                parts[b] = simt::load(reinterpret_cast<const packet*>(rows_begin), b * simt::warp_size + lane);
            return;
        }
        using half = simt::packet<8>;
#pragma unroll
        for (unsigned b = 0; b < Rows; ++b)
#pragma unroll
            for (unsigned h = 0; h < 2; ++h)
                simt::set_element(parts[b], h,
                                  simt::load(reinterpret_cast<const half*>(rows_begin + shift),
                                             2 * (b * simt::warp_size + lane) + h));
    }

    /// Where a lane's part of a row is one packet: loads the two aligned packets of global memory that cover it.
    /// There are `left` elements to the end of the array. The last packet may end behind it: then only bytes of the row are loaded.
    PARPRIMS_DEVICE static void load_split(const Element* from, unsigned shift, std::size_t left, packet (&parts)[2])
    {
        static_assert(packets == 1);
        const unsigned lane = simt::block::lane();
        const unsigned rest = shift % sizeof(packet);
        const auto* const source = reinterpret_cast<const packet*>(reinterpret_cast<const unsigned char*>(from) - rest);
        const bool is_last = lane == simt::warp_size - 1;
        parts[0] = simt::load_part(source + lane, lane == 0 ? rest : 0, sizeof(packet));
        if (left * sizeof(Element) + rest >= row_bytes + sizeof(packet)) {
            parts[1] = simt::load_part(source + lane + 1, 0, is_last ? rest : sizeof(packet));
            return;
        }
        if (!is_last)
            parts[1] = simt::load(source, lane + 1);
        // A byte by each lane, which lane 31 then takes in words.
        std::uint32_t bytes = 0;
        if (lane < rest)
            bytes = simt::load(reinterpret_cast<const unsigned char*>(source + simt::warp_size), lane);
        bytes |= simt::shuffle_down(bytes, 1) << 8;
        bytes |= simt::shuffle_down(bytes, 2) << 16;
#pragma unroll
        for (unsigned w = 0; w < sizeof(packet) / 4; ++w) {
            const std::uint32_t word = simt::shuffle(bytes, 4 * w);
            if (is_last)
                parts[1].words[w] = word;
        }
    }
    /// A lane's part of a row, from the packets of `load_split`.
    PARPRIMS_DEVICE static packet joined(const packet (&parts)[2], unsigned shift)
    {
        return shifted<alignof(Element)>(parts[0], parts[1], shift % sizeof(packet));
    }

    /// Element k of a lane's packets.
    PARPRIMS_DEVICE static Element element(const packet (&parts)[packets], unsigned k)
    {
        uninitialized<Element> result;
        __builtin_memcpy(static_cast<void*>(__builtin_addressof(result)),
                         reinterpret_cast<const unsigned char*>(parts) + k * sizeof(Element), sizeof(Element));
        return result.value;
    }

    /// Element k of this lane's part of a row in shared memory.
    PARPRIMS_DEVICE static Element load_element(const unsigned char* row_begin, unsigned shift, unsigned k)
    {
        return simt::load(reinterpret_cast<const Element*>(row_begin + shift), simt::block::lane() * Items + k);
    }

    /// Writes this lane's part of a row to its place in shared memory.
    PARPRIMS_DEVICE static void store_packets(unsigned char* row_begin, const packet (&parts)[packets])
    {
#pragma unroll
        for (unsigned p = 0; p < packets; ++p)
            simt::store(reinterpret_cast<packet*>(row_begin), simt::block::lane() * packets + p, parts[p]);
    }

    /// Writes this lane's elements of a row to their places in shared memory.
    PARPRIMS_DEVICE static void store_elements(unsigned char* row_begin, unsigned shift,
                                               const uninitialized<Element> (&elements)[Items])
    {
        if constexpr (packet_bytes == 16)
            if (shift == 0) {
                packet parts[packets];
#pragma unroll
                for (unsigned k = 0; k < Items; ++k)
                    __builtin_memcpy(reinterpret_cast<unsigned char*>(parts) + k * sizeof(Element),
                                     static_cast<const void*>(__builtin_addressof(elements[k])), sizeof(Element));
                return store_packets(row_begin, parts);
            }
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            simt::store(reinterpret_cast<Element*>(row_begin + shift), simt::block::lane() * Items + k,
                        elements[k].value);
    }

    /// Writes a batch from its region to `to`, which is `shift` bytes after a multiple of 16.
    PARPRIMS_DEVICE static void write(const unsigned char* region, unsigned shift, Element* to)
    {
        block::write_covering(reinterpret_cast<unsigned char*>(to) - shift, region, can_shift ? shift : 0,
                              batch_bytes + (can_shift ? shift : 0), simt::block::lane(), simt::warp_size);
    }
};

}  // namespace parprims::detail::block
