// Scans, copy_if and calls by key of random sizes, at random offsets, until they have gone through so many tiles. Every value is checked on
// the GPU: what is right follows from its position.
//
// usage: soak [TILES] [SECONDS] [SEED]
// Ends after 10^9 tiles (TILES), or after 150 seconds (SECONDS). Fails at a wrong value, and names the call.
#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>

#include <cuda_runtime_api.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;
namespace order = pp::detail::order;

namespace {

constexpr std::size_t max_n = std::size_t{1} << 24;
constexpr std::size_t max_offset = 64;
constexpr std::size_t room = max_n + max_offset;
constexpr std::size_t runs[] = {1, 3, 17, 1000, 1000000};  // elements with the same key
constexpr double kept_parts[] = {0.1, 0.5, 0.9};

void check(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "soak: %s\n", cudaGetErrorString(status));
    std::exit(3);
}

__host__ __device__ std::uint32_t hash(std::size_t i)
{
    auto x = static_cast<std::uint32_t>(i) * 0x9e3779b9u;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/// The sum of elements [a, b) is sum<T>(a, b): each is the difference of two numbers that follow from its position. So sums of floats are
/// exact, whatever their order; those of unsigned integers wrap.
template <class T>
__host__ __device__ T sum(std::size_t a, std::size_t b)
{
    const std::uint32_t range = std::is_same_v<T, std::uint32_t> ? ~0u : 4096;
    return static_cast<T>(static_cast<T>(hash(b) % range) - static_cast<T>(hash(a) % range));
}

/// Of elements that are their own positions.
struct is_kept {
    std::uint32_t below;

    __host__ __device__ bool operator()(double position) const
    {
        return hash(static_cast<std::size_t>(position) + 77) < below;
    }
};

template <class T, class Make>
__global__ void fill(T* to, Make make)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < room;
         i += gridDim.x * std::size_t{blockDim.x})
        to[i] = make(i);
}

/// Counts the i of [0, min(*n, most)] for which `is_right(i, *n)` does not hold. Without `n`, of [0, most).
template <class IsRight>
__global__ void count_wrong(const std::size_t* n, std::size_t most, IsRight is_right, unsigned long long* wrong)
{
    const std::size_t count = n != nullptr ? *n : most;
    const std::size_t end = n == nullptr ? most : count < most ? count + 1 : most + 1;
    unsigned long long mine = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < end;
         i += gridDim.x * std::size_t{blockDim.x})
        mine += is_right(i, count) ? 0 : 1;
    if (mine != 0)
        atomicAdd(wrong, mine);
}

/// Arrays, and calls of them that are checked. All of it is public, as nvcc wants it of functions with lambdas for a GPU.
struct soak {
    soak()
    {
        for (const std::size_t run : runs)
            keys_.push_back(keys_of(run));
        for (const double part : kept_parts) {
            std::vector<std::uint32_t> before(room + 1);
            for (std::size_t i = 0; i < room; ++i)
                before[i + 1] = before[i] + (keeps(part)(static_cast<double>(i)) ? 1 : 0);
            kept_before_.push_back(std::move(before));
        }
        forget();
    }

    /// Makes a random call, and checks its results. Returns how many tiles it has.
    double make_call(std::mt19937_64& random, bool tells)
    {
        const auto n = static_cast<std::size_t>(std::exp2(std::uniform_real_distribution<>(0, 24)(random)));
        const std::size_t at = random() % max_offset;
        const auto kind = static_cast<unsigned>(random() % 10);
        const auto variant = static_cast<unsigned>(random() % (std::size(runs) * std::size(kept_parts)));
        if (tells)
            std::printf("kind %u, variant %u, n %zu, offset %zu\n", kind, variant, n, at);
        switch (kind) {
        case 0: return scan<float>(floats_.data(), n, at);
        case 1: return scan<double>(doubles_.data(), n, at);
        case 2: return scan<std::uint32_t>(words_.data(), n, at);
        case 3: return scan<long long>(longs_.data(), n, at);
        case 4: return scan<int>(shorts_.data(), n, at);
        case 5: return copy(int_positions_.data(), n, at, variant % std::size(kept_parts));
        case 6: return copy(double_positions_.data(), n, at, variant % std::size(kept_parts));
        case 7: return reduce_by_key(n, at, variant % std::size(runs));
        default: return scan_by_key(n, at, variant % std::size(runs));
        }
    }

    /// Waits for the calls so far. Whether all were right.
    bool look()
    {
        unsigned long long wrong = 0;
        check(cudaMemcpyAsync(&wrong, wrong_.data(), sizeof(wrong), cudaMemcpyDeviceToHost, stream_.get()));
        check(cudaStreamSynchronize(stream_.get()));
        return wrong == 0;
    }
    void forget()
    {
        check(cudaMemset(wrong_.data(), 0, sizeof(unsigned long long)));
        check(cudaDeviceSynchronize());
    }

    static is_kept keeps(double part) { return {static_cast<std::uint32_t>(part * 4294967296.0)}; }

    template <class T, class Make>
    static pp::device_buffer<T> filled(Make make)
    {
        pp::device_buffer<T> data(room);
        fill<<<256, 512>>>(data.data(), make);
        check(cudaGetLastError());
        return data;
    }

    template <class T>
    static pp::device_buffer<T> elements()
    {
        return filled<T>([] __device__(std::size_t i) { return sum<T>(i, i + 1); });
    }
    template <class T>
    static pp::device_buffer<T> positions()
    {
        return filled<T>([] __device__(std::size_t i) { return static_cast<T>(i); });
    }
    static pp::device_buffer<int> keys_of(std::size_t run)
    {
        return filled<int>([=] __device__(std::size_t i) { return static_cast<int>(i / run); });
    }

    template <class IsRight>
    void expect(const std::size_t* n, std::size_t most, IsRight is_right)
    {
        count_wrong<<<256, 512, 0, stream_.get()>>>(n, most, is_right, wrong_.data());
        check(cudaGetLastError());
    }
    static double tiles_of(std::size_t n, std::size_t tile) { return static_cast<double>(order::ceil_div(n, tile)); }
    static double keyed_tiles_of(std::size_t n)
    {
        using short_pair = pp::detail::keyed<float, std::size_t, true>;
        using long_pair = pp::detail::keyed<float, std::size_t, false>;
        return tiles_of(n, n <= order::short_input<float> ? order::tile<short_pair> : order::tile<long_pair>);
    }
    auto policy() const { return pp::device.on(stream_); }
    template <class T>
    T* out(std::size_t at)
    {
        return reinterpret_cast<T*>(out_.data()) + at;
    }

    // Each call has n elements, from position `at` of its arrays on.

    template <class A, class T>
    double scan(const T* x, std::size_t n, std::size_t at)
    {
        A* const y = out<A>(at);
        if constexpr (std::is_same_v<A, T>)
            pp::inclusive_scan(policy(), x + at, x + at + n, y);
        else
            pp::inclusive_scan(policy(), x + at, x + at + n, y, pp::plus{}, A{});
        expect(nullptr, n, [=] __device__(std::size_t i, std::size_t) { return y[i] == sum<A>(at, at + i + 1); });
        return tiles_of(n, order::tile<A>);
    }

    template <class T>
    double copy(const T* x, std::size_t n, std::size_t at, std::size_t part)
    {
        T* const y = out<T>(at);
        const is_kept predicate = keeps(kept_parts[part]);
        const std::size_t kept = kept_before_[part][at + n] - kept_before_[part][at];
        pp::copy_if_into(policy(), x + at, x + at + n, y, count_.data(), predicate);
        // So many positions that ascend, all of them to be kept, are all that are.
        expect(count_.data(), n, [=] __device__(std::size_t i, std::size_t found) {
            if (i >= found)
                return found == kept;
            const auto position = static_cast<std::size_t>(y[i]);
            return predicate(y[i]) && position >= at && position < at + n && (i == 0 || y[i - 1] < y[i]);
        });
        using pp::detail::device::copy_if_threads;
        using pp::detail::device::large_tile;  // a short input has smaller ones, so more of them
        return tiles_of(n, copy_if_threads * large_tile::rows * 16 / sizeof(T));
    }

    double scan_by_key(std::size_t n, std::size_t at, std::size_t kind)
    {
        float* const y = out<float>(at);
        const std::size_t run = runs[kind];
        const int* const keys = keys_[kind].data() + at;
        pp::inclusive_scan_by_key(policy(), keys, keys + n, floats_.data() + at, y);
        expect(nullptr, n, [=] __device__(std::size_t i, std::size_t) {
            const std::size_t first = (at + i) / run * run;
            return y[i] == sum<float>(first < at ? at : first, at + i + 1);
        });
        return keyed_tiles_of(n);
    }

    double reduce_by_key(std::size_t n, std::size_t at, std::size_t kind)
    {
        float* const y = out<float>(at);
        int* const unique = unique_.data() + at;
        const std::size_t run = runs[kind];
        const int* const keys = keys_[kind].data() + at;
        const std::size_t count = (at + n - 1) / run - at / run + 1;
        pp::reduce_by_key_into(policy(), keys, keys + n, floats_.data() + at, unique, y, count_.data());
        expect(count_.data(), n, [=] __device__(std::size_t i, std::size_t found) {
            if (i >= found)
                return found == count;
            const std::size_t key = at / run + i;
            const std::size_t first = key * run < at ? at : key * run;
            const std::size_t last = (key + 1) * run < at + n ? (key + 1) * run : at + n;
            return unique[i] == static_cast<int>(key) && y[i] == sum<float>(first, last);
        });
        return keyed_tiles_of(n);
    }

    pp::stream stream_;
    pp::device_buffer<float> floats_ = elements<float>();
    pp::device_buffer<double> doubles_ = elements<double>();
    pp::device_buffer<std::uint32_t> words_ = elements<std::uint32_t>();
    pp::device_buffer<long long> longs_ = elements<long long>();
    pp::device_buffer<short> shorts_ = elements<short>();
    pp::device_buffer<int> int_positions_ = positions<int>();
    pp::device_buffer<double> double_positions_ = positions<double>();
    std::vector<pp::device_buffer<int>> keys_;
    std::vector<std::vector<std::uint32_t>> kept_before_;  // how many of the first i positions are kept
    pp::device_buffer<double> out_{room};
    pp::device_buffer<int> unique_{room};
    pp::device_buffer<std::size_t> count_{1};
    pp::device_buffer<unsigned long long> wrong_{1};
};

/// After a wrong value: makes the same calls again, and looks after each.
void tell_wrong_call(soak& soak, std::mt19937_64 random, int calls)
{
    soak.forget();
    for (int i = 0; i < calls; ++i) {
        soak.make_call(random, true);
        if (!soak.look()) {
            std::printf("the last call above gave a wrong value\n");
            return;
        }
    }
    std::printf("wrong values, but none when the %d calls above were made again\n", calls);
}

}  // namespace

int main(int argc, char** argv)
{
    const double most_tiles = argc > 1 ? std::atof(argv[1]) : 1e9;
    const double most_seconds = argc > 2 ? std::atof(argv[2]) : 150;
    const auto seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    constexpr int calls_between_looks = 500;

    soak soak;
    std::mt19937_64 random(seed);
    const auto start = std::chrono::steady_clock::now();
    double tiles = 0;
    double seconds = 0;
    double told = 0;  // seconds
    long calls = 0;
    while (tiles < most_tiles && seconds < most_seconds) {
        const std::mt19937_64 before = random;
        for (int i = 0; i < calls_between_looks; ++i)
            tiles += soak.make_call(random, false);
        if (!soak.look()) {
            tell_wrong_call(soak, before, calls_between_looks);
            return 1;
        }
        calls += calls_between_looks;
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds >= told + 30) {
            std::printf("%.0f s: %ld calls, %.3g tiles\n", seconds, calls, tiles);
            std::fflush(stdout);
            told = seconds;
        }
    }
    std::printf("%.1f s: %ld calls, %.4g tiles, all values right (seed %llu)\n", seconds, calls, tiles,
                static_cast<unsigned long long>(seed));
    return 0;
}
