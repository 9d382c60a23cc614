/// @file
/// @brief  Launches kernels of your own on a GPU. For files that nvcc compiles.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#if PARPRIMS_CUDA_COMPILER
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/simt/kernel.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::simt {

/// @brief  Enqueues a kernel on a GPU, in the policy's stream. Does not wait.
///
/// A kernel is a copyable object with `operator()(simt::block) const`, marked PARPRIMS_DEVICE, or, if it uses shared memory, with
/// `operator()(simt::block, shared_storage&) const`, where `shared_storage` is a struct that it names. If it has a constant `max_threads`,
/// registers are given for blocks of that many threads, otherwise for 1024.
///
/// @param  shared_bytes  more than `sizeof(shared_storage)` if that ends with an array without a size
/// @throws invalid_argument  more shared memory or blocks than the GPU has
/// @throws cuda_error        no GPU; the launch failed
/// @snippet graphs.cpp own_kernel_launch
template <class Kernel>
void launch(const device_policy& policy, std::size_t blocks, unsigned block_threads, const Kernel& kernel,
            std::size_t shared_bytes = detail::simt::storage_of<Kernel>::bytes)
{
    const detail::device::cuda_launcher<> launcher("parprims::simt::launch", policy, nullptr);
    launcher.launch({blocks, block_threads, shared_bytes}, detail::simt::launchable<Kernel>{kernel});
}

}  // namespace parprims::simt
#endif

#include <parprims/detail/pop_macros.hpp>
