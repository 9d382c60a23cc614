/// @file
/// @brief  The executor: runs kernels of your own on a CPU, thread by thread; checks and counts what they do. No GPU and no CUDA is needed.
///
/// For files of targets that link `parprims::executor` (`find_package(parprims COMPONENTS executor)`).
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>
#include <parprims/simt/statistics.hpp>

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/detail/executor/executor.hpp>
#include <parprims/detail/simt/kernel.hpp>
#elif !defined(PARPRIMS_READ_BY_DOXYGEN)
#error "parprims/simt/executor.hpp is for targets that link parprims::executor"
#endif

#include <cstddef>
#include <vector>

/// @brief  Kernels on a CPU.
namespace parprims::executor {

#if defined(PARPRIMS_READ_BY_DOXYGEN)  // the names below, as their users see them

/// @brief  A `std::vector` of memory that kernels may access. Begins at a multiple of 256 bytes, as memory of a GPU does.
/// @snippet own_kernels.cpp test
template <class T>
using buffer = std::vector<T>;

/// @brief  Errors call a buffer's memory so, as an array of elements of `bytes` bytes.
/// @snippet own_kernels.cpp race
void name_memory(const void* memory, const char* name, std::size_t bytes);

/// @brief  Runs a kernel on the calling thread, and returns when it is done.
///
/// A kernel is a copyable object with `operator()(simt::block) const` or, if it uses shared memory, with
/// `operator()(simt::block, shared_storage&) const`, where `shared_storage` is a trivially copyable struct that it names. Shared memory
/// is filled with `0xA5` before each block.
///
/// @param  block_threads  a multiple of 32, at most 1024
/// @param  shared_bytes   more than `sizeof(shared_storage)` if that ends with an array without a size
/// @throws error  the kernel broke a rule: an access outside of buffers and shared memory, a divergent barrier, a deadlock, ...
/// @snippet own_kernels.cpp test
template <class Kernel>
statistics launch(const options& chosen, std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                  std::size_t shared_bytes = sizeof(typename Kernel::shared_storage));

#elif defined(PARPRIMS_SIMT_EXECUTOR)

using detail::simt::executor::buffer;
using detail::simt::executor::name_memory;

template <class Kernel>
statistics launch(const options& chosen, std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                  std::size_t shared_bytes = detail::simt::storage_of<Kernel>::bytes)
{
    return detail::simt::executor::launch(chosen, blocks, block_threads, shared_bytes,
                                          detail::simt::launchable<Kernel>{kernel});
}

#endif

}  // namespace parprims::executor

#include <parprims/detail/pop_macros.hpp>
