// The primitives over the bytes of a file. This source is the same for both backends: compiled as CUDA where a GPU may
// run it (bytes are not among the prebuilt types), as C++ elsewhere.
#include "describe/statistics.hpp"

#include "support/memory.hpp"

#include <parprims/parprims.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace pp = parprims;

namespace {

struct widen {
    PARPRIMS_HOST_DEVICE std::uint64_t operator()(std::uint8_t byte) const { return byte; }
};

/// What one value adds to the entropy, in bits.
struct entropy_term {
    double total;
    PARPRIMS_HOST_DEVICE double operator()(std::uint64_t count) const
    {
        if (count == 0)
            return 0.0;
        const double share = static_cast<double>(count) / total;
        return -share * std::log2(share);
    }
};

/// The same by the plainest loops.
statistics plain_loops(std::span<const std::uint8_t> bytes)
{
    statistics expected;
    for (const std::uint8_t byte : bytes) {
        ++expected.counts[byte];
        expected.minimum = std::min(expected.minimum, byte);
        expected.maximum = std::max(expected.maximum, byte);
        expected.sum += byte;
    }
    std::uint64_t so_far = 0;
    for (std::size_t value = 0; value < 256; ++value) {
        expected.cumulative[value] = so_far += expected.counts[value];
        const double share = static_cast<double>(expected.counts[value]) / static_cast<double>(bytes.size());
        if (expected.counts[value] != 0)
            expected.entropy_bits -= share * std::log(share) / std::numbers::ln2;
    }
    return expected;
}

template <class Policy>
measured_statistics measure_with(const Policy& policy, std::span<const std::uint8_t> file)
{
    const statistics expected = plain_loops(file);
    statistics found;
    samples::stopwatch<Policy> watch(policy);
    const std::size_t n = file.size();
    constexpr std::size_t table_bytes = 256 * sizeof(std::uint64_t);

    auto bytes = samples::bring(policy, file);
    auto counts = samples::make_array<std::uint64_t>(policy, 256);
    auto cumulative = samples::make_array<std::uint64_t>(policy, 256);
    if constexpr (std::is_same_v<Policy, pp::device_policy>) {
        watch.time({"copy to the GPU", "the bytes", n, n}, [&] { bytes.copy_from(file); });
        watch.check(std::ranges::equal(bytes.to_host(), file));
    }

    // Over all bytes.
    watch.time({"histogram", "256 counts", n, n + table_bytes},
               [&] { pp::histogram(policy, bytes.begin(), bytes.end(), pp::integer_axis(0, 256), counts.begin()); });
    std::ranges::copy(samples::fetch(counts), found.counts.begin());
    watch.check(found.counts == expected.counts);

    watch.time({"reduce minimum", "smallest byte", n, n}, [&] {
        found.minimum = pp::reduce(policy, bytes.begin(), bytes.end(), std::uint8_t{255}, pp::minimum{});
    });
    watch.check(found.minimum == expected.minimum);

    watch.time({"reduce maximum", "largest byte", n, n},
               [&] { found.maximum = pp::reduce(policy, bytes.begin(), bytes.end(), std::uint8_t{0}, pp::maximum{}); });
    watch.check(found.maximum == expected.maximum);

    watch.time({"transform_reduce plus", "sum, for the mean", n, n}, [&] {
        found.sum = pp::transform_reduce(policy, bytes.begin(), bytes.end(), std::uint64_t{0}, pp::plus{}, widen{});
    });
    watch.check(found.sum == expected.sum);

    // Over the 256 counts, which have not left the device.
    watch.time({"inclusive_scan plus", "cumulative distribution", 256, 2 * table_bytes},
               [&] { pp::inclusive_scan(policy, counts.begin(), counts.end(), cumulative.begin()); });
    std::ranges::copy(samples::fetch(cumulative), found.cumulative.begin());
    watch.check(found.cumulative == expected.cumulative);

    const entropy_term term{static_cast<double>(n)};
    watch.time({"transform_reduce plus", "entropy", 256, table_bytes}, [&] {
        found.entropy_bits = pp::transform_reduce(policy, counts.begin(), counts.end(), 0.0, pp::plus{}, term);
    });
    // Sums of 256 terms of at most 0.54 bits, in another order.
    watch.check(std::abs(found.entropy_bits - expected.entropy_bits) < 1e-12);
    return {found, watch.take()};
}

}  // namespace

bool measured_statistics::checked() const
{
    return std::ranges::all_of(timings, &samples::timing::checked);
}

measured_statistics measure(std::span<const std::uint8_t> bytes, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return measure_with(policy, bytes); });
}
