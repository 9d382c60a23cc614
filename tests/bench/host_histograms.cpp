// Histograms on the host: of bytes beside private copies, of floats, weights and pairs beside Boost.Histogram.
#include "host_contenders.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/profile.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weights.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <boost/histogram.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace bench {

namespace {

namespace host = parprims::detail::host;
namespace bh = boost::histogram;
using range = oneapi::tbb::blocked_range<std::size_t>;

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

/// Between 0 and 1; so many of them are equal.
std::vector<float> random_samples(std::size_t n, unsigned percent_equal)
{
    std::vector<float> in = random_floats(n);
    std::mt19937 random(3);
    for (float& x : in)
        if (random() % 100 < percent_equal)
            x = 0.3f;
    return in;
}

bh::axis::regular<float> boost_axis(std::size_t bins)
{
    return bh::axis::regular<float>(static_cast<unsigned>(bins), 0, 1);
}

/// Calls `fill(own, begin, end)` on each thread with a histogram of its own, then `add(own)` for each.
template <class Make, class Fill, class Add>
void in_private_copies(unsigned threads, std::size_t n, Make make, Fill fill, Add add)
{
    std::mutex adding;
    on_threads(threads, n, [&](std::size_t begin, std::size_t end) {
        auto own = make();
        fill(own, begin, end);
        const std::scoped_lock lock(adding);
        add(own);
    });
}

/// Beside Boost.Histogram, which has the same bins if their number is a power of two.
void bench_float_histogram(report& out, std::size_t n, std::size_t bins, unsigned threads, int repeats,
                           const std::string& spread, unsigned percent_equal)
{
    const std::vector<float> in = random_samples(n, percent_equal);
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
                  in_private_copies(
                      threads, n,
                      [&] { return bh::make_histogram_with(std::vector<std::uint32_t>(), boost_axis(bins)); },
                      [&](auto& own, std::size_t begin, std::size_t end) {
                          own.fill(std::span(in).subspan(begin, end - begin));
                      },
                      [&](const auto& own) {
                          for (std::size_t b = 0; b < bins; ++b)
                              theirs[b] += own.at(static_cast<int>(b));
                      });
              }},
             {"reading", [&] { read_all(in, threads); }}},
            [&] { return ours == theirs; });
}

bool agree(double ours, double theirs)
{
    return std::abs(ours - theirs) <= 1e-6 * theirs;
}
bool agree(const parprims::weighted_sum<double>& ours, const bh::accumulators::weighted_sum<double>& theirs)
{
    return agree(ours.value, theirs.value()) && agree(ours.variance, theirs.variance());
}
/// Not the variance: Boost 1.74 adds up those of copies as if they had one mean.
bool agree(const parprims::profile_bin<double>& ours, const bh::accumulators::mean<double>& theirs)
{
    return static_cast<double>(ours.count) == theirs.count() && (ours.count == 0 || agree(ours.mean, theirs.value()));
}

/// Times histograms with weights, or profiles. `Sum` is double, or a struct of doubles; Boost.Histogram's storage has the same.
template <class Sum, class Storage>
void bench_weights(report& out, std::size_t n, std::size_t bins, unsigned threads, int repeats,
                   const std::string& spread, unsigned percent_equal)
{
    constexpr bool is_profile = std::is_same_v<Sum, parprims::profile_bin<double>>;
    const std::vector<float> in = random_samples(n, percent_equal), weights = random_floats(n);
    const parprims::regular_axis axis(bins, 0.0f, 1.0f);
    std::vector<Sum> ours(bins);
    std::vector<typename Storage::value_type> theirs(bins);
    row what{.type = "f32", .n = n, .bytes = static_cast<double>(2 * n * sizeof(float))};
    what.work = is_profile ? "profile" : "weighted_histogram";
    what.variant = std::is_same_v<Sum, parprims::weighted_sum<double>> ? "variances" : "";
    what.bins = bins;
    what.spread = spread;
    measure(out, what, repeats,
            {{"parprims",
              [&] {
                  const auto policy = parprims::host.threads(threads);
                  if constexpr (is_profile)
                      parprims::profile(policy, in, weights.data(), axis, ours.data());
                  else
                      parprims::weighted_histogram(policy, in, weights.data(), axis, ours.data());
              }},
             {"Boost.Histogram, private copies",
              [&] {
                  theirs.assign(bins, {});
                  in_private_copies(
                      threads, n, [&] { return bh::make_histogram_with(Storage(), boost_axis(bins)); },
                      [&](auto& own, std::size_t begin, std::size_t end) {
                          const auto part = std::span(weights).subspan(begin, end - begin);
                          if constexpr (is_profile)
                              own.fill(std::span(in).subspan(begin, end - begin), bh::sample(part));
                          else
                              own.fill(std::span(in).subspan(begin, end - begin), bh::weight(part));
                      },
                      [&](const auto& own) {
                          for (std::size_t b = 0; b < bins; ++b)
                              theirs[b] += own.at(static_cast<int>(b));
                      });
              }},
             {"reading",
              [&] {
                  read_all(in, threads);
                  read_all(weights, threads);
              }}},
            [&] {
                return std::equal(ours.begin(), ours.end(), theirs.begin(),
                                  [](const Sum& a, const auto& b) { return agree(a, b); });
            });
}

/// Pairs, of which the second is independent of the first.
void bench_pairs(report& out, std::size_t n, std::size_t side, unsigned threads, int repeats)
{
    const std::vector<float> x = random_floats(n);
    std::vector<float> y(x.rbegin(), x.rend());
    const parprims::regular_axis of_side(side, 0.0f, 1.0f);
    const parprims::product_axis axis(of_side, of_side);
    std::vector<std::uint32_t> ours(axis.extent()), theirs(axis.extent());
    row what{.work = "histogram of pairs", .type = "f32", .n = n, .bytes = static_cast<double>(2 * n * sizeof(float))};
    what.bins = axis.extent();
    what.spread = "uniform";
    measure(out, what, repeats,
            {{"parprims",
              [&] { host::histogram(threads, parprims::zip_iterator(x.data(), y.data()), n, axis, ours.data()); }},
             {"Boost.Histogram, private copies",
              [&] {
                  std::fill(theirs.begin(), theirs.end(), 0);
                  in_private_copies(
                      threads, n,
                      [&] {
                          return bh::make_histogram_with(std::vector<std::uint32_t>(), boost_axis(side),
                                                         boost_axis(side));
                      },
                      [&](auto& own, std::size_t begin, std::size_t end) {
                          own.fill(std::array{std::span(x).subspan(begin, end - begin),
                                              std::span<const float>(y).subspan(begin, end - begin)});
                      },
                      [&](const auto& own) {
                          for (std::size_t i = 0; i < axis.extent(); ++i)
                              theirs[i] += own.at(static_cast<int>(i / side), static_cast<int>(i % side));
                      });
              }},
             {"reading",
              [&] {
                  read_all(x, threads);
                  read_all(y, threads);
              }}},
            [&] { return ours == theirs; });
}

}  // namespace

void bench_histograms(report& out, const options& asked)
{
    const std::size_t n = std::size_t{1} << asked.log2;
    const struct {
        const char* name;
        unsigned percent_equal;
    } spreads[] = {{"uniform", 0}, {"90 % in one", 90}};
    if (asked.wants("histogram"))
        for (const auto& spread : spreads)
            bench_histogram(out, n, asked.threads, asked.repeats, spread.name, spread.percent_equal);
    if (asked.wants("histogram"))
        for (const std::size_t bins : {256, 4096, 65536})
            for (const auto& spread : spreads)
                bench_float_histogram(out, n, bins, asked.threads, asked.repeats, spread.name, spread.percent_equal);
    if (asked.wants("weights"))
        for (const auto& spread : spreads) {
            using pair = parprims::weighted_sum<double>;
            const auto run = [&](auto bench, std::size_t bins) {
                bench(out, n, bins, asked.threads, asked.repeats, spread.name, spread.percent_equal);
            };
            run(bench_weights<double, std::vector<double>>, 1024);
            run(bench_weights<double, std::vector<double>>, 65536);
            run(bench_weights<pair, bh::weight_storage>, 1024);
            run(bench_weights<parprims::profile_bin<double>, bh::profile_storage>, 256);
        }
    if (asked.wants("dimensions"))
        for (const std::size_t side : {64, 256})
            bench_pairs(out, n, side, asked.threads, asked.repeats);
}

}  // namespace bench
