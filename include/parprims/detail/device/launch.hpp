/// @file
/// @brief  The only place that launches a kernel, and the only `__global__` function. Every launch is checked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/detail/runtime/texts.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace parprims::detail::device {

/// Runs a kernel object. Its shared storage lies in dynamic shared memory, so one limit holds for all of it.
template <class Kernel>
__global__ __launch_bounds__(Kernel::max_threads) void run(const __grid_constant__ Kernel kernel)
{
    extern __shared__ __align__(128) unsigned char shared_bytes[];
    kernel(simt::block{}, *reinterpret_cast<typename Kernel::shared_storage*>(shared_bytes));
}

/// The shape of a launch.
struct launch_shape {
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_bytes;  ///< all of the block's shared memory
};

/// The architectures that this translation unit holds code for, as nvcc lists them.
inline std::string built_architectures()
{
#if defined(__CUDA_ARCH_LIST__)
    return runtime::name_architectures({__CUDA_ARCH_LIST__});
#else
    return runtime::name_architectures({});
#endif
}

/// Enqueues `kernel`; `function` names the caller in an error.
template <class Kernel>
void launch(const char* function, const launch_shape& shape, int device, stream_view where, const Kernel& kernel)
{
    static_assert(sizeof(Kernel) <= 4000,
                  "the operators and values of this call do not fit the parameters of a kernel");
    constexpr std::size_t default_shared_bytes = 48 * 1024;  // more has to be asked for

    cudaError_t status = cudaSuccess;
    if (shape.shared_bytes > default_shared_bytes)  // all there is: less would take it from a launch of another thread
        status = cudaFuncSetAttribute(run<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(get_device_info(device).shared_bytes_per_block));
    if (status == cudaSuccess) {
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
        config.blockDim = dim3(shape.block_threads);
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = runtime::handle_of(where);
        status = cudaLaunchKernelEx(&config, run<Kernel>, kernel);
    }
    if (status == cudaSuccess)
        return;

    std::string call = std::string(function) + ": kernel launch";
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
        call += " (" +
                runtime::describe_missing_kernel(built_architectures(), device, get_device_info(device).architecture) +
                ")";
    runtime::check(static_cast<int>(status), call.c_str());
}

}  // namespace parprims::detail::device
