// What the benches of the host share: contenders that take turns, so that a busy machine slows all of them, and threads that read.
#pragma once

#include "report.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace bench {

struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds{};
    std::vector<double> cpu_seconds{};  // of all threads together: what is left when other programs take the cores
};

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

inline double cpu_now()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

inline void take_turns(std::vector<contender>& contenders, int repeats)
{
    for (int i = -1; i < repeats; ++i)  // the first turn warms up
        for (contender& each : contenders) {
            const double cpu_start = cpu_now();
            const auto start = std::chrono::steady_clock::now();
            each.run();
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
            if (i < 0)
                continue;
            each.seconds.push_back(elapsed.count());
            each.cpu_seconds.push_back(cpu_now() - cpu_start);
        }
}

/// Measures the first contender beside each of the others, and adds a row for each.
inline void measure(report& out, row next, int repeats, std::vector<contender> contenders,
                    const std::function<bool()>& is_right)
{
    take_turns(contenders, repeats);
    const contender& ours = contenders.front();
    next.how = "end to end";
    next.is_right = is_right();
    next.seconds = median(ours.seconds);
    next.cpu_seconds = median(ours.cpu_seconds);
    for (std::size_t i = 1; i < contenders.size(); ++i) {
        next.reference = contenders[i].name;
        next.reference_seconds = median(contenders[i].seconds);
        next.reference_cpu_seconds = median(contenders[i].cpu_seconds);
        out.add(next);
    }
}

/// Calls f(begin, end) for each thread's share, on threads that are there already.
template <class F>
void on_threads(unsigned threads, std::size_t n, F f)
{
    oneapi::tbb::parallel_for(
        0u, threads, [&](unsigned t) { f(n / threads * t, t + 1 == threads ? n : n / threads * (t + 1)); },
        oneapi::tbb::static_partitioner{});
}

inline void read_all(const std::vector<float>& in, unsigned threads)
{
    on_threads(threads, in.size(), [&](std::size_t begin, std::size_t end) {
        std::uint64_t any = 0, word = 0;
        for (std::size_t i = begin; i + 1 < end; i += 2) {
            std::memcpy(&word, &in[i], sizeof word);
            any |= word;
        }
        volatile std::uint64_t sink = any;
        static_cast<void>(sink);
    });
}

inline std::vector<float> random_floats(std::size_t n)
{
    std::vector<float> result(n);
    std::mt19937 random(1);
    for (float& x : result)
        x = std::ldexp(static_cast<float>(random()), -32);
    return result;
}

/// Groups histogram, weights and dimensions, as far as they are asked for (host_histograms.cpp).
void bench_histograms(report& out, const options& asked);
/// Groups segments, keys and elements (host_runs.cpp).
void bench_runs(report& out, const options& asked);

}  // namespace bench
