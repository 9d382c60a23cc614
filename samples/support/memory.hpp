/// @file
/// @brief  How much memory a sample may take.
#pragma once

#include <cstddef>

namespace samples {

/// @brief  Refuses what would take more memory than this machine has free, which it would notice too late.
/// @throws std::runtime_error  with both numbers
void check_memory(std::size_t bytes);

}  // namespace samples
