/// @file
/// @brief  The elements of a tile: copied to shared memory, from where lanes read them in any order, or read where they are.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/shifted.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Bytes of an element in memory; 0 where there is none, or where it is aligned to more than a packet.
template <class Input>
constexpr std::size_t source_bytes()
{
    if constexpr (Input::has_source)
        return alignof(typename Input::source_type) <= 16 ? sizeof(typename Input::source_type) : 0;
    else
        return 0;
}

/// Where a byte of a tile lies in a copy with gaps: a packet is free after every 16.
PARPRIMS_DEVICE inline unsigned with_gaps(unsigned byte)
{
    return byte + (byte >> 4 & ~15u);
}

/// The copied elements of a tile, for a lane that reads consecutive ones.
template <class Input, class T, bool HasGaps>
struct copied_elements {
    using source = typename Input::source_type;
    /// Narrow elements are read by words.
    static constexpr bool has_words = sizeof(source) < 4 && alignof(source) == sizeof(source);
    using leaf = simt::packet<has_words ? leaf_items * sizeof(source) : 4>;

    const Input& input;
    const unsigned char* copy;
    unsigned shift;  // of the first element in the copy

    PARPRIMS_DEVICE T operand(unsigned i) const
    {
        const unsigned byte = shift + i * unsigned{sizeof(source)};
        return enter<T, Input>(identity{}, input.of(simt::load(reinterpret_cast<const source*>(at(byte)))));
    }

    /// `leaf_items` elements from element i on, if `has_words`.
    PARPRIMS_DEVICE leaf load_leaf(unsigned i) const
    {
        constexpr unsigned count = sizeof(leaf) / 4;
        const unsigned byte = shift + i * unsigned{sizeof(source)};
        leaf result;
        std::uint32_t low = load_word(byte & ~3u);
#pragma unroll
        for (unsigned w = 0; w < count; ++w) {
            const std::uint32_t high = load_word((byte & ~3u) + 4 * w + 4);
            result.words[w] = numeric::funnel_shift(low, high, byte % 4 * 8);
            low = high;
        }
        return result;
    }
    PARPRIMS_DEVICE T operand(const leaf& elements, unsigned k) const
    {
        return enter<T, Input>(identity{}, input.of(simt::element<source>(elements, k)));
    }

private:
    PARPRIMS_DEVICE const unsigned char* at(unsigned byte) const { return copy + (HasGaps ? with_gaps(byte) : byte); }
    PARPRIMS_DEVICE std::uint32_t load_word(unsigned byte) const
    {
        return simt::load(reinterpret_cast<const simt::packet<4>*>(at(byte))).words[0];
    }
};

/// Elements [first, first + count) of an input. An array is copied in aligned packets. If segments follow one another at a multiple
/// of 32 bytes, a packet of shared memory is left free after every 16 of them: otherwise lanes that read their segments would
/// use few banks.
template <class Input, class T>
struct tile_input {
    using value_type = typename Input::value_type;
    static constexpr std::size_t bytes = source_bytes<Input>();
    static constexpr bool is_copied = bytes != 0 && order::chunk<value_type> * bytes <= max_copied_chunk_bytes;
    /// Elements must not extend over a free packet.
    static constexpr bool can_have_gaps = is_copied && bytes <= 16 && (bytes & (bytes - 1)) == 0 && [] {
        if constexpr (Input::has_source)
            return alignof(typename Input::source_type) == bytes;
        return false;
    }();
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr bool has_packets = can_have_gaps && items * bytes == 16;
    using packet = simt::packet<16>;

    const Input& input;
    unsigned char* copy;
    std::size_t first;
    unsigned shift;  // of the first element in the copy
    bool has_gaps;

    /// Shared memory for `count` elements, wherever they begin. A lane may read one packet after the last element.
    static constexpr std::size_t shared_bytes(std::size_t count)
    {
        if (!is_copied)
            return 0;
        const std::size_t packets = order::ceil_div(count * bytes + 15, 16) + 2;
        return 16 * (packets + (can_have_gaps ? packets / 16 : 0));
    }

    PARPRIMS_DEVICE tile_input(const Input& from, unsigned char* shared, std::size_t first_element, unsigned count,
                               unsigned segments)
        : input(from), copy(shared), first(first_element), shift(0), has_gaps(false)
    {
        if constexpr (can_have_gaps)
            if (segments > 1 && count % segments == 0 && count / segments * bytes % 32 == 0)
                has_gaps = true;
        if constexpr (is_copied)
            shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(input.data + first) % 16);
    }

    /// For all threads of a block: starts to copy `count` elements. The input ends `left` elements after the first one.
    PARPRIMS_DEVICE void start_copy([[maybe_unused]] simt::block block, [[maybe_unused]] unsigned count,
                                    [[maybe_unused]] std::size_t left) const
    {
        if constexpr (is_copied) {
            const auto* const source = reinterpret_cast<const unsigned char*>(input.data + first) - shift;
            const unsigned end = shift + count * static_cast<unsigned>(bytes);
            // The packets that end in the input; then less than a packet is left, byte by byte.
            const std::size_t last = (shift + left * bytes) / 16;
            const unsigned packets = (end + 15) / 16 < last ? (end + 15) / 16 : static_cast<unsigned>(last);
#pragma unroll 4
            for (unsigned p = block.thread(); p < packets; p += block.threads())
                simt::copy_async(reinterpret_cast<packet*>(copy + place(16 * p)),
                                 reinterpret_cast<const packet*>(source) + p, p == 0 ? shift : 0,
                                 end - 16 * p < 16 ? end - 16 * p : 16);
            const unsigned byte = 16 * packets + block.thread();
            if (byte < end && byte >= shift)
                simt::store(copy, place(byte), simt::load(source, byte));
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

    template <bool HasGaps>
    PARPRIMS_DEVICE copied_elements<Input, T, HasGaps> copied() const
    {
        return {input, copy, shift};
    }

    /// Element i of the tile, as an operand.
    PARPRIMS_DEVICE T operand(unsigned i) const
    {
        if constexpr (is_copied) {
            const unsigned byte = place(shift + i * unsigned{bytes});
            return enter<T, Input>(
                identity{}, input.of(simt::load(reinterpret_cast<const typename Input::source_type*>(copy + byte))));
        } else {
            return enter<T, Input>(identity{}, input[first + i]);
        }
    }

    /// `items` elements from element i on, in two packets of the copy.
    PARPRIMS_DEVICE packet load_packet(unsigned i) const
    {
        const unsigned byte = shift + i * static_cast<unsigned>(bytes);
        const unsigned begin = byte & ~15u;
        const packet low = simt::load(reinterpret_cast<const packet*>(copy + place(begin)));
        if (byte == begin)
            return low;
        const packet high = simt::load(reinterpret_cast<const packet*>(copy + place(begin + 16)));
        constexpr unsigned step = has_packets ? static_cast<unsigned>(bytes) : 1;
        return block::shifted<step>(low, high, byte - begin);
    }

    /// Element k of a packet, as an operand.
    PARPRIMS_DEVICE T operand(const packet& elements, unsigned k) const
    {
        return enter<T, Input>(identity{}, input.of(simt::element<typename Input::source_type>(elements, k)));
    }

private:
    PARPRIMS_DEVICE unsigned place(unsigned byte) const { return has_gaps ? with_gaps(byte) : byte; }
};

}  // namespace parprims::detail::device
