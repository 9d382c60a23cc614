/// @file
/// @brief  The generator and the hash of docs/order-contract.md, "The witnesses".
#pragma once

#include <parprims/config.hpp>
#include <parprims/weights.hpp>

#include "rows.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace contract {

inline constexpr std::uint64_t step = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// Output i of SplitMix64 that starts from `seed`.
constexpr std::uint64_t word(std::uint64_t seed, std::uint64_t i)
{
    return mix(seed + (i + 1) * step);
}

/// Three numbers, added one by one.
template <class Number>
struct triple {
    Number a, b, c;

    PARPRIMS_HOST_DEVICE friend triple operator+(const triple& x, const triple& y)
    {
        return {x.a + y.a, x.b + y.b, x.c + y.c};
    }
};
using f32x3 = triple<float>;
using f64x3 = triple<double>;

/// x -> factor * x + shift. The factor is 1 or -1, so products are exact: fusing them changes nothing.
struct map8 {
    float factor, shift;
};
struct map12 {
    float factor, shift;
    std::uint32_t count;
};

/// First a, then b.
struct then {
    PARPRIMS_HOST_DEVICE map8 operator()(const map8& a, const map8& b) const
    {
        return {b.factor * a.factor, b.factor * a.shift + b.shift};
    }
    PARPRIMS_HOST_DEVICE map12 operator()(const map12& a, const map12& b) const
    {
        return {b.factor * a.factor, b.factor * a.shift + b.shift, a.count + b.count};
    }
};

/// Integers, as a struct of many bytes.
template <std::size_t N>
struct integers {
    std::uint64_t values[N];
};
using u64x2 = integers<2>;
using u64x8 = integers<8>;

/// 3 a + 5 b, exact modulo 2^k, and not associative: it shows the order of integers, too.
struct skew {
    template <class T>
        requires std::is_unsigned_v<T>
    PARPRIMS_HOST_DEVICE T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a * T{3} + b * T{5});
    }
    template <std::size_t N>
    PARPRIMS_HOST_DEVICE integers<N> operator()(const integers<N>& a, const integers<N>& b) const
    {
        integers<N> result;
        for (std::size_t k = 0; k < N; ++k)
            result.values[k] = (*this)(a.values[k], b.values[k]);
        return result;
    }
};

template <class V>
struct square {
    PARPRIMS_HOST_DEVICE V operator()(const V& x) const { return x * x; }
};

template <class V>
struct product {
    PARPRIMS_HOST_DEVICE V operator()(const V& x, const V& y) const { return x * y; }
};

/// Element i of a range of one type; `values` is the kind.
template <class T>
struct generated {
    static T at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        if (values != "normal")
            throw std::runtime_error("no integers of kind " + values);
        constexpr unsigned bits = std::is_same_v<T, std::int32_t>   ? 16
                                  : std::is_same_v<T, std::int64_t> ? 40
                                                                    : 8 * sizeof(T);
        const std::uint64_t w = word(seed, i);
        if constexpr (std::is_signed_v<T>)
            return static_cast<T>(static_cast<std::int64_t>(w) >> (64 - bits));
        else
            return static_cast<T>(w >> (64 - bits));
    }
};

template <class T>
    requires std::is_floating_point_v<T>
struct generated<T> {
    static T at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        constexpr bool is_float = sizeof(T) == 4;
        constexpr unsigned fraction_bits = is_float ? 23 : 52;
        constexpr unsigned zero_exponent = is_float ? 127 : 1023;
        const std::uint64_t w = word(seed, i);
        const std::uint64_t e = (w >> 52) % 2048;
        const auto number = [=](std::uint64_t exponent, std::uint64_t fraction) {
            using bits = std::conditional_t<is_float, std::uint32_t, std::uint64_t>;
            return std::bit_cast<T>(
                static_cast<bits>((w >> 63) << (8 * sizeof(T) - 1) | exponent << fraction_bits | fraction));
        };
        const std::uint64_t fraction = w & ((std::uint64_t{1} << fraction_bits) - 1);
        const std::uint64_t choice = values == "special" ? (w >> 32) % 32 : 2;
        if (choice == 0)
            return std::numeric_limits<T>::quiet_NaN();
        if (choice == 1)
            return number(2 * zero_exponent + 1, 0);  // infinity
        if (values == "normal" || values == "special")
            return number(zero_exponent - 20 + e % 41, fraction);
        if (values == "wide")
            return number(1 + e % (is_float ? 227 : 2023), fraction);
        if (values == "denormal")
            return number(e % 3, fraction);
        if (values == "zero")
            return number(0, 0);
        if (values == "factor")
            return static_cast<T>((1 << 20) - (1 << 15) + static_cast<int>(w >> 48)) / static_cast<T>(1 << 20);
        throw std::runtime_error("no numbers of kind " + values);
    }
};

template <class Number>
struct generated<triple<Number>> {
    static triple<Number> at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        const auto member = [&](std::uint64_t k) { return generated<Number>::at(values, seed, 3 * i + k); };
        return {member(0), member(1), member(2)};
    }
};

template <std::size_t N>
struct generated<integers<N>> {
    static integers<N> at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        integers<N> result;
        for (std::size_t k = 0; k < N; ++k)
            result.values[k] = generated<std::uint64_t>::at(values, seed, N * i + k);
        return result;
    }
};

template <>
struct generated<map8> {
    static map8 at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        return {(word(seed, 2 * i) >> 63) != 0 ? -1.0f : 1.0f, generated<float>::at(values, seed, 2 * i + 1)};
    }
};

template <>
struct generated<map12> {
    static map12 at(const std::string& values, std::uint64_t seed, std::uint64_t i)
    {
        const map8 map = generated<map8>::at(values, seed, i);
        return {map.factor, map.shift, 1};
    }
};

template <class V>
std::vector<V> values_of(const row& r, std::uint64_t more_seed = 0)
{
    std::vector<V> x(r.n);
    for (std::size_t i = 0; i < r.n; ++i)
        x[i] = generated<V>::at(r.values, r.seed + more_seed, i);
    return x;
}

template <class T>
T init_of(const row& r)
{
    if constexpr (std::is_arithmetic_v<T>)
        if (r.has_init() && r.init != "x")
            return static_cast<T>(std::stoi(r.init));
    return generated<T>::at(r.values, r.seed, std::uint64_t{1} << 40);
}

/// Where runs and segments begin, but for the first one.
inline bool begins(const row& r, std::size_t i, std::size_t length)
{
    return length != 0 && word(r.seed + 2000, i) % length == 0;
}

/// Keys of the runs of a row.
inline std::vector<std::uint32_t> keys_of(const row& r)
{
    std::vector<std::uint32_t> keys(r.n);
    for (std::size_t i = 1; i < r.n; ++i)
        keys[i] = keys[i - 1] + (begins(r, i, r.length()) ? 1 : 0);
    return keys;
}

inline std::vector<std::uint32_t> offsets_of(const row& r)
{
    std::vector<std::uint32_t> offsets{0};
    for (std::size_t i = 1; i < r.n; ++i)
        if (begins(r, i, r.length()))
            offsets.insert(offsets.end(), begins(r, i, 4 * r.length()) ? 2 : 1, static_cast<std::uint32_t>(i));
    offsets.push_back(static_cast<std::uint32_t>(r.n));
    return offsets;
}

/// The bins of the samples of a row, as numbers; those of dropped ones are the number of bins.
template <class V>
std::vector<V> samples_of(const row& r, std::size_t bins)
{
    std::vector<V> x(r.n);
    for (std::size_t i = 0; i < r.n; ++i)
        x[i] = static_cast<V>(word(r.seed + 3000, i) % (bins + 1));
    return x;
}

/// Bins of each line.
inline constexpr std::size_t line_bins = 16;

/// What is hashed of bins: their sums, or what a bin has, one after the other.
template <class T>
std::vector<T> numbers_of(const std::vector<T>& sums)
{
    return sums;
}
template <class T>
std::vector<T> numbers_of(const std::vector<parprims::weighted_sum<T>>& bins)
{
    std::vector<T> numbers;
    for (const auto& bin : bins)
        numbers.insert(numbers.end(), {bin.value, bin.variance});
    return numbers;
}
template <class T>
std::vector<T> numbers_of(const std::vector<parprims::profile_bin<T>>& bins)
{
    std::vector<T> numbers;
    for (const auto& bin : bins)
        numbers.insert(numbers.end(), {static_cast<T>(bin.count), bin.mean, bin.variance});
    return numbers;
}

/// The hash of the bits of `results`, as it is written in the file. All NaNs count as one.
template <class T>
std::string hash_of(std::vector<T> results)
{
    if constexpr (std::is_floating_point_v<T>)
        for (T& x : results)
            x = x == x ? x : std::numeric_limits<T>::quiet_NaN();
    constexpr std::size_t size = sizeof(T) < 4 ? sizeof(T) : 4;
    static_assert(sizeof(T) % size == 0 && std::endian::native == std::endian::little);
    const std::size_t words = results.size() * (sizeof(T) / size);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(results.data());
    std::uint64_t sum = words;
    for (std::size_t k = 0; k < words; ++k) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes + k * size, size);
        sum += mix(bits + (k + 1) * step);
    }
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4)
        text += "0123456789abcdef"[sum >> shift & 15];
    return text;
}

}  // namespace contract
