/// @file
/// @brief  A ring in shared memory through which a warp reads rows of large elements, of which each lane needs its own.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::block {

/// Whether rows of such elements can be copied to a ring.
template <class Element>
inline constexpr bool fits_ring = sizeof(Element) % 4 == 0 && alignof(Element) >= 4;

/// If each lane loaded its own element from global memory, each load would touch as many cache lines as there are lanes. So the
/// warp copies whole batches of rows (of 32 elements) asynchronously, in packets from end to end, and a lane reads its elements
/// from shared memory. Nothing outside of the elements is read.
template <class Element, unsigned BatchRows, unsigned Batches>
struct row_ring {
    static_assert(fits_ring<Element>);
    static constexpr unsigned batch = BatchRows * simt::warp_size;  // elements
    static constexpr unsigned batch_bytes = batch * static_cast<unsigned>(sizeof(Element));
    static constexpr unsigned slots = Batches;
    static constexpr unsigned bytes = slots * batch_bytes;

    /// The largest packets, of 4, 8 or 16 bytes, that an array can be copied in.
    PARPRIMS_HOST_DEVICE static unsigned packet_bytes_of(const Element* data)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(data);
        return address % 16 == 0 ? 16 : address % 8 == 0 ? 8 : 4;
    }

    /// Starts to copy up to `batch` elements to place `slot`, modulo `slots`, and ends a group of copies.
    PARPRIMS_DEVICE static void copy(std::byte* ring, unsigned slot, const Element* from, std::size_t count,
                                     unsigned packet_bytes)
    {
        std::byte* const to = ring + slot % slots * batch_bytes;
        if (count == 0) {
        } else if (alignof(Element) >= 16 || packet_bytes == 16) {
            copy_packets<16>(to, from, count);
        } else if (alignof(Element) >= 8 || packet_bytes == 8) {
            copy_packets<8>(to, from, count);
        } else {
            copy_packets<4>(to, from, count);
        }
        simt::commit_copies();
    }

    /// This lane's element of a row of the batch at place `slot`.
    PARPRIMS_DEVICE static Element read(const std::byte* ring, unsigned slot, unsigned row)
    {
        const std::byte* const from = ring + slot % slots * batch_bytes + row * (batch_bytes / BatchRows);
        const unsigned lane = simt::block::lane();
        struct {
            part parts[element_parts];
        } element;
#pragma unroll(element_parts <= simt::max_unrolled_words ? element_parts : 1)
        for (unsigned p = 0; p < element_parts; ++p)
            element.parts[p] =
                simt::load(reinterpret_cast<const part*>(from), (lane * element_parts + p) ^ swap_of(lane));
        return __builtin_bit_cast(Element, element);
    }

private:
    /// What a lane reads at a time. Of 4 or 8 bytes an element has an odd number, so that lanes read from different banks.
    using part = simt::packet<sizeof(Element) % 16 == 0 ? 16 : sizeof(Element) % 8 == 0 ? 8 : 4>;
    static constexpr unsigned element_parts = sizeof(Element) / sizeof(part);

    /// Part p of an element is at place p ^ swap_of(element) of it. Of 16 bytes, eight lanes at a time read a part each, from
    /// different banks if the places differ modulo 8. Elements of 2^b * m parts, m odd, begin at the same place modulo 8 in 2^b of
    /// eight lanes; these read different parts of 2^b.
    PARPRIMS_DEVICE static unsigned swap_of(unsigned element)
    {
        constexpr unsigned b = element_parts % 8 == 0 ? 3 : element_parts % 4 == 0 ? 2 : element_parts % 2 == 0 ? 1 : 0;
        return element >> (3 - b) & ((1u << b) - 1);
    }

    /// Starts to copy packet i, where `to` and `from` are those of packet 0.
    template <unsigned Bytes>
    PARPRIMS_DEVICE static void copy_packet(std::byte* to, const Element* from, unsigned i)
    {
        using packet = simt::packet<Bytes>;
        unsigned place = i;
        if constexpr (sizeof(part) == 16) {
            constexpr unsigned packets = 16 / Bytes;  // of a part
            place = (i / packets ^ swap_of(i / packets / element_parts)) * packets + i % packets;
        }
        simt::copy_async(reinterpret_cast<packet*>(to) + place, reinterpret_cast<const packet*>(from) + i);
    }

    template <unsigned Bytes>
    PARPRIMS_DEVICE static void copy_packets(std::byte* to, const Element* from, std::size_t count)
    {
        constexpr unsigned whole = batch_bytes / Bytes;
        constexpr unsigned steps = whole / simt::warp_size;
        const unsigned lane = simt::block::lane();
        if (count >= batch) {  // without a condition for each packet
#pragma unroll(steps <= 32 ? steps : 8)
            for (unsigned s = 0; s < steps; ++s)
                copy_packet<Bytes>(to, from, s * simt::warp_size + lane);
            if (whole % simt::warp_size != 0 && lane < whole % simt::warp_size)
                copy_packet<Bytes>(to, from, steps * simt::warp_size + lane);
            return;
        }
        const unsigned copied = static_cast<unsigned>(count * sizeof(Element));
#pragma unroll 1
        for (unsigned i = lane; i < copied / Bytes; i += simt::warp_size)
            copy_packet<Bytes>(to, from, i);
        const unsigned done = copied / Bytes * Bytes;  // less than a packet is left
        if (sizeof(Element) % Bytes != 0 && lane < (copied - done) / 4)
            simt::copy_async(reinterpret_cast<simt::packet<4>*>(to + done) + lane,
                             reinterpret_cast<const simt::packet<4>*>(from) + done / 4 + lane);
    }
};

}  // namespace parprims::detail::block
