/// @file
/// @brief  The CUDA runtime's header, and the rules for every call of it: errors, capture, stream handles.
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

/// For a call whose failure is handled or does not matter (in a destructor): clears `status` from the runtime's last error.
/// A different last error, from the user's code, stays.
inline void clear_error(int status) noexcept
{
    if (status != cudaSuccess && cudaPeekAtLastError() == static_cast<cudaError_t>(status))
        cudaGetLastError();
}

/// Lets the calling thread allocate and free while any stream is being captured. Otherwise such a call fails and invalidates
/// the capture. Only for calls that no captured work depends on.
class relaxed_capture {
public:
    relaxed_capture() noexcept
    {
        const int status = cudaThreadExchangeStreamCaptureMode(&mode_);
        clear_error(status);
        is_relaxed_ = status == cudaSuccess;
    }
    ~relaxed_capture()
    {
        if (is_relaxed_)  // otherwise this would relax the mode
            clear_error(cudaThreadExchangeStreamCaptureMode(&mode_));
    }
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
    bool is_relaxed_;
};

/// `where` for a call of the CUDA runtime. Null means another stream in a file compiled with per-thread default streams. The
/// explicit handle means the same stream in the library and in the user's files, however each was compiled.
inline cudaStream_t handle_of(cudaStream_t where) noexcept
{
    return where != nullptr ? where : cudaStreamLegacy;
}

/// Whether `where` names a default stream, which belongs to the current GPU.
inline bool is_default_stream(cudaStream_t where) noexcept
{
    return where == nullptr || where == cudaStreamLegacy || where == cudaStreamPerThread;
}

}  // namespace parprims::detail::runtime

#endif
