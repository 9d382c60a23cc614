/// @file
/// @brief  Times a learner's kernel and the solution on a GPU. For nvcc.
#pragma once

#include "exercises/support/exercise.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace exercises {

/// The least time of the launches of ten runs, in microseconds, once the answer is right there, too.
inline double least_microseconds(const exercise& one)
{
    double least = 1e30;
    for (int i = 0; i < 10; ++i) {
        trial with;
        one.run(with, one.gpu_size);
        least = std::min(least, 1e6 * with.seconds());
    }
    return least;
}

inline int time_on_gpu(const exercise& yours, const exercise& solution)
{
    try {
        std::printf("  On this GPU, n = %zu: ", yours.gpu_size);
        std::printf("%.1f us", exercises::least_microseconds(yours));
        std::printf(", the solution %.1f us\n\n", exercises::least_microseconds(solution));
    } catch (const std::exception& error) {
        std::printf("%s\n\n", error.what());
        return 1;
    }
    return 0;
}

}  // namespace exercises
