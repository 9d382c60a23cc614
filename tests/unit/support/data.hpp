/// @file
/// @brief  Sizes that sit on the edges of the order contract, and numbers to fill them with.
#pragma once

#include "values.hpp"

#include <parprims/detail/contract/order.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace order = parprims::detail::order;

/// splitmix64: fast, and good from any seed on.
class random_bits {
public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()()
    {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

/// `element(bits)` for n random numbers.
template <class Element>
auto generate(std::size_t n, Element element, std::uint64_t seed = 1)
{
    std::vector<decltype(element(std::uint64_t{}))> values;
    values.reserve(n);
    random_bits random(seed);
    for (std::size_t i = 0; i < n; ++i)
        values.push_back(element(random()));
    return values;
}

/// Between -1 and 1.
inline double unit(std::uint64_t bits)
{
    return static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63;
}

inline std::vector<float> samples_between(std::size_t n, float lower, float upper)
{
    return generate(n, [=](std::uint64_t bits) {
        return lower + (upper - lower) * static_cast<float>(static_cast<double>(bits >> 40) * 0x1.2p-24 - 0.06);
    });
}

/// Offsets of segments whose lengths `length(bits)` gives, until `n` elements are in one.
template <class Length>
std::vector<std::int64_t> offsets_by(std::size_t n, Length length)
{
    std::vector<std::int64_t> offsets{0};
    for (random_bits random(n); offsets.back() < static_cast<std::int64_t>(n);)
        offsets.push_back(
            std::min(offsets.back() + static_cast<std::int64_t>(length(random())), static_cast<std::int64_t>(n)));
    return offsets;
}

/// 0, 1 or 2: sums of them are exact in every type that is tested, in any order.
template <class T>
std::vector<T> small_values(std::size_t n)
{
    return generate(n, [](std::uint64_t bits) {
        const auto x = static_cast<std::uint32_t>(bits % 3);
        if constexpr (std::is_same_v<T, vec3>)
            return vec3{static_cast<float>(x), static_cast<float>(x + 1), static_cast<float>(bits / 3 % 3)};
        else if constexpr (std::is_same_v<T, no_default>)
            return no_default(static_cast<int>(x));
        else if constexpr (std::is_constructible_v<T, std::uint32_t> && !std::is_arithmetic_v<T>)
            return T(x);
        else
            return static_cast<T>(x);
    });
}

/// A number of either sign between 2^-20 and 2^20: with such numbers the order of a sum shows.
template <class T>
T spread(std::uint64_t bits)
{
    const auto mantissa = static_cast<T>(1) + static_cast<T>(bits >> 11) / static_cast<T>(std::uint64_t{1} << 53);
    const T magnitude = std::ldexp(mantissa, static_cast<int>(bits % 40) - 20);
    return (bits >> 6 & 1) != 0 ? magnitude : -magnitude;
}

template <class T>
std::vector<T> spread_values(std::size_t n, std::uint64_t seed = 1)
{
    return generate(
        n,
        [](std::uint64_t bits) {
            if constexpr (std::is_same_v<T, vec3>)
                return vec3{spread<float>(bits), spread<float>(bits >> 3), spread<float>(bits * 5)};
            else if constexpr (requires { T::gain; })
                return T(spread<decltype(T::gain)>(bits), spread<decltype(T::gain)>(bits * 5));
            else
                return spread<T>(bits);
        },
        seed);
}

/// Elements that fit into `bytes`.
template <class T>
constexpr std::size_t elements_in(std::size_t bytes)
{
    return bytes / sizeof(T);
}

/// Around a warp, a row, a chunk and several chunks, and as much as 4 MiB hold.
template <class Value>
std::vector<std::size_t> reduce_sizes()
{
    const std::size_t row = order::row<Value>, chunk = order::chunk<Value>;
    return {0,
            1,
            2,
            31,
            32,
            33,
            row - 1,
            row,
            row + 1,
            3 * row + 5,
            chunk - 1,
            chunk,
            chunk + 1,
            3 * chunk + row / 2 + 1,
            8 * chunk,
            8 * chunk + 1,
            9 * chunk - 1,
            37 * chunk + 17,
            std::max(64 * chunk + 1, elements_in<Value>(4 << 20) + 3)};
}

/// Around a lane, a row, a tile, several tiles and a group of tiles.
template <class T>
std::vector<std::size_t> scan_sizes()
{
    const std::size_t items = order::lane_items<T>, row = order::row<T>, tile = order::tile<T>;
    const std::size_t group = order::group_tiles * tile;
    return {0,
            1,
            2,
            31,
            32,
            33,
            row - 1,
            row,
            row + 1,
            3 * row + items + 1,
            tile - 1,
            tile,
            tile + 1,
            3 * tile + row + 3,
            group - 1,
            group + 1,
            3 * group + 2 * tile + 5};
}
