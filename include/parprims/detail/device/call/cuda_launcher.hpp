/// @file
/// @brief  The CUDA launcher: the only place that launches a kernel, and the only `__global__` function. Every launch is
///         checked.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/cuda.inl.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/execution.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The second argument of __launch_bounds__, the blocks to be resident on a multiprocessor: `Kernel::min_blocks`, but at most as
/// many as fit; 0 (registers are not limited) for a kernel without it.
template <class Kernel>
constexpr unsigned min_blocks()
{
    constexpr unsigned most = simt::multiprocessor_threads / Kernel::max_threads;
    if constexpr (requires { Kernel::min_blocks; })
        return Kernel::min_blocks < most ? Kernel::min_blocks : most;
    else
        return 0;
}

/// The architectures that a file is compiled for. A template argument of its kernels and launchers, so that files of one program
/// that are compiled for different architectures do not share them.
template <int... Architectures>
struct target_architectures {
    /// Whether code for compute capability 7.5 is among it.
    static constexpr bool include_75 = sizeof...(Architectures) == 0 || ((Architectures < 800) || ...);

    /// Whether a GPU of this architecture runs code for 9.0 or later.
    static bool reach_90(int architecture) { return runs_code_for_90(architecture, {Architectures...}); }

    [[noreturn]] static void throw_error(cudaError_t status, const char* function, int device)
    {
        runtime::throw_launch_error(static_cast<int>(status), function, device, {Architectures...});
    }
};

#if defined(__CUDA_ARCH_LIST__)
using targets_of_file = target_architectures<__CUDA_ARCH_LIST__>;
#else
using targets_of_file = target_architectures<>;
#endif

/// Runs a kernel object. Its shared storage is dynamic shared memory, so one limit holds for all of it.
template <class Kernel, class Targets = targets_of_file>
__global__ __launch_bounds__(Kernel::max_threads,
                             min_blocks<Kernel>()) void run_kernel(const __grid_constant__ Kernel kernel)
{
    simt::wait_for_earlier_kernels();
    if (simt::block{}.count() <= max_blocks_beside_next)
        simt::let_next_kernel_start();
    extern __shared__ __align__(128) unsigned char shared_bytes[];
    kernel(simt::block{}, *reinterpret_cast<typename Kernel::shared_storage*>(shared_bytes));
}

/// A call on a GPU: its stream, its memory, and its GPU, which is current while this exists.
template <class Targets = targets_of_file>
class cuda_launcher {
public:
    static constexpr bool may_have_least_shared_memory = Targets::include_75;

    /// Picks the GPU: the stream's; in the default stream that of the first of `addresses` that is in a GPU's memory.
    template <class Scan>
    cuda_launcher(const char* function, const basic_device_policy<Scan>& policy, const runtime::address_list& addresses)
        : function_(function), stream_(policy.stream()), resource_(policy.resource()),
          scope_(function, policy.stream(), addresses), gpu_(runtime::properties_of(scope_.device()))
    {
        if (!runs_code_for_90())
            gpu_.cluster_blocks = 1;
    }

    const char* function() const { return function_; }
    stream_view stream() const { return stream_; }
    /// For plans. Without clusters if the GPU may run code that was compiled for less than 9.0.
    const gpu_properties& gpu() const { return gpu_; }

    /// Throws invalid_argument while the stream is being captured: for calls that wait for it.
    void refuse_capture() const { scope_.refuse_capture(function_); }

    /// Throws invalid_argument if a pointer, also one inside an iterator of parprims, is not accessible from the GPU.
    template <class Iterator>
    void check_range(const char* argument, const Iterator& first, std::size_t n) const
    {
        static_assert(!std::is_pointer_v<Iterator> || !std::is_volatile_v<std::remove_pointer_t<Iterator>>,
                      "parprims: a call on the device takes no pointers to volatile values");
        device::for_each_address(first, [&](const void* address, bool is_element) {
            if (is_element)
                runtime::check_reachable(function_, argument, address, n, scope_.device());
        });
    }

    template <class Iterator, bool IsPair>
    void check(const call_range<Iterator, IsPair>& range) const
    {
        if constexpr (IsPair) {
            check_range("first1", parprims::get<0>(range.first.base()), range.n);
            check_range("first2", parprims::get<1>(range.first.base()), range.n);
        } else {
            check_range(range.name, range.first, range.n);
        }
    }

    runtime::size_report report_of(const device_size& size) const
    {
        return runtime::report_of(function_, stream(), scope_.is_capturing(), size.bound, size.is_signed);
    }

    runtime::scratch_buffer scratch(std::size_t bytes) const { return {resource_, bytes, stream()}; }
    runtime::zeroed_buffer zeroed(std::size_t bytes) const
    {
        return {resource_, bytes, stream(), scope_.is_capturing()};
    }
    runtime::persistent_buffer persistent(std::size_t) const { return {stream(), scope_.is_capturing()}; }

    void zero(void* memory, std::size_t bytes) const { runtime::fill_async(memory, 0, bytes, stream()); }
    /// Copies in stream order. A graph copies again at each launch, so the source must be kept: see `keep`.
    void copy(void* to, const void* from, std::size_t bytes) const { runtime::copy_async(to, from, bytes, stream()); }
    /// If the call is captured: a copy of `value` that lives as long as the graph. Otherwise `value` itself.
    template <class T>
    const T& keep(const T& value) const
    {
        if (!scope_.is_capturing())
            return value;
        const T* const kept = new T(value);
        runtime::keep_with_graph(stream(), const_cast<T*>(kept), [](void* copy) { delete static_cast<T*>(copy); });
        return *kept;
    }

    /// Enqueues a kernel object.
    template <class Kernel>
    void launch(const launch_shape& shape, Kernel kernel) const
    {
        static_assert(sizeof(Kernel) <= 4096,
                      "parprims: the operators and values of this call do not fit the parameters of a kernel");
        const auto* const function = reinterpret_cast<const void*>(run_kernel<Kernel, Targets>);
        cudaLaunchAttribute attributes[max_attributes] = {};
        const cudaLaunchConfig_t config = prepare(function, shape, attributes);
        void* argument = __builtin_addressof(kernel);
        check_status(cudaLaunchKernelExC(&config, function, &argument));
    }

private:
    static constexpr unsigned max_attributes = 3;

    // Code that does not depend on the kernel's type is compiled once for all kernels of a file. It is not in the library, which may
    // be linked with another CUDA runtime that does not know these kernels.

    bool runs_code_for_90() const { return Targets::reach_90(gpu_.architecture); }

    void check_status(cudaError_t status) const
    {
        if (status != cudaSuccess)
            Targets::throw_error(status, function_, scope_.device());
    }

    /// The configuration of a launch, which refers to `attributes`. Opts the function in to what exceeds the defaults.
    cudaLaunchConfig_t prepare(const void* function, const launch_shape& shape,
                               cudaLaunchAttribute (&attributes)[max_attributes]) const
    {
        constexpr std::size_t default_shared_bytes = 48 * 1024;

        check_grid(function_, shape.blocks);
        if (shape.shared_bytes > gpu_.shared_bytes_per_block)
            runtime::refuse(function_, "values", "need % bytes of shared memory in a block; this GPU has %",
                            shape.shared_bytes, gpu_.shared_bytes_per_block);
        // Always the maximum: a smaller value could make a concurrent launch of another thread fail.
        if (shape.shared_bytes > default_shared_bytes)
            check_status(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(gpu_.shared_bytes_per_block)));

        cudaLaunchConfig_t config{};
        config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
        config.blockDim = dim3(shape.block_threads);
        config.dynamicSmemBytes = shape.shared_bytes;
        config.stream = runtime::handle_of(stream_);
        config.attrs = attributes;
        if (shape.cluster_blocks > 1) {
            cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
            cluster.id = cudaLaunchAttributeClusterDimension;
            cluster.val.clusterDim.x = shape.cluster_blocks;
            cluster.val.clusterDim.y = 1;
            cluster.val.clusterDim.z = 1;
            // By default each block needs a multiprocessor of its own, and the cluster waits while other kernels hold too many.
            cudaLaunchAttribute& sharing = attributes[config.numAttrs++];
            sharing.id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
            sharing.val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
        }
        // Programmatic dependent launch: a kernel starts while the one before it ends. run_kernel waits for the earlier kernels.
        if (runs_code_for_90()) {
            cudaLaunchAttribute& early = attributes[config.numAttrs++];
            early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
            early.val.programmaticStreamSerializationAllowed = 1;
        }
        return config;
    }

    const char* function_;
    stream_view stream_;
    memory_resource* resource_;
    runtime::call_scope scope_;
    gpu_properties gpu_;
};

}  // namespace parprims::detail::device
