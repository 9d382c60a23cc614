/// @file
/// @brief  The elements of a tile: copied to shared memory, from where lanes read them in any order, or read where they are.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/covering.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/load/singles.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// What the copy of a tile has of an element: the element as it lies in memory; where elements are computed, their values.
template <class Input>
struct copied_element {
    using type = typename Input::value_type;
    static constexpr bool exists = std::is_trivially_copyable_v<type> && std::is_copy_assignable_v<type> &&
                                   sizeof(type) <= max_computed_bytes && alignof(type) <= 16;

    PARPRIMS_DEVICE static const type& value_of(const Input&, const type& element) { return element; }
};
template <class Input>
    requires(Input::has_source)
struct copied_element<Input> {
    using type = typename Input::source_type;
    static constexpr bool exists = alignof(type) <= 16;

    PARPRIMS_DEVICE static decltype(auto) value_of(const Input& input, const type& element)
    {
        return input.value_of(element);
    }
};

/// The alignment of an element of a copy, and its bytes; 0 where there is none.
template <class Input>
constexpr std::size_t copied_alignment()
{
    return copied_element<Input>::exists ? alignof(typename copied_element<Input>::type) : 0;
}
template <class Input>
constexpr std::size_t copied_bytes()
{
    return copied_element<Input>::exists ? sizeof(typename copied_element<Input>::type) : 0;
}

/// Whether tiles have a copy of their elements in shared memory.
template <class Input>
inline constexpr bool is_copied_to_tiles =
    copied_bytes<Input>() != 0 &&
    order::chunk<typename Input::value_type> * copied_bytes<Input>() <= max_copied_chunk_bytes;

/// Bytes that lines are copied by: 16 if lengths, gaps and addresses are multiples of that, otherwise those of an element's alignment, but at
/// least 4, the fewest of an asynchronous copy.
template <class Input>
inline constexpr unsigned small_line_unit = larger_of(static_cast<unsigned>(copied_alignment<Input>()), 4u);
template <class Input>
PARPRIMS_HOST_DEVICE constexpr unsigned line_unit(std::size_t length, std::size_t gap, std::size_t address)
{
    return (length | gap | address) % 16 == 0 ? 16 : small_line_unit<Input>;
}

/// Whether tiles of these lines leave out the gaps between them. Then, in an array, lengths, gaps and the address are multiples of `line_unit`. An
/// element of a gap must not be computed, so tiles of computed elements always do; other kernels read lines where they are.
template <class Input>
bool skips_gaps([[maybe_unused]] const Input& input, const fixed_segments& lines)
{
    if (lines.gap() == 0 || lines.gap() >> 32 != 0)  // the kernel has room for 32 bits
        return false;
    if constexpr (is_copied_to_tiles<Input> && !Input::has_source) {
        return !device::sizes_of(lines, copied_bytes<Input>()).are_in_place;
    } else if constexpr (is_copied_to_tiles<Input>) {
        const std::size_t length = lines.length * copied_bytes<Input>(), gap = lines.gap() * copied_bytes<Input>();
        const auto address = reinterpret_cast<std::uintptr_t>(input.data);
        const unsigned unit = line_unit<Input>(length, gap, address);
        return (length | gap | address) % unit == 0 && gap * unit >= least_gap_bytes * length &&
               length >= min_line_bytes && length <= (lines.are_far_apart() ? max_far_line_bytes : max_line_bytes);
    } else {
        return false;
    }
}

/// Where a byte of a tile lies in a copy, if that is padded: a packet stays free after every eight.
PARPRIMS_DEVICE inline unsigned padded(unsigned byte, bool is_padded = true)
{
    return byte + (byte >> 3 & (is_padded ? ~15u : 0u));
}

/// The numbers in the input of a tile's elements.
struct tile_numbers {
    std::size_t first;
    unsigned length;  // of the segments, if there are gaps behind them
    std::size_t gap;  // elements of the input behind each segment that the tile does not have

    PARPRIMS_DEVICE std::size_t operator()(unsigned i) const { return first + i + (gap == 0 ? 0 : i / length * gap); }
};

/// The copied elements of a tile, for a lane that reads consecutive ones one by one.
template <class Input, class T>
struct plain_elements {
    using value_type = typename Input::value_type;
    static constexpr bool has_packets = false;
    static constexpr unsigned in_flight = 4;

    const Input& input;
    const unsigned char* copy;
    tile_numbers numbers;

    template <class As = T>
    PARPRIMS_DEVICE As operand(unsigned i) const
    {
        using element = copied_element<Input>;
        return device::operand<As, Input>(
            identity{}, element::value_of(input, simt::load(reinterpret_cast<const typename element::type*>(copy), i)));
    }
};

/// The elements of a tile whose copy is padded, for a lane that reads a leaf at a time. Leaves are aligned to their size.
template <class Input, class T>
struct leaf_elements {
    using source = typename copied_element<Input>::type;
    static constexpr unsigned leaf_bytes = leaf_items * sizeof(source);
    using packet = simt::packet<smaller_of(leaf_bytes, 16u)>;
    struct leaf {
        packet packets[leaf_bytes / sizeof(packet)];
    };

    const Input& input;
    const unsigned char* copy;

    PARPRIMS_DEVICE leaf load_leaf(unsigned i) const
    {
        const auto* const from = reinterpret_cast<const packet*>(copy + padded(i * unsigned{sizeof(source)}));
        leaf result;
#pragma unroll
        for (unsigned p = 0; p < leaf_bytes / sizeof(packet); ++p)
            result.packets[p] = simt::load(from, p);
        return result;
    }
    PARPRIMS_DEVICE T operand(const leaf& elements, unsigned k) const
    {
        constexpr unsigned count = sizeof(packet) / sizeof(source);
        return device::operand<T, Input>(
            identity{},
            copied_element<Input>::value_of(input, simt::element<source>(elements.packets[k / count], k % count)));
    }
};

/// The elements of a tile. Those of an array are copied to shared memory, in aligned packets; of lines for which `skips_gaps` holds, only the
/// lines. Others are computed, neighbours by neighbouring threads, and stored there. If the distance between segments is a multiple of a leaf and
/// of `padded_multiple`, the copy is padded: otherwise lanes that each read a segment would all read from a few banks.
template <class Input, class T>
struct tile_input {
    using value_type = typename Input::value_type;
    using element_type = copied_element<Input>;
    static constexpr std::size_t bytes = copied_bytes<Input>();
    static constexpr bool is_copied = is_copied_to_tiles<Input>;
    /// Elements must not extend over a free packet.
    static constexpr bool can_be_padded = is_copied && copied_alignment<Input>() == bytes;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr bool has_packets = can_be_padded && items * bytes == 16;
    static constexpr bool holds_values = !Input::has_source || Input::is_pointer;  // no function is applied to them
    static constexpr bool is_in_place = false;
    static constexpr unsigned in_flight = 4;
    using packet = simt::packet<16>;

    const Input& input;
    unsigned char* copy;
    tile_numbers numbers;
    unsigned shift;  // of the first element in the copy
    bool is_padded;

    /// Shared memory for `count` elements, wherever they begin. A lane may read a packet or a leaf after the last element. Segments
    /// by offsets are padded only if there is room: they seldom follow at one distance.
    static constexpr std::size_t shared_bytes(std::size_t count, bool is_searched)
    {
        if (!is_copied)
            return 0;
        const std::size_t packets = order::ceil_div((count + leaf_items) * bytes + simt::shared_line_bytes - 1, 16) + 2;
        return 16 * (packets + (can_be_padded && !is_searched ? packets / 8 : 0));
    }

    /// @param  stride  from segment to segment in the tile, if it is the same for all, otherwise 0
    PARPRIMS_DEVICE tile_input(const Input& from, unsigned char* shared, const tile_numbers& of_elements,
                               unsigned stride)
        : input(from), copy(shared), numbers(of_elements), shift(0), is_padded(false)
    {
        if constexpr (can_be_padded)
            is_padded = stride != 0 && stride * bytes % larger_of(leaf_items * bytes, padded_multiple<T>) == 0;
        if constexpr (is_copied && Input::has_source) {
            const auto address = reinterpret_cast<std::uintptr_t>(input.data + numbers.first);
            shift = static_cast<unsigned>(address % 16);
            // Without padding, a tile begins at the same byte of 128 as in global memory: copies cross fewer lines of shared memory.
            if (!is_padded)
                copy += address % simt::shared_line_bytes / 16 * 16;
        }
    }

    /// For all threads of a block: starts to copy `count` elements. The input ends `left` elements after the first one.
    PARPRIMS_DEVICE void start_copy([[maybe_unused]] simt::block block, [[maybe_unused]] unsigned count,
                                    [[maybe_unused]] std::size_t left) const
    {
        if constexpr (is_copied && !Input::has_source) {
            const auto copy_each = [&](auto number) {
                device::for_each_single(
                    block.thread(), block.threads(), count, [&](unsigned i) -> value_type { return input[number(i)]; },
                    [&](unsigned i, const value_type& value) {
                        simt::store(reinterpret_cast<value_type*>(copy + place(i * unsigned{bytes})), 0, value);
                    });
            };
            if (numbers.gap == 0)
                copy_each(
                    [&](unsigned i) { return numbers.first + i; });  // without a division, loads are in flight together
            else
                copy_each(numbers);
        } else if constexpr (is_copied) {
            const auto* const source = reinterpret_cast<const unsigned char*>(input.data + numbers.first);
            if (numbers.gap == 0)
                block::copy_covering(copy, source - shift, shift, count * unsigned{bytes}, left * bytes, block.thread(),
                                     block.threads(), [&](unsigned byte) { return place(byte); });
            else if (line_unit<Input>(numbers.length * bytes, numbers.gap * bytes, shift) == 16)
                copy_lines<16>(block, source, count);
            else
                copy_lines<small_line_unit<Input>>(block, source, count);
            simt::commit_copies();
        }
    }

    /// For all threads of a block: waits for the copies.
    PARPRIMS_DEVICE void wait([[maybe_unused]] simt::block block) const
    {
        if constexpr (is_copied) {
            simt::wait_copies<0>();
            block.sync();
        }
    }

    /// The elements from element i of the tile on.
    PARPRIMS_DEVICE tile_input from(unsigned i) const
    {
        tile_input rest = *this;
        rest.numbers.first += i;
        rest.shift += i * unsigned{bytes};
        return rest;
    }

    PARPRIMS_DEVICE plain_elements<Input, T> plain() const { return {input, copy + shift, numbers}; }
    PARPRIMS_DEVICE leaf_elements<Input, T> leaves() const { return {input, copy}; }

    /// Element i of the tile, as an operand.
    template <class As = T>
    PARPRIMS_DEVICE As operand(unsigned i) const
    {
        if constexpr (is_copied) {
            const unsigned byte = place(shift + i * unsigned{bytes});
            return device::operand<As, Input>(
                identity{}, element_type::value_of(
                                input, simt::load(reinterpret_cast<const typename element_type::type*>(copy + byte))));
        } else {
            return device::operand<As, Input>(identity{}, input[numbers(i)]);
        }
    }

    /// The aligned packet at a byte of the copy.
    PARPRIMS_DEVICE packet packet_at(unsigned byte) const
    {
        return simt::load(reinterpret_cast<const packet*>(copy + place(byte)));
    }

    /// The first element from element i on that begins a packet of the copy, and the packet of such an element.
    PARPRIMS_DEVICE unsigned next_packet(unsigned i) const
    {
        return i + -(shift + i * unsigned{bytes}) % 16 / unsigned{bytes};
    }
    PARPRIMS_DEVICE packet aligned_packet(unsigned i) const { return packet_at(shift + i * unsigned{bytes}); }

    /// `items` elements from element i on, in two packets of the copy.
    PARPRIMS_DEVICE packet load_packet(unsigned i) const
    {
        const unsigned byte = shift + i * static_cast<unsigned>(bytes);
        const unsigned begin = byte & ~15u;
        const packet low = packet_at(begin);
        if (byte == begin)
            return low;
        const packet high = packet_at(begin + 16);
        constexpr unsigned step = has_packets ? static_cast<unsigned>(bytes) : 1;
        return block::shifted<step>(low, high, byte - begin);
    }

    /// Element k of a packet, as an operand.
    template <class As = T>
    PARPRIMS_DEVICE As operand(const packet& elements, unsigned k) const
    {
        return device::operand<As, Input>(
            identity{}, element_type::value_of(input, simt::element<typename element_type::type>(elements, k)));
    }

private:
    PARPRIMS_DEVICE unsigned place(unsigned byte) const { return padded(byte, is_padded); }

    /// Copies lines without the gaps between them, `Bytes` at a time: each thread goes from unit to unit, past the ends of lines.
    template <unsigned Bytes>
    PARPRIMS_DEVICE void copy_lines(simt::block block, const unsigned char* source, unsigned count) const
    {
        using unit = simt::packet<Bytes>;
        const unsigned units = numbers.length * unsigned{bytes} / Bytes;  // of a line
        const unsigned lines_ahead = block.threads() / units, units_ahead = block.threads() - lines_ahead * units;
        unsigned line = block.thread() / units, number = block.thread() - line * units;
#pragma unroll 4
        for (unsigned byte = block.thread() * Bytes; byte < count * unsigned{bytes}; byte += block.threads() * Bytes) {
            auto* const to = reinterpret_cast<unit*>(copy + place(shift + byte));
            const auto* const from =
                reinterpret_cast<const unit*>(source + line * (numbers.length + numbers.gap) * bytes) + number;
            simt::copy_async(to, from);
            line += lines_ahead;
            number += units_ahead;
            if (number >= units) {
                number -= units;
                ++line;
            }
        }
    }
};

/// Elements from number `first` on, read where they are.
template <class Input, class T>
struct elements_in_place {
    using value_type = typename Input::value_type;
    static constexpr bool is_in_place = true;
    static constexpr bool has_packets = false;
    static constexpr unsigned in_flight = order::power_of_two_within(128, sizeof(value_type), 16);

    const Input& input;
    std::size_t first;

    template <class As = T>
    PARPRIMS_DEVICE As operand(unsigned i) const
    {
        return device::operand<As, Input>(identity{}, input[first + i]);
    }
    PARPRIMS_DEVICE elements_in_place from(unsigned i) const { return {input, first + i}; }
    /// The number of element i in the input.
    PARPRIMS_DEVICE std::size_t numbers(unsigned i) const { return first + i; }
};

}  // namespace parprims::detail::device
