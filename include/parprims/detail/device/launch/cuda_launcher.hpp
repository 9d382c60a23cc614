/// @file
/// @brief  The only place that launches a kernel, and the only `__global__` function. Every launch is checked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/config_checks.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace parprims::detail::device {

/// Blocks that a multiprocessor shall hold at once, where a kernel says so: registers are given out accordingly. No more than it
/// has room for.
template <class Kernel>
constexpr unsigned min_blocks()
{
    constexpr unsigned most = simt::multiprocessor_threads / Kernel::max_threads;
    if constexpr (requires { Kernel::min_blocks; })
        return Kernel::min_blocks < most ? Kernel::min_blocks : most;
    else
        return 0;
}

/// The architectures that a file holds GPU code for. A part of the names of its kernels and of what launches them, so that
/// files of one program that are compiled for others do not share them.
template <int... Architectures>
struct code_for {
    /// Whether a GPU of this architecture runs code for 9.0 or later.
    static bool reaches_90(int architecture) { return runs_code_for_90(architecture, {Architectures...}); }

    [[noreturn]] static void throw_error(cudaError_t status, const char* function, int device)
    {
        runtime::throw_launch_error(static_cast<int>(status), function, device, {Architectures...});
    }
};

#if defined(__CUDA_ARCH_LIST__)
using code_of_file = code_for<__CUDA_ARCH_LIST__>;
#else
using code_of_file = code_for<>;
#endif

/// What plans of a file's kernels may count on: code for earlier architectures knows no clusters, wherever it runs.
template <class Code = code_of_file>
machine machine_for_code(int device)
{
    machine gpu = runtime::machine_of(device);
    if (!Code::reaches_90(gpu.architecture))
        gpu.cluster_blocks = 1;
    return gpu;
}

/// Blocks of a kernel at most whose successor is started while it runs: those of the two then seldom share a multiprocessor,
/// where they would be in each other's way.
inline constexpr unsigned max_blocks_beside_next = 64;

/// Runs a kernel object. Its shared storage lies in dynamic shared memory, so one limit holds for all of it.
template <class Kernel, class Code = code_of_file>
__global__ __launch_bounds__(Kernel::max_threads, min_blocks<Kernel>()) void run(const __grid_constant__ Kernel kernel)
{
    simt::wait_for_earlier_kernels();
    if (simt::block::count() <= max_blocks_beside_next)
        simt::let_next_kernel_start();
    extern __shared__ __align__(128) unsigned char shared_bytes[];
    kernel(simt::block{}, *reinterpret_cast<typename Kernel::shared_storage*>(shared_bytes));
}

/// The shape of a launch.
struct launch_shape {
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_bytes;     ///< all of the block's shared memory
    unsigned cluster_blocks = 1;  ///< more need an architecture of 9.0 or later
};

/// Launches `function` with the one argument that `argument` points to: what does not depend on the kernel's type, compiled
/// once for all kernels of a file. Not in the library, whose CUDA runtime may be another one, which knows no kernel from here.
template <class Code>
cudaError_t launch_function(const void* function, const launch_shape& shape, int device, stream_view where,
                            void* argument)
{
    constexpr std::size_t default_shared_bytes = 48 * 1024;  // more has to be asked for
    constexpr unsigned portable_cluster_blocks = 8;          // as well

    if (shape.shared_bytes > default_shared_bytes) {
        // All there is: less would take it from a launch of another thread.
        const auto most = static_cast<int>(runtime::machine_of(device).shared_bytes_per_block);
        const cudaError_t status = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
        if (status != cudaSuccess)
            return status;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
    config.blockDim = dim3(shape.block_threads);
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = runtime::handle_of(where);
    cudaLaunchAttribute attributes[2] = {};
    config.attrs = attributes;
    if (shape.cluster_blocks > portable_cluster_blocks) {
        const cudaError_t status = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (status != cudaSuccess)
            return status;
    }
    if (shape.cluster_blocks > 1) {
        cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x = shape.cluster_blocks;
        cluster.val.clusterDim.y = 1;
        cluster.val.clusterDim.z = 1;
    }
    // What happens between two kernels of a stream takes a quarter of a microsecond less; `run` waits for what is left of it.
    if (Code::reaches_90(runtime::machine_of(device).architecture)) {
        cudaLaunchAttribute& early = attributes[config.numAttrs++];
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
    }
    return cudaLaunchKernelExC(&config, function, &argument);
}

/// Enqueues `kernel`; `function` names the caller in an error.
template <class Kernel, class Code = code_of_file>
void launch(const char* function, const launch_shape& shape, int device, stream_view where, Kernel kernel)
{
    static_assert(sizeof(Kernel) <= 4000,
                  "the operators and values of this call do not fit the parameters of a kernel");
    const auto* const code = reinterpret_cast<const void*>(run<Kernel, Code>);
    if (const cudaError_t status = launch_function<Code>(code, shape, device, where, &kernel); status != cudaSuccess)
        Code::throw_error(status, function, device);
}

}  // namespace parprims::detail::device
