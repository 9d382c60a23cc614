/// @file
/// @brief  The CUDA runtime's own header, and the habits that every call of it follows here.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/runtime/check.hpp>

#if PARPRIMS_HAS_CUDA

#include <cuda_runtime_api.h>

namespace parprims::detail::runtime {

static_assert(CUDART_VERSION >= 12080, "parprims needs CUDA 12.8 or later");
static_assert(status_success == cudaSuccess && status_not_supported == cudaErrorNotSupported);
static_assert(is_sticky(cudaErrorECCUncorrectable) && is_sticky(cudaErrorNvlinkUncorrectable) &&
              is_sticky(cudaErrorIllegalAddress) && is_sticky(cudaErrorLaunchTimeout) &&
              is_sticky(cudaErrorContextIsDestroyed) && is_sticky(cudaErrorAssert) &&
              is_sticky(cudaErrorHardwareStackError) && is_sticky(cudaErrorIllegalInstruction) &&
              is_sticky(cudaErrorMisalignedAddress) && is_sticky(cudaErrorInvalidAddressSpace) &&
              is_sticky(cudaErrorInvalidPc) && is_sticky(cudaErrorLaunchFailure) &&
              is_sticky(cudaErrorMpsClientTerminated));

/// For a call whose failure is handled or of no interest (in a destructor): takes the status back out of the runtime,
/// but leaves a different one, which the user's code put there, alone.
inline void forget(int status) noexcept
{
    if (status != cudaSuccess && cudaPeekAtLastError() == static_cast<cudaError_t>(status))
        cudaGetLastError();
}

/// Lets the calling thread allocate and free while streams are being captured: otherwise such a call fails and spoils
/// the capture, whosever it is. Only for calls that no captured work depends on.
class relaxed_capture {
public:
    relaxed_capture() noexcept
    {
        const int status = cudaThreadExchangeStreamCaptureMode(&mode_);
        forget(status);
        is_relaxed_ = status == cudaSuccess;
    }
    ~relaxed_capture()
    {
        if (is_relaxed_)  // otherwise this would be what relaxes it
            forget(cudaThreadExchangeStreamCaptureMode(&mode_));
    }
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    bool is_relaxed_;
};

/// `where` for a call of the CUDA runtime. Null is another stream in a file compiled for per-thread default streams, where
/// the same calls have other names; what the library was compiled for and what its user was must not mix.
inline cudaStream_t handle_of(cudaStream_t where) noexcept
{
    return where != nullptr ? where : cudaStreamLegacy;
}

/// Whether `where` names a default stream, which belongs to whatever GPU is current.
inline bool is_default_stream(cudaStream_t where) noexcept
{
    return where == nullptr || where == cudaStreamLegacy || where == cudaStreamPerThread;
}

}  // namespace parprims::detail::runtime

#endif
