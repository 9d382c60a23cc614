/// @file
/// @brief  The algorithms over the slices of several GPUs: checks, and the two parts of each call.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/ranks/counts_kernels.hpp>
#include <parprims/detail/device/ranks/dispatch.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/ranks/device_exact.hpp>
#include <parprims/detail/ranks/device_group.hpp>
#include <parprims/detail/ranks/division.hpp>
#include <parprims/detail/ranks/message_size.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/device_guard.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace parprims::detail::ranks {

/// Checks the length of a range.
template <class Group, class Iterator>
void check_slice(const char* function, const Group& group, Iterator first, Iterator last)
{
    const std::size_t n = detail::checked_count(function, first, last);
    if (n != group.n())
        runtime::refuse(function, "last", "the slice has % elements, slices was made for %", n, group.n());
}

/// Writes the exact sum to `*out`. `Waits`: as below.
template <bool Waits, class T, class Group, class Iterator, class Output, class Transform>
void exact_sum(const char* function, Group& group, Iterator first, Iterator last, Output out, T init,
               Transform transform)
{
    using Value = iter_value_t<Iterator>;
    using terms = exact::terms<Value, Transform>;
    device::check_on_gpu<device::combines<T, Iterator, plus, Transform>>();
    const device_guard on_gpu(group.gpu());
    group.exchange(
        function, types_of<Value, T, terms>().add(function).value(),
        [&](auto& launcher, device::rank_call& call) {
            ranks::check_slice(function, group, first, last);
            launcher.check(device::input_range<Transform>(first, call.n));
            launcher.check_range("out", out, 1);
            call.totals = sent_limbs<terms>.limbs() + 1;
            ranks::enqueue_exact_fold<terms>(launcher, call, first, transform);
        },
        [&](auto& launcher, const device::rank_call& call) {
            ranks::enqueue_exact_finish<terms, Waits>(launcher, call, out, init, group.total() == 0);
        });
}

/// Reduces to `*out`. `Waits`: the host waits for the value.
template <bool Waits, class T, class Group, class Iterator, class Output, class Op, class Transform>
void reduce(const char* function, Group& group, Iterator first, Iterator last, Output out, T init, Op op,
            Transform transform)
{
    using Value = iter_value_t<Iterator>;
    using messages = device::rank_messages<T, Value, order::chunk<Value>>;
    device::check_on_gpu<device::combines<T, Iterator, Op, Transform>>();
    const device_guard on_gpu(group.gpu());
    group.exchange(
        function, types_of<Value, T, Op>().add(function).value(),
        [&](auto& launcher, device::rank_call& call) {
            if (group.where().reduce())
                device::check_reduce_config(function, *group.where().reduce());
            ranks::check_slice(function, group, first, last);
            launcher.check(device::input_range<Transform>(first, call.n));
            launcher.check_range("out", out, 1);
            const message_size size = largest_message(group.begins(), order::chunk<Value>, totals_of_reduce);
            group.check_size(function, messages::bytes_of(size.totals, size.elements));
            call.totals = size.totals;
            device::enqueue_rank_fold<T>(launcher, call, first, op, transform);
        },
        [&](auto& launcher, const device::rank_call& call) {
            device::enqueue_rank_finish<Value, T, Waits>(launcher, call, out, init, op, transform);
        });
}

/// Reduces and waits for the value.
template <class T, class Group, class Iterator, class Op, class Transform>
T reduce_and_wait(const char* function, Group& group, Iterator first, Iterator last, T init, Op op, Transform transform)
{
    const device_guard on_gpu(group.gpu());
    runtime::call_scope(function, group.where().stream(), nullptr).refuse_capture(function);
    // Other ranks may wait already, so this rank takes part even without a slot.
    std::unique_ptr<runtime::result_slot> slot;
    group.keep_late([&] { slot = std::make_unique<runtime::result_slot>(sizeof(T)); });
    const auto is_there = [&] {
        if (slot == nullptr)
            return false;
        const volatile std::uint64_t* const words = slot->words();
        for (std::size_t w = 0; w < runtime::result_slot::words_of(sizeof(T)); ++w)
            if ((words[w] & runtime::result_slot::ready) == 0)
                return false;
        return true;
    };
    const device::announced_output<T> out{slot != nullptr ? slot->words() : nullptr};
    if constexpr (is_exact_sum<Op>)
        ranks::exact_sum<true>(function, group, first, last, out, init, transform);
    else
        ranks::reduce<true, T>(function, group, first, last, out, init, op, transform);
    // Most values come soon. Until then this thread calls no driver: a rank in another thread of the process may need it.
    bool there = is_there();
    for (const auto begin = std::chrono::steady_clock::now();
         !there && std::chrono::steady_clock::now() - begin < device::rank_max_spin_time;)
        there = is_there();
    try {
        there = there || group.wait(is_there);
    } catch (...) {
        (void)slot.release();  // a kernel may still write to it
        throw;
    }
    if (!there)
        group.throw_failure(function);
    uninitialized<T> value;
    slot->take(__builtin_addressof(value), group.where().stream());
    return value.value;
}

template <scan_kind Kind, class T, class Group, class Iterator, class Output, class Op, class Transform>
void scan(const char* function, Group& group, Iterator first, Iterator last, Output out, const T* init, Op op,
          Transform transform)
{
    constexpr std::size_t tile = order::tile<T>;
    using scan_type = device::rank_scan<Kind, T, typename Group::launcher_type, Iterator, Output, Op, Transform>;
    device::check_on_gpu<device::combines<T, Iterator, Op, Transform>, device::assigns<T, Output>>();
    const device_guard on_gpu(group.gpu());  // also while `work` frees its scratch
    std::optional<scan_type> work;
    group.exchange(
        function, types_of<iter_value_t<Iterator>, T, Op>().add(function).add(init != nullptr ? 1 : 0).value(),
        [&](auto& launcher, device::rank_call& call) {
            if (group.where().scan())
                device::check_scan_config(function, *group.where().scan());
            ranks::check_slice(function, group, first, last);
            detail::check_output(function, "out", out, call.n);
            detail::check_in_place(function, out, first, call.n);
            launcher.check_range("first", first, call.n);
            launcher.check_range("out", out, call.n);
            const message_size size = largest_message(group.begins(), tile, totals_of_scan);
            group.check_size(function, device::rank_messages<T, T, tile>::bytes_of(size.totals, size.elements));
            call.totals = size.totals;
            work.emplace(launcher, call);
            work->enqueue_fold(first, op, transform);
        },
        [&](auto&, const device::rank_call&) {
            work->enqueue_scan(group.where().scan(), has_earlier_shared_block(group.begins(), group.rank(), tile),
                               first, out, init, op, transform);
        });
}

/// Adds the first `n` of `group.sums()` over all ranks, and with them the two words that say whether a rank failed. Then
/// `finish(words, results)` enqueues the kernel that reads these words and, if no rank failed, writes that many results.
/// @param  is_good  whether this rank has not failed
template <class Group, class Finish>
void exchange_sums(Group& group, typename Group::launcher_type& launcher, std::size_t n, std::size_t results,
                   std::uint64_t id, bool is_good, Finish finish)
{
    std::uint64_t* const sums = group.sums();
    std::uint64_t* const words = sums + n;
    const bool is_told = group.tell(words, device::count_words, !is_good, [&] {
        launcher.launch({1, device::rank_count_words_kernel::max_threads, 0},
                        device::rank_count_words_kernel{words, id, is_good ? 0u : 1u});
    });
    if (!group.exchange_last(
            [&] { group.communicator().all_reduce(sums, n + device::count_words, group.where().stream()); }))
        return;
    if (!group.keep_late([&] { finish(words, results); }))
        group.record(is_told, {words, 1, 0, {0, id * group.ranks()}},
                     [&] { finish(words, 0); });  // writes no result, but records whether a rank failed
}

/// Counters travel as integers of 64 bits. `most`: the largest count that a counter can hold.
template <class Group, class Iterator, class Axis, class Counter>
void histogram(const char* function, Group& group, Iterator first, Iterator last, const Axis& axis, Counter* counts,
               std::uint64_t most, counter_range part)
{
    device::check_on_gpu<device::finds_bins<Iterator, Axis>>();
    const std::size_t extent = smaller_of(axis.extent(), group.counters());
    part.end = smaller_of(part.end, extent);
    part.begin = smaller_of(part.begin, part.end);
    const std::size_t written = part.end - part.begin;
    const std::uint64_t id = types_of<iter_value_t<Iterator>, Counter, Axis>()
                                 .add(function)
                                 .add(axis.bins())
                                 .add(part.is_own ? 1 : 0)
                                 .value();
    const device_guard on_gpu(group.gpu());
    typename Group::launcher_type launcher(function, group.where(), nullptr);
    std::uint64_t* const sums = group.sums();
    const bool is_good = group.attempt([&] {
        if (group.where().histogram())
            device::check_histogram_config(function, *group.where().histogram());
        ranks::check_slice(function, group, first, last);
        if (detail::checked_extent(function, axis) > extent)
            runtime::refuse(function, "axis", "has % counters, slices was made for at most %", axis.extent(), extent);
        detail::check_output(function, "counts", counts, written);
        detail::check_apart(function, "counts", counts, written, first, group.n());
        if (group.total() > most)
            runtime::refuse(function, "counts", "a counter holds at most %, n is %", most, group.total());
        launcher.check_range("first", first, group.n());
        launcher.check_range("counts", counts, written);
        device::enqueue_histogram(launcher, group.where().histogram(), first, group.n(), axis, sums);
    });
    ranks::exchange_sums(group, launcher, extent, written, id, is_good, [&](const std::uint64_t* words, std::size_t n) {
        using kernel_type = device::rank_counts_kernel<Counter>;
        launcher.launch(
            {clamped<std::size_t>(order::ceil_div(n, kernel_type::max_threads), 1, device::max_rank_counts_blocks),
             kernel_type::max_threads, 0},
            kernel_type{sums + part.begin, n, words, counts, id, group.ranks(), group.view().failure});
    });
}

}  // namespace parprims::detail::ranks
