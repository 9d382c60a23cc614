/// @file
/// @brief  What a dispatch needs of the place that its kernels run on: the CUDA runtime, or the executor on a CPU.
#pragma once

#include <parprims/detail/runtime/machine.hpp>

#include <concepts>
#include <cstddef>

namespace parprims::detail::device {

using runtime::machine;

/// The shape of a launch.
struct launch_shape {
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_bytes;     ///< all of the block's shared memory
    unsigned cluster_blocks = 1;  ///< more need an architecture of 9.0 or later
};

/// `cuda_launcher` and, in tests and samples, `executor::launcher` of lib/executor. Memory is aligned to 256 bytes, and given
/// back in stream order when the object that holds it ends. A launcher also has
/// `launch(const launch_shape&, Kernel)`, a template: enqueues a kernel object.
template <class Launcher>
concept launcher = requires(Launcher& on, const void* from, void* to, std::size_t bytes) {
    {
        on.function()
    } -> std::convertible_to<const char*>;  // the public function, for errors
    {
        on.gpu()
    } -> std::convertible_to<machine>;  // what plans depend on
    {
        on.scratch(bytes).get()
    } -> std::convertible_to<void*>;  // with anything in it
    {
        on.zeroed(bytes).get()
    } -> std::convertible_to<std::byte*>;  // zero; the kernel that uses it leaves it zero
    {
        on.persistent(bytes).get()
    } -> std::convertible_to<std::byte*>;  // what the last small scan left; zero before
    on.zero(to, bytes);
    on.copy(to, from, bytes);
};

/// The plan of a dispatch. A launcher that has `change(plan)` may alter it: tests reach so what takes 2^31 samples otherwise.
template <class Launcher, class Plan>
Plan planned(Launcher& on, Plan plan)
{
    if constexpr (requires { on.change(plan); })
        on.change(plan);
    return plan;
}

}  // namespace parprims::detail::device
