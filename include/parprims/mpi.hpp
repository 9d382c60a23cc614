/// @file
/// @brief  A communicator over MPI, for parprims::distributed. Needs an MPI library: link `parprims::mpi`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/error.hpp>
#include <parprims/stream.hpp>

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace parprims {

/// @brief  A call of MPI failed. `what()` has the text that MPI gives the error.
/// @snippet mpi_test.cpp mpi_error
class mpi_error : public std::runtime_error {
public:
    /// @param  status  what the call returned
    /// @param  call    its name
    mpi_error(int status, const std::string& call) : std::runtime_error(call + ": " + describe(status)), status_(status)
    {
    }

    int status() const noexcept { return status_; }

private:
    static std::string describe(int status)
    {
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        if (MPI_Error_string(status, text, &length) != MPI_SUCCESS)
            return "MPI error " + std::to_string(status);
        return std::string(text, static_cast<std::size_t>(length));
    }

    int status_;
};

/// @brief  The processes of an `MPI_Comm`, for calls with parprims::host.
///
/// Has a duplicate of the communicator, so its messages are never taken for those of the program, and errors of MPI become
/// exceptions here alone. The program initialises and finalises MPI.
///
/// Only the thread that makes a call of parprims makes calls of MPI. Other threads compute, so initialise MPI by `MPI_Init_thread`
/// with `MPI_THREAD_FUNNELED` or more and call from the main thread, or use `parprims::host.threads(1)`.
/// @snippet mpi_test.cpp distributed
class mpi_communicator {
public:
    /// @brief  All ranks of `group` call this together.
    /// @throws invalid_argument  MPI is not initialised, or it is finalised; `group` is MPI_COMM_NULL or an intercommunicator
    /// @throws mpi_error         MPI cannot duplicate it, and the error handler of `group` returns; the default one does not
    explicit mpi_communicator(MPI_Comm group)
    {
        if (!is_running())
            throw invalid_argument("parprims::mpi_communicator", "group",
                                   "MPI is not initialised, or already finalised");
        if (group == MPI_COMM_NULL)
            throw invalid_argument("parprims::mpi_communicator", "group", "MPI_COMM_NULL");
        int has_remote_group = 0;
        check(MPI_Comm_test_inter(group, &has_remote_group), "MPI_Comm_test_inter");
        if (has_remote_group != 0)
            throw invalid_argument("parprims::mpi_communicator", "group", "an intercommunicator");
        check(MPI_Comm_dup(group, &group_), "MPI_Comm_dup");
        check(MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        check(MPI_Comm_rank(group_, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(group_, &size_), "MPI_Comm_size");
    }
    mpi_communicator(const mpi_communicator&) = delete;
    mpi_communicator& operator=(const mpi_communicator&) = delete;
    /// @brief  Frees the duplicate. All ranks do this, before MPI is finalised; afterwards it has no effect.
    ~mpi_communicator()
    {
        if (is_running())
            MPI_Comm_free(&group_);
    }

    std::size_t rank() const noexcept { return static_cast<std::size_t>(rank_); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(size_); }

    /// @brief  The `bytes` bytes of every rank, in rank order.
    /// @throws mpi_error  MPI failed; a rank is lost
    void all_gather(const void* send, void* recv, std::size_t bytes, stream_view) const
    {
        if (bytes > INT_MAX)  // the same on all ranks
            throw mpi_error(MPI_ERR_COUNT, "MPI_Allgather");
        const int count = static_cast<int>(bytes);
        check(MPI_Allgather(send, count, MPI_BYTE, recv, count, MPI_BYTE, group_), "MPI_Allgather");
    }

    /// @brief  Replaces each counter by the sum over all ranks.
    /// @throws mpi_error  MPI failed; a rank is lost
    void all_reduce(std::uint64_t* counters, std::size_t n, stream_view) const
    {
        constexpr std::size_t most = std::size_t{1} << 27;  // counters of one call: their bytes fit an int
        for (std::size_t begin = 0; begin < n; begin += most) {
            const int count = static_cast<int>(n - begin < most ? n - begin : most);
            check(MPI_Allreduce(MPI_IN_PLACE, counters + begin, count, MPI_UINT64_T, MPI_SUM, group_), "MPI_Allreduce");
        }
    }

private:
    static void check(int status, const char* call)
    {
        if (status != MPI_SUCCESS)
            throw mpi_error(status, call);
    }

    static bool is_running()
    {
        int initialised = 0;
        int finalised = 0;
        MPI_Initialized(&initialised);
        MPI_Finalized(&finalised);
        return initialised != 0 && finalised == 0;
    }

    MPI_Comm group_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
