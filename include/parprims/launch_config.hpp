/// @file
/// @brief  The launch configurations as text. execution.hpp has their classes.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/execution.hpp>

#include <string>

namespace parprims {

/// @brief  Text like `reduce_config{block_threads=512, blocks_per_sm=1, subtree_chunks=0}`.
/// @snippet reference.cpp to_string
std::string to_string(const reduce_config& config);
/// @brief  Text like `scan_config{block_threads=256, blocks_per_sm=3, ...}`.
std::string to_string(const scan_config& config);
/// @brief  Text like `three_phase_scan{block_threads=256, blocks_per_sm=3}`.
std::string to_string(const three_phase_scan& config);
/// @brief  Text like `histogram_config{placement=shared, block_threads=1024, ...}`.
std::string to_string(const histogram_config& config);

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/launch_config.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
