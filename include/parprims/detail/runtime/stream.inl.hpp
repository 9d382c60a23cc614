/// @file
/// @brief  Streams and events on top of the CUDA runtime.
#pragma once

#include <parprims/detail/runtime/check.hpp>
#include <parprims/device.hpp>
#include <parprims/stream.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/detail/runtime/size_report.hpp>

namespace parprims {

PARPRIMS_INLINE void stream_view::synchronize() const
{
    detail::runtime::check(cudaStreamSynchronize(detail::runtime::handle_of(stream_)), "cudaStreamSynchronize");
    detail::runtime::throw_size_fault(*this);
}

PARPRIMS_INLINE void stream_view::wait(const event& awaited) const
{
    detail::runtime::check(cudaStreamWaitEvent(detail::runtime::handle_of(stream_), awaited.get(), 0),
                           "cudaStreamWaitEvent");
}

PARPRIMS_INLINE bool stream_view::is_capturing() const
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    detail::runtime::check(cudaStreamIsCapturing(detail::runtime::handle_of(stream_), &status),
                           "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
}

PARPRIMS_INLINE int stream_view::device() const
{
    if (!detail::runtime::is_default_stream(*this)) {
        if (is_capturing())  // cudaStreamGetDevice would fail and invalidate the capture
            throw invalid_argument("parprims::stream_view::device", "stream", "it is being captured");
        int id = 0;
        detail::runtime::check(cudaStreamGetDevice(stream_, &id), "cudaStreamGetDevice");
        return id;
    }
    return current_device();
}

PARPRIMS_INLINE stream::stream()
{
    detail::runtime::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

PARPRIMS_INLINE stream::~stream()
{
    if (stream_ != nullptr)
        detail::runtime::clear_error(cudaStreamDestroy(stream_));
}

PARPRIMS_INLINE event::event(timing mode)
{
    const unsigned flags = mode == timing::on ? cudaEventDefault : cudaEventDisableTiming;
    detail::runtime::check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
}

PARPRIMS_INLINE event::~event()
{
    if (event_ != nullptr)
        detail::runtime::clear_error(cudaEventDestroy(event_));
}

PARPRIMS_INLINE void event::record(stream_view where)
{
    detail::runtime::check(cudaEventRecord(event_, detail::runtime::handle_of(where)), "cudaEventRecord");
}

PARPRIMS_INLINE void event::synchronize() const
{
    detail::runtime::check(cudaEventSynchronize(event_), "cudaEventSynchronize");
}

PARPRIMS_INLINE bool event::is_ready() const
{
    const int status = cudaEventQuery(event_);
    if (status == cudaErrorNotReady) {
        detail::runtime::clear_error(status);  // not an error, but the runtime records it as one
        return false;
    }
    detail::runtime::check(status, "cudaEventQuery");
    return true;
}

}  // namespace parprims

#else

namespace parprims {

PARPRIMS_WITHOUT_CUDA("parprims::stream_view::synchronize", void stream_view::synchronize() const)
PARPRIMS_WITHOUT_CUDA("parprims::stream_view::wait", void stream_view::wait(const event&) const)
PARPRIMS_WITHOUT_CUDA("parprims::stream_view::is_capturing", bool stream_view::is_capturing() const)
PARPRIMS_WITHOUT_CUDA("parprims::stream_view::device", int stream_view::device() const)
PARPRIMS_WITHOUT_CUDA("parprims::stream", stream::stream())
PARPRIMS_INLINE stream::~stream() = default;

PARPRIMS_WITHOUT_CUDA("parprims::event", event::event(timing))
PARPRIMS_INLINE event::~event() = default;

PARPRIMS_WITHOUT_CUDA("parprims::event::record", void event::record(stream_view))
PARPRIMS_WITHOUT_CUDA("parprims::event::synchronize", void event::synchronize() const)
PARPRIMS_WITHOUT_CUDA("parprims::event::is_ready", bool event::is_ready() const)
}  // namespace parprims

#endif

namespace parprims {

PARPRIMS_INLINE stream& stream::operator=(stream&& other) noexcept
{
    stream taken(std::move(other));  // destroys the old handle, also in a self-assignment
    std::swap(stream_, taken.stream_);
    return *this;
}

PARPRIMS_INLINE event& event::operator=(event&& other) noexcept
{
    event taken(std::move(other));  // destroys the old handle, also in a self-assignment
    std::swap(event_, taken.event_);
    return *this;
}

}  // namespace parprims
