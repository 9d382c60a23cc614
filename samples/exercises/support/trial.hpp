/// @file
/// @brief  A trial of a kernel: its arrays, its launches, and whether its answer is right. On the executor, or, compiled by nvcc, on a GPU.
#pragma once

#include "exercises/support/answers.hpp"
#include "exercises/support/block_scan.hpp"

#if defined(PARPRIMS_SIMT_EXECUTOR)
#include <parprims/simt/executor.hpp>
#else
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/simt/launch.hpp>
#include <parprims/timer.hpp>

#include <memory>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace exercises {

namespace simt = parprims::simt;

#if defined(PARPRIMS_SIMT_EXECUTOR)

namespace executor = parprims::executor;

class trial {
public:
    explicit trial(const executor::options& chosen) : options_(chosen) {}

    /// A copy of the values in global memory. Errors call it `name`.
    template <class T>
    T* input(const char* name, const std::vector<T>& values)
    {
        executor::buffer<unsigned char>& bytes = arrays_.emplace_back(values.size() * sizeof(T));
        if (!values.empty())
            std::memcpy(bytes.data(), values.data(), bytes.size());
        executor::name_memory(bytes.data(), name, sizeof(T));
        return reinterpret_cast<T*>(bytes.data());
    }

    /// `n` values that no thread has written yet.
    template <class T>
    T* output(const char* name, std::size_t n)
    {
        return input(name, std::vector<T>(n, not_written<T>()));
    }

    template <class T>
    T* zeros(const char* name, std::size_t n)
    {
        return input(name, std::vector<T>(n));
    }

    /// How many blocks a grid of any size has: as many as asked for; on a GPU 8 for each multiprocessor.
    std::size_t grid(std::size_t blocks) const { return blocks; }

    template <class Kernel, class... SharedBytes>
    void launch(std::size_t blocks, unsigned threads, const Kernel& kernel, SharedBytes... bytes)
    {
        did_ += executor::launch(options_, blocks, threads, kernel, bytes...);
    }

    /// Throws wrong_answer if `[values, values + expected.size())` is anything else, with the cause if it is one of these results.
    template <class T>
    void expect(const char* name, const T* values, const std::vector<T>& expected,
                const std::vector<known_mistake<T>>& mistakes = {})
    {
        exercises::compare(name, std::vector<T>(values, values + expected.size()), expected, mistakes);
    }

    const executor::statistics& did() const { return did_; }

private:
    executor::options options_;
    executor::statistics did_;
    std::vector<executor::buffer<unsigned char>> arrays_;  // one type: each trial of an answer compiles this
};

#else

/// How many blocks a grid of any size has on a GPU: enough to fill it, or as many as on the executor, so that counts can be compared.
enum class grids { fill_gpu, as_on_executor };

/// Whether the answer is right was found out on the executor; here it is compared once more.
class trial {
public:
    explicit trial(grids chosen = grids::fill_gpu) : grids_(chosen) {}

    template <class T>
    T* input(const char*, const std::vector<T>& values)
    {
        const auto array = std::make_shared<parprims::device_buffer<T>>(values);
        arrays_.push_back(array);
        return array->data();
    }
    template <class T>
    T* output(const char* name, std::size_t n)
    {
        return input(name, std::vector<T>(n, not_written<T>()));
    }
    template <class T>
    T* zeros(const char* name, std::size_t n)
    {
        return input(name, std::vector<T>(n));
    }
    std::size_t grid(std::size_t blocks) const
    {
        if (grids_ == grids::as_on_executor)
            return blocks;
        int multiprocessors = 1;
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, parprims::current_device());
        return 8 * static_cast<std::size_t>(multiprocessors);
    }
    template <class Kernel, class... SharedBytes>
    void launch(std::size_t blocks, unsigned threads, const Kernel& kernel, SharedBytes... bytes)
    {
        timer_.start();
        simt::launch(parprims::device, blocks, threads, kernel, bytes...);
        timer_.stop();
        seconds_ += timer_.elapsed().count();
    }
    template <class T>
    void expect(const char* name, const T* values, const std::vector<T>& expected,
                const std::vector<known_mistake<T>>& = {})
    {
        std::vector<T> copy(expected.size());
        cudaMemcpy(copy.data(), values, copy.size() * sizeof(T), cudaMemcpyDeviceToHost);
        exercises::compare(name, copy, expected, {});
    }

    double seconds() const { return seconds_; }  ///< of the launches

private:
    grids grids_;
    std::vector<std::shared_ptr<void>> arrays_;
    parprims::timer timer_;
    double seconds_ = 0;
};

#endif

}  // namespace exercises
