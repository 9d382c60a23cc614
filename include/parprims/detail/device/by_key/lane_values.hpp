/// @file
/// @brief  The values of a lane's elements: in as few registers as they fit, and in shared memory for the other lanes; a row of
///         neighbouring elements a lane, with where its runs begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

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

/// Reads rows as `row_reader` does, but straight to registers: the way through shared memory takes more instructions. Lanes past the end
/// of the input read other elements of it.
/// @tparam  Index  of an element: 32 bits for short inputs, which takes fewer instructions
template <class Input, unsigned Items, class Index>
struct lane_reader {
    using input_type = Input;
    using index = Index;
    using element = typename held_of<Input>::type;
    using value_type = typename Input::value_type;
    static constexpr unsigned items = Items;
    static constexpr unsigned row = Items * simt::warp_size;
    static constexpr std::size_t region_bytes = 0;
    static constexpr unsigned lane_bytes = Items * sizeof(element);
    /// What a lane reads at a time, if its elements are whole packets.
    static constexpr unsigned packet_bytes = lane_bytes % 16 == 0 ? 16 : lane_bytes % 8 == 0 ? 8 : 4;
    static constexpr bool in_packets = Input::has_source && lane_bytes % packet_bytes == 0;
    static constexpr bool has_packets = Input::has_source && lane_bytes % 16 == 0;
    static constexpr unsigned packets = has_packets ? lane_bytes / 16 : 1;
    Input input;
    Index n;

    struct state {
        lane_values<element, Items> elements;
    };

    static lane_reader make(const Input& input, std::size_t n) { return {input, static_cast<Index>(n)}; }

    PARPRIMS_DEVICE void resize(std::size_t size) { n = static_cast<Index>(size); }

    /// Starts to read this lane's elements of the row that begins with element `first`.
    PARPRIMS_DEVICE void fetch(unsigned char*, Index first, state& read) const
    {
        const Index mine = first + simt::block::lane() * Items;
        if constexpr (in_packets) {
            using packet = simt::packet<packet_bytes>;
            const Index from = mine < n ? mine : 0;
            if (from + Items <= n && reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes == 0) {
                packet parts[lane_bytes / packet_bytes];
#pragma unroll
                for (unsigned p = 0; p < lane_bytes / packet_bytes; ++p)
                    parts[p] = simt::load(reinterpret_cast<const packet*>(input.data + from), p);
                __builtin_memcpy(static_cast<void*>(__builtin_addressof(read.elements)), parts, lane_bytes);
                return;
            }
        }
        const Index begin = smaller_of(mine, n - 1);
        const auto last = static_cast<unsigned>(smaller_of<Index>(n - 1 - begin, Items - 1));
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            if constexpr (Input::has_source)
                read.elements.set(k, simt::load(input.data + begin, smaller_of(k, last)));
            else
                read.elements.set(k, at(begin + smaller_of(k, last)));
    }

    PARPRIMS_DEVICE void settle(unsigned char*, std::size_t) const {}

    /// Element i. A product is rounded before it is used: never fused with an addition.
    PARPRIMS_DEVICE value_type at(std::size_t i) const
    {
        return device::operand<value_type, Input>(identity{}, input[i]);
    }

    /// Calls `take(k, element)` for the elements of this lane.
    template <class Take>
    PARPRIMS_DEVICE void load(const unsigned char*, std::size_t, const state& read, Take take) const
    {
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            if constexpr (Input::has_source)
                take(k, device::operand<value_type, Input>(identity{}, input.value_of(read.elements.get(k))));
            else
                take(k, read.elements.get(k));
    }

    /// This lane's elements as packets.
    PARPRIMS_DEVICE void load_packets(const unsigned char*, const state& read, simt::packet<16> (&parts)[packets]) const
    {
        __builtin_memcpy(parts, static_cast<const void*>(__builtin_addressof(read.elements)), sizeof parts);
    }
};

}  // namespace parprims::detail::device
