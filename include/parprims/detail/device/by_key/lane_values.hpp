/// @file
/// @brief  The values of a lane's elements: in as few registers as they fit, and in shared memory for the other lanes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The elements of an input as a lane keeps them: as they lie in memory, if they are in an array.
template <class Input, bool HasSource = Input::has_source>
struct held_of {
    using type = typename Input::value_type;
};
template <class Input>
struct held_of<Input, true> {
    using type = typename Input::source_type;
};

/// `Items` values of a lane. Small ones share registers.
template <class T, unsigned Items, bool IsSmall = (sizeof(T) <= 2 && sizeof(T) * Items % 16 == 0)>
struct lane_values {
    uninitialized<T> values[Items];

    PARPRIMS_DEVICE void set(unsigned k, const T& value) { detail::replace(values[k].value, value); }
    PARPRIMS_DEVICE T get(unsigned k) const { return values[k].value; }

    /// Packet p, where whole values are packets.
    PARPRIMS_DEVICE simt::packet<16> packet(unsigned p) const
    {
        constexpr unsigned of_packet = 16 / sizeof(T);
        simt::packet<16> result;
#pragma unroll
        for (unsigned k = 0; k < of_packet; ++k)
            simt::set_element(result, k, get(p * of_packet + k));
        return result;
    }
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
    PARPRIMS_DEVICE const simt::packet<16>& packet(unsigned p) const { return values[p]; }
};

/// Where packet i lies in shared memory. Each lane has `Packets` in a row, a power of two. They are swapped within a line, so that there
/// are no bank conflicts, whether each lane reads its own packets or a warp reads consecutive ones.
template <unsigned Packets>
PARPRIMS_DEVICE constexpr unsigned swapped_place(unsigned i)
{
    return i ^ (i / larger_of(Packets, 8u) % smaller_of(Packets, 8u));
}

/// The `Items` values of each lane of a warp in shared memory, where other lanes read them.
template <class T, unsigned Items>
struct lane_stage {
    using packet = simt::packet<16>;
    static constexpr unsigned packets = Items * sizeof(T) / 16;  // of a lane
    /// Whole elements fill a packet.
    static constexpr bool in_packets =
        (packets == 1 || packets == 4 || packets == 8) && Items * sizeof(T) % 16 == 0 && sizeof(T) <= 16;
    static constexpr std::size_t bytes = (Items * simt::warp_size * sizeof(T) + 15) / 16 * 16;

    /// Stores `packet_of(p)` as packet p of this lane. All lanes must have read what the memory held before.
    template <class Packet>
    PARPRIMS_DEVICE static void store(unsigned char* memory, Packet packet_of)
    {
#pragma unroll
        for (unsigned p = 0; p < packets; ++p)
            simt::store(reinterpret_cast<packet*>(memory), swapped_place<packets>(simt::block::lane() * packets + p),
                        packet_of(p));
        simt::sync_warp();
    }

    /// Loads consecutive packets: lane l gets packet r * 32 + l as `rows[r]`.
    PARPRIMS_DEVICE static void load_rows(const unsigned char* memory, packet (&rows)[packets == 0 ? 1 : packets])
    {
        const unsigned lane = simt::block::lane();
#pragma unroll
        for (unsigned r = 0; r < packets; ++r)
            rows[r] =
                simt::load(reinterpret_cast<const packet*>(memory), swapped_place<packets>(r * simt::warp_size + lane));
        simt::sync_warp();
    }
};

}  // namespace parprims::detail::device
