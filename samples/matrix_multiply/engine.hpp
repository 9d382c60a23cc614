/// @file
/// @brief  The multiplication as the main program sees it, whatever runs the kernels. Plain C++.
#pragma once

#include "support/counts.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace matrix_multiply {

enum kernel { naive, tiled_16, tiled_32, blocked, cublas, kernel_count };

inline constexpr const char* names[] = {"naive, global memory", "tiled 16, shared memory", "tiled 32, shared memory",
                                        "tiled 128, registers", "cuBLAS"};

/// C is m x n, and a sum of k products.
struct shape {
    std::size_t m;
    std::size_t k;
    std::size_t n;

    double operations() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

struct result {
    bool is_right = false;
    double seconds = 0;   ///< of the kernel, by events; 0 in the executor
    samples::counts did;  ///< in the executor
};

class engine {
public:
    virtual ~engine() = default;
    virtual bool has(kernel which) const = 0;
    virtual result run(kernel which, const shape& size) = 0;
};

std::unique_ptr<engine> make_executor_engine();
std::unique_ptr<engine> make_gpu_engine();  // in builds with CUDA

}  // namespace matrix_multiply
