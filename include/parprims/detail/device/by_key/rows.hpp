/// @file
/// @brief  A row of an input as the lanes of a warp read it.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/device/load/covering.hpp>
#include <parprims/detail/device/load/fetch.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Whether elements are computed from those of several arrays, so that neighbouring lanes should read neighbours.
template <class Input>
inline constexpr bool is_of_arrays = false;
template <class Iterator>
    requires(std::is_trivially_copyable_v<iter_value_t<Iterator>> && std::is_copy_assignable_v<iter_value_t<Iterator>>)
inline constexpr bool is_of_arrays<iterator_input<Iterator>> = block::zipped<Iterator>::exists;

/// Reads rows: `Items` consecutive elements for each lane of a warp. A block has `Rows` warps. The rows of an array, or the elements
/// computed from several arrays, are copied to a region of shared memory for each warp, if all regions fit; other elements are read one by
/// one. Lanes past the end of the input read its last element.
template <class Input, unsigned Items, unsigned Rows>
struct row_reader {
    using input_type = Input;
    using index = std::size_t;
    using element = typename held_of<Input>::type;
    using value_type = typename Input::value_type;
    static constexpr unsigned items = Items;
    using packet = simt::packet<16>;
    static constexpr unsigned row = Items * simt::warp_size;
    static constexpr unsigned lane_bytes = Items * sizeof(element);
    static constexpr bool is_computed = is_of_arrays<Input>;
    static constexpr bool is_staged =
        (Input::has_source || is_computed) && alignof(element) <= 16 &&
        std::size_t{Rows} * row * sizeof(element) <= max_keyed_stage_bytes(sizeof(element));
    static constexpr bool in_packets = lane_bytes % 16 == 0 && lane_bytes <= max_keyed_lane_bytes;
    static constexpr bool has_packets = is_staged && in_packets;  // of elements

    /// Packets of a lane, placed without bank conflicts: swapped if their number is a power of two and elements fit packets, else padded.
    static constexpr unsigned packets = in_packets ? lane_bytes / 16 : 1;
    static constexpr bool swaps = in_packets && (packets & (packets - 1)) == 0 && sizeof(element) <= 16;
    static constexpr unsigned stride = swaps ? packets : packets | 1;  // from a lane's first packet to that of the next
    /// After `period` rounds of `warp_size` packets, their places repeat, `period_packets` further on.
    static constexpr unsigned period = !swaps ? packets : packets > 4 ? packets / 4 : 1;
    static constexpr unsigned period_packets = period * simt::warp_size / packets * stride;
    static constexpr unsigned row_packets = simt::warp_size * lane_bytes / 16;
    static constexpr std::size_t covered_bytes = 16 * (1 + (in_packets ? simt::warp_size * stride : row_packets));
    static constexpr std::size_t region_bytes = !is_staged ? 0
                                                : swaps    ? simt::whole_lines(covered_bytes)
                                                           : covered_bytes;  // copies cross lines anyway

    Input input;
    std::size_t n;
    unsigned shift;  // bytes from a multiple of 16 to the begin of the array
    /// Packets from a cache line to the array. Rows lie in lines of shared memory as they do in lines of global memory, so
    /// that copies cross fewer lines.
    unsigned phase;

    struct state {};

    static row_reader make(const Input& input, std::size_t n)
    {
        if constexpr (is_staged && !is_computed) {
            const auto address = reinterpret_cast<std::uintptr_t>(input.data);
            const unsigned phase = swaps ? static_cast<unsigned>(address % simt::shared_line_bytes / 16) : 0;
            return {input, n, block::shift_of(input.data), phase};
        } else {
            return {input, n, 0, 0};
        }
    }

    PARPRIMS_DEVICE void resize(std::size_t size) { n = size; }

    /// Starts to copy the row that begins with element `first` to the region: the aligned packets that cover it. The first and the last
    /// packet also hold bytes of other rows. Nothing behind the array is read. Elements that are computed are stored at once.
    PARPRIMS_DEVICE void fetch(unsigned char* region, std::size_t first, state&) const
    {
        if constexpr (is_staged && is_computed) {
            compute(region, first);
        } else if constexpr (is_staged) {
            const unsigned lane = simt::block::lane();
            const auto* const source = reinterpret_cast<const packet*>(
                reinterpret_cast<const unsigned char*>(input.data) + first * sizeof(element) - shift);
            auto* const to = reinterpret_cast<packet*>(region);
            constexpr unsigned rounds = (row_packets + simt::warp_size - 1) / simt::warp_size;
            if (row_packets % simt::warp_size == 0 && shift == 0 && first + row <= n) {
                unsigned places[period];
#pragma unroll
                for (unsigned t = 0; t < period; ++t)
                    places[t] = place(t * simt::warp_size + lane);
#pragma unroll(rounds <= 16 ? rounds : 1)
                for (unsigned t = 0; t < rounds; ++t)
                    simt::copy_async(to + places[t % period] + t / period * period_packets,
                                     source + lane + t * simt::warp_size);
                return;
            }
            if (first >= n)
                return;
            const std::size_t left = n - first;
            block::copy_covering<1>(region, reinterpret_cast<const unsigned char*>(source), shift,
                                    static_cast<unsigned>((left < row ? left : row) * sizeof(element)),
                                    left * sizeof(element), lane, simt::warp_size,
                                    [&](unsigned byte) { return 16 * place(byte / 16) + byte % 16; });
        }
    }

    /// For one thread: prefetches the elements [first, first + count) that are computed from several arrays.
    PARPRIMS_DEVICE void prefetch(std::size_t first, std::size_t count) const
    {
        if constexpr (is_computed)
            block::prefetch(input.first, first, count);
    }

    /// After the copies have arrived: moves a row of packets to its place, others stay where they are; and fills it up past the end of the input.
    PARPRIMS_DEVICE void settle(unsigned char* region, std::size_t first) const
    {
        if constexpr (is_staged) {
            if (!is_computed && in_packets && shift != 0) {
                packet parts[packets + 1];
                auto* const from = reinterpret_cast<packet*>(region);
                const unsigned first_packet = simt::block::lane() * packets;
#pragma unroll
                for (unsigned p = 0; p <= packets; ++p)
                    parts[p] = simt::load(from, place(first_packet + p));
                simt::sync_warp();
#pragma unroll
                for (unsigned p = 0; p < packets; ++p)
                    simt::store(from, place(first_packet + p),
                                block::shifted<(alignof(element) < 16 ? alignof(element) : 8)>(parts[p], parts[p + 1],
                                                                                               shift));
                simt::sync_warp();
            }
            if (first + row > n)
                fill(region, first < n ? static_cast<unsigned>(n - first) : 0);
        }
    }

    /// Element i. If it is a product, it is not fused with an addition.
    PARPRIMS_DEVICE value_type at(std::size_t i) const
    {
        return device::operand<value_type, Input>(identity{}, input[i]);
    }

    /// Calls `take(k, element)` for the elements of this lane.
    template <class Take>
    PARPRIMS_DEVICE void load(const unsigned char* region, std::size_t first, const state& read, Take take) const
    {
        const unsigned lane = simt::block::lane();
        if constexpr (has_packets) {
            packet parts[packets];
            load_packets(region, read, parts);
#pragma unroll
            for (unsigned k = 0; k < Items; ++k) {
                uninitialized<element> next;
                __builtin_memcpy(static_cast<void*>(__builtin_addressof(next)),
                                 reinterpret_cast<const unsigned char*>(parts) + k * sizeof(element), sizeof(element));
                take(k, value_of(next.value));
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                if constexpr (is_staged) {
                    take(k, value_of(simt::load(reinterpret_cast<const element*>(region + offset(lane * Items + k)))));
                } else {
                    const std::size_t i = first + lane * Items + k;
                    take(k, at(i < n ? i : n - 1));
                }
        }
    }

    /// This lane's packets.
    PARPRIMS_DEVICE void load_packets(const unsigned char* region, const state&, packet (&parts)[packets]) const
    {
#pragma unroll
        for (unsigned p = 0; p < packets; ++p)
            parts[p] = simt::load(reinterpret_cast<const packet*>(region), place(simt::block::lane() * packets + p));
    }

private:
    /// The value of an element of the region.
    PARPRIMS_DEVICE value_type value_of(const element& from) const
    {
        if constexpr (is_computed)
            return from;
        else
            return device::operand<value_type, Input>(identity{}, input.value_of(from));
    }

    /// Element i as it lies in a region.
    PARPRIMS_DEVICE element element_at(std::size_t i) const
    {
        if constexpr (is_computed)
            return at(i);
        else
            return simt::load(input.data, i);
    }

    /// Computes the elements of the row that begins with element `first`. Lanes load several before they store any.
    PARPRIMS_DEVICE void compute(unsigned char* region, std::size_t first) const
    {
        const std::size_t left = first < n ? n - first : 0;
        constexpr unsigned batch = smaller_of(Items, 8u);
#pragma unroll 1
        for (unsigned e = simt::block::lane(); e < row; e += batch * simt::warp_size) {
            uninitialized<element> next[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (e + b * simt::warp_size < left)
                    next[b].value = at(first + e + b * simt::warp_size);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (e + b * simt::warp_size < left)
                    simt::store(reinterpret_cast<element*>(region + offset(e + b * simt::warp_size)), next[b].value);
        }
    }

    /// Fills the row with copies of its last element from number `live` on.
    PARPRIMS_DEVICE void fill(unsigned char* region, unsigned live) const
    {
        const unsigned lane = simt::block::lane();
        const auto place_of = [&](unsigned e) { return reinterpret_cast<element*>(region + offset(e)); };
        const element last = live != 0 ? simt::load(place_of(live - 1)) : element_at(n - 1);
        unsigned end = row;  // where the elements that are stored one by one end
        if constexpr (in_packets && 16 % sizeof(element) == 0) {
            constexpr unsigned of_packet = 16 / sizeof(element);
            packet copies;
#pragma unroll
            for (unsigned k = 0; k < of_packet; ++k)
                simt::set_element(copies, k, last);
            const unsigned whole = (live + of_packet - 1) / of_packet;
#pragma unroll 1
            for (unsigned p = whole + lane; p < row_packets; p += simt::warp_size)
                simt::store(reinterpret_cast<packet*>(region), place(p), copies);
            end = whole * of_packet;
        }
#pragma unroll 1
        for (unsigned e = live + lane; e < end; e += simt::warp_size)
            simt::store(place_of(e), last);
        simt::sync_warp();
    }

    /// Where packet p of a row lies in its region.
    PARPRIMS_DEVICE unsigned place(unsigned p) const
    {
        if constexpr (swaps)
            return swapped_place<packets>(phase + p);
        else
            return p / packets * stride + p % packets;
    }
    /// Where element e of a settled row lies in its region, in bytes.
    PARPRIMS_DEVICE unsigned offset(unsigned e) const
    {
        const auto size = static_cast<unsigned>(sizeof(element));
        if constexpr (!in_packets)
            return shift + e * size;
        else if constexpr (swaps)
            return 16 * place(e * size / 16) + e * size % 16;
        else
            return e / Items * stride * 16 + e % Items * size;
    }
};

}  // namespace parprims::detail::device
