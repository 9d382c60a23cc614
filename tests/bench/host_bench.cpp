/// @file
/// @brief  The host backend beside the standard library's parallel algorithms, oneTBB alone and the bandwidth of memory.
///
/// Contenders take turns, so that a busy machine slows all of them; medians are compared, results are checked.
#include "host_contenders.hpp"
#include "report.hpp"

#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace host = parprims::detail::host;
using bench::measure;
using bench::on_threads;
using bench::random_floats;
using bench::read_all;
using bench::report;
using bench::row;
using parprims::identity;
using parprims::plus;
using parprims::detail::scan_kind;
using range = oneapi::tbb::blocked_range<std::size_t>;

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

/// Exact sums and inner products, beside those of plus and beside reading.
void bench_exact(report& out, const std::vector<float>& in, unsigned threads, int repeats)
{
    const auto measure_sum = [&](const char* work, auto first, auto transform, std::size_t inputs) {
        float exact = 0, plain = 0;
        const row what{.work = work,
                       .type = "f32",
                       .n = in.size(),
                       .bytes = static_cast<double>(inputs * in.size() * sizeof(float))};
        measure(out, what, repeats,
                {{"parprims", [&] { exact = host::exact_sum(threads, first, in.size(), 0.0f, transform); }},
                 {"plus", [&] { plain = host::reduce(threads, first, in.size(), 0.0f, plus{}, transform); }},
                 {"reading", [&] { read_all(in, threads); }}},
                [&] { return std::abs(exact - plain) <= 1e-5f * exact; });
    };
    measure_sum("exact sum", in.data(), identity{}, 1);
    measure_sum("exact inner product", parprims::zip_iterator(in.data(), in.data()),
                parprims::detail::of_pair<parprims::multiplies>{}, 1);
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

}  // namespace

int main(int argc, char** argv)
{
    bench::options defaults;
    defaults.log2 = 27;
    defaults.threads = std::max(1u, std::thread::hardware_concurrency());
    const bench::options asked =
        bench::parse("parprims on the CPU beside the standard library, oneTBB and memory", argc, argv, defaults,
                     {{"reduce", "sums of floats"},
                      {"exact", "exact sums and inner products of floats"},
                      {"scan", "running sums of floats"},
                      {"segments", "reductions and scans of segments"},
                      {"keys", "reductions and scans by key"},
                      {"elements", "copy_if, min_element and transform"},
                      {"histogram", "of bytes and of floats"},
                      {"weights", "weighted histograms of floats, and profiles"},
                      {"dimensions", "histograms of pairs of floats"}});
    const oneapi::tbb::global_control same_threads(oneapi::tbb::global_control::max_allowed_parallelism, asked.threads);
    const std::size_t n = std::size_t{1} << asked.log2;
    report out("host", asked,
               {"", "", "libstdc++ and oneTBB " TBB_VERSION_STRING ", " + std::to_string(asked.threads) + " threads"});
    if (asked.wants("reduce") || asked.wants("scan") || asked.wants("exact")) {
        const std::vector<float> in = random_floats(n);
        if (asked.wants("reduce"))
            bench_reduce(out, in, asked.threads, asked.repeats);
        if (asked.wants("exact"))
            bench_exact(out, in, asked.threads, asked.repeats);
        if (asked.wants("scan"))
            bench_scan(out, in, asked.threads, asked.repeats);
    }
    bench::bench_runs(out, asked);
    bench::bench_histograms(out, asked);
    return out.finish();
}
