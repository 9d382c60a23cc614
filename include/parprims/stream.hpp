/// @file
/// @brief  Streams and events. Plain C++: no CUDA header is included. Timers are in timer.hpp.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

#include <utility>

struct CUevent_st;
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
    /// @throws cuda_error        an operation failed, or there is no GPU
    /// @throws invalid_argument  a call read a size that is out of range: see `sized_on_device`
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

/// @brief  Owns a stream of the current GPU that does not synchronise with the default stream. Move-only.
///
/// Destruction does not wait: work enqueued in the stream still completes. A moved-from stream holds null.
/// @snippet device.cpp streams
class stream {
public:
    /// @throws cuda_error  no GPU, or this build has no CUDA support
    stream();
    ~stream();
    stream(stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    stream& operator=(stream&& other) noexcept;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    operator stream_view() const noexcept { return stream_view(stream_); }
    stream_view view() const noexcept { return stream_view(stream_); }
    CUstream_st* get() const noexcept { return stream_; }
    /// @brief  As `stream_view::synchronize`.
    void synchronize() const { view().synchronize(); }
    /// @brief  As `stream_view::wait`.
    void wait(const event& awaited) const { view().wait(awaited); }

private:
    CUstream_st* stream_ = nullptr;
};

/// @brief  Owns an event of the current GPU, which marks a point in a stream. Move-only.
///
/// Before the first `record` the event counts as complete.
/// @snippet device.cpp event
class event {
public:
    enum class timing { off, on };  ///< whether a timer can use it
    /// @throws cuda_error  no GPU, or this build has no CUDA support
    explicit event(timing mode = timing::off);
    ~event();
    event(event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    event& operator=(event&& other) noexcept;
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    CUevent_st* get() const noexcept { return event_; }

    /// @brief  Records the event: it completes when all work enqueued in `where` so far has. Does not block.
    /// @throws cuda_error  `where` is a stream of another GPU, or the context is lost
    void record(stream_view where = {});
    /// @brief  Blocks until the event is complete.
    /// @throws cuda_error  an operation before it failed
    void synchronize() const;
    /// @brief  Whether the event is complete. Does not block.
    /// @throws cuda_error  an operation before it failed
    bool is_ready() const;

private:
    CUevent_st* event_ = nullptr;
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/stream.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
