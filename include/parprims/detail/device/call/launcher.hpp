/// @file
/// @brief  The launcher concept: what launches kernels and gives them memory, on the CUDA runtime or on the executor of a CPU.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/runtime/gpu_properties.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace parprims::detail::device {

using runtime::gpu_properties;

/// The alignment of a launcher's memory, and of the parts that a dispatch divides it into.
inline constexpr std::size_t memory_alignment = 256;

PARPRIMS_HOST_DEVICE constexpr std::size_t aligned_bytes(std::size_t bytes)
{
    return order::ceil_div(bytes, memory_alignment) * memory_alignment;
}

/// Threads for which one multiprocessor certainly has registers, if the kernel's launch bounds are blocks of 1024 threads, as
/// many as fit. A cluster of more might have to wait until other kernels leave several multiprocessors.
constexpr unsigned max_cluster_threads(const gpu_properties& gpu)
{
    return gpu.threads_per_multiprocessor / 1024 * 1024;
}

/// A kernel of which at most so many blocks take part lets the next kernel start while it runs. With more, blocks of both would often
/// share a multiprocessor and slow each other down.
inline constexpr unsigned max_blocks_beside_next = 64;

/// The shape of a launch.
struct launch_shape {
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_bytes;     ///< per block
    unsigned cluster_blocks = 1;  ///< more than 1 needs architecture 9.0 or later
};

/// Satisfied by `cuda_launcher` and, in tests and samples, by `executor::launcher` beside it. Memory is aligned to
/// `memory_alignment`, and freed in stream order when the object that owns it is destroyed. A launcher also has two templates:
///   * `launch(const launch_shape&, Kernel)` enqueues a kernel object;
///   * `keep(value)`, for histograms, returns `value`, or a copy that lives as long as the graph of a captured call.
template <class Launcher>
concept launcher = requires(Launcher& launcher, const void* from, void* to, std::size_t bytes) {
    {
        launcher.function()
    } -> std::convertible_to<const char*>;  // the public function, for error texts
    {
        launcher.gpu()
    } -> std::convertible_to<gpu_properties>;  // what plans depend on
    {
        launcher.scratch(bytes).get()
    } -> std::convertible_to<void*>;  // uninitialised
    {
        launcher.zeroed(bytes).get()
    } -> std::convertible_to<std::byte*>;  // zero; the kernel that uses it leaves it zero
    {
        launcher.persistent(bytes).get()
    } -> std::convertible_to<std::byte*>;  // as the last small scan left it; zero before the first
    launcher.zero(to, bytes);
    launcher.copy(to, from, bytes);
};

template <class Launcher>
class sized_launcher;  // sized.hpp
/// Whether the size of a call lies in device memory.
template <class Launcher>
inline constexpr bool reads_size = false;
template <class Launcher>
inline constexpr bool reads_size<sized_launcher<Launcher>> = true;

/// Enqueues a kernel whose blocks, if its size lies in device memory, run as several (sized.hpp), and draw by `ticket`.
template <class Launcher, class Kernel>
void launch_drawn(Launcher& launcher, const launch_shape& shape, const Kernel& kernel, unsigned* ticket)
{
    if constexpr (reads_size<Launcher>)
        launcher.launch(shape, kernel, ticket);
    else
        launcher.launch(shape, kernel);
}

/// The launcher of kernels whose size is not that of the call.
template <class Launcher>
Launcher& launcher_of_host_sizes(Launcher& launcher)
{
    return launcher;
}
template <class Launcher>
Launcher& launcher_of_host_sizes(sized_launcher<Launcher>& launcher)
{
    return launcher;
}

/// Bytes at most that the last block of a kernel zeroes again: as many as a workspace has. A memset before the kernel takes two to three
/// microseconds: 2.5 * 10^7 f32, scan 54.2 us, with it 56.6; copy_if 47.7 and 50.4 (H200, beside 6a68f152).
inline constexpr std::size_t max_reset_bytes = 40 * 1024;

/// Words that the blocks of a kernel share, zero at the start. Few are in the workspace: then the kernel must zero them again. More
/// are scratch after a memset, which takes little of the time of so many blocks.
template <launcher Launcher>
class shared_words {
public:
    shared_words(Launcher& on, std::size_t bytes, bool can_reset = true)
        : resets_(can_reset && bytes != 0 && bytes <= max_reset_bytes), own_(on.zeroed(resets_ ? bytes : 0)),
          scratch_(on.scratch(resets_ ? 0 : bytes))
    {
        if (!resets_ && bytes != 0)
            on.zero(get(), bytes);
    }

    /// Whether the last block must zero them.
    bool resets() const { return resets_; }
    std::byte* get() const { return resets_ ? own_.get() : static_cast<std::byte*>(scratch_.get()); }

private:
    bool resets_;
    decltype(std::declval<Launcher&>().zeroed(0)) own_;
    decltype(std::declval<Launcher&>().scratch(0)) scratch_;
};

/// The plan of a dispatch. A launcher with `change(plan)` may alter it: so tests reach paths that otherwise need 2^31 samples.
template <class Launcher, class Plan>
Plan planned(Launcher& launcher, Plan plan)
{
    if constexpr (requires { launcher.change(plan); })
        launcher.change(plan);
    return plan;
}

}  // namespace parprims::detail::device
