/// @file
/// @brief  What drives the kernels with either launcher.
#pragma once

#include "histogram_memory/engine.hpp"
#include "histogram_memory/kernels.hpp"
#include "histogram_memory/keys.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace histogram_memory {

/// Copies that leave room for four blocks on a multiprocessor.
inline unsigned replicas_of(std::uint32_t bins)
{
    unsigned replicas = 32;
    while (replicas > 1 && bins * replicas * sizeof(std::uint32_t) > 48 * 1024)
        replicas /= 2;
    return replicas;
}

/// Counts from zero on.
template <class Launcher, class Rule>
void count(Launcher& launcher, method which, const request& what, Rule rule, const std::uint32_t* keys,
           std::uint32_t* counts)
{
    launcher.set_to_zero(counts, what.bins);
    const std::size_t blocks = std::min((what.n + what.block - 1) / what.block, what.grid);
    if (which == global_atomics)
        return launcher.launch(blocks, what.block, global_kernel<Rule>{keys, what.n, rule, counts});
    const shared_kernel<Rule> kernel{keys, what.n, rule, counts, which == replicated ? replicas_of(what.bins) : 1};
    launcher.launch(blocks, what.block, kernel, kernel.shared_bytes());
}

}  // namespace histogram_memory
