// What the benches on a GPU share: random data, agreement with the reference, and medians of calls that take turns.
#pragma once

#include "../report.hpp"

#include <parprims/parprims.hpp>
#include <parprims/timer.hpp>

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

namespace pp = parprims;

inline void check(cudaError_t status)
{
    if (status != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(status));
}

// ---------------------------------------------------------------------------------------------------- values

/// Uniform 32-bit words, a different one for each index and seed.
struct random_word {
    std::uint32_t seed;

    __host__ __device__ std::uint32_t operator()(std::size_t i) const
    {
        auto x = static_cast<std::uint32_t>(i * 2654435761u) ^ seed;
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        return x ^ (x >> 16);
    }
};

/// A struct of `Count` numbers. Unsigned, so that sums may wrap.
template <unsigned Count>
struct numbers {
    std::uint32_t x[Count];

    friend __host__ __device__ bool operator==(const numbers& a, const numbers& b)
    {
        bool equal = true;
        for (unsigned i = 0; i < Count; ++i)
            equal = equal && a.x[i] == b.x[i];
        return equal;
    }
};
using triple = numbers<3>;

struct add_numbers {
    template <unsigned Count>
    __host__ __device__ numbers<Count> operator()(const numbers<Count>& a, const numbers<Count>& b) const
    {
        numbers<Count> sum;
        for (unsigned i = 0; i < Count; ++i)
            sum.x[i] = a.x[i] + b.x[i];
        return sum;
    }
};

template <class T>
inline constexpr unsigned numbers_in = 0;
template <unsigned Count>
inline constexpr unsigned numbers_in<numbers<Count>> = Count;

/// An operator that no library knows: (1 + a) (1 + b) - 1, exact modulo 2^32.
struct compound {
    __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b + a * b; }
};

template <class T>
constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, __half>;

/// The negative; of integers all bits: nvcc 13.0 makes 2^15 of -2^15 where the negative of an `int16_t` is converted to `int`.
struct negated {
    template <class T>
    __host__ __device__ T operator()(T x) const
    {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(~x);
        else
            return static_cast<T>(-x);
    }
};

/// Random values. Floating-point ones are differences of neighbours in a sequence of integers, so that the sum of any run
/// of them is exact: every order of a scan gives the same bits, and wrong ones cannot hide in a tolerance.
template <class T>
struct random_value {
    random_word word;

    __host__ __device__ T operator()(std::size_t i) const
    {
        if constexpr (numbers_in<T> != 0) {
            T result;
            for (unsigned k = 0; k < numbers_in<T>; ++k)
                result.x[k] = word(numbers_in<T> * i + k);
            return result;
        } else if constexpr (is_floating<T>) {
            const std::uint32_t range = std::is_same_v<T, __half> ? 4 : 1 << 12;
            const auto step = static_cast<int>(word(i) % range) - static_cast<int>(word(i - 1) % range);
            return static_cast<T>(static_cast<float>(step));
        } else {
            return static_cast<T>(word(i));
        }
    }
};

template <class T, class F>
__global__ void fill(T* data, std::size_t n, F f)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{blockDim.x})
        data[i] = f(i);
}

template <class T, class F>
pp::device_buffer<T> filled(std::size_t n, F f)
{
    pp::device_buffer<T> data(n);
    fill<<<2048, 256>>>(data.data(), n, f);
    check(cudaGetLastError());
    return data;
}

template <class T>
__global__ void count_differences(const T* a, const T* b, std::size_t n, double tolerance,
                                  unsigned long long* differences)
{
    unsigned long long mine = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{blockDim.x}) {
        if constexpr (is_floating<T>)
            mine += !(fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) <= tolerance);
        else
            mine += !(a[i] == b[i]);
    }
    if (mine != 0)
        atomicAdd(differences, mine);
}

/// @param  tolerance  for floating-point values; all others agree exactly
template <class T>
bool agree(const T* a, const T* b, std::size_t n, double tolerance = 0)
{
    pp::device_buffer<unsigned long long> differences = pp::to_device(std::vector<unsigned long long>{0});
    count_differences<<<1024, 256>>>(a, b, n, tolerance, differences.data());
    return differences.to_host()[0] == 0;
}

// ---------------------------------------------------------------------------------------------------- sizes

/// From 2^8 to the largest, with 3 * 2^k between them.
inline std::vector<std::size_t> sizes(const options& asked)
{
    if (asked.quick)
        return {256, 3 << 10, 1 << 16, std::size_t{1} << asked.log2};
    std::vector<std::size_t> result;
    for (unsigned k = 8; k <= asked.log2; ++k) {
        result.push_back(std::size_t{1} << k);
        if (k < asked.log2)
            result.push_back(std::size_t{3} << (k - 1));
    }
    return result;
}

/// The size at which bins and types are compared: large, but not the largest.
inline std::size_t large(const options& asked)
{
    return std::size_t{1} << std::min(asked.log2, 28u);
}

/// Sizes that no number was tuned for: no multiples of a row, a tile or a chunk.
inline std::vector<std::size_t> odd_sizes(const options& asked)
{
    std::vector<std::size_t> result{100'003};
    for (const std::size_t n : {1'000'003, 2'500'009, 5'000'011, 10'000'019, 300'000'017})
        if (n >> asked.log2 == 0)
            result.push_back(n);
    return result;
}

/// Twice what the largest L2 cache holds and more: calls in turn over as much do not find their inputs in it.
constexpr std::size_t rotated_bytes = std::size_t{1} << 28;

/// In a row, where they are short: a launch of the graph is to be seen in none of them.
constexpr int most_calls = 100;

/// Several arrays of n elements in one piece of memory, each aligned to 256 bytes and more.
template <class T>
struct slices {
    T* first;
    std::size_t n;

    static std::size_t stride(std::size_t n) { return (n + 255) / 256 * 256; }
    /// Elements that hold the slices of every size up to the largest.
    static std::size_t capacity(std::size_t largest) { return largest + rotated_bytes / sizeof(T) + most_calls * 256; }
    T* operator[](std::size_t slice) const { return first + slice * stride(n); }
};

// ---------------------------------------------------------------------------------------------------- time

/// Enqueues one call over the slice-th input.
using call = std::function<void(cudaStream_t stream, std::size_t slice)>;

/// How calls of one size are repeated.
struct pace {
    bool in_graph;       // small inputs: what a call costs on the GPU alone
    int calls;           // in a row
    std::size_t slices;  // inputs that take turns
};

inline pace pace_of(std::size_t n, double bytes)
{
    const bool in_graph = n <= std::size_t{1} << 24;
    const int calls = in_graph ? (bytes <= 1e6 ? most_calls : 20) : bytes > 3e9 ? 2 : 4;
    const auto slices = static_cast<std::size_t>(std::ceil(static_cast<double>(rotated_bytes) / bytes));
    return {in_graph, calls, std::clamp<std::size_t>(slices, 1, static_cast<std::size_t>(calls))};
}

/// Calls in a row, as one CUDA graph or enqueued one by one.
class repeated {
public:
    repeated(call one, const pace& how, cudaStream_t stream) : one_(std::move(one)), how_(how), stream_(stream)
    {
        if (!how_.in_graph)
            return;
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        enqueue();
        check(cudaStreamEndCapture(stream_, &graph));
        check(cudaGraphInstantiate(&graph_, graph, 0));
        check(cudaGraphDestroy(graph));
    }
    ~repeated()
    {
        if (graph_ != nullptr)
            cudaGraphExecDestroy(graph_);
    }
    repeated(const repeated&) = delete;
    repeated& operator=(const repeated&) = delete;

    void launch() const
    {
        if (graph_ != nullptr)
            check(cudaGraphLaunch(graph_, stream_));
        else
            enqueue();
    }

    /// Seconds of one call, over several launches. Where calls are enqueued one by one, others go before them, for a
    /// millisecond. While these run the timed ones are enqueued, and the card forgets the contender before: after a
    /// histogram of CUB's that is slow even reading memory takes 7 % longer, and 2 % longer after four times 250 us.
    double seconds(int launches)
    {
        constexpr double enough_before = 1e-3;
        pp::timer timer{pp::stream_view(stream_)};
        for (double before = 0; !how_.in_graph && before < enough_before; before += last_seconds_)
            one_(stream_, 0);
        timer.start();
        for (int i = 0; i < launches; ++i)
            launch();
        timer.stop();
        return last_seconds_ = timer.elapsed().count() / (launches * how_.calls);
    }

private:
    void enqueue() const
    {
        for (int i = 0; i < how_.calls; ++i)
            one_(stream_, static_cast<std::size_t>(i) % how_.slices);
    }

    call one_;
    pace how_;
    cudaStream_t stream_;
    cudaGraphExec_t graph_ = nullptr;
    double last_seconds_ = 1;
};

inline double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

/// Measures our calls and the reference's in turns, so that what the card does at that time happens to both; fills in
/// what was measured and adds the row.
/// @param  reference  nothing where there is none
/// @param  is_right   asked after both have run
inline void measure(report& out, const options& asked, row next, const pace& how, const call& ours,
                    const call& reference, const std::function<bool()>& is_right)
{
    constexpr double enough_seconds = 0.04;
    static const pp::stream stream;  // one for all: the library keeps a ticket for each stream
    repeated our_calls(ours, how, stream.get());
    std::optional<repeated> other_calls;
    if (reference)
        other_calls.emplace(reference, how, stream.get());
    check(cudaDeviceSynchronize());  // the data is there

    const int launches = how.in_graph ? 2 : 1;
    our_calls.launch();
    double once = our_calls.seconds(1);
    if (other_calls) {
        other_calls->launch();
        once += other_calls->seconds(1);
    }
    stream.synchronize();
    next.is_right = is_right();
    const int rounds =
        asked.quick ? 3 : std::clamp(static_cast<int>(enough_seconds / (once * launches * how.calls)), 3, 11) | 1;
    std::vector<double> our_seconds, other_seconds;
    for (int round = 0; round < rounds; ++round) {
        our_seconds.push_back(our_calls.seconds(launches));
        if (other_calls)
            other_seconds.push_back(other_calls->seconds(launches));
    }
    next.how = how.in_graph ? "graph" : "stream";
    next.seconds = median(std::move(our_seconds));
    if (other_calls)
        next.reference_seconds = median(std::move(other_seconds));
    else
        next.reference.clear();
    out.add(std::move(next));
}

/// Our inclusive scan of n values of type T. A sum in another type is asked for by the type of its first value.
template <class T, class A, class Policy, class Iterator, class Op = pp::plus>
void our_scan(const Policy& policy, Iterator first, std::size_t n, A* to, Op op = {})
{
    const auto last = first + static_cast<std::ptrdiff_t>(n);
    if constexpr (std::is_same_v<T, A>)
        pp::inclusive_scan(policy, first, last, to, op);
    else
        pp::inclusive_scan(policy, first, last, to, op, A{});
}

inline pp::device_buffer<unsigned char> cub_scratch(const std::function<void(void*, std::size_t&)>& call)
{
    std::size_t bytes = 0;
    call(nullptr, bytes);
    return pp::device_buffer<unsigned char>(std::max<std::size_t>(bytes, 1));
}

}  // namespace bench
