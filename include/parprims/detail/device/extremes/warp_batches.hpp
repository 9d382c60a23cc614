/// @file
/// @brief  Extremes of an array, or of a part of one, in batches of packets. A lane first compares the values of a batch, and only then
///         finds the position of the extreme one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A batch is `Rows` packets for each lane of a warp. A packet is a single element if an iterator computes elements, or if an element may
/// cross the border between two packets.
template <class Input, class Search, class Found, class Position, unsigned Rows>
struct extreme_batches {
    using value_type = compared<Search, typename Input::value_type>;

    static constexpr unsigned items = packet_items<Input>;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned rows = Rows;
    static constexpr unsigned batch = rows * simt::warp_size;  // packets

    Input input;
    Position n;
    Position head;     // elements before the first packet
    Position packets;  // whole ones
    Search search;

    PARPRIMS_HOST_DEVICE static extreme_batches make(const Input& input, std::size_t n, Search search)
    {
        std::size_t head = 0;
        if constexpr (in_packets)
            head = smaller_of<std::size_t>(-reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(*input.data), n);
        return {input, static_cast<Position>(n), static_cast<Position>(head), static_cast<Position>((n - head) / items),
                search};
    }

    PARPRIMS_DEVICE void resize(Position size)
    {
        n = size;
        head = smaller_of(head, n);
        packets = (n - head) / items;
    }

    /// Called by one warp: updates `best` with the batch from packet `first` on. Element 0 has position `origin`.
    PARPRIMS_DEVICE void look_at_batch(Position first, Found& best, std::size_t origin = 0) const
    {
        look_at_batch(first, best, origin, extremes{});
    }

    /// Called by one warp: updates `best` with the elements before the first packet and behind the last one, fewer than lanes.
    PARPRIMS_DEVICE void look_at_ends(Found& best, std::size_t origin = 0) const
    {
        look_at_ends(best, origin, extremes{});
    }

private:
    using extremes = std::make_integer_sequence<unsigned, Search::count>;

    PARPRIMS_DEVICE value_type element(std::size_t i) const
    {
        if constexpr (Input::has_source)
            return operand(input.value_of(simt::load(input.data, i)));
        else
            return operand(input[i]);
    }

    /// An element as `compare` gets it. A product is rounded first, because a compiler could fuse it with an addition in `compare`;
    /// comparing numbers in their natural order adds nothing.
    template <class Element>
    PARPRIMS_DEVICE static value_type operand(Element&& element)
    {
        using element_type = typename Input::value_type;
        if constexpr (Search::has_natural_order && std::is_arithmetic_v<element_type>)
            return static_cast<element_type>(element);
        else
            return static_cast<value_type>(
                device::operand<element_type, Input>(identity{}, std::forward<Element>(element)));
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void look_at_batch(Position first, Found& best, std::size_t origin,
                                       std::integer_sequence<unsigned, K...>) const
    {
        // In an incomplete last batch, some lanes look at the last packet again.
        const Position behind = packets - first;
        const unsigned last = (behind < batch ? static_cast<unsigned>(behind) : batch) - 1;
        const auto packet_of = [&](unsigned r) {
            const unsigned p = r * simt::warp_size + simt::block::lane();
            return p < last ? p : last;
        };
        const auto keep = [&]<unsigned I>(std::integral_constant<unsigned, I>, const numbered<value_type>& extreme) {
            const Position place = (first + packet_of(extreme.number / items)) * items + extreme.number % items;
            best.template consider<I>(search, extreme.value, static_cast<Position>(origin) + head + place);
        };
        if constexpr (in_packets) {
            const auto* const from = reinterpret_cast<const simt::packet<16>*>(input.data + head) + first;
            simt::packet<16> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r] = simt::load_streaming(from + packet_of(r));
            simt::sync_warp();  // all loads are issued before any value is used
            const auto packet_element = [&](const simt::packet<16>& packet, unsigned i) {
                return operand(input.value_of(simt::element<typename Input::source_type>(packet, i)));
            };
            (keep(std::integral_constant<unsigned, K>{},
                  device::extreme_of_packets<K, typename Input::value_type, items, Input::is_pointer>(search, loaded,
                                                                                                      packet_element)),
             ...);
        } else {
            uninitialized<value_type> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r].value = element(first + packet_of(r));
            simt::sync_warp();
            (keep(std::integral_constant<unsigned, K>{},
                  device::extreme_value<K, rows>(search, [&](unsigned r) { return loaded[r].value; })),
             ...);
        }
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void look_at_ends(Found& best, std::size_t origin, std::integer_sequence<unsigned, K...>) const
    {
        const Position between = packets * items;
        const Position i = simt::block::lane() < head ? simt::block::lane() : simt::block::lane() + between;
        if (i < n) {
            const value_type value = element(i);
            (best.template consider<K>(search, value, static_cast<Position>(origin) + i), ...);
        }
    }
};

}  // namespace parprims::detail::device
