/// @file
/// @brief  How a warp writes values that lie side by side in shared memory: those of less than a word in whole words.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::block {

/// The position of an address in an aligned line of 32 units of `Bytes`; a warp's stores start at line boundaries.
template <unsigned Bytes>
PARPRIMS_DEVICE inline unsigned units_behind_line(const void* address)
{
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) / Bytes % simt::warp_size);
}

/// The place of value i in shared memory: `gap` places, 0 or `Pad`, stay empty after each `32 * Pad` values, which are at least a word.
/// So lanes that each store 32 values or more, one after the other, use different banks of shared memory.
template <unsigned Pad>
PARPRIMS_HOST_DEVICE constexpr unsigned dense_place(unsigned i, unsigned gap = Pad)
{
    return i + i / (Pad * simt::warp_size) * gap;
}
/// The least `Pad` for values of `bytes`.
constexpr unsigned dense_pad(std::size_t bytes)
{
    return bytes < 4 && 4 % bytes == 0 ? static_cast<unsigned>(4 / bytes) : 1;
}

/// For one warp: calls `write(i, load(i))` for each i of [begin, end), where `end` is at most `Most`. If they are few, all that may be
/// loaded, [0, loadable), are loaded before one is written, so that the loads overlap (e327127). If they are many, lane 0 takes the i at line
/// starts.
/// @param  lead  units from a line's start to i = 0, modulo a line
template <unsigned Most, class Load, class Write>
PARPRIMS_DEVICE inline void for_each_unit(unsigned lead, unsigned begin, unsigned end, unsigned loadable, Load load,
                                          Write write)
{
    using unit = decltype(load(0u));
    constexpr unsigned step = simt::warp_size;
    constexpr unsigned steps = (Most + step - 1) / step;
    if constexpr (steps <= 4 && steps * sizeof(unit) <= 32) {
        const unsigned lane = simt::block::lane();
        uninitialized<unit> loaded[steps];
#pragma unroll
        for (unsigned b = 0; b < steps; ++b)
            if (b * step + lane < loadable)
                loaded[b].value = load(b * step + lane);
#pragma unroll
        for (unsigned b = 0; b < steps; ++b)
            if (const unsigned i = b * step + lane; i >= begin && i < end)
                write(i, loaded[b].value);
    } else {
        unsigned i = simt::block::lane() + step - lead % step;
        if (i >= begin + step && i < end + step)
            write(i - step, load(i - step));
#pragma unroll 1
        for (; i + 3 * step < end; i += 4 * step)
#pragma unroll
            for (unsigned b = 0; b < 4; ++b)
                write(i + b * step, load(i + b * step));
#pragma unroll 1
        for (; i < end; i += step)
            write(i, load(i));
    }
}

/// For one warp: writes values [begin, end), where `begin` is 0 or 1 and `end` at most `Most`, to the places from `place` on. They lie as
/// `dense_place<Pad>` says, with `gap`, in `values`, which is aligned to 4 bytes. If `Most` are few for `for_each_unit`, it has room for
/// them, and all may be read, also where none was stored; of enums and `bool` those before `end`.
template <unsigned Most, unsigned Pad, class T, class Output>
PARPRIMS_DEVICE inline void write_dense(const Output& output, std::size_t place, const T* values, unsigned begin,
                                        unsigned end, unsigned gap)
{
    constexpr auto size = static_cast<unsigned>(sizeof(T));
    if constexpr (size < 4 && 4 % size == 0 && std::is_same_v<typename Output::value_type, T>) {
        using word = simt::packet<4>;
        const auto word_at = [&](unsigned w) {
            return simt::load(reinterpret_cast<const word*>(values), dense_place<Pad * size / 4>(w, gap * size / 4));
        };
        const auto first = reinterpret_cast<std::uintptr_t>(output.data + place);
        const auto shift = static_cast<unsigned>((first - begin * size) % 4);  // bytes from a word to value 0
        const unsigned begin_byte = shift + begin * size;
        auto* const to = reinterpret_cast<unsigned char*>(output.data + place) - begin_byte;
        const unsigned end_byte = shift + end * size;
        for_each_unit<Most * size / 4>(
            block::units_behind_line<4>(to), begin_byte == 0 ? 0 : 1, end_byte / 4, Most * size / 4,
            [&](unsigned w) {
                word next = word_at(w);
                const word before = word_at(w == 0 ? 0 : w - 1);
                if (shift != 0)
                    next.words[0] = numeric::funnel_shift(before.words[0], next.words[0], 32 - 8 * shift);
                return next;
            },
            [&](unsigned w, const word& next) { simt::store(reinterpret_cast<word*>(to), w, next); });
        // The words at both ends also have bytes of other warps.
        const unsigned lane = simt::block::lane();
        const unsigned byte = lane < 4 ? lane : end_byte / 4 * 4 + lane - 4;
        const bool is_end =
            lane < 4 ? begin_byte != 0 && byte >= begin_byte : lane < 8 && (end_byte >= 4 || begin_byte == 0);
        if (is_end && byte < end_byte)
            simt::store(to, byte,
                        simt::load(reinterpret_cast<const unsigned char*>(values),
                                   dense_place<Pad * size>(byte - shift, gap * size)));
    } else {
        unsigned lead = 0;
        if constexpr (Output::is_pointer)
            lead = block::units_behind_line<sizeof(typename Output::value_type)>(output.data + place) - begin;
        constexpr bool any_bits_do = !std::is_same_v<T, bool> && !std::is_enum_v<T>;
        const unsigned loadable = any_bits_do ? Most : end;
        for_each_unit<Most>(
            lead, begin, end, loadable, [&](unsigned i) { return simt::load(values, dense_place<Pad>(i, gap)); },
            [&](unsigned i, const T& value) { output.set(place + i - begin, value); });
    }
}

}  // namespace parprims::detail::block
