/// @file
/// @brief  How a warp writes values that lie side by side in shared memory: those of less than a word in whole words.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>

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

/// For one warp: calls `write(i)` for each i of [begin, end). `lead`: units from a line's start to i = 0; lane 0 takes
/// the i at line starts.
template <class Write>
PARPRIMS_DEVICE inline void for_each_aligned(unsigned lead, unsigned begin, unsigned end, Write write)
{
    constexpr unsigned step = simt::warp_size;
    unsigned i = simt::block::lane() + step - lead;
    if (i >= begin + step && i < end + step)
        write(i - step);
#pragma unroll 1
    for (; i + 3 * step < end; i += 4 * step)
#pragma unroll
        for (unsigned b = 0; b < 4; ++b)
            write(i + b * step);
#pragma unroll 1
    for (; i < end; i += step)
        write(i);
}

/// For one warp: writes the values [skip, count) to the places from `place` + `skip` on. `skip` is 0 or 1. `values` is aligned to 4
/// bytes, and the bytes up to the next multiple of 4 behind it may be read.
template <class T, class Output>
PARPRIMS_DEVICE inline void write_dense(const Output& output, std::size_t place, const T* values, unsigned skip,
                                        unsigned count)
{
    constexpr auto size = static_cast<unsigned>(sizeof(T));
    if constexpr (size < 4 && 4 % size == 0 && std::is_same_v<typename Output::value_type, T>)
        if (skip == 0) {
            using word = simt::packet<4>;
            const auto* const words = reinterpret_cast<const word*>(values);
            const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data + place) % 4);
            auto* const to = reinterpret_cast<unsigned char*>(output.data + place) - shift;
            const unsigned end = shift + count * size;
            for_each_aligned(units_behind_line<4>(to), shift == 0 ? 0 : 1, end / 4, [&](unsigned w) {
                word next = simt::load(words, w);
                if (shift != 0)
                    next.words[0] =
                        numeric::funnel_shift(simt::load(words, w - 1).words[0], next.words[0], 32 - 8 * shift);
                simt::store(reinterpret_cast<word*>(to), w, next);
            });
            // The words at both ends also have bytes of other warps.
            const unsigned lane = simt::block::lane();
            const unsigned byte = lane < 4 ? lane : end / 4 * 4 + lane - 4;
            const bool is_end = lane < 4 ? shift != 0 && byte >= shift : lane < 8 && (end >= 4 || shift == 0);
            if (is_end && byte < end)
                simt::store(to, byte, simt::load(reinterpret_cast<const unsigned char*>(values), byte - shift));
            return;
        }
    unsigned lead = 0;
    if constexpr (Output::is_pointer)
        lead = units_behind_line<sizeof(typename Output::value_type)>(output.data + (place + skip)) - skip;
    for_each_aligned(lead % simt::warp_size, skip, count,
                     [&](unsigned i) { output.set(place + i, simt::load(values, i)); });
}

}  // namespace parprims::detail::block
