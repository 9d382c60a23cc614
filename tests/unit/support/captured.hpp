/// @file
/// @brief  Work that is captured into a CUDA graph.
#pragma once

#include <doctest/doctest.h>

#include <parprims/stream.hpp>

#if PARPRIMS_CUDA_COMPILER

/// The work that a call enqueues, to be replayed.
class captured {
public:
    template <class Enqueue>
    captured(parprims::stream_view where, Enqueue enqueue)
    {
        cudaGraph_t graph = nullptr;
        REQUIRE(cudaStreamBeginCapture(where, cudaStreamCaptureModeGlobal) == cudaSuccess);
        try {
            enqueue();
        } catch (...) {
            cudaStreamEndCapture(where, &graph);
            throw;
        }
        REQUIRE(cudaStreamEndCapture(where, &graph) == cudaSuccess);
        REQUIRE(cudaGraphInstantiate(&runnable_, graph, 0) == cudaSuccess);
        cudaGraphDestroy(graph);
    }
    ~captured() { cudaGraphExecDestroy(runnable_); }
    captured(const captured&) = delete;
    captured& operator=(const captured&) = delete;

    void replay(parprims::stream_view where) const { CHECK(cudaGraphLaunch(runnable_, where) == cudaSuccess); }

private:
    cudaGraphExec_t runnable_ = nullptr;
};

#endif
