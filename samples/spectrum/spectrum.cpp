// A weighted histogram of two arrays. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "spectrum/spectrum.hpp"

#include <parprims/parprims.hpp>

namespace pp = parprims;

using bin_sum = pp::weighted_sum<double>;

std::vector<bin_sum> spectrum(const events& seen, [[maybe_unused]] const samples::place& where)
{
    const pp::regular_axis axis(bins, 0.0f, static_cast<float>(decades));
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device) {
        const pp::device_buffer<float> energies = pp::to_device(seen.log_energies);
        const pp::device_buffer<double> weights = pp::to_device(seen.weights);
        pp::device_buffer<bin_sum> sums(bins);
        pp::weighted_histogram(pp::device, energies, weights.data(), axis, sums.begin());
        return sums.to_host();
    }
#endif
    std::vector<bin_sum> sums(bins);
    pp::weighted_histogram(pp::host, seen.log_energies, seen.weights.data(), axis, sums.begin());
    return sums;
}
