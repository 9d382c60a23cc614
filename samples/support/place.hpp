/// @file
/// @brief  Where a sample runs. Without the command line: primitives compile in less than half of the time without CLI11.
#pragma once

#include <string>

namespace samples {

/// @brief  Where a sample runs.
struct place {
    bool on_device = false;
    std::string name;  ///< as `GPU 0, NVIDIA H200` or `CPU, 2 threads of Intel Xeon`
};

}  // namespace samples
