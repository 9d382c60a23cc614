/// @file
/// @brief  The bins of weighted histograms and profiles by long addition, and a launcher for plans of few samples and few outliers.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>

#include "launcher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kernel_test {

/// The bins of a call: one weight after the other is added to limbs that hold any of them.
template <class Sum, class X, class W, class Axis>
std::vector<Sum> exact_bins(const X& samples, std::size_t n, const W* weights, const Axis& axis)
{
    namespace numeric = parprims::detail::numeric;
    using traits = parprims::detail::weight_traits<W>;
    struct bin {
        numeric::exact_sum<traits::limbs.lowest, traits::limbs.highest> sum;
        numeric::exact_sum<traits::square_limbs.lowest, traits::square_limbs.highest> squares;
        std::uint64_t count = 0;
    };
    std::vector<bin> bins(axis.extent());
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t slot = axis.slot(samples[static_cast<std::ptrdiff_t>(i)]);
        if (slot >= axis.extent())
            continue;
        const auto weight = static_cast<double>(static_cast<typename traits::real>(weights[i]));
        bins[slot].sum.add_value(weight);
        bins[slot].squares.add_product(weight, weight);
        ++bins[slot].count;
    }
    const auto row = [](auto& sum, int lowest) {
        sum.settle();
        return numeric::make_limb_row<static_cast<int>(std::remove_reference_t<decltype(sum)>::count)>(
            lowest, 0, static_cast<int>(sum.count), [&sum](int k) { return sum.limb(static_cast<unsigned>(k)); });
    };
    std::vector<Sum> result(axis.extent());
    for (std::size_t slot = 0; slot < result.size(); ++slot)
        result[slot] =
            parprims::detail::rounded_bin<Sum>(row(bins[slot].sum, traits::limbs.lowest),
                                               row(bins[slot].squares, traits::square_limbs.lowest), bins[slot].count,
                                               bins[slot].sum.seen() & ~numeric::seen_no_minus_zero);
    return result;
}

/// Sorts samples in slices of two tiles. `rows`: for outliers.
class launcher_of_slices : public launcher {
public:
    template <class... Arguments>
    launcher_of_slices(std::size_t rows, Arguments&&... arguments)
        : launcher(static_cast<Arguments&&>(arguments)...), rows_(rows)
    {
    }

    template <class Plan>
    void change([[maybe_unused]] Plan& plan) const
    {
        if constexpr (requires { plan.slice; })
            plan.slice = 2 * plan.parts.tile;
        if constexpr (requires { plan.rows; }) {
            plan.rows = std::min(plan.rows, rows_);
            plan.rest_rows = std::min(plan.rest_rows, std::min<std::size_t>(rows_, 1000) + 100);
        }
    }

private:
    std::size_t rows_;
};

}  // namespace kernel_test
