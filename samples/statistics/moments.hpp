/// @file
/// @brief  The statistics of a column of numbers: a struct and an operator of one's own in one transform_reduce.
/// @source  Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical
///          Moments"
#pragma once

#include "support/backend.hpp"
#include "support/stopwatch.hpp"

#include <parprims/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// What is known of some numbers. Sums of powers of the distances from the mean do not cancel as sums of powers do; and
/// they are counted in a unit, a power of 2^256 near the largest number, so that a cube stays in the range of a double.
struct moments {
    std::uint64_t count = 0;
    double unit = 0;     ///< 1 for numbers from 2^-255 to 2^256
    double mean = 0;     ///< units
    double squares = 0;  ///< sum of (x - mean)^2, units^2
    double cubes = 0;    ///< sum of (x - mean)^3, units^3
    double smallest = 0;
    double largest = 0;

    /// The same in a unit that is not smaller.
    PARPRIMS_HOST_DEVICE moments in(double larger) const
    {
        if (unit == larger)
            return *this;
        const double f = unit / larger;
        return {count, larger, mean * f, squares * f * f, cubes * f * f * f, smallest, largest};
    }
};

/// One number, by itself.
struct moments_of_one {
    PARPRIMS_HOST_DEVICE moments operator()(double x) const
    {
        const double unit = x == 0 ? 0x1p-1024 : std::scalbn(1.0, std::ilogb(x) / 256 * 256);
        return {1, unit, x / unit, 0, 0, x, x};
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
        const double unit = left.unit > right.unit ? left.unit : right.unit;
        const moments a = left.in(unit), b = right.in(unit);
        const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
        const double n = na + nb, distance = b.mean - a.mean, share = distance / n;
        moments both;
        both.count = a.count + b.count;
        both.unit = unit;
        both.mean = a.mean + share * nb;
        both.squares = a.squares + b.squares + distance * share * na * nb;
        both.cubes = a.cubes + b.cubes + distance * share * share * na * nb * (na - nb) +
                     3 * share * (na * b.squares - nb * a.squares);
        both.smallest = a.smallest < b.smallest ? a.smallest : b.smallest;
        both.largest = a.largest > b.largest ? a.largest : b.largest;
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
    const auto n = static_cast<double>(found.count);
    const double variance = found.count < 2 ? 0 : found.squares / (n - 1);
    return {found.count,
            std::clamp(found.mean * found.unit, found.smallest, found.largest),  // rounding may leave the range
            variance * found.unit * found.unit,
            std::sqrt(variance) * found.unit,
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
