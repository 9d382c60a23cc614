/// @file
/// @brief  The GPUs of the machine: how many there are, their properties, and which one is current.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/error.hpp>

#include <cstddef>
#include <string>

namespace parprims {

/// @brief  The properties of one GPU.
/// @snippet device.cpp gpus
struct device_info {
    int id = 0;            ///< as in `cudaSetDevice`
    std::string name;      ///< as the driver reports it
    int architecture = 0;  ///< compute capability as major * 10 + minor: 90 for an H200
    unsigned multiprocessors = 0;
    unsigned max_threads_per_multiprocessor = 0;
    std::size_t shared_bytes_per_block = 0;  ///< at most, with opt-in (cudaFuncSetAttribute)
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t l2_bytes = 0;
    std::size_t memory_bytes = 0;
    bool reaches_pageable_memory = false;  ///< kernels can access memory from `malloc`
};

/// @brief  The number of usable GPUs; 0 without a GPU, a driver or CUDA support in this build.
/// @snippet device.cpp gpus
int device_count() noexcept;

/// @brief  The calling thread's current GPU.
/// @throws cuda_error  there is no GPU, the driver is too old, or this build has no CUDA support; the message says which
/// @snippet device.cpp gpus
int current_device();

/// @brief  The properties of GPU `id`. Queried once and cached; the reference stays valid until the process ends. Thread-safe.
/// @throws invalid_argument  there is no GPU `id`
/// @throws cuda_error        as `current_device`
/// @snippet device.cpp gpus
const device_info& get_device_info(int id);

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/device.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
