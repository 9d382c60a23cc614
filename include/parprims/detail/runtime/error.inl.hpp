/// @file
/// @brief  The texts of the errors.
#pragma once

#include <parprims/detail/runtime/check.hpp>
#include <parprims/detail/runtime/texts.hpp>
#include <parprims/error.hpp>

#include <cstdio>
#include <string>

#if PARPRIMS_HAS_CUDA
#include <parprims/detail/runtime/cuda.inl.hpp>
#endif

namespace parprims::detail::runtime {

#if PARPRIMS_HAS_CUDA

inline std::string describe(int status)
{
    const std::string name = cudaGetErrorName(static_cast<cudaError_t>(status));
    if (status == cudaErrorInsufficientDriver) {
        int driver = 0;  // stays 0 where a query fails
        int runtime = 0;
        clear_error(cudaDriverGetVersion(&driver));
        clear_error(cudaRuntimeGetVersion(&runtime));
        return describe_driver(driver, runtime) + " (" + name + ")";
    }
    const std::string text = cudaGetErrorString(static_cast<cudaError_t>(status));
    if (text == name)  // the runtime does not know this number
        return "unknown CUDA error " + std::to_string(status);
    return text + " (" + name + ")";
}

#else

inline std::string describe(int status)
{
    if (status == status_success)
        return "no error";
    if (status == status_not_supported)
        return "no CUDA support in this build";
    return "CUDA error " + std::to_string(status);
}

#endif

class cuda_category_type final : public std::error_category {
public:
    const char* name() const noexcept override { return "cuda"; }
    std::string message(int status) const override { return describe(status); }
};

PARPRIMS_INLINE void throw_cuda_error(int status, const char* call, detail::source_location where)
{
#if PARPRIMS_HAS_CUDA
    clear_error(status);
#endif
    throw cuda_error(status, is_sticky(status) ? std::string(call) + ": context lost" : std::string(call), where);
}

PARPRIMS_INLINE void throw_no_cuda(const char* function)
{
    throw cuda_error(status_not_supported, function);
}

}  // namespace parprims::detail::runtime

namespace parprims {

PARPRIMS_INLINE const std::error_category& cuda_category() noexcept
{
    static const detail::runtime::cuda_category_type category;
    return category;
}

PARPRIMS_INLINE cuda_error::cuda_error(int status, const std::string& call, detail::source_location where)
    : std::system_error(status, cuda_category(), call), call_(call), where_(where)
{
}

PARPRIMS_INLINE invalid_argument::invalid_argument(const std::string& function, const std::string& argument,
                                                   const std::string& reason)
    : std::invalid_argument(function + ": " + argument + ": " + reason), function_(function), argument_(argument)
{
}

PARPRIMS_INLINE rank_error::rank_error(const std::string& function, std::size_t rank, const std::string& reason)
    : std::runtime_error(function + ": rank " + std::to_string(rank) + ": " + reason), rank_(rank)
{
}

PARPRIMS_INLINE out_of_memory::out_of_memory(std::size_t bytes, std::string_view where) noexcept : bytes_(bytes)
{
    char amount[40] = "";
    if (bytes != 0)
        std::snprintf(amount, sizeof amount, "%zu bytes of ", bytes);
    std::snprintf(message_, sizeof message_, "parprims: out of memory: %s%.*s", amount,
                  static_cast<int>(where.size() < sizeof message_ ? where.size() : sizeof message_), where.data());
}

}  // namespace parprims
