/// @file
/// @brief  A file compiled with --default-stream per-thread and the library, which is not, mean the same default stream.
#include "support/backend.hpp"

#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;

TEST_CASE("the default stream of a policy is null, however a file is compiled")
{
    CHECK(pp::device.stream().get() == nullptr);
    CHECK(pp::device.stream() == pp::stream_view());
}

#if PARPRIMS_CUDA_COMPILER

#include <parprims/detail/runtime/cuda.inl.hpp>

#if !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "this file must be compiled with --default-stream per-thread"
#endif

TEST_CASE("the CUDA runtime is never given null for a stream, which would be another one here")
{
    using parprims::detail::runtime::handle_of;
    CHECK(handle_of(nullptr) == cudaStreamLegacy);
    CHECK(handle_of(cudaStreamPerThread) == cudaStreamPerThread);
}

TEST_CASE("[device] threads reduce in the default stream, and in their own, at the same time")
{
    std::string failure;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            const auto fail = [&](const std::string& what) {
                const std::lock_guard lock(mutex);
                failure = what;
            };
            try {
                const std::size_t n = is_quick() ? 100003 : 1000003;
                const std::vector<std::uint32_t> values(n, t + 1);
                const pp::device_buffer<std::uint32_t> x = pp::to_device(values);
                const auto expected = static_cast<std::uint32_t>((t + 1) * n);
                const auto own = pp::device.on(cudaStreamPerThread);
                for (int i = 0; i < (is_quick() ? 3 : 300); ++i)
                    if (pp::reduce(pp::device, x, std::uint32_t{0}) != expected ||
                        pp::reduce(own, x, std::uint32_t{0}) != expected)
                        fail("wrong sum in thread " + std::to_string(t));
            } catch (const std::exception& error) {
                fail(error.what());
            }
        });
        if (is_quick())
            threads.back().join();  // racecheck hangs where several threads launch; it looks inside of kernels anyway
    }
    for (std::thread& each : threads)
        if (each.joinable())
            each.join();
    CHECK(failure == "");
}

#endif
