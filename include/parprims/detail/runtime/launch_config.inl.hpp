/// @file
/// @brief  Launch configurations as text.
#pragma once

#include <parprims/launch_config.hpp>

#include <string>

namespace parprims::detail::runtime {

inline std::string name_of(scan_config::method_kind method)
{
    switch (method) {
    case scan_config::single_pass: return "single_pass";
    case scan_config::three_phase: return "three_phase";
    }
    return std::to_string(static_cast<int>(method));
}

inline std::string name_of(histogram_config::placement_kind placement)
{
    switch (placement) {
    case histogram_config::automatic: return "automatic";
    case histogram_config::shared: return "shared";
    case histogram_config::packed: return "packed";
    case histogram_config::passes: return "passes";
    case histogram_config::partitioned: return "partitioned";
    case histogram_config::global: return "global";
    }
    return std::to_string(static_cast<int>(placement));
}

}  // namespace parprims::detail::runtime

namespace parprims {

PARPRIMS_INLINE std::string to_string(const reduce_config& config)
{
    return "reduce_config{block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) +
           ", subtree_chunks=" + std::to_string(config.subtree_chunks) + "}";
}

PARPRIMS_INLINE std::string to_string(const scan_config& config)
{
    return "scan_config{method=" + detail::runtime::name_of(config.method) +
           ", block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) + ", stages=" + std::to_string(config.stages) +
           ", small_tiles=" + std::to_string(config.small_tiles) + "}";
}

PARPRIMS_INLINE std::string to_string(const histogram_config& config)
{
    return "histogram_config{placement=" + detail::runtime::name_of(config.placement) +
           ", block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) + ", replicas=" + std::to_string(config.replicas) +
           "}";
}

}  // namespace parprims
