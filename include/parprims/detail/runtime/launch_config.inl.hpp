/// @file
/// @brief  Launch configurations as text.
#pragma once

#include <parprims/launch_config.hpp>

#include <string>

namespace parprims::detail::runtime {

inline std::string name_of(histogram_config::placement_kind placement)
{
    switch (placement) {
    case histogram_config::automatic: return "automatic";
    case histogram_config::shared: return "shared";
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
    return "scan_config{block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) + ", stages=" + std::to_string(config.stages) +
           ", small_tiles_per_sm=" + std::to_string(config.small_tiles_per_sm) + "}";
}

PARPRIMS_INLINE std::string to_string(const three_phase_scan& config)
{
    return "three_phase_scan{block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) + "}";
}

PARPRIMS_INLINE std::string to_string(const histogram_config& config)
{
    return "histogram_config{placement=" + detail::runtime::name_of(config.placement) +
           ", block_threads=" + std::to_string(config.block_threads) +
           ", blocks_per_sm=" + std::to_string(config.blocks_per_sm) + ", replicas=" + std::to_string(config.replicas) +
           "}";
}

}  // namespace parprims
