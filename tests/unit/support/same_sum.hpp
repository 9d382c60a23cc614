/// @file
/// @brief  Whether sums of weights have the same bits, but for those of a NaN.
#pragma once

#include <parprims/weights.hpp>

#include <cmath>

template <class T>
bool same_sum(T a, T b)
{
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}
template <class T>
bool same_sum(const parprims::weighted_sum<T>& a, const parprims::weighted_sum<T>& b)
{
    return same_sum(a.value, b.value) && same_sum(a.variance, b.variance);
}

template <class T>
bool same_sum(const parprims::profile_bin<T>& a, const parprims::profile_bin<T>& b)
{
    return a.count == b.count && same_sum(a.mean, b.mean) && same_sum(a.variance, b.variance);
}
