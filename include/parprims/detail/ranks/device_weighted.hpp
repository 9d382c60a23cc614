/// @file
/// @brief  The weighted histogram over the slices of several GPUs.
///
/// All ranks send the limbs of their exact sums, which add up to those of one GPU, and are rounded after that.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/ranks/weighted_kernels.hpp>
#include <parprims/detail/device/weighted/backend.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/ranks/device_calls.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace parprims::detail::ranks {

/// Writes all sums on every rank.
template <class Group, class Iterator, class Weights, class Axis, class Sum>
void weighted_histogram(const weighted_call& call, Group& group, Iterator first, Iterator last, Weights weights,
                        const Axis& axis, Sum* sums)
{
    using W = iter_value_t<Weights>;
    using work_type = device::weighted_work<typename Group::launcher_type, Iterator, Weights, Axis, Sum>;
    constexpr unsigned slot_words = device::rank_sum<W, sum_traits<Sum>::values>::words;
    device::check_on_gpu<device::finds_bins<Iterator, Axis>, device::reads<Weights>>();
    const std::size_t extent = smaller_of(axis.extent(), group.counters() / slot_words);
    const std::uint64_t id =
        types_of<iter_value_t<Iterator>, W, Sum, Axis>().add(call.function).add(std::uint64_t{axis.bins()}).value();
    const device_guard on_gpu(group.gpu());
    typename Group::launcher_type launcher(call.function, group.where(), nullptr);
    std::uint64_t* const totals = group.sums();

    // 1. The sums of the slice. A rank that fails still takes part in what the ranks do together.
    std::optional<work_type> work;
    bool is_good = group.attempt([&] {
        if (group.where().histogram())
            device::check_histogram_config(call.function, *group.where().histogram());
        ranks::check_slice(call.function, group, first, last);
        detail::check_weighted_pointers(call, first, group.n(), weights, sums, axis.extent());
        if (detail::checked_extent(call.function, axis) > extent)
            runtime::refuse(call.function, "axis",
                            "has % sums of % counters each, slices was made for at most % counters", axis.extent(),
                            slot_words, group.counters());
        launcher.check_range("first", first, group.n());
        launcher.check_range(call.weights, weights, group.n());
        launcher.check_range(call.sums, sums, extent);
        work.emplace(launcher, group.where().histogram(), first, group.n(), weights, axis);
    });
    is_good = is_good && group.keep([&] {
        work->enqueue_adding();
        work->enqueue_finish(device::rank_sum_writer<W, work_type::values>{totals});
    });

    // 2. Those of all ranks.
    ranks::exchange_sums(group, launcher, extent * slot_words, extent, id, is_good,
                         [&](const std::uint64_t* words, std::size_t n) {
                             device::enqueue_rank_sums<W>(launcher, group.view(), totals, n, words, sums, id);
                         });
}

}  // namespace parprims::detail::ranks
