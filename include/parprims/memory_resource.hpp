/// @file
/// @brief  Who gives device memory: an interface in stream order, and the default on top of the driver's pool.
#pragma once

#include <parprims/config.hpp>
#include <parprims/stream_view.hpp>

#include <cstddef>

namespace parprims {

/// @brief  Gives and takes back device memory in stream order.
///
/// Memory from `allocate(bytes, stream)` may be used by work enqueued on `stream` afterwards, and `deallocate` may be
/// called while such work is still running. Implementations must be safe to call from several threads.
class memory_resource {
public:
    virtual ~memory_resource() = default;

    /// @brief  At least `bytes` bytes, aligned to 256; null for `bytes == 0`.
    /// @throws out_of_memory  with the bytes asked for
    void* allocate(std::size_t bytes, stream_view where) { return bytes == 0 ? nullptr : do_allocate(bytes, where); }

    /// @brief  Takes back what `allocate(bytes, ...)` gave. Never throws.
    void deallocate(void* memory, std::size_t bytes, stream_view where) noexcept
    {
        if (memory != nullptr)
            do_deallocate(memory, bytes, where);
    }

private:
    virtual void* do_allocate(std::size_t bytes, stream_view where) = 0;
    virtual void do_deallocate(void* memory, std::size_t bytes, stream_view where) noexcept = 0;
};

/// @brief  The default resource of the current GPU: its `cudaMallocAsync` pool, told to keep what was freed.
/// @throws cuda_error  as `current_device`
memory_resource& default_memory_resource();

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/memory_resource.inl.hpp>
#endif
