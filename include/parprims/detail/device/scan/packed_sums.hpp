/// @file
/// @brief  Running sums of integers of one or two bytes that lie side by side in words.
///
/// Sums of integers are exact modulo 2^k, so any order gives the bits of the order contract. A sum is carried in a word:
/// its low bits count, and those above them mean nothing.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Whether combining values of type T is adding small integers.
template <class T, class Op>
inline constexpr bool is_packed_sum =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 2 && std::is_same_v<Op, plus>;

/// Adds the two sums of a word.
struct add_pairs {
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const
    {
        return numeric::add_halves(a, b);
    }
};

/// Two sums in a word.
PARPRIMS_HOST_DEVICE inline std::uint32_t pair_of(std::uint32_t low, std::uint32_t high)
{
    return numeric::permute_bytes(low, high, 0x5410);
}

/// The sums of a word of values of `Size` bytes.
template <unsigned Size>
struct packed_lane;

template <>
struct packed_lane<1> {
    static constexpr unsigned bits = 8;

    PARPRIMS_HOST_DEVICE static std::uint32_t total(std::uint32_t word, std::uint32_t before)
    {
        return numeric::dot_bytes(word, 0x01010101, before);
    }

    /// Turns a word into its running sums, starting from `sum`, which becomes the last of them.
    PARPRIMS_HOST_DEVICE static std::uint32_t scan(std::uint32_t word, std::uint32_t& sum)
    {
        const std::uint32_t low = numeric::permute_bytes(numeric::dot_bytes(word, 0x00000001, sum),
                                                         numeric::dot_bytes(word, 0x00000101, sum), 0x0040);
        const std::uint32_t third = numeric::dot_bytes(word, 0x00010101, sum);
        sum = total(word, sum);
        return numeric::permute_bytes(low, numeric::permute_bytes(third, sum, 0x0040), 0x5410);
    }
};

template <>
struct packed_lane<2> {
    static constexpr unsigned bits = 16;

    PARPRIMS_HOST_DEVICE static std::uint32_t total(std::uint32_t word, std::uint32_t before)
    {
        return before + word + (word >> 16);
    }

    PARPRIMS_HOST_DEVICE static std::uint32_t scan(std::uint32_t word, std::uint32_t& sum)
    {
        const std::uint32_t first = word + sum;
        sum = first + (word >> 16);
        return pair_of(first, sum);
    }
};

/// The sum of a lane's values.
template <class T>
PARPRIMS_DEVICE inline std::uint32_t packed_total(const simt::packet<16>& values)
{
    std::uint32_t sum = 0;
#pragma unroll
    for (unsigned w = 0; w < 4; ++w)
        sum = packed_lane<sizeof(T)>::total(values.words[w], sum);
    return sum;
}

/// The running sums of a lane's values, from `sum` on.
template <class T, bool Exclusive>
PARPRIMS_DEVICE inline simt::packet<16> packed_scan(const simt::packet<16>& values, std::uint32_t sum)
{
    using lane = packed_lane<sizeof(T)>;
    simt::packet<16> sums;
    std::uint32_t previous = sum << (32 - lane::bits);
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) {
        const std::uint32_t scanned = lane::scan(values.words[w], sum);
        sums.words[w] = Exclusive ? scanned << lane::bits | previous >> (32 - lane::bits) : scanned;
        previous = scanned;
    }
    return sums;
}

}  // namespace parprims::detail::device
