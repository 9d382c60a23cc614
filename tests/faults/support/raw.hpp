/// @file
/// @brief  Memory and streams that a test has without the library, so that nothing of it has been used before.
#pragma once

#include "../stand_in/stand_in.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>

inline void must(cudaError_t status)
{
    if (status != cudaSuccess)
        throw std::logic_error("the test's own call of the runtime failed");
}

/// `n` values of T in the memory of a GPU, poisoned.
template <class T>
std::shared_ptr<T[]> raw_memory(std::size_t n, int device = 0)
{
    const stand_in::aside own;
    int before = 0;
    must(cudaGetDevice(&before));
    must(cudaSetDevice(device));
    void* memory = nullptr;
    must(cudaMalloc(&memory, n * sizeof(T)));
    must(cudaSetDevice(before));
    return std::shared_ptr<T[]>(static_cast<T*>(memory), [](T* last) {
        const stand_in::aside again;
        must(cudaFree(last));
    });
}

/// Whether memory of raw_memory was never written. The stand-in's memory is the host's.
template <class T>
bool is_poisoned(const std::shared_ptr<T[]>& memory, std::size_t n)
{
    const auto* const bytes = reinterpret_cast<const unsigned char*>(memory.get());
    for (std::size_t i = 0; i < n * sizeof(T); ++i)
        if (bytes[i] != 0xA5)
            return false;
    return true;
}

inline std::shared_ptr<CUstream_st> raw_stream(int device = 0)
{
    const stand_in::aside own;
    int before = 0;
    must(cudaGetDevice(&before));
    must(cudaSetDevice(device));
    cudaStream_t stream = nullptr;
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaSetDevice(before));
    return std::shared_ptr<CUstream_st>(stream, [](cudaStream_t last) {
        const stand_in::aside again;
        must(cudaStreamDestroy(last));
    });
}

/// Captures `stream` for the scope, and throws the graph away. `check` throws where the capture was spoilt.
class capture_of {
public:
    explicit capture_of(cudaStream_t stream) : stream_(stream)
    {
        const stand_in::aside own;
        must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    }
    ~capture_of()
    {
        const stand_in::aside own;
        cudaGraph_t graph = nullptr;
        if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess)
            cudaGetLastError();
        cudaGraphDestroy(graph);
    }
    capture_of(const capture_of&) = delete;
    capture_of& operator=(const capture_of&) = delete;

private:
    cudaStream_t stream_;
};
