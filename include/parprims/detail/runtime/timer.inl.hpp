/// @file
/// @brief  The timer on top of the CUDA runtime.
#pragma once

#include <parprims/detail/runtime/check.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/timer.hpp>

#if PARPRIMS_HAS_CUDA
#include <parprims/detail/runtime/cuda.inl.hpp>
#endif

namespace parprims {

PARPRIMS_INLINE timer::timer(stream_view where) : timer(where, device_guard(where.device())) {}

PARPRIMS_INLINE timer::timer(stream_view where, const device_guard&) : stream_(where) {}

PARPRIMS_INLINE void timer::start()
{
    start_.record(stream_);
}

PARPRIMS_INLINE void timer::stop()
{
    stop_.record(stream_);
}

PARPRIMS_INLINE std::chrono::duration<double> timer::elapsed() const
{
#if PARPRIMS_HAS_CUDA
    stop_.synchronize();
    float milliseconds = 0;
    detail::runtime::check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
    return std::chrono::duration<double, std::milli>(static_cast<double>(milliseconds));
#else
    detail::runtime::throw_no_cuda("parprims::timer::elapsed");
#endif
}

}  // namespace parprims
