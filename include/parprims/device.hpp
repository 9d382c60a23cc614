/// @file
/// @brief  The GPUs of this machine: how many, what each can do, and which one is current.
#pragma once

#include <parprims/config.hpp>
#include <parprims/device_guard.hpp>
#include <parprims/error.hpp>

#include <cstddef>
#include <string>

namespace parprims {

/// @brief  What is known of one GPU.
struct device_info {
    int id = 0;                    ///< its number, as in `cudaSetDevice`
    std::string name;              ///< as the driver reports it
    int architecture = 0;          ///< compute capability as major * 10 + minor: 90 for an H200
    unsigned multiprocessors = 0;  ///< streaming multiprocessors
    unsigned max_threads_per_multiprocessor = 0;
    std::size_t shared_bytes_per_block = 0;  ///< largest shared memory a block may ask for
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t l2_bytes = 0;
    std::size_t memory_bytes = 0;
    bool reaches_pageable_memory = false;  ///< can read memory from plain `malloc`
};

/// @brief  The number of GPUs that can be used; 0 where there is no GPU, no driver or no CUDA support. Never throws.
int device_count() noexcept;

/// @brief  The calling thread's current GPU.
/// @throws cuda_error  there is no GPU, the driver is too old, or this build has no CUDA support; the message says which
int current_device();

/// @brief  What is known of GPU `id`. Asked once and kept; the reference stays valid.
/// @throws invalid_argument  there is no GPU `id`
/// @throws cuda_error        as `current_device`
const device_info& get_device_info(int id);

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/device.inl.hpp>
#endif
