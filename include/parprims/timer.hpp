/// @file
/// @brief  A timer for work on a GPU. Apart from parprims.hpp: reading `chrono` takes nvcc a second.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/stream.hpp>

#include <chrono>

namespace parprims {

class device_guard;

/// @brief  Measures the time between two points of a stream, by events on the GPU.
/// @snippet device.cpp timer
class timer {
public:
    /// @brief  A timer for `where`, on the GPU of that stream.
    /// @throws invalid_argument  `where` is being captured
    /// @throws cuda_error        no GPU, or this build has no CUDA support
    explicit timer(stream_view where = {});
    /// @brief  Records the first point. Does not block.
    /// @throws cuda_error  the context is lost
    void start();
    /// @brief  Records the second point. Does not block.
    /// @throws cuda_error  the context is lost
    void stop();
    /// @brief  The time from `start` to `stop`; resolution about half a microsecond. Blocks until the stream is past `stop`.
    /// @throws cuda_error  `start` or `stop` was not called, or an operation before `stop` failed
    std::chrono::duration<double> elapsed() const;

private:
    timer(stream_view where, const device_guard& of_stream);  // the events are made on the stream's GPU

    stream_view stream_;
    event start_{event::timing::on};
    event stop_{event::timing::on};
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/timer.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
