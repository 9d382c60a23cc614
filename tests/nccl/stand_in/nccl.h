/* What parprims/nccl.hpp calls of NCCL, for a communicator that answers as a test wants. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

using cudaStream_t = struct CUstream_st*;
enum ncclResult_t { ncclSuccess = 0, ncclInvalidArgument = 4, ncclRemoteError = 6, ncclInProgress = 7 };
enum ncclDataType_t { ncclUint8 = 1, ncclUint64 = 5 };
enum ncclRedOp_t { ncclSum = 0 };

struct ncclComm {
    ncclResult_t returned = ncclSuccess;    /* by collective calls */
    std::vector<ncclResult_t> asked;        /* by ncclCommGetAsyncError, the last one first; then ncclSuccess */
    std::size_t count = 0;                  /* of the last call */
    ncclDataType_t type = ncclUint8;
    cudaStream_t stream = nullptr;
};
using ncclComm_t = ncclComm*;

inline const char* ncclGetErrorString(ncclResult_t status)
{
    return status == ncclRemoteError ? "remote process exited" : "invalid argument";
}
inline const char* ncclGetLastError(ncclComm_t comm) { return comm == nullptr ? "" : "socket closed"; }
inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank)
{
    *rank = 1;
    return comm == nullptr ? ncclInvalidArgument : ncclSuccess;
}
inline ncclResult_t ncclCommCount(ncclComm_t, int* size)
{
    *size = 3;
    return ncclSuccess;
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* status)
{
    *status = ncclSuccess;
    if (!comm->asked.empty()) {
        *status = comm->asked.back();
        comm->asked.pop_back();
    }
    return ncclSuccess;
}
inline ncclResult_t ncclAllGather(const void*, void*, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                                  cudaStream_t stream)
{
    comm->count = count;
    comm->type = type;
    comm->stream = stream;
    return comm->returned;
}
inline ncclResult_t ncclAllReduce(const void* send, void* recv, std::size_t count, ncclDataType_t type, ncclRedOp_t,
                                  ncclComm_t comm, cudaStream_t stream)
{
    return send != recv ? ncclInvalidArgument : ncclAllGather(send, recv, count, type, comm, stream);
}
