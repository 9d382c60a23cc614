/// @file
/// @brief  The statistics of a column of numbers: a struct and an operator of one's own in one transform_reduce.
/// @source  Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical
///          Moments"
#pragma once

#include "support/backend.hpp"
#include "support/stopwatch.hpp"

#include <parprims/config.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// What is known of some numbers. Sums of powers of the distances from the mean do not cancel as sums of powers do.
struct moments {
    std::uint64_t count = 0;
    double mean = 0;
    double squares = 0;  ///< sum of (x - mean)^2
    double cubes = 0;    ///< sum of (x - mean)^3
    double smallest = 0;
    double largest = 0;

    double variance() const { return count < 2 ? 0 : squares / static_cast<double>(count - 1); }
    double skew() const
    {
        const auto n = static_cast<double>(count);
        return squares > 0 ? std::sqrt(n) * cubes / (squares * std::sqrt(squares)) : 0;
    }
};

/// One number, by itself.
struct moments_of_one {
    PARPRIMS_HOST_DEVICE moments operator()(double x) const { return {1, x, 0, 0, x, x}; }
};

/// What is known of two sets of numbers together.
struct merge_moments {
    PARPRIMS_HOST_DEVICE moments operator()(const moments& a, const moments& b) const
    {
        if (a.count == 0)
            return b;
        if (b.count == 0)
            return a;
        const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
        const double n = na + nb, distance = b.mean - a.mean, share = distance / n;
        moments both;
        both.count = a.count + b.count;
        both.mean = a.mean + share * nb;
        both.squares = a.squares + b.squares + distance * share * na * nb;
        both.cubes = a.cubes + b.cubes + distance * share * share * na * nb * (na - nb) +
                     3 * share * (na * b.squares - nb * a.squares);
        both.smallest = a.smallest < b.smallest ? a.smallest : b.smallest;
        both.largest = a.largest > b.largest ? a.largest : b.largest;
        return both;
    }
};

struct summary {
    moments found;
    std::vector<samples::timing> timings;
};

/// The statistics of `column`, where it is asked for.
summary summarize(std::span<const double> column, const samples::place& where);
