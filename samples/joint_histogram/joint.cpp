// A product_axis of two regular axes over two zipped arrays. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "joint_histogram/joint.hpp"

#include <parprims/parprims.hpp>

#include <cmath>

namespace pp = parprims;

namespace {

/// Pixel `i` of the first picture beside pixel `i + shift` of the second one, into `levels` * `levels` counts. All of them are where the
/// policy runs.
template <class Policy>
void count_pairs(const Policy& policy, const std::uint8_t* first, const std::uint8_t* second, std::size_t n,
                 std::size_t shift, std::uint32_t* counts)
{
    const pp::regular_axis level(levels, 0, 256);
    const pp::zip_iterator pixels(first, second + shift);
    pp::histogram(policy, pixels, pixels + static_cast<std::ptrdiff_t>(n - shift), pp::product_axis(level, level),
                  counts);
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
                                           std::size_t most, [[maybe_unused]] const samples::place& where)
{
    std::vector<joint_counts> results(most, joint_counts(levels * levels));
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::device_buffer<std::uint8_t> first = pp::to_device(one), second = pp::to_device(other);
        pp::device_buffer<std::uint32_t> counts(levels * levels);
        for (std::size_t shift = 1; shift <= most; ++shift) {
            count_pairs(pp::device, first.data(), second.data(), one.size(), shift, counts.data());
            counts.copy_to(results[shift - 1]);
        }
        return results;
    }
#endif
    for (std::size_t shift = 1; shift <= most; ++shift)
        count_pairs(pp::host, one.data(), other.data(), one.size(), shift, results[shift - 1].data());
    return results;
}

double mutual_information(const joint_counts& counts)
{
    return bits_of(marginal(counts, true)) + bits_of(marginal(counts, false)) - bits_of(counts);
}

double entropy(const joint_counts& counts)
{
    return bits_of(marginal(counts, true));
}
