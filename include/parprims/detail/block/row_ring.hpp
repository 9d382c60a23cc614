/// @file
/// @brief  A ring in shared memory through which a warp reads rows of large elements, of which each lane needs its own.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace parprims::detail::block {

/// If each lane loaded its own element from global memory, each load would touch as many cache lines as there are lanes. So the
/// warp copies whole batches of rows (of 32 elements) asynchronously, in packets from end to end, and a lane reads its elements
/// from shared memory. Nothing outside of the elements is read.
template <class Element, unsigned BatchRows, unsigned Batches>
struct row_ring {
    static_assert(sizeof(Element) % 4 == 0 && alignof(Element) >= 4);
    static constexpr unsigned batch = BatchRows * simt::warp_size;  // elements
    static constexpr unsigned batch_bytes = batch * static_cast<unsigned>(sizeof(Element));
    static constexpr unsigned slots = Batches;
    static constexpr unsigned bytes = slots * batch_bytes;

    /// The largest packets, of 4, 8 or 16 bytes, that an array can be copied in.
    static unsigned packet_bytes_of(const Element* data)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(data);
        return address % 16 == 0 ? 16 : address % 8 == 0 ? 8 : 4;
    }

    /// Starts to copy up to `batch` elements to place `slot`, modulo `Batches`, and ends a group of copies.
    PARPRIMS_DEVICE static void copy(std::byte* ring, unsigned slot, const Element* from, std::size_t count,
                                     unsigned packet_bytes)
    {
        std::byte* const to = ring + slot % Batches * batch_bytes;
        const unsigned copied = (count < batch ? static_cast<unsigned>(count) : batch) * unsigned{sizeof(Element)};
        if (alignof(Element) >= 16 || packet_bytes == 16)
            copy_packets<16>(to, from, copied);
        else if (alignof(Element) >= 8 || packet_bytes == 8)
            copy_packets<8>(to, from, copied);
        else
            copy_packets<4>(to, from, copied);
        simt::commit_copies();
    }

    /// This lane's element of a row of the batch at place `slot`.
    PARPRIMS_DEVICE static Element read(const std::byte* ring, unsigned slot, unsigned row)
    {
        const std::byte* const from = ring + slot % Batches * batch_bytes + row * (batch_bytes / BatchRows);
        const unsigned lane = simt::block::lane();
        if constexpr (element_packets != 0) {
            struct {
                simt::packet<16> packets[element_packets];
            } element;
#pragma unroll(element_packets <= 8 ? element_packets : 1)
            for (unsigned p = 0; p < element_packets; ++p)
                element.packets[p] =
                    simt::load(reinterpret_cast<const simt::packet<16>*>(from), swizzled(lane * element_packets + p));
            return __builtin_bit_cast(Element, element);
        } else {
            return simt::load(reinterpret_cast<const Element*>(from), lane);
        }
    }

private:
    /// Packets of an element, if it is read in packets. If not, it has an odd number of words or twice an odd number, so that at
    /// most two lanes read the same bank.
    static constexpr unsigned element_packets = sizeof(Element) % 16 == 0 ? sizeof(Element) / 16 : 0;

    /// Where packet `i` of a batch lies. Eight lanes at a time read a packet each; no two from the same banks if the packets
    /// differ modulo 8. In elements of 2^b * m packets, m odd, they would be the same in 2^b lanes. So these find them at
    /// different places within 2^b packets.
    PARPRIMS_DEVICE static unsigned swizzled(unsigned i)
    {
        if constexpr (element_packets % 2 == 0 && element_packets != 0) {
            constexpr unsigned b = element_packets % 8 == 0 ? 3 : element_packets % 4 == 0 ? 2 : 1;
            return i ^ (i / element_packets >> (3 - b) & ((1u << b) - 1));
        } else {
            return i;
        }
    }

    template <unsigned Bytes>
    PARPRIMS_DEVICE static void copy_packets(std::byte* to, const Element* from, unsigned copied)
    {
        using packet = simt::packet<Bytes>;
        constexpr unsigned most = batch_bytes / Bytes;
        constexpr unsigned steps = (most + simt::warp_size - 1) / simt::warp_size;
        const unsigned lane = simt::block::lane();
        const auto* const source = reinterpret_cast<const packet*>(from);
#pragma unroll(Bytes == 16 && steps <= 16 ? steps : 4)
        for (unsigned s = 0; s < steps; ++s) {
            const unsigned i = s * simt::warp_size + lane;
            constexpr unsigned parts = 16 / Bytes;
            if (i < copied / Bytes)
                simt::copy_async(reinterpret_cast<packet*>(to) + swizzled(i / parts) * parts + i % parts, source + i);
        }
        if constexpr (Bytes > 4 && sizeof(Element) % Bytes != 0) {  // less than a packet is left
            const unsigned done = copied / Bytes * Bytes;
            if (lane < (copied - done) / 4)
                simt::copy_async(reinterpret_cast<simt::packet<4>*>(to + done) + lane,
                                 reinterpret_cast<const simt::packet<4>*>(from) + done / 4 + lane);
        }
    }
};

}  // namespace parprims::detail::block
