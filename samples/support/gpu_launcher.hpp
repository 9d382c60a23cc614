/// @file
/// @brief  Runs a sample's kernels on the current GPU and times them. For files that nvcc compiles: no fmt in here.
#pragma once

#include "support/make_input.hpp"

#include <parprims/parprims.hpp>
#include <parprims/simt/launch.hpp>
#include <parprims/timer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace samples {

class gpu_launcher {
public:
    parprims::stream_view stream() const { return stream_; }
    parprims::device_policy policy() const { return parprims::device.on(stream_); }

    template <class Kernel>
    void launch(std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage))
    {
        parprims::simt::launch(policy(), blocks, block_threads, kernel, shared_bytes);
    }

    /// `n` values of nothing in particular, until the launcher is gone.
    template <class T>
    T* allocate(std::size_t n)
    {
        auto buffer = std::make_shared<parprims::device_buffer<T>>(n, stream_);
        memory_.push_back(buffer);
        return buffer->data();
    }

    template <class T>
    T* bring(const std::vector<T>& values)
    {
        auto buffer = std::make_shared<parprims::device_buffer<T>>(values, stream_);
        memory_.push_back(buffer);
        return buffer->data();
    }

    template <class T>
    std::vector<T> fetch(const T* values, std::size_t n)
    {
        std::vector<T> copy(n);
        fetch(values, copy.data(), n);
        return copy;
    }
    template <class T>
    void fetch(const T* values, T* to, std::size_t n)
    {
        check(cudaMemcpyAsync(to, values, n * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()), "copy");
        stream_.synchronize();
    }

    template <class T>
    void set_to_zero(T* values, std::size_t n)
    {
        check(cudaMemsetAsync(values, 0, n * sizeof(T), stream_.get()), "set to zero");
    }

    /// Median time of a call in the stream, by events, over rounds of several calls. The first call is not counted.
    template <class Call>
    double median_seconds(Call call)
    {
        call();
        stream_.synchronize();
        const double first = seconds_of(call, 1);
        const int calls = static_cast<int>(std::clamp(1e-3 / std::max(first, 1e-6), 1.0, 50.0));
        const int rounds = first > 0.1 ? 3 : 9;
        std::vector<double> seconds(rounds);
        for (double& each : seconds)
            each = seconds_of(call, calls);
        std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
        return seconds[static_cast<std::size_t>(rounds / 2)];
    }

    /// What the memory of the card moves at best, in bytes a second: its clock times its width, twice a cycle.
    static double peak_bytes_per_second()
    {
        int kilohertz = 0, bits = 0, id = parprims::current_device();
        check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, id), "memory clock");
        check(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, id), "memory width");
        return 2e3 * kilohertz * (bits / 8.0);
    }

    static void check(cudaError_t status, const char* what)
    {
        if (status != cudaSuccess)
            throw parprims::cuda_error(status, what);
    }

private:
    template <class Call>
    double seconds_of(Call& call, int calls)
    {
        timer_.start();
        for (int i = 0; i < calls; ++i)
            call();
        timer_.stop();
        return timer_.elapsed().count() / calls;
    }

    parprims::stream stream_;
    parprims::timer timer_{stream_};
    std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace samples
