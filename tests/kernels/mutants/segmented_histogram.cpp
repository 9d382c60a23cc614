// Histograms of segments, also of weights, by two warps, small enough to be run with each planted bug.
#include <parprims/axis.hpp>

#include "program.hpp"

#include <parprims/detail/device/segmented_histogram/dispatch.hpp>
#include <parprims/detail/device/segmented_weighted/dispatch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;

namespace {

class two_warps : public launcher {
public:
    using launcher::launcher;

    bool in_shared = true;

    void change(parprims::histogram_config& config) const { config.block_threads = 64; }
    void change(device::lines_plan& plan) const
    {
        plan.in_shared = in_shared;
        plan.block_threads = 64;
        plan.group = 8;
        plan.room = 4;
        plan.split = {4, 1, plan.split.share};
        plan.positions = 3000;
        plan.replicas = std::min(plan.replicas, 2u);
        plan.shared_bytes = 2048;
    }
};

constexpr unsigned bins = 19;

void check_counts(std::uint64_t seed, const std::vector<std::uint32_t>& bounds, bool by_offsets, bool in_shared,
                  const char* name)
{
    const std::size_t n = bounds.back();
    const std::size_t count = bounds.size() - 1;
    memory<std::uint32_t> samples(n);
    memory<float> weights(n);
    std::vector<std::uint32_t> expected(count * bins);
    std::vector<double> expected_sums(count * bins);
    for (std::size_t s = 0; s < count; ++s)
        for (std::size_t i = bounds[s]; i < bounds[s + 1]; ++i) {
            samples[i] = static_cast<std::uint32_t>(mix(i + seed) >> 20) % (bins + 2);
            weights[i] = static_cast<float>(mix(i * 3 + seed) >> 40);
            if (samples[i] >= bins)
                continue;
            ++expected[s * bins + samples[i]];
            expected_sums[s * bins + samples[i]] += static_cast<double>(weights[i]);
        }
    memory<std::uint32_t> counts(count * bins);
    memory<double> sums(count * bins);
    memory<std::uint32_t> offsets(bounds.size());
    std::copy(bounds.begin(), bounds.end(), offsets.begin());
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    on.in_shared = in_shared;
    const auto* const first = static_cast<const std::uint32_t*>(samples.data());
    const parprims::regular_axis axis(bins, 0u, bins);
    const auto of_samples = static_cast<const float*>(weights.data());
    const auto enqueue = [&](const auto& segments) {
        device::enqueue_segmented_histogram(on, segments, first, axis, counts.data());
        device::enqueue_segmented_weighted(on, segments, first, of_samples, axis, sums.data());
    };
    if (by_offsets)
        enqueue(parprims::detail::offset_segments<const std::uint32_t*>{offsets.data(), n, count});
    else
        enqueue(parprims::detail::fixed_segments::of(n, bounds[1]));
    for (std::size_t i = 0; i < expected.size(); ++i)
        mutants::require(counts[i] == expected[i] && sums[i] == expected_sums[i], name);
}

/// An image of two channels, which begins anywhere in a packet.
void check_channels(std::uint64_t seed)
{
    constexpr std::size_t rows = 5, columns = 80, n = rows * columns * 2;
    memory<std::uint16_t> samples(n, 2 * (seed % 8));
    std::vector<std::uint32_t> expected(2 * bins);
    for (std::size_t i = 0; i < n; ++i) {
        samples[i] = static_cast<std::uint16_t>((mix(i + seed) >> 20) % (bins + 2));
        if (samples[i] < bins)
            ++expected[i % 2 * bins + samples[i]];
    }
    const parprims::detail::dimension image[] = {{rows, columns * 2, 0}, {columns, 2, 0}, {2, 1, 0}};
    const parprims::regular_axis axis(bins, 0u, bins);
    memory<std::uint32_t> counts(2 * bins);
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_channel_histograms(on, image, 3, 0, n, static_cast<const std::uint16_t*>(samples.data()),
                                       parprims::detail::channel_axis(axis, axis), counts.data());
    for (std::size_t i = 0; i < expected.size(); ++i)
        mutants::require(counts[i] == expected[i], "channels");
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        std::vector<std::uint32_t> equal{0};
        while (equal.size() < 20)
            equal.push_back(equal.back() + 40);
        check_counts(seed, equal, false, true, "one size");
        // The two of more than 1024 samples are for all threads.
        for (const bool in_shared : {true, false})
            check_counts(seed, {0, 20, 1300, 1310, 1310, 2400, 2410, 2450, 2500, 2570, 2571, 2600}, true, in_shared,
                         in_shared ? "offsets" : "counters in device memory");
        check_channels(seed);
    });
}
