/// @file
/// @brief  Adds the counts of a histogram to earlier ones: counts in scratch, then one addition for each counter.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>
#include <parprims/execution.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The sum of new counts and earlier ones, or `most` where that is less: a counter never wraps.
template <class Counter>
struct add_counts {
    Counter most;

    PARPRIMS_HOST_DEVICE Counter operator()(const tuple<Counter, Counter>& counts) const
    {
        const auto [added, earlier] = counts;
        if (earlier > static_cast<Counter>(most - added))
            return earlier > most ? earlier : most;
        return static_cast<Counter>(earlier + added);
    }
};

/// As enqueue_histogram, but adds to `counts`. A call that finds no memory has written nothing.
template <launcher Launcher, class Iterator, class Axis, class Counter>
void enqueue_accumulation(Launcher& launcher, const optional_config<histogram_config>& config, Iterator first,
                          std::size_t n, const Axis& axis, Counter* counts, Counter most)
{
    const std::size_t extent = axis.extent();
    if (n == 0 || extent == 0)
        return;
    const auto scratch = launcher.scratch(extent * sizeof(Counter));
    auto* const added = reinterpret_cast<Counter*>(scratch.get());
    if constexpr (reads_size<Launcher>)  // kernels count nothing if the size is out of range
        launcher.zero(added, extent * sizeof(Counter));
    device::enqueue_histogram(launcher, config, first, n, axis, added);
    device::enqueue_transform<Counter>(device::launcher_of_host_sizes(launcher), zip_iterator(added, counts), extent,
                                       counts, add_counts<Counter>{most});
}

}  // namespace parprims::detail::device
