// The primitives over the bytes of a file. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "describe/statistics.hpp"

#include <parprims/parprims.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

/// All results by plain loops.
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

/// The bytes and the two arrays of 256 numbers are where the policy runs.
template <class Policy>
void measure_with(const Policy& policy, samples::stopwatch<Policy>& watch, std::span<const std::uint8_t> bytes,
                  std::span<std::uint64_t> counts, std::span<std::uint64_t> cumulative, statistics& found)
{
    const std::size_t n = bytes.size();

    // Over all bytes.
    watch.time({"histogram", "256 counts", n, n + counts.size_bytes()},
               [&] { pp::histogram(policy, bytes, pp::integer_axis(0, 256), counts.data()); });
    watch.time({"reduce minimum", "smallest byte", n, n},
               [&] { found.minimum = pp::reduce(policy, bytes, std::uint8_t{255}, pp::minimum{}); });
    watch.time({"reduce maximum", "largest byte", n, n},
               [&] { found.maximum = pp::reduce(policy, bytes, std::uint8_t{0}, pp::maximum{}); });
    watch.time({"transform_reduce plus", "sum, for the mean", n, n},
               [&] { found.sum = pp::transform_reduce(policy, bytes, std::uint64_t{0}, pp::plus{}, widen{}); });

    // Over the 256 counts, which have not left the device.
    watch.time({"inclusive_scan plus", "cumulative distribution", 256, 2 * counts.size_bytes()},
               [&] { pp::inclusive_scan(policy, counts, cumulative.data()); });
    const entropy_term term{static_cast<double>(n)};
    watch.time({"transform_reduce plus", "entropy", 256, counts.size_bytes()},
               [&] { found.entropy_bits = pp::transform_reduce(policy, counts, 0.0, pp::plus{}, term); });
}

/// Marks each timing whose result is that of plain loops; the last six are those of `measure_with`.
void check(const statistics& found, const statistics& expected, std::vector<samples::timing>& timings)
{
    const std::array is_right{found.counts == expected.counts, found.minimum == expected.minimum,
                              found.maximum == expected.maximum, found.sum == expected.sum,
                              found.cumulative == expected.cumulative,
                              // Sums of 256 terms of at most 0.54 bits, in another order.
                              std::abs(found.entropy_bits - expected.entropy_bits) < 1e-12};
    for (std::size_t i = 1; i <= is_right.size(); ++i)
        timings[timings.size() - i].checked = is_right[is_right.size() - i];
}

}  // namespace

bool measured_statistics::checked() const
{
    return std::ranges::all_of(timings, &samples::timing::checked);
}

measured_statistics measure(std::span<const std::uint8_t> file, [[maybe_unused]] const samples::place& where)
{
    measured_statistics result;
    statistics& found = result.found;
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        samples::stopwatch watch(pp::device);
        pp::device_buffer<std::uint8_t> bytes(file.size());
        pp::device_buffer<std::uint64_t> counts(256), cumulative(256);
        watch.time({"copy to the GPU", "the bytes", file.size(), file.size()}, [&] { bytes.copy_from(file); });
        watch.check(std::ranges::equal(bytes.to_host(), file));
        measure_with(pp::device, watch, bytes, counts, cumulative, found);
        counts.copy_to(found.counts);
        cumulative.copy_to(found.cumulative);
        result.timings = watch.take();
        check(found, plain_loops(file), result.timings);
        return result;
    }
#endif
    samples::stopwatch watch(pp::host);
    measure_with(pp::host, watch, file, found.counts, found.cumulative, found);
    result.timings = watch.take();
    check(found, plain_loops(file), result.timings);
    return result;
}
