/// @file
/// @brief  The host backend against the standard library's parallel algorithms and the bandwidth of memory.
///
/// Contenders take turns, so that a busy machine slows all of them; medians are compared, results are checked.
/// usage: host_bench [--log2 N] [--repeats N] [--threads N] [--json FILE]
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <execution>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace host = parprims::detail::host;
using parprims::identity;
using parprims::plus;
using parprims::detail::scan_kind;

struct contender {
    std::string name;
    double bytes;
    std::function<void()> run;
    std::vector<double> seconds;
    std::vector<double> cpu_seconds;  // of all threads together: what is left when other programs take the cores
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Median of the ratios of turns next to each other: what the machine did at that time cancels out.
double speedup(const std::vector<double>& ours, const std::vector<double>& theirs)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i)
        ratios.push_back(theirs[i] / ours[i]);
    return median(ratios);
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

/// Calls f(begin, end) for each thread's share.
template <class F>
void on_threads(unsigned threads, std::size_t n, F f)
{
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
        workers.emplace_back([=, &f] { f(n / threads * t, t + 1 == threads ? n : n / threads * (t + 1)); });
    for (std::thread& worker : workers)
        worker.join();
}

bool check(const char* what, bool ok)
{
    if (!ok)
        std::fprintf(stderr, "host_bench: wrong result: %s\n", what);
    return ok;
}

class table {
public:
    void add(const contender& row, const contender& reference)
    {
        const double seconds = median(row.seconds);
        const double wall = speedup(row.seconds, reference.seconds);
        const double cpu = speedup(row.cpu_seconds, reference.cpu_seconds);
        std::printf("%-40s %8.2f ms %7.2f GB/s %8.2f ms of cpu %6.2fx (cpu %5.2fx) %s\n", row.name.c_str(),
                    seconds * 1e3, row.bytes / seconds * 1e-9, median(row.cpu_seconds) * 1e3, wall, cpu,
                    reference.name.c_str());
        rows_.push_back({{"name", row.name},
                         {"median_s", seconds},
                         {"median_cpu_s", median(row.cpu_seconds)},
                         {"bytes", row.bytes},
                         {"reference", reference.name},
                         {"speedup", wall},
                         {"cpu_speedup", cpu},
                         {"seconds", row.seconds}});
    }
    const nlohmann::json& rows() const { return rows_; }

private:
    nlohmann::json rows_ = nlohmann::json::array();
};

struct byte_axis {
    std::size_t extent() const { return 256; }
    std::size_t slot(std::uint8_t x) const { return x; }
};

bool bench_float(table& results, std::size_t n, unsigned threads, int repeats)
{
    std::vector<float> in(n), out(n), expected(n);
    std::mt19937 random(1);
    for (float& x : in)
        x = std::ldexp(static_cast<float>(random()), -32);
    const double bytes = static_cast<double>(n * sizeof(float));
    float ours = 0, theirs = 0;
    std::vector<contender> contenders{
        {"read (plain loop, same threads)",
         bytes,
         [&] {
             on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                 std::uint64_t any = 0, word = 0;
                 for (std::size_t i = begin; i + 1 < end; i += 2) {
                     std::memcpy(&word, &in[i], sizeof word);
                     any |= word;
                 }
                 volatile std::uint64_t sink = any;
                 static_cast<void>(sink);
             });
         },
         {},
         {}},
        {"std::reduce par_unseq",
         bytes,
         [&] { theirs = std::reduce(std::execution::par_unseq, in.begin(), in.end(), 0.0f); },
         {},
         {}},
        {"parprims reduce",
         bytes,
         [&] { ours = host::reduce(threads, in.data(), n, 0.0f, plus{}, identity{}); },
         {},
         {}},
        {"memcpy (same threads)",
         2 * bytes,
         [&] {
             on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                 std::memcpy(&out[begin], &in[begin], (end - begin) * sizeof(float));
             });
         },
         {},
         {}},
        {"std::inclusive_scan par",
         2 * bytes,
         [&] { std::inclusive_scan(std::execution::par, in.begin(), in.end(), expected.begin()); },
         {},
         {}},
        {"parprims inclusive_scan",
         2 * bytes,
         [&] {
             host::scan<scan_kind::inclusive, float>(threads, in.data(), n, out.data(), nullptr, plus{}, identity{});
         },
         {},
         {}},
        {"parprims inclusive_scan in place",
         2 * bytes,
         [&] {
             host::scan<scan_kind::inclusive, float>(threads, expected.data(), n, expected.data(), nullptr, plus{},
                                                     identity{});
         },
         {},
         {}},
    };
    take_turns(contenders, repeats);
    for (std::size_t i = 0; i < contenders.size(); ++i)
        results.add(contenders[i], contenders[i < 3 ? 1 : 4]);

    double exact = 0, worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        exact += static_cast<double>(in[i]);
        worst = std::max(worst, std::abs(static_cast<double>(out[i]) - exact) / exact);
    }
    // The standard library's own sum is much less exact than ours: its order is the order of the elements.
    const bool sums = check("reduce", std::abs(static_cast<double>(ours) - exact) <= 1e-6 * exact);
    return sums && check("scan", worst < 1e-5);
}

bool bench_bytes(table& results, std::size_t n, unsigned threads, int repeats, const std::string& what,
                 int percent_equal)
{
    std::vector<std::uint8_t> in(n);
    std::mt19937 random(2);
    for (std::uint8_t& x : in) {
        const auto r = static_cast<std::uint32_t>(random());
        x = (r >> 8) % 100 < static_cast<std::uint32_t>(percent_equal) ? 77 : static_cast<std::uint8_t>(r);
    }
    std::vector<std::uint64_t> ours(256), theirs(256);
    const double bytes = static_cast<double>(n);
    std::vector<contender> contenders{
        {"one private copy a thread, " + what,
         bytes,
         [&] {
             std::fill(theirs.begin(), theirs.end(), 0);
             std::mutex adding;
             on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
                 std::array<std::uint64_t, 256> own{};
                 for (std::size_t i = begin; i < end; ++i)
                     ++own[in[i]];
                 const std::scoped_lock lock(adding);
                 for (std::size_t b = 0; b < 256; ++b)
                     theirs[b] += own[b];
             });
         },
         {},
         {}},
        {"parprims histogram u8, " + what,
         bytes,
         [&] { host::histogram(threads, in.data(), n, byte_axis{}, ours.data()); },
         {},
         {}},
    };
    take_turns(contenders, repeats);
    for (const contender& each : contenders)
        results.add(each, contenders[0]);
    return check("histogram", ours == theirs);
}

}  // namespace

int main(int argc, char** argv)
{
    unsigned log2 = 27, threads = std::max(1u, std::thread::hardware_concurrency());
    int repeats = 7;
    std::string json;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        if (option == "--log2")
            log2 = static_cast<unsigned>(std::stoul(argv[i + 1]));
        else if (option == "--repeats")
            repeats = std::max(1, std::stoi(argv[i + 1]));
        else if (option == "--threads")
            threads = std::max(1u, static_cast<unsigned>(std::stoul(argv[i + 1])));
        else if (option == "--json")
            json = argv[i + 1];
    }
    const std::size_t n = std::size_t{1} << log2;
    std::printf("2^%u elements, %u threads, median of %d turns\n", log2, threads, repeats);
    table results;
    bool ok = bench_float(results, n, threads, repeats);
    ok &= bench_bytes(results, n, threads, repeats, "uniform", 0);
    ok &= bench_bytes(results, n, threads, repeats, "90% equal", 90);
    if (!json.empty())
        std::ofstream(json) << nlohmann::json{{"log2", log2}, {"threads", threads}, {"rows", results.rows()}}.dump(2);
    return ok ? 0 : 1;
}
