/// @file
/// @brief  The keys, and which bin each falls into.
#pragma once

#include "histogram_memory/engine.hpp"

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>

namespace histogram_memory {

/// Key `i`: below 2^31, in no order; skewed, nine in ten are the same.
struct make_key {
    bool is_skewed;

    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::size_t i) const
    {
        auto x = static_cast<std::uint32_t>(i * 2654435761u);
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        return is_skewed && x % 10 != 0 ? 1234567890u : x >> 1;
    }
};

inline constexpr unsigned key_bits = 31;

/// `key % bins`.
struct modulus {
    std::uint32_t bins;
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const { return key % bins; }
};

/// Equal parts of the range of the keys, for a power of two of them.
struct range {
    std::uint32_t bins;
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t key) const
    {
        return static_cast<std::uint32_t>((std::uint64_t{key} * bins) >> key_bits);
    }
};

template <class Run>
auto with_rule(const request& what, Run run)
{
    return what.by_range ? run(range{what.bins}) : run(modulus{what.bins});
}

}  // namespace histogram_memory
