/// @file
/// @brief  A call goes on wherever one of its blocks can run: while another kernel holds all multiprocessors but a few.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;

#if PARPRIMS_CUDA_COMPILER

namespace {

/// Ends when `flag` is set. A block says that it has started.
__global__ __launch_bounds__(1024) void occupy(unsigned* started, const volatile int* flag)
{
    if (threadIdx.x == 0) {
        atomicAdd_system(started, 1u);
        while (*flag == 0)
            __nanosleep(1000);
    }
    __syncthreads();
}

/// Holds so many multiprocessors until it is released: a block on each leaves no shared memory for another.
class occupied_multiprocessors {
public:
    explicit occupied_multiprocessors(unsigned count) : flag_(1), started_(1)
    {
        flag_[0] = 0;
        started_[0] = 0;
        int shared_bytes = 0;
        cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        REQUIRE(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes) == cudaSuccess);
        occupy<<<count, 1024, static_cast<std::size_t>(shared_bytes), stream_.get()>>>(started_.data(), flag_.data());
        while (*const_cast<const volatile unsigned*>(started_.data()) != count) {
            REQUIRE(cudaGetLastError() == cudaSuccess);
            std::this_thread::yield();
        }
    }
    ~occupied_multiprocessors()
    {
        *const_cast<volatile int*>(flag_.data()) = 1;
        stream_.synchronize();
    }

private:
    pp::pinned_buffer<int> flag_;
    pp::pinned_buffer<unsigned> started_;
    pp::stream stream_;
};

bool completes_within(const pp::event& done, std::chrono::seconds limit)
{
    const auto start = std::chrono::steady_clock::now();
    while (!done.is_ready())
        if (std::chrono::steady_clock::now() - start > limit)
            return false;
    return true;
}

/// A call over the first n elements, and its result: all of it, or its end.
struct call {
    std::string name;
    std::function<void(std::size_t)> enqueue;
    std::function<std::vector<double>(std::size_t)> result;
};

template <class T>
std::vector<double> on_host(const pp::device_buffer<T>& values, std::size_t first, std::size_t count)
{
    std::vector<T> copy(count);
    REQUIRE(cudaMemcpy(copy.data(), values.data() + first, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return {copy.begin(), copy.end()};
}

struct is_zero {
    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(T x) const
    {
        return x == 0;
    }
};

template <class T>
struct arrays {
    pp::device_buffer<T> in, total, sums;

    arrays(std::size_t n, pp::stream_view where) : in(n, where), total(1, where), sums(n, where)
    {
        in.copy_from(small_values<T>(n));
    }

    void add_calls(std::vector<call>& calls, const pp::device_policy& policy, const std::string& type)
    {
        calls.push_back(
            {"reduce " + type,
             [=, this](std::size_t n) { pp::reduce_into(policy, in.begin(), in.begin() + n, total.begin(), T{}); },
             [this](std::size_t) { return on_host(total, 0, 1); }});
        calls.push_back(
            {"inclusive_scan " + type,
             [=, this](std::size_t n) { pp::inclusive_scan(policy, in.begin(), in.begin() + n, sums.begin()); },
             [this](std::size_t n) { return on_host(sums, n - 1, 1); }});
        calls.push_back({"inclusive_scan in place, " + type,
                         [=, this](std::size_t n) {
                             cudaMemcpyAsync(sums.data(), in.data(), n * sizeof(T), cudaMemcpyDeviceToDevice,
                                             policy.stream().get());
                             pp::inclusive_scan(policy, sums.begin(), sums.begin() + n, sums.begin());
                         },
                         [this](std::size_t n) { return on_host(sums, n - 1, 1); }});
    }

    /// Calls by key, with the values as keys, of segments, searches and copies.
    void add_other_calls(std::vector<call>& calls, const pp::device_policy& policy,
                         pp::device_buffer<std::uint64_t>& counts, const std::string& type)
    {
        const auto last = [this](std::size_t n) { return on_host(sums, n - 1, 1); };
        const auto count = [&counts](std::size_t) { return on_host(counts, 0, 1); };
        const auto positions = [&counts](std::size_t) { return on_host(counts, 0, 2); };
        const auto add = [&](const std::string& name, auto result, auto enqueue) {
            calls.push_back({name + " " + type,
                             [this, enqueue, found = counts.data()](std::size_t n) {
                                 enqueue(in.data(), in.data() + n, sums.data(), found);
                             },
                             result});
        };
        add("inclusive_scan_by_key", last, [=](const T* first, const T* end, T* out, std::uint64_t*) {
            pp::inclusive_scan_by_key(policy, first, end, first, out);
        });
        add("reduce_by_key_into", count, [=](const T* first, const T* end, T* out, std::uint64_t* found) {
            pp::reduce_by_key_into(policy, first, end, first, out, pp::discard_iterator(), found);
        });
        add(
            "segmented_reduce of two", [this](std::size_t) { return on_host(sums, 0, 2); },
            [=](const T* first, const T* end, T* out, std::uint64_t*) {
                pp::segmented_reduce(policy, first, end, (end - first + 1) / 2, out, T{});
            });
        add("segmented_reduce of 50 each", last, [=](const T* first, const T* end, T* out, std::uint64_t*) {
            const auto n = end - first;
            pp::segmented_reduce(policy, first, end, 50, out + (n - (n + 49) / 50), T{});
        });
        add(
            "segmented_inclusive_scan by offsets", [this](std::size_t n) { return on_host(sums, n / 30 * 30 - 1, 1); },
            [=](const T* first, const T* end, T* out, std::uint64_t*) {
                const pp::strided_iterator offsets(pp::counting_iterator<std::int64_t>(0), 30);
                pp::segmented_inclusive_scan(policy, first, end, offsets, offsets + ((end - first) / 30 + 1), out);
            });
        add("copy_if_into", count, [=](const T* first, const T* end, T* out, std::uint64_t* found) {
            pp::copy_if_into(policy, first, end, out, found, is_zero{});
        });
        add("minmax_element_into", positions, [=](const T* first, const T* end, T*, std::uint64_t* found) {
            pp::minmax_element_into(policy, first, end, found);
        });
        add("transform", last, [=](const T* first, const T* end, T* out, std::uint64_t*) {
            pp::transform(policy, first, end, out, pp::identity{});
        });
    }
};

}  // namespace

TEST_CASE("[device] a call goes on wherever another kernel leaves it a multiprocessor")
{
    if (is_quick())
        return;  // tools run one kernel at a time
    const std::size_t most = std::size_t{1} << 26;
    const pp::stream work;
    const auto policy = pp::device.on(work);
    arrays<float> floats(most, work);
    arrays<double> doubles(most, work);
    arrays<std::int8_t> bytes(most, work);
    pp::device_buffer<std::uint32_t> counts(std::size_t{1} << 22, work);
    pp::device_buffer<std::uint64_t> found = pp::to_device(std::vector<std::uint64_t>(2), work);
    std::vector<call> calls;
    floats.add_calls(calls, policy, "f32");
    doubles.add_calls(calls, policy, "f64");
    bytes.add_calls(calls, policy, "i8");
    floats.add_other_calls(calls, policy, found, "f32");
    bytes.add_other_calls(calls, policy, found, "i8");
    calls.push_back({"inclusive_scan f32, three phases",
                     [&](std::size_t n) {
                         pp::inclusive_scan(policy.with(pp::three_phase_scan{}), floats.in.begin(),
                                            floats.in.begin() + n, floats.sums.begin());
                     },
                     [&](std::size_t n) { return on_host(floats.sums, n - 1, 1); }});
    for (const unsigned log2_bins : {8u, 16u, 17u, 22u}) {
        const auto bins = std::size_t{1} << log2_bins;
        calls.push_back({"histogram of 2^" + std::to_string(log2_bins) + " bins",
                         [&, bins](std::size_t n) {
                             pp::histogram(policy, floats.in.begin(), floats.in.begin() + n,
                                           pp::regular_axis(bins, 0.0f, 3.0f), counts.begin());
                         },
                         [&, bins](std::size_t) { return on_host(counts, 0, bins); }});
    }

    struct piece {
        const call& what;
        std::size_t n;
        std::vector<double> expected;
    };
    std::vector<piece> pieces;
    for (const std::size_t n :
         {1000, 3000, 6000, 10000, 20000, 40000, 70000, 100000, 300000, 1000000, 10000000, 1 << 26})
        for (const call& each : calls) {
            each.enqueue(n);  // also loads the kernels and takes the memory
            work.synchronize();
            pieces.push_back({each, n, each.result(n)});
        }

    const unsigned all = pp::get_device_info(0).multiprocessors;
    for (const unsigned free : {1u, 2u, 5u, 17u, 40u, 66u, 100u}) {
        if (free >= all)
            continue;
        CAPTURE(free);
        auto others = std::make_unique<occupied_multiprocessors>(all - free);
        for (const piece& each : pieces) {
            CAPTURE(each.what.name);
            CAPTURE(each.n);
            pp::event done;
            each.what.enqueue(each.n);
            done.record(work);
            const bool goes_on = completes_within(done, std::chrono::seconds(2));
            CHECK(goes_on);
            if (goes_on) {
                CHECK(each.what.result(each.n) == each.expected);
            } else {
                others.reset();
                work.synchronize();
                others = std::make_unique<occupied_multiprocessors>(all - free);
            }
        }
    }
}

#endif
