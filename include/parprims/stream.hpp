/// @file
/// @brief  Streams, events and a timer. Plain C++: the CUDA types are only named, never included.
#pragma once

#include <parprims/config.hpp>
#include <parprims/error.hpp>

#include <chrono>
#include <utility>

struct CUstream_st;
struct CUevent_st;

namespace parprims {

class device_guard;
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

/// @brief  Owns a stream of the current GPU that does not synchronise with the default stream. Move-only.
class stream {
public:
    stream();
    ~stream();
    stream(stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    stream& operator=(stream&& other) noexcept;
    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;

    operator stream_view() const noexcept { return stream_view(stream_); }
    stream_view view() const noexcept { return stream_view(stream_); }
    CUstream_st* get() const noexcept { return stream_; }
    void synchronize() const { view().synchronize(); }
    void wait(const event& moment) const { view().wait(moment); }

private:
    CUstream_st* stream_ = nullptr;
};

/// @brief  Owns a moment in a stream. Move-only. Made on the current GPU.
class event {
public:
    enum class timing { off, on };
    explicit event(timing mode = timing::off);
    ~event();
    event(event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    event& operator=(event&& other) noexcept;
    event(const event&) = delete;
    event& operator=(const event&) = delete;

    CUevent_st* get() const noexcept { return event_; }

    /// @brief  The moment becomes the point that `where` has been filled to. Does not block.
    void record(stream_view where = {});
    /// @brief  Blocks until the moment has passed.
    void synchronize() const;
    /// @brief  Whether the moment has passed.
    bool is_ready() const;

private:
    CUevent_st* event_ = nullptr;
};

/// @brief  Time between two moments of a stream, as the GPU sees it.
class timer {
public:
    explicit timer(stream_view where = {});
    /// @brief  Enqueues the first moment.
    void start();
    /// @brief  Enqueues the second moment.
    void stop();
    /// @brief  Blocks until the second moment; the time between the two, resolution about half a microsecond.
    std::chrono::duration<double> elapsed() const;

private:
    timer(stream_view where, const device_guard& on_its_device);  // the events belong to the stream's GPU

    stream_view stream_;
    event start_{event::timing::on};
    event stop_{event::timing::on};
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/stream.inl.hpp>
#endif
