/// @file
/// @brief  A stream as an argument of calls. Plain C++: no CUDA header is included.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

struct CUstream_st;

namespace parprims {

class event;

/// @brief  A stream that this object does not own; converts from and to `cudaStream_t`. Null is the default stream.
///
/// The default stream is always the legacy one, also in files compiled with `--default-stream per-thread`. Blocking streams
/// synchronise with it, and so do the threads' own default streams. To use a thread's own default stream, pass
/// `cudaStreamPerThread`.
/// @snippet graphs.cpp stream_view
class stream_view {
public:
    constexpr stream_view() noexcept = default;
    constexpr stream_view(CUstream_st* stream) noexcept : stream_(stream) {}
    constexpr operator CUstream_st*() const noexcept { return stream_; }
    constexpr CUstream_st* get() const noexcept { return stream_; }

    /// @brief  Blocks until all work enqueued so far has completed.
    /// @throws cuda_error  an operation failed, or there is no GPU
    void synchronize() const;

    /// @brief  Work enqueued in this stream from now on waits for `awaited`. Does not block.
    /// @throws cuda_error  the context is lost, or there is no GPU
    void wait(const event& awaited) const;

    /// @brief  Whether the stream is being captured into a CUDA graph.
    /// @throws cuda_error  the context is lost, or there is no GPU
    bool is_capturing() const;

    /// @brief  The GPU of the stream; the current GPU for the default stream.
    /// @throws invalid_argument  the stream is being captured: the CUDA runtime cannot name its GPU then
    /// @throws cuda_error        the context is lost, or there is no GPU
    int device() const;

    friend constexpr bool operator==(stream_view a, stream_view b) noexcept { return a.stream_ == b.stream_; }

private:
    CUstream_st* stream_ = nullptr;
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/stream.hpp>  // includes the definitions
#endif

#include <parprims/detail/pop_macros.hpp>
