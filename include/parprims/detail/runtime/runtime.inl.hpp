/// @file
/// @brief  The interface to the CUDA runtime, implemented.
#pragma once

#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/detail/runtime/texts.hpp>
#include <parprims/device.hpp>
#include <parprims/error.hpp>
#include <parprims/stream.hpp>

#include <memory>
#include <string>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/detail/runtime/slots.inl.hpp>
#include <parprims/detail/runtime/workspace.inl.hpp>

namespace parprims::detail::runtime {

PARPRIMS_INLINE void copy_async(void* to, const void* from, std::size_t bytes, stream_view where)
{
    if (bytes != 0)
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, handle_of(where)), "cudaMemcpyAsync");
}

PARPRIMS_INLINE void copy_across_async(void* to, int target, const void* from, int source, std::size_t bytes,
                                       stream_view where)
{
    // cudaMemcpyAsync fails: pool memory is unreachable from another GPU, unless the copy names both GPUs.
    check(cudaMemcpyPeerAsync(to, target, from, source, bytes, handle_of(where)), "cudaMemcpyPeerAsync");
}

PARPRIMS_INLINE void fill_async(void* to, unsigned char value, std::size_t bytes, stream_view where)
{
    if (bytes != 0)
        check(cudaMemsetAsync(to, value, bytes, handle_of(where)), "cudaMemsetAsync");
}

PARPRIMS_INLINE void* allocate_pinned(std::size_t bytes)
{
    if (bytes == 0)
        return nullptr;
    const relaxed_capture relaxed;
    void* memory = nullptr;
    const int status = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
    if (status == cudaErrorMemoryAllocation) {
        clear_error(status);
        throw out_of_memory(bytes, "page-locked host memory");
    }
    check(status, "cudaHostAlloc");
    return memory;
}

PARPRIMS_INLINE void free_pinned(void* memory) noexcept
{
    if (memory == nullptr)
        return;
    const relaxed_capture relaxed;
    clear_error(cudaFreeHost(memory));
}

inline cudaPointerAttributes attributes_of(const void* pointer)
{
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, pointer), "cudaPointerGetAttributes");
    return attributes;
}

PARPRIMS_INLINE std::optional<int> device_of(const void* pointer)
{
    if (pointer == nullptr)
        return std::nullopt;
    const cudaPointerAttributes attributes = attributes_of(pointer);
    return attributes.type == cudaMemoryTypeDevice ? std::optional<int>(attributes.device) : std::nullopt;
}

PARPRIMS_INLINE bool is_pageable(const void* pointer)
{
    return pointer != nullptr && attributes_of(pointer).type == cudaMemoryTypeUnregistered;
}

PARPRIMS_INLINE bool is_reachable(const void* pointer, int device)
{
    if (pointer == nullptr)
        return false;
    const device_guard guard(device);  // for page-locked memory the answer depends on the current GPU
    const cudaPointerAttributes attributes = attributes_of(pointer);
    switch (attributes.type) {
    case cudaMemoryTypeDevice: return attributes.device == device;
    case cudaMemoryTypeManaged: return true;
    case cudaMemoryTypeHost: return attributes.devicePointer == pointer;
    default: return get_device_info(device).reaches_pageable_memory;
    }
}

/// The GPU of a call: see call_scope.
inline int device_for(stream_view where, bool is_capturing, const address_list& addresses)
{
    if (!is_default_stream(where) && !is_capturing)
        return where.device();
    for (const void* const address : addresses)
        if (const std::optional<int> owner = device_of(address))
            return *owner;
    return current_device();
}

PARPRIMS_INLINE call_scope::call_scope(const char* function, stream_view where, const address_list& addresses)
try : is_capturing_(!is_default_stream(where) && where.is_capturing()),
    device_(device_for(where, is_capturing_, addresses)), guard_(device_) {
    if (is_default_stream(where))
        is_capturing_ = where.is_capturing();  // now the default stream is that of device_
} catch (const cuda_error& error) {
    // This call has not enqueued anything yet: the context was lost before it.
    const std::string what = is_sticky(error.status()) ? "context lost before this call" : error.call();
    throw cuda_error(error.status(), function + (": " + what));
}

PARPRIMS_INLINE void keep_with_graph(stream_view where, void* owner, void (*release)(void* owner))
{
    std::unique_ptr<void, void (*)(void*)> held(owner, release);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = nullptr;
    check(cudaStreamGetCaptureInfo(handle_of(where), &status, nullptr, &graph), "cudaStreamGetCaptureInfo");
    if (graph == nullptr)
        return;
    cudaUserObject_t object = nullptr;
    check(cudaUserObjectCreate(&object, owner, release, 1, cudaUserObjectNoDestructorSync), "cudaUserObjectCreate");
    held.release();
    const int retained = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (retained != cudaSuccess)
        clear_error(cudaUserObjectRelease(object, 1));
    check(retained, "cudaGraphRetainUserObject");
}

PARPRIMS_INLINE gpu_properties properties_of(int device)
{
    const device_info& info = get_device_info(device);
    return {info.multiprocessors,
            info.max_threads_per_multiprocessor,
            info.shared_bytes_per_block,
            info.shared_bytes_per_multiprocessor,
            info.architecture >= 90 ? 8u : 1u,
            info.architecture};
}

PARPRIMS_INLINE void throw_launch_error(int status, const char* function, int device, std::initializer_list<int> built,
                                        source_location where)
{
    std::string call = std::string(function) + ": kernel launch";
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
        call += " (" +
                describe_missing_kernel(name_architectures(built), device, get_device_info(device).architecture) + ")";
    throw_cuda_error(status, call.c_str(), where);
}

PARPRIMS_INLINE void deallocate(memory_resource& resource, void* memory, std::size_t bytes, stream_view where,
                                int device) noexcept
{
    int previous = device;
    clear_error(cudaGetDevice(&previous));
    if (previous != device)
        clear_error(cudaSetDevice(device));
    resource.deallocate(memory, bytes, where);
    if (previous != device)
        clear_error(cudaSetDevice(previous));
}

}  // namespace parprims::detail::runtime

#else

namespace parprims::detail::runtime {

PARPRIMS_INLINE void keep_with_graph(stream_view, void* owner, void (*release)(void* owner))
{
    release(owner);
    throw_no_cuda("parprims: capture");
}

PARPRIMS_WITHOUT_CUDA("parprims: device", gpu_properties properties_of(int))
PARPRIMS_WITHOUT_CUDA(function, void throw_launch_error(int, const char* function, int, std::initializer_list<int>,
                                                        source_location))
PARPRIMS_WITHOUT_CUDA("parprims: copy", void copy_async(void*, const void*, std::size_t, stream_view))
PARPRIMS_WITHOUT_CUDA("parprims: copy", void copy_across_async(void*, int, const void*, int, std::size_t, stream_view))
PARPRIMS_WITHOUT_CUDA("parprims: fill", void fill_async(void*, unsigned char, std::size_t, stream_view))
PARPRIMS_INLINE void* allocate_pinned(std::size_t bytes)
{
    if (bytes == 0)
        return nullptr;
    throw_no_cuda("parprims: page-locked host memory");
}

PARPRIMS_INLINE void free_pinned(void*) noexcept {}

PARPRIMS_WITHOUT_CUDA("parprims: device_of", std::optional<int> device_of(const void*))
PARPRIMS_WITHOUT_CUDA("parprims: is_pageable", bool is_pageable(const void*))
PARPRIMS_WITHOUT_CUDA("parprims: is_reachable", bool is_reachable(const void*, int))
PARPRIMS_INLINE call_scope::call_scope(const char* function, stream_view, const address_list&)
try : device_(0), guard_(0) {
} catch (const cuda_error&) {
    throw_no_cuda(function);
}

PARPRIMS_INLINE void deallocate(memory_resource&, void*, std::size_t, stream_view, int) noexcept {}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes) : words_(nullptr), bytes_(bytes)
{
    throw_no_cuda("parprims: result slot");
}

PARPRIMS_INLINE result_slot::~result_slot() = default;

PARPRIMS_INLINE void result_slot::take(void*, stream_view) const {}

PARPRIMS_WITHOUT_CUDA("parprims: size on the device",
                      size_report report_of(const char*, stream_view, bool, std::size_t, bool))

PARPRIMS_WITHOUT_CUDA("parprims: workspace", workspace_lease::workspace_lease(stream_view, bool))
PARPRIMS_INLINE workspace_lease::~workspace_lease() = default;

}  // namespace parprims::detail::runtime

#endif

namespace parprims::detail::runtime {

PARPRIMS_INLINE void call_scope::refuse_capture(const char* function) const
{
    if (is_capturing_)
        throw invalid_argument(function, "stream", "it is being captured, and this call waits for it");
}

PARPRIMS_INLINE void check_reachable(const char* function, const char* argument, const void* pointer, std::size_t n,
                                     int device)
{
    if (n == 0)
        return;
    if (pointer == nullptr)
        throw invalid_argument(function, argument, "null pointer with n = " + std::to_string(n));
    if (is_reachable(pointer, device))
        return;
    if (const std::optional<int> owner = device_of(pointer))
        throw invalid_argument(function, argument,
                               "memory of device " + std::to_string(*owner) + " given to a call on device " +
                                   std::to_string(device));
    throw invalid_argument(function, argument,
                           "host memory given to a device policy; copy it with to_device() or use parprims::host");
}

PARPRIMS_INLINE void copy_host(const char* function, void* to, const void* from, std::size_t bytes, const void* host,
                               stream_view where, waiting wait)
{
    const call_scope scope(function, where, host == to ? from : to);
    const bool waits = wait == waiting::always || is_pageable(host);
    if (waits)
        scope.refuse_capture(function);
    copy_async(to, from, bytes, where);
    if (waits)
        where.synchronize();
}

PARPRIMS_INLINE void copy_between(void* to, device_stream target, const void* from, device_stream source,
                                  std::size_t bytes)
{
    if (target == source) {
        const device_guard guard(target.device);
        copy_async(to, from, bytes, target.stream);
        return;
    }
    const auto record = [](device_stream at) {
        const device_guard guard(at.device);
        event recorded;
        recorded.record(at.stream);
        return recorded;
    };
    const auto wait = [](device_stream at, const event& awaited) {
        const device_guard guard(at.device);
        at.stream.wait(awaited);
    };
    wait(target, record(source));
    {
        const device_guard guard(target.device);
        if (target.device == source.device)
            copy_async(to, from, bytes, target.stream);
        else
            copy_across_async(to, target.device, from, source.device, bytes, target.stream);
    }
    wait(source, record(target));
}

}  // namespace parprims::detail::runtime
