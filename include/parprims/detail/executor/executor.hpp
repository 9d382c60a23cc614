/// @file
/// @brief  The executor: runs kernels on a CPU, with the thread context of the headers included here.
#pragma once

#include <parprims/detail/executor/async.hpp>
#include <parprims/detail/executor/atomics.hpp>
#include <parprims/detail/executor/memory.hpp>
#include <parprims/detail/executor/runtime.hpp>
#include <parprims/detail/executor/thread_context.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::simt::executor {

/// Runs a kernel object on the calling thread and returns when it is done.
template <class Kernel>
statistics launch(const options& options, std::size_t blocks, unsigned block_threads, std::size_t shared_bytes,
                  const Kernel& kernel, unsigned cluster_blocks = 1)
{
    static_assert(std::is_trivially_copyable_v<typename Kernel::shared_storage>);
    return executor::run(
        options, blocks, block_threads, shared_bytes,
        [](const void* object, void* shared) {
            (*static_cast<const Kernel*>(object))(block{}, *static_cast<typename Kernel::shared_storage*>(shared));
        },
        __builtin_addressof(kernel), cluster_blocks);
}

}  // namespace parprims::detail::simt::executor
