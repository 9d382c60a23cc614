/// @file
/// @brief  Runs kernels on an AMD GPU: a thin launcher, in the default stream. For files that are compiled as HIP.
///
/// With it the library's own dispatch enqueues its kernels, and a sample its own. What is not here: calls with policies, streams, memory
/// resources, captured graphs.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace samples {

/// Runs a kernel object. Its shared storage is dynamic shared memory. The object is read where the launch left it: clang would copy a
/// parameter to private memory.
template <class Kernel>
__global__ __launch_bounds__(Kernel::max_threads) void run_kernel(const Kernel)
{
#if defined(__HIP_DEVICE_COMPILE__)
    extern __shared__ __align__(128) unsigned char shared_bytes[];
    (*(const Kernel*)__builtin_amdgcn_kernarg_segment_ptr())(
        parprims::detail::simt::block{}, *reinterpret_cast<typename Kernel::shared_storage*>(shared_bytes));
#endif
}

inline void check(hipError_t status, const char* what)
{
    if (status != hipSuccess)
        throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(status));
}

/// Memory of the GPU.
class hip_memory {
public:
    explicit hip_memory(std::size_t bytes)
    {
        if (bytes != 0)
            check(hipMalloc(&start_, bytes), "memory of the GPU");
    }
    hip_memory(hip_memory&& other) noexcept : start_(std::exchange(other.start_, nullptr)) {}
    hip_memory& operator=(hip_memory&&) = delete;
    ~hip_memory() { (void)hipFree(start_); }  // waits for the kernels that use it

    std::byte* get() const { return static_cast<std::byte*>(start_); }

private:
    void* start_ = nullptr;
};

/// A launcher as detail/device/call/launcher.hpp asks for.
class hip_launcher {
public:
    hip_launcher() : gpu_(properties()) {}

    const char* function() const { return "sample"; }
    const parprims::detail::device::gpu_properties& gpu() const { return gpu_; }

    hip_memory scratch(std::size_t bytes) const { return hip_memory(bytes); }
    hip_memory zeroed(std::size_t bytes) const
    {
        hip_memory memory(bytes);
        zero(memory.get(), bytes);
        return memory;
    }
    hip_memory persistent(std::size_t bytes) const { return zeroed(bytes); }
    void zero(void* memory, std::size_t bytes) const
    {
        if (bytes != 0)
            check(hipMemsetAsync(memory, 0, bytes, nullptr), "set to zero");
    }
    void copy(void* to, const void* from, std::size_t bytes) const
    {
        if (bytes != 0)
            check(hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, nullptr), "copy");
    }
    template <class T>
    const T& keep(const T& value) const
    {
        return value;
    }

    template <class Kernel>
    void launch(const parprims::detail::device::launch_shape& shape, const Kernel& kernel) const
    {
        run_kernel<Kernel>
            <<<dim3(static_cast<unsigned>(shape.blocks)), dim3(shape.block_threads), shape.shared_bytes>>>(kernel);
        check(hipGetLastError(), "launch");
    }
    template <class Kernel>
    void launch(std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage)) const
    {
        launch({blocks, block_threads, shared_bytes}, kernel);
    }

    /// `n` values of nothing in particular, until the launcher is gone.
    template <class T>
    T* allocate(std::size_t n)
    {
        return reinterpret_cast<T*>(memory_.emplace_back(n * sizeof(T)).get());
    }
    template <class T>
    T* bring(const std::vector<T>& values)
    {
        T* const copied = allocate<T>(values.size());
        copy(copied, values.data(), values.size() * sizeof(T));
        return copied;
    }
    template <class T>
    std::vector<T> fetch(const T* values, std::size_t n) const
    {
        std::vector<T> result(n);
        if (n != 0)
            check(hipMemcpy(result.data(), values, n * sizeof(T), hipMemcpyDeviceToHost), "copy");
        return result;
    }

    /// Median time of a call, by events, over nine rounds. The first call is not counted.
    template <class Call>
    double median_seconds(Call call) const
    {
        call();
        hipEvent_t start, stop;
        check(hipEventCreate(&start), "event");
        check(hipEventCreate(&stop), "event");
        std::vector<float> milliseconds(9);
        for (float& each : milliseconds) {
            check(hipEventRecord(start, nullptr), "event");
            call();
            check(hipEventRecord(stop, nullptr), "event");
            check(hipEventSynchronize(stop), "kernels");
            check(hipEventElapsedTime(&each, start, stop), "event");
        }
        check(hipEventDestroy(start), "event");
        check(hipEventDestroy(stop), "event");
        std::nth_element(milliseconds.begin(), milliseconds.begin() + 4, milliseconds.end());
        return milliseconds[4] / 1e3;
    }

    /// What the memory of the card moves at best, in bytes a second: its clock times its width, twice a cycle.
    static double peak_bytes_per_second()
    {
        const hipDeviceProp_t found = properties_of_card();
        return 2e3 * found.memoryClockRate * (found.memoryBusWidth / 8.0);
    }

private:
    static hipDeviceProp_t properties_of_card()
    {
        int card = 0;
        hipDeviceProp_t found;
        check(hipGetDevice(&card), "card");
        check(hipGetDeviceProperties(&found, card), "properties");
        return found;
    }
    /// Plans take it for a GPU of NVIDIA without clusters.
    static parprims::detail::device::gpu_properties properties()
    {
        const hipDeviceProp_t found = properties_of_card();
        return {.multiprocessors = static_cast<unsigned>(found.multiProcessorCount),
                .threads_per_multiprocessor = static_cast<unsigned>(found.maxThreadsPerMultiProcessor),
                .shared_bytes_per_block = found.sharedMemPerBlock,
                .shared_bytes_per_multiprocessor = found.sharedMemPerBlock,
                .cluster_blocks = 1,
                .architecture = 80};
    }

    parprims::detail::device::gpu_properties gpu_;
    std::vector<hip_memory> memory_;
};

}  // namespace samples
