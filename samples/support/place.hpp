/// @file
/// @brief  Where a sample runs. Without the command line: CLI11 would take half of the time in which primitives compile.
#pragma once

#include <string>

namespace samples {

/// @brief  Where a sample runs.
struct place {
    bool on_device = false;
    std::string name;  ///< as `GPU 0, NVIDIA H200` or `CPU, 2 threads of Intel Xeon`
};

}  // namespace samples
