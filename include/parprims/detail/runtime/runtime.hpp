/// @file
/// @brief  The interface to the CUDA runtime, part two: what buffers need. Part one is call.hpp, for every call.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <optional>

namespace parprims::detail::runtime {

/// Page-locked host memory that every GPU can reach at the same address. Throws out_of_memory.
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* memory) noexcept;

/// The GPU whose memory `pointer` points to; none for host memory (page-locked or pageable) and managed memory.
std::optional<int> device_of(const void* pointer);
/// Whether `pointer` is pageable host memory, so that a copy cannot be asynchronous.
bool is_pageable(const void* pointer);
/// Whether a kernel on GPU `device` can access `pointer`. Memory of another GPU counts as unreachable, even with peer access.
bool is_reachable(const void* pointer, int device);

/// When a copy waits until it is done.
enum class waiting { where_pageable, always };

/// Copies between a GPU and the host. `host` is `to` or `from`: the side on the host. With pageable memory, or
/// `waiting::always`, returns when the copy is done and throws invalid_argument if the stream is being captured. With
/// page-locked or managed memory, enqueues the copy.
void copy_host(const char* function, void* to, const void* from, std::size_t bytes, const void* host, stream_view where,
               waiting wait = waiting::where_pageable);

/// A stream and its GPU: every GPU has its own default stream.
struct device_stream {
    int device;
    stream_view stream;

    friend bool operator==(const device_stream&, const device_stream&) = default;
};

/// Copies between two GPUs or two streams. The copy runs in `target`, after the work enqueued in `source` so far; later work
/// in `source` waits for the copy. Does not block.
void copy_between(void* to, device_stream target, const void* from, device_stream source, std::size_t bytes);

/// Deallocates with GPU `device` current, and restores the current GPU. For destructors.
void deallocate(memory_resource& resource, void* memory, std::size_t bytes, stream_view where, int device) noexcept;

}  // namespace parprims::detail::runtime

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/runtime.inl.hpp>
#endif
