/// @file
/// @brief  The check after every call of the CUDA runtime: thin here, the throw out of line.
#pragma once

#include <parprims/detail/source_location.hpp>

namespace parprims::detail::runtime {

inline constexpr int status_success = 0;
inline constexpr int status_not_supported = 801;  ///< cudaErrorNotSupported

/// Whether `status` says that the context is lost: every later call of this process fails with it too.
constexpr bool is_sticky(int status) noexcept
{
    switch (status) {
    case 214:  // cudaErrorECCUncorrectable
    case 220:  // cudaErrorNvlinkUncorrectable
    case 226:  // cudaErrorContained
    case 700:  // cudaErrorIllegalAddress
    case 702:  // cudaErrorLaunchTimeout
    case 709:  // cudaErrorContextIsDestroyed
    case 710:  // cudaErrorAssert
    case 714:  // cudaErrorHardwareStackError
    case 715:  // cudaErrorIllegalInstruction
    case 716:  // cudaErrorMisalignedAddress
    case 717:  // cudaErrorInvalidAddressSpace
    case 718:  // cudaErrorInvalidPc
    case 719:  // cudaErrorLaunchFailure
    case 721:  // cudaErrorTensorMemoryLeak
    case 810:  // cudaErrorMpsClientTerminated
        return true;
    default: return false;
    }
}

/// Throws cuda_error. Clears the runtime's last error if that is `status`, so that no later check reports it again.
[[noreturn]] void throw_cuda_error(int status, const char* call, detail::source_location where);

/// In a build without CUDA: what every device call throws.
[[noreturn]] void throw_no_cuda(const char* function);

/// In a build without CUDA: defines a function that throws.
#define PARPRIMS_WITHOUT_CUDA(name, declaration)        \
    PARPRIMS_INLINE declaration                         \
    {                                                   \
        parprims::detail::runtime::throw_no_cuda(name); \
    }

/// Throws for a status that is not success. A sticky error (context lost) is named as such.
/// `status` is what the call returned. The runtime's last error is not used: another call may have set it.
inline void check(int status, const char* call, detail::source_location where = detail::source_location::current())
{
    if (status != status_success) [[unlikely]]
        throw_cuda_error(status, call, where);
}

}  // namespace parprims::detail::runtime
