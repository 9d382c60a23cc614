/// @file
/// @brief  The statistics of a column of numbers: a struct and an operator of one's own in one transform_reduce.
/// @source  Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical
///          Moments"
#pragma once

#include "support/place.hpp"
#include "support/stopwatch.hpp"

#include <parprims/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// What is known of some numbers. Sums of powers of the distances from the mean do not cancel as sums of powers do; the mean
/// is told by its distance from the smallest number, so that no distance is less exact for numbers far from zero; and all
/// that is told of the numbers times a power of two, so that cubes stay in the range of a double.
struct moments {
    std::uint64_t count = 0;
    double smallest = 0;
    double largest = 0;
    double scale = 0;    ///< 1 for numbers from 2^-255 to 2^256; it multiplies what follows once, twice, three times
    double above = 0;    ///< mean - smallest
    double squares = 0;  ///< sum of (x - mean)^2
    double cubes = 0;    ///< sum of (x - mean)^3

    /// These moments with a scale that is not larger.
    PARPRIMS_HOST_DEVICE moments scaled_by(double less) const
    {
        if (scale == less)
            return *this;
        const double f = less / scale;
        return {count, smallest, largest, less, above * f, squares * f * f, cubes * f * f * f};
    }
};

/// One number, by itself.
struct moments_of_one {
    PARPRIMS_HOST_DEVICE moments operator()(double x) const
    {
        const int exponent = std::ilogb(x);  // of 0 it is the smallest
        const double scale = std::scalbn(1.0, -(exponent < -1023 ? -1023 : exponent) / 256 * 256);
        return {1, x, x, scale, 0, 0, 0};
    }
};

/// What is known of two sets of numbers together.
struct merge_moments {
    PARPRIMS_HOST_DEVICE moments operator()(const moments& left, const moments& right) const
    {
        if (left.count == 0)
            return right;
        if (right.count == 0)
            return left;
        const double scale = left.scale < right.scale ? left.scale : right.scale;
        const moments a = left.scaled_by(scale), b = right.scaled_by(scale);
        const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
        const double n = na + nb;
        const double distance = b.smallest * scale - a.smallest * scale + b.above - a.above, share = distance / n;
        moments both;
        both.count = a.count + b.count;
        both.smallest = a.smallest < b.smallest ? a.smallest : b.smallest;
        both.largest = a.largest > b.largest ? a.largest : b.largest;
        both.scale = scale;
        both.above = a.above + share * nb + (a.smallest * scale - both.smallest * scale);
        both.squares = a.squares + b.squares + distance * share * na * nb;
        both.cubes = a.cubes + b.cubes + distance * share * share * na * nb * (na - nb) +
                     3 * share * (na * b.squares - nb * a.squares);
        return both;
    }
};

/// What is printed. A variance that no double holds is infinite, or 0 with a deviation that is not.
struct figures {
    std::uint64_t count = 0;
    double mean = 0;
    double variance = 0;
    double deviation = 0;
    double skew = 0;
    double smallest = 0;
    double largest = 0;
};

inline figures figures_of(const moments& found)
{
    if (found.count == 0)
        return {};
    const auto n = static_cast<double>(found.count);
    const double scale = found.scale, variance = found.count < 2 ? 0 : found.squares / (n - 1);
    return {found.count,
            std::clamp((found.smallest * scale + found.above) / scale, found.smallest, found.largest),
            variance / scale / scale,
            std::sqrt(variance) / scale,
            found.squares > 0 ? found.cubes / found.squares / std::sqrt(found.squares / n) : 0,
            found.smallest,
            found.largest};
}

struct summary {
    figures found;
    std::vector<samples::timing> timings;
};

/// The statistics of `column`, where it is asked for.
summary summarize(std::span<const double> column, const samples::place& where);
