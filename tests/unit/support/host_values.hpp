/// @file
/// @brief  What the order of the host backend is tested with: sizes around its shares of the work, values of many types.
#pragma once

#include "data.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

/// The sizes of every test, and some that leave part of what a thread takes.
template <class Value>
std::vector<std::size_t> host_reduce_sizes()
{
    const std::size_t chunk = order::chunk<Value>;
    std::vector<std::size_t> sizes = reduce_sizes<Value>();
    sizes.insert(sizes.end(), {3, 7 * chunk, 64 * chunk - 1});
    return sizes;
}

/// Sizes for a scan; 4 tiles are a ticket of the host's.
template <class T>
std::vector<std::size_t> host_scan_sizes()
{
    const std::size_t items = order::lane_items<T>, tile = order::tile<T>;
    std::vector<std::size_t> sizes = scan_sizes<T>();
    sizes.insert(sizes.end(), {3, items, items + 1, 31 * items, 4 * tile - 1, 4 * tile + 1,
                               (2 * order::group_tiles + 9) * tile + 5});
    return sizes;
}

/// A few of them, where only the operator is new.
template <class T>
std::vector<std::size_t> few_scan_sizes()
{
    return {1, order::row<T> + 1, 3 * order::tile<T> + order::row<T> + 3, 5 * order::tile<T>};
}

/// A value of `Bytes` bytes whose every word takes part, with no default constructor.
template <std::size_t Bytes>
struct block_of {
    explicit block_of(float x)
    {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = x * static_cast<float>(i + 1);
    }
    const block_of* operator&() const { return nullptr; }
    friend block_of operator+(block_of a, const block_of& b)
    {
        for (std::size_t i = 0; i < a.words.size(); ++i)
            a.words[i] += b.words[i];
        return a;
    }
    std::array<float, Bytes / 4> words;
};

struct rgb {  // three bytes: neither a power of two nor aligned
    std::uint8_t r, g, b;
    void operator&() const = delete;
    friend rgb operator+(rgb x, rgb y)
    {
        return {static_cast<std::uint8_t>(x.r + y.r), static_cast<std::uint8_t>(x.g + 3 * y.g),
                static_cast<std::uint8_t>(x.b ^ y.b)};
    }
};

template <class T>
T random_value(std::mt19937& random)
{
    if constexpr (std::is_same_v<T, std::int32_t>)
        return static_cast<T>(random() % 2001) - 1000;  // a million of them add up
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(random());
    else if constexpr (std::is_floating_point_v<T>)
        return std::ldexp(static_cast<T>(static_cast<std::int32_t>(random())), static_cast<int>(random() % 40) - 40);
    else if constexpr (requires { T::gain; })
        return {random_value<decltype(T::gain)>(random), random_value<decltype(T::gain)>(random)};
    else if constexpr (std::is_same_v<T, rgb>)
        return {random_value<std::uint8_t>(random), random_value<std::uint8_t>(random),
                random_value<std::uint8_t>(random)};
    else if constexpr (!std::is_aggregate_v<T>)
        return T(random_value<float>(random));
    else
        return {random_value<std::uint32_t>(random), 1, random_value<std::uint32_t>(random), 2};
}

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        values.push_back(random_value<T>(random));
    return values;
}
