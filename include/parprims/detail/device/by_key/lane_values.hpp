/// @file
/// @brief  The values of a lane's elements: in as few registers as they fit, and in shared memory for the other lanes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <class T, unsigned Items, bool IsSmall = (sizeof(T) <= 2 && sizeof(T) * Items % 16 == 0)>
struct lane_values {
    uninitialized<T> values[Items];

    PARPRIMS_DEVICE void set(unsigned k, const T& value) { values[k].value = value; }
    PARPRIMS_DEVICE T get(unsigned k) const { return values[k].value; }
};

template <class T, unsigned Items>
struct lane_values<T, Items, true> {
    static constexpr unsigned of_packet = 16 / sizeof(T);
    simt::packet<16> values[Items / of_packet];

    PARPRIMS_DEVICE void set(unsigned k, const T& value)
    {
        simt::set_element(values[k / of_packet], k % of_packet, value);
    }
    PARPRIMS_DEVICE T get(unsigned k) const { return simt::element<T>(values[k / of_packet], k % of_packet); }
};

/// The `Items` values of each lane of a warp, in shared memory. Four packets of a lane are swapped, so that lanes store and load
/// theirs without bank conflicts.
template <class T, unsigned Items>
struct lane_stage {
    using packet = simt::packet<16>;
    static constexpr bool in_packets = Items * sizeof(T) == 64 && alignof(T) <= 16;
    static constexpr std::size_t bytes = (Items * simt::warp_size * sizeof(T) + 15) / 16 * 16;

    /// Stores `value(k)` for each element k of this lane. All lanes have read what was there.
    template <class Value>
    PARPRIMS_DEVICE static void store(unsigned char* memory, Value value)
    {
        const unsigned lane = simt::block::lane();
        if constexpr (in_packets) {
            constexpr unsigned of_packet = 16 / sizeof(T);
#pragma unroll
            for (unsigned p = 0; p < 4; ++p) {
                packet next;
#pragma unroll
                for (unsigned k = 0; k < of_packet; ++k)
                    simt::set_element(next, k, value(p * of_packet + k));
                simt::store(reinterpret_cast<packet*>(memory), place(lane, p), next);
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                simt::store(reinterpret_cast<uninitialized<T>*>(memory), lane * Items + k, value(k));
        }
        simt::sync_warp();
    }

    /// Element e of the warp.
    PARPRIMS_DEVICE static T load(const unsigned char* memory, unsigned e)
    {
        if constexpr (in_packets) {
            constexpr unsigned of_packet = 16 / sizeof(T);
            const unsigned at = place(e / Items, e % Items / of_packet) * of_packet + e % of_packet;
            return simt::load(reinterpret_cast<const uninitialized<T>*>(memory), at);
        } else {
            return simt::load(reinterpret_cast<const uninitialized<T>*>(memory), e);
        }
    }

    /// Packets in the order of the elements: packet r * 32 + l to row r of lane l.
    PARPRIMS_DEVICE static void load_rows(const unsigned char* memory, packet (&rows)[4])
    {
        const unsigned lane = simt::block::lane();
#pragma unroll
        for (unsigned r = 0; r < 4; ++r)
            rows[r] = simt::load(reinterpret_cast<const packet*>(memory), place(r * 8 + lane / 4, lane % 4));
        simt::sync_warp();
    }

private:
    PARPRIMS_DEVICE static constexpr unsigned place(unsigned lane, unsigned p)
    {
        return 4 * lane + (p ^ (lane >> 1 & 3));
    }
};

}  // namespace parprims::detail::device
