#include "matrix_multiply/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace matrix_multiply {

/// The part of cuBLAS that is used, as its documentation declares it.
struct cublas_library::functions {
    void* library = nullptr;
    void* handle = nullptr;
    int (*create)(void**) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*set_stream)(void*, CUstream_st*) = nullptr;
    int (*sgemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                 float*, int) = nullptr;

    template <class Function>
    bool find(Function& function, const char* name)
    {
        function = reinterpret_cast<Function>(dlsym(library, name));
        return function != nullptr;
    }

    ~functions()
    {
        if (handle != nullptr)
            destroy(handle);
        if (library != nullptr)
            dlclose(library);
    }
};

cublas_library::cublas_library(std::unique_ptr<functions> found) : call_(std::move(found)) {}
cublas_library::~cublas_library() = default;

std::unique_ptr<cublas_library> cublas_library::open(CUstream_st* stream)
{
    auto found = std::make_unique<functions>();
    for (const std::string folder : {"", "/usr/local/cuda/lib64/"})
        for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
            if (found->library == nullptr)
                found->library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found->library == nullptr || !found->find(found->create, "cublasCreate_v2") ||
        !found->find(found->destroy, "cublasDestroy_v2") || !found->find(found->set_stream, "cublasSetStream_v2") ||
        !found->find(found->sgemm, "cublasSgemm_v2") || found->create(&found->handle) != 0)
        return nullptr;
    if (found->set_stream(found->handle, stream) != 0)
        return nullptr;
    return std::unique_ptr<cublas_library>(new cublas_library(std::move(found)));
}

void cublas_library::multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k)
{
    // cuBLAS counts down columns: read its way, our matrices are transposed, and C' = B' A'.
    const float one = 1, zero = 0;
    constexpr int as_it_is = 0;
    const auto rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
    const int status = call_->sgemm(call_->handle, as_it_is, as_it_is, columns, rows, depth, &one, b, columns, a, depth,
                                    &zero, c, columns);
    if (status != 0)
        throw std::runtime_error("cublasSgemm failed with status " + std::to_string(status));
}

}  // namespace matrix_multiply
