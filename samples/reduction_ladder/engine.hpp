/// @file
/// @brief  The ladder as the main program sees it, whatever runs the kernels. Plain C++.
#pragma once

#include "support/counts.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace reduction_ladder {

inline constexpr int parprims_step = 9;
inline constexpr int cub_step = 10;
inline constexpr const char* names[] = {"pairwise, global memory",
                                        "interleaved, divergent",
                                        "interleaved, bank conflicts",
                                        "sequential addressing",
                                        "first add during load",
                                        "last warp unrolled",
                                        "completely unrolled",
                                        "several adds per thread",
                                        "warp shuffles",
                                        "parprims::reduce",
                                        "CUB"};

/// Who adds the sums of the blocks: the GPU by more launches, the CPU after one launch, or the CPU below a threshold.
enum class finish { gpu, cpu, hybrid };

struct request {
    int step = 3;
    std::size_t n = 1;
    unsigned block = 128;     ///< threads; a power of two
    std::size_t grid = 1024;  ///< blocks, in steps 7 and 8
    finish how = finish::gpu;
    std::size_t threshold = 4096;  ///< of finish::hybrid
    unsigned warp_threads = 32;    ///< in the executor; 64 in steps 0 to 4, whose lanes exchange nothing
};

struct result {
    bool is_right = false;
    double seconds = 0;             ///< of the kernels, by events; 0 in the executor
    double seconds_to_answer = 0;   ///< until the host has the sum, by the host's clock
    samples::counts did;            ///< in the executor
    std::string costliest_request;  ///< in the executor: a row of a picture, see support/request_rows.hpp
};

/// Seconds of a reduction of values that start and end on the host.
struct transfers {
    bool is_right = false;
    double to_device_pageable = 0;
    double to_device_pinned = 0;
    double kernels = 0;
    double to_host_pageable = 0;  ///< what the kernels leave, added up there
    double to_host_pinned = 0;
    double cpu = 0;  ///< a plain loop
};

class engine {
public:
    virtual ~engine() = default;
    virtual bool has(int step) const = 0;
    virtual result run(const request& what) = 0;
    virtual transfers time_transfers(const request& what) = 0;
    /// Of the card's memory; 0 where there is none.
    virtual double peak_bytes_per_second() const = 0;
};

enum class value_type { int32, float32 };

std::unique_ptr<engine> make_executor_engine(value_type type);
std::unique_ptr<engine> make_gpu_engine(value_type type);  // in builds with CUDA

}  // namespace reduction_ladder
