/// @file
/// @brief  Sizes in device memory: the ranges of many sizes up to a few bounds, and comparisons of bits.
#pragma once

#include <parprims/config.hpp>
#include <parprims/sized_on_device.hpp>

#include "backend.hpp"
#include "data.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

struct squared {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x * x; }
};

inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values)
{
    std::vector<std::uint32_t> bits;
    for (const float x : values)
        bits.push_back(std::bit_cast<std::uint32_t>(x));
    return bits;
}
inline bool same_bits(float a, float b)
{
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// The sizes around what a kernel does differently, up to `bound`.
inline std::vector<std::size_t> sizes_up_to(std::size_t bound)
{
    std::vector<std::size_t> sizes{0, bound};
    for (std::size_t n = 1; n < bound; n = 3 * n + 1)
        for (const std::size_t more : {n, n * 512 - 1, n * 512})
            if (more <= bound)
                sizes.push_back(more);
    return sizes;
}

/// Calls `check(n, sized, plain)` with ranges of n elements, one of which has its size in memory, of every size up to a few bounds.
template <class Backend, class Check>
void for_each_size(Check check)
{
    for (const std::size_t bound : {std::size_t{1}, std::size_t{3000}, std::size_t{70001}, std::size_t{1} << 20}) {
        CAPTURE(bound);
        const auto x = place<Backend>(samples_between(bound, -1, 1), 1);
        for (const std::size_t n : sizes_up_to(bound)) {
            CAPTURE(n);
            const auto count = place<Backend>(std::vector{static_cast<std::int32_t>(n)});
            check(n, bound, parprims::sized_on_device(x.begin(), count.begin(), bound), x.begin());
        }
    }
}

/// Checks that `call(first, last, out)` of n elements writes the same bits, and nothing behind them, if their number lies in memory.
template <class Backend, class Sized, class Call>
void check_outputs(std::size_t n, std::size_t bound, const Sized& sized, const float* x, Call call)
{
    const auto found = poisoned<Backend, float>(bound);
    const auto expected = poisoned<Backend, float>(bound);
    call(sized.begin(), sized.end(), found.begin());
    call(x, x + n, expected.begin());
    CHECK(bits_of(found.read()) == bits_of(expected.read()));
}
