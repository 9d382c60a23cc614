/// @file
/// @brief  Allocation of device memory in stream order: the interface, and the default on a memory pool of the driver.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/stream.hpp>

#include <cstddef>

namespace parprims {

/// @brief  Allocates and deallocates device memory in stream order.
///
/// Work enqueued in `where` after `allocate(bytes, where)` may use the memory. `deallocate` may be called while such work is
/// still running. The library calls both with the GPU of the call current. Implementations must be thread-safe. While `where` is being
/// captured, memory must be allocated by `cudaMallocAsync` in it, or be kept as long as the graph: the default resource does the first.
/// @snippet device.cpp memory_resource
class memory_resource {
public:
    virtual ~memory_resource() = default;

    /// @brief  At least `bytes` bytes, aligned to 256 bytes; null if `bytes == 0`.
    /// @throws out_of_memory  with the requested bytes
    /// @throws cuda_error     the context is lost
    void* allocate(std::size_t bytes, stream_view where) { return bytes == 0 ? nullptr : do_allocate(bytes, where); }

    /// @brief  Deallocates memory from `allocate(bytes, ...)`, after the work enqueued in `where` so far. Null is ignored.
    void deallocate(void* memory, std::size_t bytes, stream_view where) noexcept
    {
        if (memory != nullptr)
            do_deallocate(memory, bytes, where);
    }

private:
    virtual void* do_allocate(std::size_t bytes, stream_view where) = 0;
    virtual void do_deallocate(void* memory, std::size_t bytes, stream_view where) noexcept = 0;
};

/// @brief  The default resource of the current GPU: a `cudaMallocAsync` pool that keeps freed memory for later allocations.
/// @throws cuda_error  as `current_device`
/// @snippet device.cpp memory_resource
memory_resource& default_memory_resource();

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/memory_resource.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
