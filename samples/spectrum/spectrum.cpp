// A weighted histogram of two arrays. This source is the same for both backends: compiled as CUDA where a GPU may run it, as C++
// elsewhere.
#include "spectrum/spectrum.hpp"

#include "support/memory.hpp"

#include <parprims/parprims.hpp>

#include <span>

namespace pp = parprims;

std::vector<pp::weighted_sum<double>> spectrum(const events& seen, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) {
        const auto x = samples::bring(policy, std::span(seen.log_energies));
        const auto weights = samples::bring(policy, std::span(seen.weights));
        auto sums = samples::make_array<pp::weighted_sum<double>>(policy, bins);
        pp::weighted_histogram(policy, x, weights.data(), pp::regular_axis(bins, 0.0f, static_cast<float>(decades)),
                               sums.begin());
        return samples::fetch(sums);
    });
}
