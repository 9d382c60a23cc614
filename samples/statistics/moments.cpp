// All figures of a column by one reduction. Compiled as CUDA where a GPU may run it, as C++ elsewhere.
#include "statistics/moments.hpp"

#include <parprims/device_buffer.hpp>
#include <parprims/reduce.hpp>

namespace pp = parprims;

namespace {

/// The values are where the policy runs.
template <class Policy>
summary summarize_with(const Policy& policy, std::span<const double> values)
{
    summary result;
    samples::stopwatch watch(policy);
    watch.time({"transform_reduce", "all of it", values.size(), values.size_bytes()}, [&] {
        result.found = figures_of(pp::transform_reduce(policy, values, moments{}, merge_moments{}, moments_of_one{}));
    });
    result.timings = watch.take();
    return result;
}

}  // namespace

summary summarize(std::span<const double> column, [[maybe_unused]] const samples::place& where)
{
#if PARPRIMS_CUDA_COMPILER
    if (where.on_device)
        return summarize_with(pp::device, pp::to_device(column));
#endif
    return summarize_with(pp::host, column);
}
