/// @file
/// @brief  A communicator over NCCL, for slices on GPUs. Needs NCCL: link `parprims::nccl`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

#if !PARPRIMS_HAS_CUDA
#error "parprims/nccl.hpp needs the CUDA backend: configure parprims with PARPRIMS_CUDA=ON"
#include <parprims/needs_cuda_backend>  // does not exist: a missing header ends the compilation at once
#endif

#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/stream.hpp>

#include <nccl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace parprims {

/// @brief  A call of NCCL failed, or another rank is lost. `what()` has NCCL's text.
/// @snippet nccl_test.cpp nccl_error
class nccl_error : public std::runtime_error {
public:
    /// @param  status  the `ncclResult_t`
    /// @param  call    what returned it
    /// @param  detail  what NCCL says beside it; may be empty
    nccl_error(ncclResult_t status, const std::string& call, const std::string& detail = {})
        : std::runtime_error(call + ": " + ncclGetErrorString(status) + (detail.empty() ? "" : " (" + detail + ")")),
          status_(status)
    {
    }

    ncclResult_t status() const noexcept { return status_; }

private:
    ncclResult_t status_;
};

/// @brief  The ranks of an `ncclComm_t` that the program made, has on one GPU, and destroys after this object.
///
/// Blocking or not. One process for each GPU, or several GPUs in a process: then each has a thread, because calls that wait would
/// otherwise wait for each other. NCCL's own rules hold for calls of several communicators on one GPU.
/// @snippet nccl_test.cpp slices
class nccl_communicator {
public:
    /// @param  timeout  how long a call may wait for its stream, this rank's own work in it included. Zero: without limit. NCCL does
    ///                  not report every rank that is lost: between GPUs of one host it may wait for one that has ended
    /// @throws nccl_error  the communicator is not usable
    explicit nccl_communicator(ncclComm_t group, std::chrono::nanoseconds timeout = {})
        : group_(group), timeout_(timeout)
    {
        check(ncclCommUserRank(group, &rank_), "ncclCommUserRank");
        check(ncclCommCount(group, &size_), "ncclCommCount");
    }

    std::size_t rank() const noexcept { return static_cast<std::size_t>(rank_); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }

    /// @brief  Enqueues: the `bytes` bytes of every rank, in rank order.
    /// @throws nccl_error  NCCL failed
    void all_gather(const void* send, void* recv, std::size_t bytes, stream_view where) const
    {
        check(ncclAllGather(send, recv, bytes, ncclUint8, group_, detail::runtime::handle_of(where)), "ncclAllGather");
    }

    /// @brief  Enqueues: replaces each counter by the sum over all ranks.
    /// @throws nccl_error  NCCL failed
    void all_reduce(std::uint64_t* counters, std::size_t n, stream_view where) const
    {
        check(ncclAllReduce(counters, counters, n, ncclUint64, ncclSum, group_, detail::runtime::handle_of(where)),
              "ncclAllReduce");
    }

    /// @brief  Does not block. Calls that wait make it again and again.
    /// @param  waited      for how long the stream's work has been waited for
    /// @throws nccl_error  an enqueued operation failed, or the timeout is over: a rank is lost. The communicator can only be
    ///                     aborted then (`ncclCommAbort`)
    void check(std::chrono::nanoseconds waited = {}) const
    {
        ncclResult_t status = ncclSuccess;
        check(ncclCommGetAsyncError(group_, &status), "ncclCommGetAsyncError");
        if (status != ncclSuccess && status != ncclInProgress)
            throw nccl_error(status, "an enqueued operation of NCCL", ncclGetLastError(group_));
        if (timeout_.count() != 0 && waited >= timeout_)
            throw nccl_error(ncclInProgress, "an enqueued operation of NCCL, at the end of the timeout",
                             ncclGetLastError(group_));
    }

private:
    void check(ncclResult_t status, const char* call) const
    {
        const auto begin = std::chrono::steady_clock::now();
        while (status == ncclInProgress) {  // of a communicator that does not block
            if (const ncclResult_t asked = ncclCommGetAsyncError(group_, &status); asked != ncclSuccess)
                status = asked;
            if (timeout_.count() != 0 && std::chrono::steady_clock::now() - begin >= timeout_)
                break;
        }
        if (status != ncclSuccess)
            throw nccl_error(status, call, ncclGetLastError(group_));
    }

    ncclComm_t group_;
    std::chrono::nanoseconds timeout_;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
