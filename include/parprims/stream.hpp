/// @file
/// @brief  Streams, events and a timer. Plain C++: the CUDA types are only named, never included.
#pragma once

#include <parprims/config.hpp>
#include <parprims/error.hpp>
#include <parprims/stream_view.hpp>

#include <chrono>
#include <utility>

struct CUevent_st;

namespace parprims {

class device_guard;

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
