/// @file
/// @brief  The host backend beside the standard library's parallel algorithms, oneTBB alone and the bandwidth of memory.
///
/// Contenders take turns, so that a busy machine slows all of them; medians are compared, results are checked.
#include "report.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/version.h>
#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/make_histogram.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <execution>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace host = parprims::detail::host;
using bench::report;
using bench::row;
using parprims::identity;
using parprims::plus;
using parprims::detail::scan_kind;
using range = oneapi::tbb::blocked_range<std::size_t>;

struct contender {
    std::string name;
    std::function<void()> run;
    std::vector<double> seconds{};
    std::vector<double> cpu_seconds{};  // of all threads together: what is left when other programs take the cores
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double cpu_now()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void take_turns(std::vector<contender>& contenders, int repeats)
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
void measure(report& out, row next, int repeats, std::vector<contender> contenders,
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

void read_all(const std::vector<float>& in, unsigned threads)
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

std::vector<float> random_floats(std::size_t n)
{
    std::vector<float> result(n);
    std::mt19937 random(1);
    for (float& x : result)
        x = std::ldexp(static_cast<float>(random()), -32);
    return result;
}

void bench_reduce(report& out, const std::vector<float>& in, unsigned threads, int repeats)
{
    float ours = 0, theirs = 0;
    const auto bytes = static_cast<double>(in.size() * sizeof(float));
    measure(out, {.work = "reduce", .type = "f32", .n = in.size(), .bytes = bytes}, repeats,
            {{"parprims", [&] { ours = host::reduce(threads, in.data(), in.size(), 0.0f, plus{}, identity{}); }},
             {"std::reduce par_unseq",
              [&] { theirs = std::reduce(std::execution::par_unseq, in.begin(), in.end(), 0.0f); }},
             {"TBB parallel_reduce",
              [&] {
                  theirs = oneapi::tbb::parallel_reduce(
                      range(0, in.size()), 0.0f,
                      [&](const range& part, float sum) {
                          for (std::size_t i = part.begin(); i < part.end(); ++i)
                              sum += in[i];
                          return sum;
                      },
                      std::plus<>{});
              }},
             {"reading", [&] { read_all(in, threads); }}},
            [&] {  // the references' own sums are much less exact than ours: their order is the order of the elements
                const double exact = std::accumulate(in.begin(), in.end(), 0.0);
                return std::abs(static_cast<double>(ours) - exact) <= 1e-6 * exact;
            });
}

/// A body for parallel_scan as its documentation has it.
struct tbb_scan {
    const float* in;
    float* out;
    float sum = 0;

    tbb_scan(const float* from, float* to) : in(from), out(to) {}
    tbb_scan(const tbb_scan& other, oneapi::tbb::split) : in(other.in), out(other.out) {}
    template <class Tag>
    void operator()(const range& part, Tag)
    {
        float running = sum;
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
            running += in[i];
            if (Tag::is_final_scan())
                out[i] = running;
        }
        sum = running;
    }
    void reverse_join(const tbb_scan& left) { sum = left.sum + sum; }
    void assign(const tbb_scan& other) { sum = other.sum; }
};

void bench_scan(report& out, const std::vector<float>& in, unsigned threads, int repeats)
{
    const std::size_t n = in.size();
    std::vector<float> ours(n), theirs(n);
    const auto scan = [&](const float* from, float* to) {
        host::scan<scan_kind::inclusive, float>(threads, from, n, to, nullptr, plus{}, identity{});
    };
    const row what{
        .work = "inclusive_scan", .type = "f32", .n = n, .bytes = static_cast<double>(2 * n * sizeof(float))};
    measure(out, what, repeats,
            {{"parprims", [&] { scan(in.data(), ours.data()); }},
             {"std::inclusive_scan par",
              [&] { std::inclusive_scan(std::execution::par, in.begin(), in.end(), theirs.begin()); }},
             {"std::inclusive_scan par_unseq",
              [&] { std::inclusive_scan(std::execution::par_unseq, in.begin(), in.end(), theirs.begin()); }},
             {"TBB parallel_scan",
              [&] {
                  tbb_scan body(in.data(), theirs.data());
                  oneapi::tbb::parallel_scan(range(0, n), body);
              }},
             {"memcpy",
              [&] {
                  on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                      std::memcpy(&theirs[begin], &in[begin], (end - begin) * sizeof(float));
                  });
              }}},
            [&] {
                double exact = 0, worst = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    exact += static_cast<double>(in[i]);
                    worst = std::max(worst, std::abs(static_cast<double>(ours[i]) - exact) / exact);
                }
                return worst < 1e-5;
            });
    row in_place = what;
    in_place.variant = "in place";
    measure(out, in_place, repeats,
            {{"parprims", [&] { scan(ours.data(), ours.data()); }},
             {"std::inclusive_scan par",
              [&] { std::inclusive_scan(std::execution::par, theirs.begin(), theirs.end(), theirs.begin()); }}},
            [] { return true; });  // of what became of the values nothing is asked any more
}

struct byte_axis {
    std::size_t extent() const { return 256; }
    std::size_t slot(std::uint8_t x) const { return x; }
};

using counters = std::array<std::uint64_t, 256>;

void count(counters& own, const std::vector<std::uint8_t>& in, std::size_t begin, std::size_t end)
{
    for (std::size_t i = begin; i < end; ++i)
        ++own[in[i]];
}

void bench_histogram(report& out, std::size_t n, unsigned threads, int repeats, const std::string& spread,
                     unsigned percent_equal)
{
    std::vector<std::uint8_t> in(n);
    std::mt19937 random(2);
    for (std::uint8_t& x : in) {
        const auto r = static_cast<std::uint32_t>(random());
        x = (r >> 8) % 100 < percent_equal ? 77 : static_cast<std::uint8_t>(r);
    }
    counters ours{}, privates{}, tbbs{};
    row what{.work = "histogram", .type = "u8", .n = n, .bytes = static_cast<double>(n)};
    what.bins = 256;
    what.spread = spread;
    measure(out, what, repeats,
            {{"parprims", [&] { host::histogram(threads, in.data(), n, byte_axis{}, ours.data()); }},
             {"private copies",
              [&] {
                  privates.fill(0);
                  std::mutex adding;
                  on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                      counters own{};
                      count(own, in, begin, end);
                      const std::scoped_lock lock(adding);
                      for (std::size_t b = 0; b < own.size(); ++b)
                          privates[b] += own[b];
                  });
              }},
             {"TBB, private copies",
              [&] {
                  oneapi::tbb::enumerable_thread_specific<counters> copies(counters{});
                  oneapi::tbb::parallel_for(range(0, n), [&](const range& part) {
                      count(copies.local(), in, part.begin(), part.end());
                  });
                  tbbs.fill(0);
                  for (const counters& own : copies)
                      for (std::size_t b = 0; b < own.size(); ++b)
                          tbbs[b] += own[b];
              }}},
            [&] { return ours == privates && ours == tbbs; });
}

/// Beside Boost.Histogram, which has the same bins if their number is a power of two.
void bench_float_histogram(report& out, std::size_t n, std::size_t bins, unsigned threads, int repeats,
                           const std::string& spread, unsigned percent_equal)
{
    namespace bh = boost::histogram;
    std::vector<float> in = random_floats(n);
    std::mt19937 random(3);
    for (float& x : in)
        if (random() % 100 < percent_equal)
            x = 0.3f;
    const parprims::regular_axis axis(bins, 0.0f, 1.0f);
    std::vector<std::uint32_t> ours(bins), theirs(bins);
    row what{.work = "histogram", .type = "f32", .n = n, .bytes = static_cast<double>(n * sizeof(float))};
    what.bins = bins;
    what.spread = spread;
    measure(out, what, repeats,
            {{"parprims", [&] { host::histogram(threads, in.data(), n, axis, ours.data()); }},
             {"Boost.Histogram, private copies",
              [&] {
                  std::fill(theirs.begin(), theirs.end(), 0);
                  std::mutex adding;
                  on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                      auto own = bh::make_histogram_with(std::vector<std::uint32_t>(),
                                                         bh::axis::regular<float>(static_cast<unsigned>(bins), 0, 1));
                      own.fill(std::span<const float>(in).subspan(begin, end - begin));
                      const std::scoped_lock lock(adding);
                      for (std::size_t b = 0; b < bins; ++b)
                          theirs[b] += own.at(static_cast<int>(b));
                  });
              }},
             {"reading", [&] { read_all(in, threads); }}},
            [&] { return ours == theirs; });
}

}  // namespace

int main(int argc, char** argv)
{
    bench::options defaults;
    defaults.log2 = 27;
    defaults.threads = std::max(1u, std::thread::hardware_concurrency());
    const bench::options asked = bench::parse(
        "parprims on the CPU beside the standard library, oneTBB and memory", argc, argv, defaults,
        {{"reduce", "sums of floats"}, {"scan", "running sums of floats"}, {"histogram", "of bytes and of floats"}});
    const oneapi::tbb::global_control same_threads(oneapi::tbb::global_control::max_allowed_parallelism, asked.threads);
    const std::size_t n = std::size_t{1} << asked.log2;
    report out("host");
    if (asked.wants("reduce") || asked.wants("scan")) {
        const std::vector<float> in = random_floats(n);
        if (asked.wants("reduce"))
            bench_reduce(out, in, asked.threads, asked.repeats);
        if (asked.wants("scan"))
            bench_scan(out, in, asked.threads, asked.repeats);
    }
    if (asked.wants("histogram")) {
        bench_histogram(out, n, asked.threads, asked.repeats, "uniform", 0);
        bench_histogram(out, n, asked.threads, asked.repeats, "90 % in one", 90);
        for (const std::size_t bins : {256, 4096, 65536}) {
            bench_float_histogram(out, n, bins, asked.threads, asked.repeats, "uniform", 0);
            bench_float_histogram(out, n, bins, asked.threads, asked.repeats, "90 % in one", 90);
        }
    }
    const std::string threads = std::to_string(asked.threads) + " threads";
    return out.finish(asked, {"", "", "libstdc++ and oneTBB " TBB_VERSION_STRING ", " + threads});
}
