/// @file
/// @brief  The seam to the CUDA runtime: what buffers need of it besides what every call does (call.hpp).
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/stream_view.hpp>

#include <cstddef>
#include <optional>

namespace parprims::detail::runtime {

/// Page-locked host memory that every GPU can reach at the same address. Throws out_of_memory.
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* memory) noexcept;

/// The GPU that holds what `pointer` points to: nothing for memory of the host (pinned, pageable) or managed memory.
std::optional<int> device_of(const void* pointer);
/// Whether `pointer` is memory of the host that the driver does not know, so that a copy of it cannot be left to run.
bool is_pageable(const void* pointer);
/// Whether code on GPU `device` may follow `pointer`. Memory of another GPU counts as out of reach, peer access or not.
bool is_reachable(const void* pointer, int device);

/// Whether a copy waits for page-locked memory too.
enum class waiting { where_pageable, always };

/// Copies between a GPU and the host; `host`, which is `to` or `from`, says which side is the host's. Pageable memory, or
/// any where `wait` says so: returns when the copy is done, and throws invalid_argument on a stream that is being
/// captured. Page-locked and managed memory: enqueued.
void copy_host(const char* function, void* to, const void* from, std::size_t bytes, const void* host, stream_view where,
               waiting wait = waiting::where_pageable);

/// A stream of a GPU; the default stream is one of each.
struct place {
    int device;
    stream_view stream;

    friend bool operator==(const place&, const place&) = default;
};

/// Copies between two GPUs or two streams, in `there`, after what is enqueued in `here`; what is enqueued in `here`
/// later waits for the copy. Does not block.
void copy_between(void* to, place there, const void* from, place here, std::size_t bytes);

/// Gives memory back with GPU `device` current. For destructors.
void deallocate(memory_resource& resource, void* memory, std::size_t bytes, stream_view where, int device) noexcept;

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/runtime.inl.hpp>
#endif
