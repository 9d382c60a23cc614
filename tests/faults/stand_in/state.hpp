/// @file
/// @brief  What the stand-in keeps. Not for tests: they use stand_in.hpp.
#pragma once

#include "stand_in.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

struct CUstream_st {
    int device = 0;
    unsigned long long id = 0;
    CUgraph_st* capture = nullptr;  ///< the graph that it is being captured into
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    bool is_spoilt = false;  ///< the capture
    bool is_late = false;
    unsigned delay = 0;  ///< the number of the last
};

struct CUevent_st {
    int device = 0;
    bool has_timing = false;
    CUstream_st* behind = nullptr;  ///< the stream that was late when it was recorded
    unsigned delay = 0;             ///< in this delay
};

struct CUmemPoolHandle_st {
    int device = 0;
};

struct CUuserObject_st {
    void* object = nullptr;
    cudaHostFn_t destroy = nullptr;
};

struct CUgraph_st {
    std::vector<CUuserObject_st*> objects;
    std::set<const void*> memory;  ///< allocated in the graph, and not yet freed in it
};

namespace stand_in {

enum class kind { device, pinned };

struct allocation {
    std::size_t bytes = 0;
    kind where = kind::device;
    int device = 0;
    bool is_of_graph = false;
};

struct state {
    fault planned;
    unsigned calls = 0;
    unsigned asides = 0;
    std::vector<std::string> failed;
    std::vector<int> failed_statuses;
    std::set<int> restored_to;  ///< by failing calls of cudaSetDevice
    std::string misuse;

    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    int driver_version = 13000;
    int architecture = 90;
    unsigned long long next_stream_id = 100;

    std::map<std::uintptr_t, allocation> memory;
    std::set<CUstream_st*> streams;
    std::set<CUevent_st*> events;
    std::map<const void*, cudaPointerAttributes> pretended;
    std::set<CUmemPoolHandle_st*> pools;
    std::set<CUgraph_st*> graphs;
    std::set<CUuserObject_st*> objects;
    launch_watcher watcher;
    std::map<const void*, std::size_t> kernels;  ///< host functions, and the dynamic shared memory they were granted
};

inline constexpr std::size_t gpu_bytes = std::size_t{1} << 36;  ///< of memory that a GPU says it has

/// Made at the first use, which is before main, and never destroyed, because others are at the end of the program.
state& now();

/// Counts a call; the status that it has to fail with, or cudaSuccess.
cudaError_t next_fault(const char* name);
/// Keeps a status as the runtime's last error.
cudaError_t keep(cudaError_t status);
/// Writes down what no runtime would stand, and gives the status for it.
cudaError_t misused(const char* name, const std::string& what, cudaError_t status = cudaErrorInvalidValue);

/// One call of the runtime.
template <class Body>
cudaError_t call(const char* name, Body body)
{
    const cudaError_t planned = next_fault(name);
    return keep(planned != cudaSuccess ? planned : body());
}

/// One that does its work even where it fails.
template <class Body>
cudaError_t stubborn_call(const char* name, Body body)
{
    const cudaError_t planned = next_fault(name);
    const cudaError_t status = body();
    return keep(planned != cudaSuccess ? planned : status);
}

/// Whether `stream` may be used; the default stream may. Writes down a misuse.
bool is_stream(const char* name, cudaStream_t stream);
bool is_default(cudaStream_t stream);
/// A call that a capture in progress does not stand, unless the thread relaxed its mode: the capture is spoilt.
cudaError_t refuse_in_capture(const char* name);
/// The allocation around [pointer, pointer + bytes), or null. Memory of the host is null too.
const allocation* allocation_of(const void* pointer, std::size_t bytes = 1);
/// Whether [pointer, pointer + bytes) lies in one allocation, or in none at all. Writes down a misuse.
bool is_inside(const char* name, const void* pointer, std::size_t bytes);

}  // namespace stand_in
