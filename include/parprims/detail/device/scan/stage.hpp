/// @file
/// @brief  Where the elements of a tile lie in a stage of shared memory, and how a warp moves them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstring>

namespace parprims::detail::device {

/// Rows of `Items` consecutive elements a lane, of which a warp moves `Batch` at a time.
template <class Staged, unsigned Items, unsigned Batch>
struct scan_stage {
    static constexpr std::size_t row = std::size_t{order::lanes} * Items;

    /// Bytes that a lane reads at a time; 0 where its part of a row is no whole number of packets.
    static constexpr std::size_t lane_bytes = Items * sizeof(Staged);
    static constexpr unsigned packet_bytes = lane_bytes % 16 == 0                 ? 16
                                             : lane_bytes == 8 || lane_bytes == 4 ? static_cast<unsigned>(lane_bytes)
                                                                                  : 0;
    using packet = simt::packet<packet_bytes != 0 ? packet_bytes : 1>;
    static constexpr unsigned packets = packet_bytes != 0 ? lane_bytes / packet_bytes : 1;

    /// Bytes that a lane copies at a time: a warp copies a batch from end to end, wherever elements begin. 0 where that is
    /// no whole number of packets.
    static constexpr std::size_t batch_bytes = Batch * lane_bytes;  // of a lane
    static constexpr unsigned copy_bytes = packet_bytes != 0       ? packet_bytes
                                           : batch_bytes % 16 == 0 ? 16
                                           : batch_bytes % 4 == 0  ? 4
                                                                   : 0;
    using copy_packet = simt::packet<copy_bytes != 0 ? copy_bytes : 1>;
    static constexpr unsigned copy_packets = copy_bytes != 0 ? batch_bytes / copy_bytes : 1;

    /// Starts to copy a batch.
    PARPRIMS_DEVICE static void copy(Staged* batch, const Staged* from)
    {
        auto* const to = reinterpret_cast<copy_packet*>(batch) + simt::block::lane();
        const auto* const source = reinterpret_cast<const copy_packet*>(from) + simt::block::lane();
#pragma unroll(copy_packets <= 16 ? copy_packets : 1)
        for (unsigned p = 0; p < copy_packets; ++p)
            simt::copy_async(to + p * simt::warp_size, source + p * simt::warp_size);
    }

    /// Calls `take(k, element)` for this lane's first `live` elements of a row.
    template <class Take>
    PARPRIMS_DEVICE static void read_lane(const Staged* stage_row, unsigned live, Take take)
    {
        const unsigned lane = simt::block::lane();
        if constexpr (packet_bytes != 0 && lane_bytes <= 64) {
            packet parts[packets];
#pragma unroll
            for (unsigned p = 0; p < packets; ++p)
                parts[p] = simt::load(reinterpret_cast<const packet*>(stage_row), lane * packets + p);
#pragma unroll
            for (unsigned k = 0; k < Items; ++k) {
                uninitialized<Staged> element;
                std::memcpy(static_cast<void*>(&element),
                            reinterpret_cast<const unsigned char*>(parts) + k * sizeof(Staged), sizeof(Staged));
                if (k < live)
                    take(k, element.value);
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                if (k < live)
                    take(k, simt::load(stage_row, lane * Items + k));
        }
    }

    /// Writes this lane's elements of a row to their places in the stage.
    PARPRIMS_DEVICE static void write_lane(Staged* stage_row, const uninitialized<Staged> (&elements)[Items])
    {
        const unsigned lane = simt::block::lane();
        if constexpr (packet_bytes == 16 && lane_bytes <= 64) {
            packet parts[packets];
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                std::memcpy(reinterpret_cast<unsigned char*>(parts) + k * sizeof(Staged),
                            static_cast<const void*>(&elements[k]), sizeof(Staged));
#pragma unroll
            for (unsigned p = 0; p < packets; ++p)
                simt::store(reinterpret_cast<packet*>(stage_row), lane * packets + p, parts[p]);
        } else {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                simt::store(stage_row, lane * Items + k, elements[k].value);
        }
    }

    /// Whether a batch can be written from the stage to global memory in packets of 16 bytes.
    static constexpr bool writes_packets = batch_bytes % order::vector_bytes == 0;

    /// Writes a batch from end to end.
    PARPRIMS_DEVICE static void write(const Staged* batch, Staged* to)
    {
        using words = simt::packet<order::vector_bytes>;
        constexpr unsigned count = batch_bytes / order::vector_bytes;
        const auto* const from = reinterpret_cast<const words*>(batch) + simt::block::lane();
        auto* const target = reinterpret_cast<words*>(to) + simt::block::lane();
#pragma unroll(count <= 16 ? count : 1)
        for (unsigned p = 0; p < count; ++p)
            simt::store_streaming(target + p * simt::warp_size, simt::load(from, p * simt::warp_size));
    }
};

}  // namespace parprims::detail::device
