#include "statistics/moments.hpp"

#include "support/memory.hpp"

#include <parprims/reduce.hpp>

namespace {

template <class Policy>
summary summarize_with(const Policy& policy, std::span<const double> column)
{
    const auto values = samples::bring(policy, column);
    samples::stopwatch<Policy> watch(policy);
    summary result;
    watch.time({"transform_reduce", "all of it", column.size(), column.size_bytes()}, [&] {
        result.found = figures_of(parprims::transform_reduce(policy, values.begin(), values.end(), moments{},
                                                             merge_moments{}, moments_of_one{}));
    });
    result.timings = watch.take();
    return result;
}

}  // namespace

summary summarize(std::span<const double> column, const samples::place& where)
{
    return samples::with_policy(where, [&](const auto& policy) { return summarize_with(policy, column); });
}
