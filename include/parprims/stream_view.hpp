/// @file
/// @brief  A stream as calls take it. Plain C++: the CUDA type is only named, never included.
#pragma once

#include <parprims/config.hpp>

struct CUstream_st;

namespace parprims {

class event;

/// @brief  A stream that somebody else owns; converts from and to `cudaStream_t`. Null is the default stream.
///
/// The default stream is the legacy one, which all blocking streams wait for, also in files compiled with
/// `--default-stream per-thread`: work in a thread's own default stream comes before and after it as enqueued. To use a
/// thread's own default stream, name it: `cudaStreamPerThread`.
class stream_view {
public:
    constexpr stream_view() noexcept = default;
    constexpr stream_view(CUstream_st* stream) noexcept : stream_(stream) {}
    constexpr operator CUstream_st*() const noexcept { return stream_; }
    constexpr CUstream_st* get() const noexcept { return stream_; }

    /// @brief  Blocks until everything enqueued so far is done.
    /// @throws cuda_error  an operation failed, or there is no GPU
    void synchronize() const;

    /// @brief  Everything enqueued from now on waits for `moment`. Does not block.
    void wait(const event& moment) const;

    /// @brief  Whether the stream is being captured into a CUDA graph.
    bool is_capturing() const;

    /// @brief  The GPU it belongs to; the current one for the default stream.
    /// @throws invalid_argument  it is being captured: then the CUDA runtime cannot tell
    int device() const;

    friend constexpr bool operator==(stream_view a, stream_view b) noexcept { return a.stream_ == b.stream_; }

private:
    CUstream_st* stream_ = nullptr;
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/stream.hpp>  // which brings the definitions
#endif
