/// @file
/// @brief  Error texts about drivers and architectures: pure functions of numbers, tested without a GPU.
#pragma once

#include <initializer_list>
#include <string>

namespace parprims::detail::runtime {

/// `number` as the runtime encodes versions: 12040 is 12.4.
inline std::string name_version(int number)
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Why the driver cannot be used: none is installed (version 0), or it is too old. The runtime has one text for both.
inline std::string describe_driver(int driver, int runtime)
{
    if (driver == 0)
        return "no CUDA driver is installed";
    return "the CUDA driver (" + name_version(driver) + ") is older than the CUDA runtime (" + name_version(runtime) +
           ")";
}

/// Architectures as nvcc lists them: 900 is sm_90.
inline std::string name_architectures(std::initializer_list<int> list)
{
    std::string names;
    for (const int architecture : list)
        names += (names.empty() ? "sm_" : ", sm_") + std::to_string(architecture / 10);
    return names.empty() ? "an unknown list" : names;
}

/// Why a GPU has no code to run: the architectures in the file, and that of the GPU (as in device_info).
inline std::string describe_missing_kernel(const std::string& built, int device, int architecture)
{
    return "built for " + built + "; device " + std::to_string(device) + " is sm_" + std::to_string(architecture);
}

}  // namespace parprims::detail::runtime
