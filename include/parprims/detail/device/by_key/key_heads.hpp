/// @file
/// @brief  Where runs of equal keys begin in a row.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Bits for the elements of a lane.
template <unsigned Items>
using lane_bits = std::conditional_t<(Items > 32), std::uint64_t, std::uint32_t>;

/// The first `count` bits of `Items`.
template <unsigned Items>
PARPRIMS_DEVICE inline lane_bits<Items> first_bits(std::size_t count)
{
    using bits = lane_bits<Items>;
    return count >= 8 * sizeof(bits) ? ~bits{0} : static_cast<bits>((bits{1} << count) - 1);
}

/// How many bits are set.
template <unsigned Items>
PARPRIMS_DEVICE inline unsigned count_bits(lane_bits<Items> bits)
{
    unsigned count = simt::count_lanes(static_cast<simt::lane_mask>(bits));
    if constexpr (sizeof(bits) == 8)
        count += simt::count_lanes(static_cast<simt::lane_mask>(bits >> 32));
    return count;
}

/// Finds where runs of equal keys begin.
/// @tparam  IsLean  whether a reduction reads the keys of runs again, so that it keeps none in registers or shared memory
template <class Reader, class Equal, bool IsLean = false>
struct key_heads {
    using reader = Reader;
    static constexpr unsigned Items = reader::items;
    using key_type = typename reader::value_type;
    using bits = lane_bits<Items>;
    using index = typename reader::index;
    static constexpr std::size_t region_bytes = reader::region_bytes;

    reader keys;
    Equal equal;

    /// The keys of a lane, if they fit its registers; otherwise they are read again.
    static constexpr bool keeps_keys = !IsLean && Items * sizeof(key_type) <= max_keyed_lane_bytes;
    struct no_keys {};
    using lane_keys = std::conditional_t<keeps_keys, lane_values<key_type, Items>, no_keys>;

    struct state {
        uninitialized<key_type> before;  // the key before the row
        typename reader::state row;
    };

    PARPRIMS_DEVICE std::size_t resize(std::size_t size)
    {
        keys.resize(size);
        return size;
    }

    /// Starts to copy the row from element `first` on, and reads the key before it: for the first row, the first key itself.
    PARPRIMS_DEVICE void fetch(unsigned char* region, index first, state& read) const
    {
        keys.fetch(region, first, read.row);
        read.before.value = keys.at(smaller_of<index>(first, keys.n) - (first == 0 ? 0 : 1));
    }

    /// Bit k: a run begins at element k of this lane, in the row from element `first` on.
    PARPRIMS_DEVICE bits find(unsigned char* region, index first, const state& read,
                              [[maybe_unused]] lane_keys& kept) const
    {
        keys.settle(region, first);
        bits heads = 0;
        if constexpr (are_bytes) {
            keys.load_packets(region, read.row, kept.values);
            heads = find_bytes(kept.values, read.before.value);
        } else {
            lane_values<key_type, Items> key;
            keys.load(region, first, read.row, [&](unsigned k, const key_type& value) { key.set(k, value); });
            const key_type below = simt::shuffle_up(key.get(Items - 1), 1);
            heads = equal(simt::select(simt::block::lane() == 0, read.before.value, below), key.get(0)) ? 0 : 1;
#pragma unroll
            for (unsigned k = 1; k < Items; ++k)
                heads |= equal(key.get(k - 1), key.get(k)) ? bits{0} : bits{1} << k;
            if constexpr (keeps_keys)
                kept = key;
        }
        if (first == 0 || first + reader::row > keys.n) {  // keys are equal to themselves, unless they are NaN
            const index mine = first + simt::block::lane() * Items;
            heads &= first_bits<Items>(mine < keys.n ? keys.n - mine : 0);
            if (mine == 0)
                heads |= 1;
        }
        return heads;
    }

private:
    /// Whether keys are bytes, which are compared in words of four.
    static constexpr bool are_bytes = keeps_keys && reader::has_packets && reader::input_type::is_pointer &&
                                      Items % 8 == 0 && std::is_integral_v<key_type> && sizeof(key_type) == 1 &&
                                      std::is_same_v<Equal, equal_to>;

    /// Where runs of bytes begin, without the first key and what lies behind the last one.
    template <unsigned Packets>
    PARPRIMS_DEVICE static bits find_bytes(const simt::packet<16> (&bytes)[Packets], const key_type& before)
    {
        constexpr unsigned words = Items / 4;
        const auto word = [&](unsigned w) { return bytes[w / 4].words[w % 4]; };
        const std::uint32_t below = simt::shuffle_up(word(words - 1), 1);
        const auto first = static_cast<std::uint32_t>(static_cast<unsigned char>(before)) << 24;
        std::uint32_t last = simt::block::lane() == 0 ? first : below;
        bits heads = 0;
#pragma unroll
        for (unsigned w = 0; w < words; w += 2) {
            std::uint32_t eight = 0;  // 128 times the bits of eight elements
#pragma unroll
            for (unsigned i = 0; i < 2; ++i) {
                const std::uint32_t differences = word(w + i) ^ numeric::funnel_shift(last, word(w + i), 24);
                const std::uint32_t top_bits = (((differences & 0x7f7f7f7f) + 0x7f7f7f7f) | differences) &
                                               0x80808080;  // of bytes that are not zero
                eight = numeric::dot_bytes(top_bits, i == 0 ? 0x08040201 : 0x80402010, eight);
                last = word(w + i);
            }
            heads |= static_cast<bits>(eight >> 7) << 4 * w;
        }
        return heads;
    }
};

}  // namespace parprims::detail::device
