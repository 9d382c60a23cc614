// Weighted histograms and profiles whose size lies in device memory, in every placement.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/weighted/dispatch.hpp>

#include "support/exact_bins.hpp"
#include "support/sized.hpp"
#include "support/weights.hpp"

#include <parprims/axis.hpp>
#include <parprims/weights.hpp>

#include <cstddef>
#include <cstdint>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

/// Limbs for the outliers of three slots only, so that the last kernel reads the samples again.
class launcher_of_few_rows : public launcher_of_slices {
public:
    launcher_of_few_rows(const executor::options& how, const device::gpu_properties& gpu)
        : launcher_of_slices(3, how, gpu)
    {
    }
};

template <class X, class W, class Sum, class Launcher = launcher>
void check(std::size_t bins, histogram_config::placement_kind placement, weights_like what, std::size_t bound)
{
    CAPTURE(bins);
    CAPTURE(static_cast<int>(placement));
    std::uint64_t seed = bins + bound + sizeof(Sum);
    memory<X> samples(bound, seed % 3 * sizeof(X));
    memory<W> weights(bound, seed % 2 * sizeof(W));
    for (std::size_t i = 0; i < bound; ++i) {
        samples[i] = static_cast<X>(mix(i + seed) % (bins + 3));
        weights[i] = weight_like<W>(what, i, bound);
    }
    const parprims::regular_axis axis(bins, X{0}, static_cast<X>(bins));
    const histogram_config config{placement, 64, 1, 0};
    check_sizes<std::uint32_t, std::uint32_t, Launcher>(
        bound, sizes_up_to(bound, {32, 1024}, seed), seed, bins * sizeof(Sum) / 4,
        [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
            device::enqueue_weighted(on, config, static_cast<const X*>(samples.data()), n,
                                     static_cast<const W*>(weights.data()), axis,
                                     reinterpret_cast<Sum*>(out.values.data()));
        });
}

}  // namespace

TEST_CASE("weights of samples of a size in device memory")
{
    using enum histogram_config::placement_kind;
    for (const auto what : {weights_like::even, weights_like::late_peak, weights_like::specials})
        for (const std::size_t bound : {std::size_t{5}, std::size_t{3000}}) {
            check<float, float, double>(40, shared, what, bound);
            check<std::uint8_t, float, parprims::weighted_sum<double>>(100, shared, what, bound);
            check<std::uint32_t, double, double>(300, passes, what, bound);
            check<float, float, parprims::profile_bin<double>>(500, global, what, bound);
            check<std::uint32_t, float, double>(3000, partitioned, what, bound);
            check<float, double, parprims::weighted_sum<double>, launcher_of_few_rows>(90, shared, what, bound);
            check<std::uint16_t, float, parprims::profile_bin<double>, launcher_of_few_rows>(2000, partitioned, what,
                                                                                             bound);
        }
}
