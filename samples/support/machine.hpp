/// @file
/// @brief  The machine that a sample or a bench runs on.
#pragma once

#include <cstddef>
#include <string>

namespace samples {

/// @brief  Refuses what would take more memory than this machine has free, which it would notice too late.
/// @throws std::runtime_error  with both numbers
void check_memory(std::size_t bytes);

/// @brief  The CPU, as `2 threads of Intel Xeon`.
std::string cpu_name();

}  // namespace samples
