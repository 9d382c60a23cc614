// A product_axis of two regular axes over two zipped arrays. This source is the same for both backends: compiled as CUDA where
// a GPU may run it, as C++ elsewhere.
#include "joint_histogram/joint.hpp"

#include "support/memory.hpp"

#include <parprims/parprims.hpp>

#include <cmath>
#include <span>

namespace pp = parprims;

namespace {

template <class Policy>
std::vector<joint_counts> histograms_with(const Policy& policy, const std::vector<std::uint8_t>& one,
                                          const std::vector<std::uint8_t>& other, std::size_t most)
{
    const pp::regular_axis level(levels, 0, 256);
    const pp::product_axis axis(level, level);
    const auto first = samples::bring(policy, std::span(one));
    const auto second = samples::bring(policy, std::span(other));
    auto counts = samples::make_array<std::uint32_t>(policy, axis.extent());

    std::vector<joint_counts> results;
    for (std::size_t shift = 1; shift <= most; ++shift) {
        const pp::zip_iterator pixels(first.data(), second.data() + shift);
        const auto end = pixels + static_cast<std::ptrdiff_t>(one.size() - shift);
        pp::histogram(policy, pixels, end, axis, counts.begin());
        results.push_back(samples::fetch(counts));
    }
    return results;
}

/// The sum of -p log2(p) over the shares of `counts`.
template <class Counts>
double bits_of(const Counts& counts)
{
    double total = 0, sum = 0;
    for (const auto count : counts) {
        const auto n = static_cast<double>(count);
        total += n;
        sum += n > 0 ? n * std::log2(n) : 0;
    }
    return total > 0 ? std::log2(total) - sum / total : 0;
}

std::vector<std::uint64_t> marginal(const joint_counts& counts, bool of_first)
{
    std::vector<std::uint64_t> sums(levels);
    for (std::size_t i = 0; i < levels; ++i)
        for (std::size_t j = 0; j < levels; ++j)
            sums[of_first ? i : j] += counts[i * levels + j];
    return sums;
}

}  // namespace

std::vector<joint_counts> joint_histograms(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                                           std::size_t most, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return histograms_with(policy, one, other, most); });
}

double mutual_information(const joint_counts& counts)
{
    return bits_of(marginal(counts, true)) + bits_of(marginal(counts, false)) - bits_of(counts);
}

double entropy(const joint_counts& counts)
{
    return bits_of(marginal(counts, true));
}
