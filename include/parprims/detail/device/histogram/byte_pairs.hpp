/// @file
/// @brief  The slots of pairs of bytes, four pairs at a time.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/tuple.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The slots of pairs of bytes whose axes have a bin for every byte. Edge i is smallest + i * 256 / bins, so with e = x - smallest
/// the bin is floor(e * bins / 256). In pictures no sample is outside, so none is compared with edges, and two pairs share each
/// multiplication: numbers of 16 bits, side by side in a word.
template <class X, class Y>
struct pair_of_bytes {
    std::uint32_t x_bins;
    std::uint32_t y_bins;

    PARPRIMS_HOST_DEVICE static constexpr pair_of_bytes of(std::uint32_t x_bins, std::uint32_t y_bins)
    {
        return {x_bins, y_bins};
    }

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t operator()(const tuple<X, Y>& sample) const
    {
        return bin_of(parprims::get<0>(sample), x_bins) * y_bins + bin_of(parprims::get<1>(sample), y_bins);
    }

    /// Calls `add(slot)` for the four pairs of a word of each array.
    template <class Add>
    PARPRIMS_HOST_DEVICE void in_words(std::uint32_t x, std::uint32_t y, const Add& add) const
    {
        x ^= flip<X>;
        y ^= flip<Y>;
        const auto add_pairs = [&](std::uint32_t bytes) {
            const std::uint32_t x_bin = numeric::permute_bytes(x, 0, bytes) * x_bins;
            const std::uint32_t y_bin = numeric::permute_bytes(y, 0, bytes) * y_bins;
            const std::uint32_t slots =
                numeric::permute_bytes(x_bin, 0, odd_bytes) * y_bins + numeric::permute_bytes(y_bin, 0, odd_bytes);
            add(slots & 0xffff);
            add(slots >> 16);
        };
        add_pairs(even_bytes);
        add_pairs(odd_bytes);
    }

private:
    static constexpr std::uint32_t even_bytes = 0x4240;  // to permute_bytes: bytes 0 and 2, each with a zero above
    static constexpr std::uint32_t odd_bytes = 0x4341;
    template <class Byte>
    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t bin_of(Byte byte, std::uint32_t bins)
    {
        const std::uint32_t e = (static_cast<std::uint32_t>(byte) ^ flip<Byte>)&0xff;
        return (e * bins) >> 8;
    }
    template <class Byte>
    static constexpr std::uint32_t flip = std::is_signed_v<Byte> ? 0x80808080 : 0;
};

}  // namespace parprims::detail::device
