// Offsets of segments whose lengths differ little, much and very much.
#pragma once

#include "device_support.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Offsets to n. The next length is `length(u, i)` for a random u from 0 to 1.
template <class Length>
std::vector<std::int64_t> offsets_of(std::size_t n, Length length)
{
    const auto end = static_cast<std::int64_t>(n);
    std::vector<std::int64_t> offsets{0};
    for (std::size_t i = 0; offsets.back() < end; ++i)
        offsets.push_back(std::min<std::int64_t>(end, offsets.back() + length(random_word{8}(i)*0x1p-32, i)));
    return offsets;
}

inline std::int64_t up_to_64(double u, std::size_t)
{
    return 1 + static_cast<std::int64_t>(u * 64);
}

inline std::int64_t up_to_4095(double u, std::size_t)
{
    return static_cast<std::int64_t>(u * 4096);
}

/// What the table of segments shows.
inline std::vector<std::pair<std::string, std::vector<std::int64_t>>> three_kinds(std::size_t n)
{
    const auto zipf = [](double u, std::size_t) { return static_cast<std::int64_t>(std::exp2(24 * u * u * u)); };
    const auto one_of_half = [half = static_cast<std::int64_t>(n / 2)](double u, std::size_t i) {
        return i == 500000 ? half : static_cast<std::int64_t>(u * 500);
    };
    return {{"1 to 64", offsets_of(n, up_to_64)},
            {"Zipf to 2^24", offsets_of(n, zipf)},
            {"one of half", offsets_of(n, one_of_half)}};
}

}  // namespace bench
