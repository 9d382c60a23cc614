// Whether the driver keeps the order of streams that several threads enqueue in, some of it CUDA graphs: without the library.
//
// usage: stream_order [shared|locked|own] [THREADS] [SECONDS] [SEED]
// Threads launch graphs, and enqueue the same work as it is, in six streams that are theirs together (shared), under one lock
// (locked), or in a stream for each (own). The work fills a buffer, copies random numbers over it and compares: what is not
// as it was copied was compared before, or filled after. Prints how often; 0: never.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using word = std::uint32_t;
constexpr unsigned max_words = 1 << 17;
constexpr unsigned shared_streams = 6;

void check(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    std::fprintf(stderr, "stream_order: %s\n", cudaGetErrorString(status));
    std::exit(3);
}

__global__ void copy(word* to, const word* from, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

__global__ void compare(const word* values, const word* expected, unsigned n, unsigned long long* wrong)
{
    bool differs = false;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        differs = differs || values[i] != expected[i];
    if (__syncthreads_or(differs) && threadIdx.x == 0)
        atomicAdd(wrong, 1ull);
}

cudaStream_t make_stream()
{
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
}

template <class T>
T* make_memory(std::size_t n)
{
    void* made = nullptr;
    check(cudaMalloc(&made, n * sizeof(T)));
    check(cudaMemset(made, 0, n * sizeof(T)));
    check(cudaStreamSynchronize(cudaStreamLegacy));  // the streams below do not wait for it
    return static_cast<T*>(made);
}

/// A buffer, and the end of the work on it.
struct buffer {
    word* values = make_memory<word>(max_words);
    cudaEvent_t done = nullptr;

    buffer() { check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming)); }
};

class worker {
public:
    worker(unsigned seed, std::vector<cudaStream_t> streams, const word* source, unsigned long long* wrong,
           std::mutex* lock)
        : random_(seed), streams_(std::move(streams)), source_(source), wrong_(wrong), lock_(lock)
    {
    }

    void work()
    {
        if (random_() % 100 < 70)
            launch_graph();
        else
            for (int i = 0; i < 20; ++i)
                enqueue_plainly();
    }

private:
    void enqueue(word* values, cudaStream_t where, unsigned long long* wrong)
    {
        const auto n = static_cast<unsigned>(1 + random_() % (random_() % 2 != 0 ? max_words : 1000));
        const word* const from = source_ + random_() % max_words;
        const unsigned blocks = n / 256 < 200 ? n / 256 + 1 : 200;
        check(cudaMemsetAsync(values, 0xA5, n * sizeof(word), where));
        if (random_() % 2 != 0)
            check(cudaMemcpyAsync(values, from, n * sizeof(word), cudaMemcpyDeviceToDevice, where));
        else
            copy<<<blocks, 128, 0, where>>>(values, from, n);
        compare<<<blocks, 128, 0, where>>>(values, from, n, wrong);
        check(cudaGetLastError());
    }

    void enqueue_plainly()
    {
        buffer& target = plain_[random_() % 2];
        const cudaStream_t where = streams_[random_() % streams_.size()];
        const auto locked = lock();
        check(cudaStreamWaitEvent(where, target.done, 0));
        enqueue(target.values, where, wrong_ + 1);
        check(cudaEventRecord(target.done, where));
    }

    void launch_graph()
    {
        buffer& target = of_graphs_[random_() % 2];
        check(cudaEventSynchronize(target.done));
        const auto locked = lock();
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(captured_, cudaStreamCaptureModeThreadLocal));
        for (std::uint64_t i = 0, count = 1 + random_() % 4; i < count; ++i)
            enqueue(target.values, captured_, wrong_);
        check(cudaStreamEndCapture(captured_, &graph));
        cudaGraphExec_t runnable = nullptr;
        check(cudaGraphInstantiate(&runnable, graph, 0));
        check(cudaGraphDestroy(graph));
        const cudaStream_t where = streams_[random_() % streams_.size()];
        for (std::uint64_t i = 0, count = 1 + random_() % 6; i < count; ++i)
            check(cudaGraphLaunch(runnable, where));
        check(cudaEventRecord(target.done, where));
        check(cudaGraphExecDestroy(runnable));
    }

    std::unique_lock<std::mutex> lock() const
    {
        return lock_ != nullptr ? std::unique_lock(*lock_) : std::unique_lock<std::mutex>();
    }

    std::mt19937_64 random_;
    std::vector<cudaStream_t> streams_;
    const word* source_;
    unsigned long long* wrong_;  // in graphs, and in plain work
    std::mutex* lock_;
    cudaStream_t captured_ = make_stream();
    buffer of_graphs_[2];
    buffer plain_[2];
};

}  // namespace

int main(int count, char** arguments)
{
    const std::string mode = count > 1 ? arguments[1] : "shared";
    const unsigned threads = count > 2 ? static_cast<unsigned>(std::atoi(arguments[2])) : 4;
    const double seconds = count > 3 ? std::atof(arguments[3]) : 5;
    const unsigned seed = count > 4 ? static_cast<unsigned>(std::atoi(arguments[4])) : 1;
    if ((mode != "shared" && mode != "locked" && mode != "own") || threads == 0 || seconds <= 0) {
        std::fprintf(stderr, "usage: stream_order [shared|locked|own] [THREADS] [SECONDS] [SEED]\n");
        return 2;
    }

    std::mt19937_64 random(seed);
    std::vector<word> numbers(2 * max_words);
    for (word& number : numbers)
        number = static_cast<word>(random());
    auto* const source = make_memory<word>(numbers.size());
    check(cudaMemcpy(source, numbers.data(), numbers.size() * sizeof(word), cudaMemcpyHostToDevice));
    auto* const wrong = make_memory<unsigned long long>(2);
    std::vector<cudaStream_t> streams;
    for (unsigned i = 0; i < shared_streams; ++i)
        streams.push_back(make_stream());

    std::mutex lock;
    std::atomic<unsigned long> rounds{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            worker here(seed * 100 + t, mode == "own" ? std::vector{make_stream()} : streams, source, wrong,
                        mode == "locked" ? &lock : nullptr);
            for (; std::chrono::steady_clock::now() < end; ++rounds)
                here.work();
        });
    for (std::thread& each : team)
        each.join();
    check(cudaDeviceSynchronize());

    unsigned long long found[2] = {};
    check(cudaMemcpy(found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    std::printf(
        "%s, %u threads, seed %u: %lu rounds; blocks that found wrong values: in graphs %llu, in plain work %llu\n",
        mode.c_str(), threads, seed, rounds.load(), found[0], found[1]);
    return found[0] + found[1] == 0 ? 0 : 1;
}
