/// @file
/// @brief  cuBLAS, the reference, where the machine has it. Found when the program runs: nothing is linked.
#pragma once

#include <cstddef>
#include <memory>

struct CUstream_st;

namespace matrix_multiply {

class cublas_library {
public:
    /// Null where there is none.
    static std::unique_ptr<cublas_library> open(CUstream_st* stream);
    ~cublas_library();
    cublas_library(const cublas_library&) = delete;
    cublas_library& operator=(const cublas_library&) = delete;

    /// C = A B as everywhere here, row by row, in fp32 without tensor cores.
    void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k);

private:
    struct functions;
    explicit cublas_library(std::unique_ptr<functions> found);

    std::unique_ptr<functions> call_;
};

}  // namespace matrix_multiply
