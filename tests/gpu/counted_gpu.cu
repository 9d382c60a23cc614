// Launches the kernels of counted_kernels.hpp and the solutions of the exercises, once each and nothing else, for Nsight Compute to
// count.
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/device_buffer.hpp>

#include "counted_kernels.hpp"
#include "counted_solutions.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <vector>

namespace {

void check(cudaError_t status)
{
    parprims::detail::runtime::check(static_cast<int>(status), "counted_gpu");
}

/// Memory is kept until the program ends.
struct launcher {
    parprims::detail::device::cuda_launcher<> on_gpu{"counted_gpu", parprims::device, nullptr};

    template <class T>
    T* allocate(std::size_t n)
    {
        void* memory = nullptr;
        check(cudaMalloc(&memory, n * sizeof(T)));
        const std::vector<unsigned char> zeros(n * sizeof(T));  // copied: a memset would be a kernel too
        check(cudaMemcpy(memory, zeros.data(), zeros.size(), cudaMemcpyHostToDevice));
        return static_cast<T*>(memory);
    }

    void count_up(std::uint32_t* values, std::size_t n, std::uint32_t end)
    {
        std::vector<std::uint32_t> numbers(n);
        for (std::size_t i = 0; i < n; ++i)
            numbers[i] = static_cast<std::uint32_t>(i * 40503 >> 4) % end;
        check(cudaMemcpy(values, numbers.data(), n * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
    }

    template <class Kernel>
    void launch(const std::string&, std::size_t blocks, unsigned threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage))
    {
        on_gpu.launch({blocks, threads, shared_bytes}, kernel);
        check(cudaDeviceSynchronize());
    }
};

}  // namespace

int main()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        std::puts("no GPU is here");
        return 77;
    }
    launcher all;
    counted::launch_all(all);
    for (const exercises::exercise& each : counted_solutions) {
        exercises::trial with(exercises::grids::as_on_executor);
        each.run(with, each.sizes.back());
    }
}
