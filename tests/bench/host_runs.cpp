// Segments, keys, extremes and compaction on the host, beside the standard library, oneTBB and a loop of one thread.
#include "host_contenders.hpp"

#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/extremes.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/transform.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <execution>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace bench {

namespace {

namespace pp = parprims;
using range = oneapi::tbb::blocked_range<std::size_t>;

bool are_close(const std::vector<float>& a, const std::vector<float>& b, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i)
        if (std::abs(a[i] - b[i]) > 1e-4f * std::abs(b[i]) + 1e-4f)
            return false;
    return true;
}

/// Offsets of segments of 1 to 64 elements, or of `size` elements.
std::vector<std::uint32_t> offsets_of(std::size_t n, std::size_t size)
{
    std::vector<std::uint32_t> offsets{0};
    std::mt19937 random(3);
    while (offsets.back() < n)
        offsets.push_back(static_cast<std::uint32_t>(
            std::min<std::size_t>(n, offsets.back() + (size != 0 ? size : 1 + random() % 64))));
    return offsets;
}

/// Calls `f(first, last, s)` for each segment, on all threads.
template <class F>
void for_each_segment(const std::vector<std::uint32_t>& offsets, F f)
{
    oneapi::tbb::parallel_for(range(0, offsets.size() - 1, 1024), [&](const range& part) {
        for (std::size_t s = part.begin(); s < part.end(); ++s)
            f(offsets[s], offsets[s + 1], s);
    });
}

/// Segments of `size` elements; 0: of 1 to 64, between offsets.
void bench_segments(report& out, const std::vector<float>& in, std::size_t size, const options& asked)
{
    const auto policy = pp::host.threads(asked.threads);
    const std::size_t n = in.size();
    const std::vector<std::uint32_t> offsets = offsets_of(n, size);
    std::vector<float> ours(n), theirs(n);
    const float* const x = in.data();
    row what{.work = "segmented_reduce",
             .type = "f32",
             .variant = size != 0 ? "segments of " + std::to_string(size) : "segments of 1 to 64",
             .n = n,
             .bytes = static_cast<double>(n * sizeof(float))};
    measure(out, what, asked.repeats,
            {{"parprims",
              [&] {
                  if (size != 0)
                      pp::segmented_reduce(policy, x, x + n, size, ours.data(), 0.0f);
                  else
                      pp::segmented_reduce(policy, x, x + n, offsets.begin(), offsets.end(), ours.data(), 0.0f);
              }},
             {"TBB, std::accumulate",
              [&] {
                  for_each_segment(offsets, [&](std::size_t first, std::size_t last, std::size_t s) {
                      theirs[s] = std::accumulate(x + first, x + last, 0.0f);
                  });
              }}},
            [&] { return are_close(ours, theirs, offsets.size() - 1); });
    what.work = "segmented_inclusive_scan";
    what.bytes *= 2;
    measure(out, what, asked.repeats,
            {{"parprims",
              [&] {
                  if (size != 0)
                      pp::segmented_inclusive_scan(policy, x, x + n, size, ours.data());
                  else
                      pp::segmented_inclusive_scan(policy, x, x + n, offsets.begin(), offsets.end(), ours.data());
              }},
             {"TBB, std::inclusive_scan",
              [&] {
                  for_each_segment(offsets, [&](std::size_t first, std::size_t last, std::size_t) {
                      std::inclusive_scan(x + first, x + last, theirs.data() + first);
                  });
              }}},
            [&] { return are_close(ours, theirs, n); });
}

/// Runs of random lengths, of `length` elements on average.
void bench_keys(report& out, const std::vector<float>& in, unsigned length, const options& asked)
{
    const auto policy = pp::host.threads(asked.threads);
    const std::size_t n = in.size();
    std::vector<std::uint32_t> keys(n), our_keys(n), their_keys(n);
    std::mt19937 random(4);
    for (std::size_t i = 1; i < n; ++i)
        keys[i] = keys[i - 1] + (random() % length == 0 ? 1 : 0);
    std::vector<float> ours(n), theirs(n);
    std::size_t runs = 0, their_runs = 0;
    row what{.work = "reduce_by_key",
             .type = "u32/f32",
             .variant = "runs of " + std::to_string(length),
             .n = n,
             .bytes = static_cast<double>(2 * n * sizeof(float))};
    measure(out, what, asked.repeats,
            {{"parprims",
              [&] {
                  runs =
                      pp::reduce_by_key(policy, keys.begin(), keys.end(), in.begin(), our_keys.begin(), ours.begin());
              }},
             {"a loop of one thread",
              [&] {
                  their_runs = 0;
                  for (std::size_t i = 0; i < n; ++their_runs) {
                      their_keys[their_runs] = keys[i];
                      float sum = in[i++];
                      for (; i < n && keys[i] == their_keys[their_runs]; ++i)
                          sum += in[i];
                      theirs[their_runs] = sum;
                  }
              }}},
            [&] {
                return runs == their_runs && std::equal(our_keys.data(), our_keys.data() + runs, their_keys.data()) &&
                       are_close(ours, theirs, runs);
            });
    what.work = "inclusive_scan_by_key";
    what.bytes *= 1.5;
    measure(
        out, what, asked.repeats,
        {{"parprims", [&] { pp::inclusive_scan_by_key(policy, keys.begin(), keys.end(), in.begin(), ours.begin()); }},
         {"a loop of one thread",
          [&] {
              float sum = 0;
              for (std::size_t i = 0; i < n; ++i)
                  theirs[i] = sum = i > 0 && keys[i] == keys[i - 1] ? sum + in[i] : in[i];
          }}},
        [&] { return are_close(ours, theirs, n); });
}

void bench_elements(report& out, const std::vector<float>& in, const options& asked)
{
    const auto policy = pp::host.threads(asked.threads);
    const std::size_t n = in.size();
    std::vector<float> ours(n), theirs(n);
    row what{.work = "copy_if", .type = "f32", .variant = "half kept", .n = n};
    what.bytes = static_cast<double>(n * sizeof(float)) * 1.5;
    const auto is_low = [](float x) { return x < 0.5f; };
    std::size_t kept = 0, also = 0;
    measure(out, what, asked.repeats,
            {{"parprims",
              [&] {
                  kept = static_cast<std::size_t>(pp::copy_if(policy, in.begin(), in.end(), ours.begin(), is_low) -
                                                  ours.begin());
              }},
             {"std::copy_if par_unseq",
              [&] {
                  also = static_cast<std::size_t>(
                      std::copy_if(std::execution::par_unseq, in.begin(), in.end(), theirs.begin(), is_low) -
                      theirs.begin());
              }}},
            [&] { return kept == also && std::equal(ours.data(), ours.data() + kept, theirs.data()); });

    what = {.work = "min_element", .type = "f32", .n = n, .bytes = static_cast<double>(n * sizeof(float))};
    auto at = in.begin(), expected = at;
    measure(out, what, asked.repeats,
            {{"parprims", [&] { at = pp::min_element(policy, in.begin(), in.end()); }},
             {"std::min_element par_unseq",
              [&] { expected = std::min_element(std::execution::par_unseq, in.begin(), in.end()); }}},
            [&] { return at == expected; });

    what.work = "transform";
    what.bytes *= 2;
    const auto scaled = [](float x) { return 3 * x + 1; };
    measure(out, what, asked.repeats,
            {{"parprims", [&] { pp::transform(policy, in.begin(), in.end(), ours.begin(), scaled); }},
             {"std::transform par_unseq",
              [&] { std::transform(std::execution::par_unseq, in.begin(), in.end(), theirs.begin(), scaled); }}},
            [&] { return ours == theirs; });
}

}  // namespace

void bench_runs(report& out, const options& asked)
{
    if (!asked.wants("segments") && !asked.wants("keys") && !asked.wants("elements"))
        return;
    const std::vector<float> in = random_floats(std::size_t{1} << asked.log2);
    if (asked.wants("segments"))
        for (const std::size_t size : {0u, 2u, 32u, 1000u})
            bench_segments(out, in, size, asked);
    if (asked.wants("keys"))
        for (const unsigned length : {2u, 100u})
            bench_keys(out, in, length, asked);
    if (asked.wants("elements"))
        bench_elements(out, in, asked);
}

}  // namespace bench
