/// @file
/// @brief  Times calls over the GPUs of this machine by NCCL beside one GPU, and small calls beside NCCL's own all-gather.
///
/// usage: ranks_bench [log2 of the elements of all ranks]
#include <parprims/axis.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>
#include <parprims/nccl.hpp>
#include <parprims/reduce.hpp>
#include <parprims/slices.hpp>
#include <parprims/stream.hpp>
#include <parprims/transform.hpp>
#include <parprims/weighted_histogram.hpp>

#include <nccl.h>

#include <algorithm>
#include <barrier>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pp = parprims;

namespace {

/// Element i of the input: the bits of a hash, as a float from 0 to 1.
struct element {
    PARPRIMS_HOST_DEVICE float operator()(std::size_t i) const
    {
        std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
        return static_cast<float>(x >> 40) * 0x1p-24f;
    }
};

/// Element i of a permutation of the first `total` elements, a power of two: most are on another rank than in the input.
struct permuted_element {
    std::size_t total;

    PARPRIMS_HOST_DEVICE float operator()(std::size_t i) const
    {
        return element()((i * 0x9e3779b97f4a7c15u + 12345) & (total - 1));
    }
};

/// The median over runs of the slowest thread's time, of `calls` calls each.
class stopwatch {
public:
    explicit stopwatch(std::size_t ranks) : barrier_(static_cast<std::ptrdiff_t>(ranks)), ranks_(ranks) {}

    double microseconds(std::size_t rank, pp::stream_view work, unsigned calls, const std::function<void()>& call)
    {
        constexpr unsigned runs = 9;
        std::vector<double> times;
        for (unsigned run = 0; run <= runs; ++run) {
            work.synchronize();
            barrier_.arrive_and_wait();
            if (rank == 0)
                slowest_ = 0;
            barrier_.arrive_and_wait();
            const auto begin = std::chrono::steady_clock::now();
            for (unsigned i = 0; i < calls; ++i)
                call();
            work.synchronize();
            const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
            {
                const std::lock_guard lock(mutex_);
                slowest_ = std::max(slowest_, time.count() / calls);
            }
            barrier_.arrive_and_wait();
            if (run != 0)
                times.push_back(slowest_);
        }
        std::sort(times.begin(), times.end());
        return times[runs / 2];
    }

private:
    std::barrier<> barrier_;
    std::size_t ranks_;
    std::mutex mutex_;
    double slowest_ = 0;
};

struct figures {
    double reduce = 0, exact = 0, scan = 0, histogram = 0, weighted = 0;
    float sum = 0, exact_sum = 0, permuted_sum = 0;
    float weight = 0;
    std::uint64_t scanned = 0;  // the sum of a hash of each result
    std::uint64_t count = 0;
};

struct hash_of_bits {
    PARPRIMS_HOST_DEVICE std::uint64_t operator()(std::uint32_t bits) const
    {
        const std::uint64_t x = (bits + std::uint64_t{1}) * 0x9e3779b97f4a7c15u;
        return x ^ x >> 29;
    }
};

constexpr int bins = 256;

/// The calls over `n` elements of `total` from number `begin` on. Works with any policy.
template <class Policy>
figures measure(stopwatch& watch, std::size_t rank, const Policy& policy, pp::stream_view work, std::size_t begin,
                std::size_t n, std::size_t total, unsigned calls)
{
    pp::device_buffer<float> x(n, work), y(n, work), weights(n, work), sum(1, work), sums(bins, work);
    pp::device_buffer<std::uint64_t> counts(bins, work);
    const auto fill = [&](std::size_t from, float* values, auto make) {
        const pp::counting_iterator<std::size_t> numbers(from);
        pp::transform(pp::device.on(work), numbers, numbers + static_cast<std::ptrdiff_t>(n), values, make);
    };
    const auto add = [&](auto plus) { pp::reduce_into(policy, x.data(), x.data() + n, sum.data(), 0.0f, plus); };
    figures found;
    fill(begin, x.data(), permuted_element{total});
    add(pp::exact_plus{});
    found.permuted_sum = sum.to_host()[0];
    fill(begin, x.data(), element{});
    fill(begin + (std::size_t{1} << 40), weights.data(), element{});
    const pp::regular_axis<float> axis(bins, 0.0f, 1.0f);
    found.exact = watch.microseconds(rank, work, calls, [&] { add(pp::exact_plus{}); });
    found.exact_sum = sum.to_host()[0];
    found.reduce = watch.microseconds(rank, work, calls, [&] { add(pp::plus{}); });
    found.scan =
        watch.microseconds(rank, work, calls, [&] { pp::inclusive_scan(policy, x.data(), x.data() + n, y.data()); });
    found.histogram = watch.microseconds(rank, work, calls,
                                         [&] { pp::histogram(policy, x.data(), x.data() + n, axis, counts.data()); });
    found.weighted = watch.microseconds(rank, work, calls, [&] {
        pp::weighted_histogram(policy, x.data(), x.data() + n, weights.data(), axis, sums.data());
    });
    found.sum = sum.to_host()[0];
    found.weight = sums.to_host()[100];
    const auto* const bits = reinterpret_cast<const std::uint32_t*>(y.data());
    found.scanned =
        pp::transform_reduce(pp::device.on(work), bits, bits + n, std::uint64_t{}, pp::plus{}, hash_of_bits{});
    found.count = counts.to_host()[100];
    return found;
}

template <class Body>
void in_threads(std::size_t ranks, Body body)
{
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            const pp::device_guard on_gpu(static_cast<int>(rank));
            body(rank);
        });
    for (std::thread& each : threads)
        each.join();
}

}  // namespace

int main(int count, char** arguments)
{
    const std::size_t total = std::size_t{1} << (count > 1 ? std::atoi(arguments[1]) : 31);
    const auto ranks = static_cast<std::size_t>(pp::device_count());
    std::vector<ncclComm_t> groups(ranks);
    if (ncclCommInitAll(groups.data(), static_cast<int>(ranks), nullptr) != ncclSuccess)
        return 1;

    figures one;
    {
        stopwatch watch(1);
        const pp::stream work;
        one = measure(watch, 0, pp::device.on(work), work, 0, total, total, 3);
    }
    for (const bool is_aligned : {true, false}) {
        stopwatch watch(ranks);
        std::vector<figures> of_rank(ranks);
        in_threads(ranks, [&](std::size_t rank) {
            const pp::stream work;
            pp::nccl_communicator world(groups[rank]);
            const auto border = [&](std::size_t r) {
                return r == ranks ? total : r * (total / ranks) + (r == 0 || is_aligned ? 0 : 12345);
            };
            const std::size_t n = border(rank + 1) - border(rank);
            pp::slices slices(pp::device.on(work), world, n, 4);
            of_rank[rank] = measure(watch, rank, pp::distributed(slices), work, border(rank), n, total, 3);
            slices.check();
            if (rank == 0)
                std::printf("message %zu bytes\n", slices.message_bytes());
        });
        figures many = of_rank[0];
        for (std::size_t rank = 1; rank < ranks; ++rank)
            many.scanned += of_rank[rank].scanned;
        const auto print = [](const char* call, double two, double of_one, bool is_same) {
            std::printf("%s %.1f us of %.1f (%.3f x), same bits: %s\n", call, two, of_one, of_one / two,
                        is_same ? "yes" : "NO");
        };
        std::printf("%zu floats, %zu GPUs, slices %s:\n", total, ranks, is_aligned ? "of tiles" : "that end anywhere");
        print("reduce", many.reduce, one.reduce, many.sum == one.sum);
        print("reduce with exact_plus", many.exact, one.exact,
              many.exact_sum == one.exact_sum && many.permuted_sum == one.exact_sum);
        print("scan", many.scan, one.scan, many.scanned == one.scanned);
        print("histogram", many.histogram, one.histogram, many.count == one.count);
        print("weighted", many.weighted, one.weighted, many.weight == one.weight);
    }

    for (const std::size_t n : {1u << 16, (1u << 16) + 777, 1u << 20}) {
        for (const unsigned calls : {1u, 50u}) {
            stopwatch watch(ranks);
            in_threads(ranks, [&](std::size_t rank) {
                const pp::stream work;
                pp::nccl_communicator world(groups[rank]);
                pp::slices slices(pp::device.on(work), world, n, 4);
                pp::device_buffer<std::byte> send(slices.message_bytes(), work),
                    recv(slices.message_bytes() * ranks, work);
                const double gather = watch.microseconds(rank, work, calls, [&] {
                    world.all_gather(send.data(), recv.data(), slices.message_bytes(), work);
                });
                const figures found =
                    measure(watch, rank, pp::distributed(slices), work, rank * n, n, std::bit_ceil(ranks * n), calls);
                const pp::device_buffer<float> x(std::vector<float>(n, 0.5f), work);
                const auto policy = pp::distributed(slices);
                const double waits = watch.microseconds(rank, work, calls, [&] {
                    (void)pp::reduce(policy, x.data(), x.data() + n, 0.0f);
                });
                if (rank == 0)
                    std::printf(
                        "%zu floats a rank, %u calls at a time: all-gather of %zu bytes %.1f us; reduce_into %.1f, "
                        "exact %.1f, reduce %.1f, scan %.1f, histogram %.1f, weighted %.1f\n",
                        n, calls, slices.message_bytes(), gather, found.reduce, found.exact, waits, found.scan,
                        found.histogram, found.weighted);
            });
        }
    }
    for (ncclComm_t group : groups)
        ncclCommDestroy(group);
}
