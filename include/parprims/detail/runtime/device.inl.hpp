/// @file
/// @brief  Which GPUs there are, and which one is current.
#pragma once

#include <parprims/detail/runtime/check.hpp>
#include <parprims/device.hpp>

#include <string>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/cuda.inl.hpp>

#include <vector>

namespace parprims::detail::runtime {

inline device_info query_device(int id)
{
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, id), "cudaGetDeviceProperties");
    device_info info;
    info.id = id;
    info.name = properties.name;
    info.architecture = properties.major * 10 + properties.minor;
    info.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
    info.max_threads_per_multiprocessor = static_cast<unsigned>(properties.maxThreadsPerMultiProcessor);
    info.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
    info.shared_bytes_per_multiprocessor = properties.sharedMemPerMultiprocessor;
    info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    info.memory_bytes = properties.totalGlobalMem;
    info.reaches_pageable_memory = properties.pageableMemoryAccess != 0;
    return info;
}

inline int query_count()
{
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count;
}

inline std::vector<device_info> query_devices()
{
    const int count = query_count();
    std::vector<device_info> devices;
    for (int id = 0; id < count; ++id)
        devices.push_back(query_device(id));
    return devices;
}

}  // namespace parprims::detail::runtime

namespace parprims {

PARPRIMS_INLINE int device_count() noexcept
{
    int count = 0;
    const int status = cudaGetDeviceCount(&count);
    detail::runtime::clear_error(status);
    return status == cudaSuccess ? count : 0;
}

PARPRIMS_INLINE int current_device()
{
    int id = 0;
    detail::runtime::check(cudaGetDevice(&id), "cudaGetDevice");
    return id;
}

PARPRIMS_INLINE const device_info& get_device_info(int id)
{
    // Queries all GPUs at once, so that later calls take no lock. If a query throws, the next call queries again.
    static const std::vector<device_info> devices = detail::runtime::query_devices();
    if (id < 0 || static_cast<std::size_t>(id) >= devices.size())
        throw invalid_argument("parprims::get_device_info", "id",
                               std::to_string(id) + " given, there are " + std::to_string(devices.size()) + " GPUs");
    return devices[static_cast<std::size_t>(id)];
}

PARPRIMS_INLINE device_guard::device_guard(int id) : previous_(current_device()), changed_(previous_ != id)
{
    if (!changed_)
        return;
    const int count = detail::runtime::query_count();
    if (id < 0 || id >= count)
        throw invalid_argument("parprims::device_guard", "id",
                               std::to_string(id) + " given, there are " + std::to_string(count) + " GPUs");
    const int status = cudaSetDevice(id);
    if (status == cudaSuccess)
        return;
    detail::runtime::clear_error(status);
    detail::runtime::clear_error(cudaSetDevice(previous_));  // a failed call may have changed the current GPU already
    detail::runtime::check(status, "cudaSetDevice");
}

PARPRIMS_INLINE device_guard::~device_guard()
{
    if (changed_)
        detail::runtime::clear_error(cudaSetDevice(previous_));
}

}  // namespace parprims

#else

namespace parprims {

PARPRIMS_INLINE int device_count() noexcept
{
    return 0;
}

PARPRIMS_WITHOUT_CUDA("parprims::current_device", int current_device())
PARPRIMS_WITHOUT_CUDA("parprims::get_device_info", const device_info& get_device_info(int))
PARPRIMS_INLINE device_guard::device_guard(int) : previous_(0), changed_(false)
{
    detail::runtime::throw_no_cuda("parprims::device_guard");
}

PARPRIMS_INLINE device_guard::~device_guard() = default;

}  // namespace parprims

#endif
