/// @file
/// @brief  A histogram with its counters in global memory, in shared memory, and in several copies there.
#pragma once

#include "histogram_memory/keys.hpp"

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace histogram_memory {

namespace simt = parprims::simt;

/// Calls `count(bin)` for this thread's share of the keys.
template <class Rule, class Count>
PARPRIMS_DEVICE inline void for_each_bin(simt::block block, simt::global<const std::uint32_t> keys, std::size_t n,
                                         Rule rule, Count count)
{
    const std::size_t step = block.count() * block.threads();
    for (std::size_t i = block.index() * block.threads() + block.thread(); i < n; i += step)
        count(rule(keys[i]));
}

/// Every key is an atomic addition in global memory. All blocks meet at the same few addresses.
template <class Rule>
struct global_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {};

    simt::global<const std::uint32_t> keys;
    std::size_t n;
    Rule rule;
    std::uint32_t* counts;  ///< zero before

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for_each_bin(block, keys, n, rule, [&](std::uint32_t bin) { simt::atomic_add(counts + bin, 1u); });
    }
};

/// Counters in shared memory, in `replicas` copies: lanes of a warp with the same key meet less often. With one copy it is
/// the textbook's kernel.
template <class Rule>
struct shared_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        simt::shared_array<std::uint32_t> counters;  // copy c of bin b is number b * replicas + c
    };

    simt::global<const std::uint32_t> keys;
    std::size_t n;
    Rule rule;
    std::uint32_t* counts;  ///< zero before
    unsigned replicas;

    std::size_t shared_bytes() const { return std::size_t{rule.bins} * replicas * sizeof(std::uint32_t); }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Every counter becomes zero, whatever the keys are.
        for (unsigned i = block.thread(); i < rule.bins * replicas; i += block.threads())
            shared.counters[i] = 0u;
        block.sync();

        // 2. Count in the block's own copies.
        std::uint32_t* const mine = shared.counters.data() + block.lane() % replicas;
        for_each_bin(block, keys, n, rule, [&](std::uint32_t bin) { simt::atomic_add(mine + bin * replicas, 1u); });
        block.sync();

        // 3. Each bin's copies are added up, and to its own counter in global memory.
        for (unsigned bin = block.thread(); bin < rule.bins; bin += block.threads()) {
            std::uint32_t sum = 0;
            for (unsigned c = 0; c < replicas; ++c)  // in turn, so that the lanes read different banks
                sum += shared.counters[bin * replicas + (c + block.lane()) % replicas];
            if (simt::branch(sum != 0))
                simt::atomic_add(counts + bin, sum);
        }
    }
};

}  // namespace histogram_memory
