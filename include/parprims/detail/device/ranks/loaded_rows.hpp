/// @file
/// @brief  Rows of a scan in the registers of a warp, for their totals alone: from packets, wherever the input begins, or elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Reads complete rows of an input and folds each to its total; no shared memory.
template <class Input, class T, class Op, class Transform>
struct loaded_rows {
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr std::size_t row = order::row<T>;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(items);  // of a lane's part of a row
    static constexpr bool has_packets = packet_bytes != 0;
    using packet = simt::packet<has_packets ? packet_bytes : 1>;
    /// Rows that a warp loads before it uses any.
    static constexpr unsigned batch = order::power_of_two_within(128, has_packets ? packet_bytes : items * sizeof(T),
                                                                 order::tile_rows<T> < 8 ? order::tile_rows<T> : 8);

    Input input;
    std::size_t n;
    Op op;
    Transform transform;

    /// The totals of the `batch` complete rows from element `first` on: that of row r in lane r.
    PARPRIMS_DEVICE T totals(std::size_t first) const
    {
        uninitialized<T> columns[batch];
        if constexpr (has_packets) {
            const auto misalignment =
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes);
            if (misalignment == 0) {
                fold_packets(first, 0, columns);
                return warp::fold_full_rows(columns, op);
            }
            // Aligned packets extend beyond both ends of the rows; they must not extend beyond those of the input.
            if (first != 0 && n - first >= (batch + 1) * row) {
                fold_packets(first, misalignment, columns);
                return warp::fold_full_rows(columns, op);
            }
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                warp::accumulate(op, columns[b], k == 0,
                                 device::operand<T, Input>(transform,
                                                           input[first + b * row + simt::block::lane() * items + k]));
        return warp::fold_full_rows(columns, op);
    }

private:
    /// Folds the rows in the columns of each lane, from aligned packets: the rows begin `misalignment` bytes after a packet boundary.
    PARPRIMS_DEVICE void fold_packets(std::size_t first, unsigned misalignment, uninitialized<T> (&totals)[batch]) const
    {
        using source = typename Input::source_type;
        const unsigned lane = simt::block::lane();
        const auto* const packets =
            reinterpret_cast<const packet*>(reinterpret_cast<const unsigned char*>(input.data + first) - misalignment) +
            lane;
        packet loaded[batch];
        packet after{};  // lane 0: the first packet after the rows
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            loaded[b] = simt::load_streaming(packets + b * simt::warp_size);
        if (misalignment != 0 && lane == 0)
            after = simt::load_streaming(packets + batch * simt::warp_size);
        simt::sync_warp();  // all packets are loaded before any is used
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            packet own = loaded[b];
            if (misalignment != 0) {  // a lane's part ends in the packet of the next lane; lane 0 follows lane 31
                const packet& next_row = b + 1 < batch ? loaded[(b + 1) % batch] : after;
                const packet next = simt::shuffle(simt::select(lane == 0, next_row, own), (lane + 1) % simt::warp_size);
                own = block::shifted<alignof(source)>(own, next, misalignment);
            }
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                warp::accumulate(op, totals[b], k == 0,
                                 device::operand<T, Input>(transform, input.value_of(simt::element<source>(own, k))));
        }
    }
};

}  // namespace parprims::detail::device
