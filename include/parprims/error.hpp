/// @file
/// @brief  The exceptions of parprims. Every function checks its arguments, in every build type, before it writes anything.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/source_location.hpp>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace parprims {

/// @brief  The category of the codes in a `cuda_error`; a code's value is the `cudaError_t`.
/// @snippet reference.cpp cuda_category
const std::error_category& cuda_category() noexcept;

/// @brief  A call of the CUDA runtime failed, or there is no GPU that could run it.
///
/// `code().value()` and `status()` are the `cudaError_t`, as an integer, so that no CUDA header is needed here.
/// @snippet reference.cpp any_error
class cuda_error : public std::system_error {
public:
    /// @param  status  the `cudaError_t`
    /// @param  call    what failed: `cudaMallocAsync`, or `parprims::reduce: context lost before this call`
    /// @param  where   the line that checked the status
    cuda_error(int status, const std::string& call, detail::source_location where = detail::source_location::current());

    int status() const noexcept { return code().value(); }
    const std::string& call() const noexcept { return call_; }
    const char* file() const noexcept { return where_.file_name(); }
    unsigned line() const noexcept { return where_.line(); }

private:
    std::string call_;
    detail::source_location where_;
};

/// @brief  A call was refused because of an argument; it had no effect (over several ranks, see docs/ranks.md). `what()` reads
///         `parprims::function: argument: reason`.
/// @snippet reference.cpp invalid_argument
class invalid_argument : public std::invalid_argument {
public:
    invalid_argument(const std::string& function, const std::string& argument, const std::string& reason);

    const std::string& function() const noexcept { return function_; }
    const std::string& argument() const noexcept { return argument_; }

private:
    std::string function_;
    std::string argument_;
};

/// @brief  An allocation failed, on a GPU or on the host. Nothing is leaked. On a GPU nothing was enqueued; on the host a scan
///         or a histogram may have written some of its output, over several ranks any call. Its text needs no allocation.
/// @snippet reference.cpp any_error
class out_of_memory : public std::bad_alloc {
public:
    /// @param  bytes  that were requested; 0 if not known (allocations inside TBB)
    /// @param  where  which memory: `device 0`, `host memory`
    out_of_memory(std::size_t bytes, std::string_view where) noexcept;

    const char* what() const noexcept override { return message_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    char message_[128];
    std::size_t bytes_;
};

/// @brief  Something failed on another rank: an operator threw, or an iterator. The rank itself gets what was thrown.
///
/// A refused argument and a failed allocation on another rank are `invalid_argument` and `out_of_memory`, which name the rank.
/// @snippet distributed_errors_test.cpp rank_error
class rank_error : public std::runtime_error {
public:
    rank_error(const std::string& function, std::size_t rank, const std::string& reason);

    std::size_t rank() const noexcept { return rank_; }

private:
    std::size_t rank_;
};

}  // namespace parprims

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/runtime/error.inl.hpp>
#endif

#include <parprims/detail/pop_macros.hpp>
