/// @file
/// @brief  The algorithms over the slices of several ranks: with the bits of one process that has it all.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/ranks/reduce.hpp>
#include <parprims/detail/ranks/scan.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/ranks/weighted.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/execution.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>
#include <parprims/weighted_histogram.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims {

/// @brief  A group of ranks. parprims/mpi.hpp has one over MPI.
///
/// `all_gather(send, recv, bytes, stream)` writes the `bytes` bytes of every rank to `recv`, in rank order; `bytes` is the same
/// on all ranks. `all_reduce(counters, n, stream)` replaces each counter by the sum over all ranks. Both are called by all
/// ranks in the same order. Memory is where the policy runs: with parprims::host it is host memory, both functions return when
/// they are done, and `stream` means nothing.
/// @snippet distributed_test.cpp communicator
template <class Communicator>
concept communicator = requires(Communicator& group, const void* send, void* recv, std::size_t bytes,
                                std::uint64_t* counters, std::size_t n, stream_view stream) {
    {
        group.rank()
    } -> std::convertible_to<std::size_t>;
    {
        group.size()
    } -> std::convertible_to<std::size_t>;
    group.all_gather(send, recv, bytes, stream);
    group.all_reduce(counters, n, stream);
};

/// @brief  Where and how each rank runs, and the group that it belongs to. `parprims::distributed` makes one.
/// @snippet mpi_test.cpp distributed
template <class Policy, class Communicator>
class distributed_policy {
public:
    constexpr distributed_policy(const Policy& local, Communicator& group) noexcept
        : local_(local), group_(__builtin_addressof(group))
    {
    }

    constexpr const Policy& local() const noexcept { return local_; }  ///< of this rank alone
    constexpr Communicator& group() const noexcept { return *group_; }

private:
    Policy local_;
    Communicator* group_;
};

/// @brief  The policy of a call that all ranks of `group` make together, each with its own slice.
///
/// The input is the slices in rank order; a slice may have any length, also 0. `reduce`, `transform_reduce` and their `_into` forms
/// give every rank the value of the whole input, `histogram` all counts, and `weighted_histogram` all sums. A scan gives every rank
/// the results of its own slice. All have the bits that one process gets that has the whole input (docs/ranks.md).
///
/// All ranks make the same calls in the same order, with equal `init`, operators, transforms and axes. A call returns when all
/// ranks have made it. If it throws on one rank, it throws on every rank.
///
/// @param  local  parprims::host; may differ from rank to rank
/// @param  group  must outlive the policy
/// @pre    values that are combined are trivially copyable, and ranks have the same representation of them; copies of iterators,
///         operators and transforms do not throw: one that throws before the call has begun leaves the other ranks waiting
/// @throws invalid_argument  bad input on any rank, which the error names; ranks that call different functions, or with
///                           different types of values, operators or axes, or different numbers of bins
/// @throws out_of_memory     no memory on any rank
/// @throws rank_error        anything else was thrown on another rank; that rank gets what was thrown
/// @snippet mpi_test.cpp distributed
template <execution_policy Policy, communicator Communicator>
constexpr distributed_policy<Policy, Communicator> distributed(const Policy& local, Communicator& group) noexcept
{
    static_assert(std::is_same_v<Policy, host_policy>,
                  "parprims: the local policy of parprims::distributed is parprims::host");
    return {local, group};
}

namespace detail::ranks {

/// Values travel as bytes. As the checks in argument_types.hpp.
template <class T>
constexpr bool check_travels()
{
    static_assert(std::is_trivially_copyable_v<T>, "parprims: values of several ranks must be trivially copyable");
    return std::is_trivially_copyable_v<T>;
}

template <class Communicator>
struct backend<distributed_policy<host_policy, Communicator>> {
    using policy = distributed_policy<host_policy, Communicator>;

    template <class Iterator, class T, class Op, class Transform, class... Output>
    static T reduce(const char* function, const policy& where, Iterator first, Iterator last, T init, Op op,
                    Transform transform, Output... out)
    {
        T result = init;
        const auto reduce_to = [&](auto target) {
            const unsigned threads = where.local().threads();
            if constexpr (is_exact_sum<Op>)
                ranks::exact_sum_into<T>(function, threads, where.group(), first, last, target, init, transform);
            else if constexpr (check_travels<T>())
                ranks::reduce_into<T>(function, threads, where.group(), first, last, target, init, op, transform);
        };
        if constexpr (sizeof...(Output) == 0)
            reduce_to(__builtin_addressof(result));
        else
            (reduce_to(out), ...);
        return result;
    }

    template <scan_kind Kind, class T, class... Arguments>
    static void scan(const char* function, const policy& where, const Arguments&... arguments)
    {
        if constexpr (check_travels<T>())
            ranks::scan<Kind, T>(function, where.local().threads(), where.group(), arguments...);
    }

    template <class... Arguments>
    static void histogram(const char* function, const policy& where, const Arguments&... arguments)
    {
        ranks::histogram(function, where.local().threads(), where.group(), arguments...);
    }

    template <class... Arguments>
    static void weighted_histogram(const weighted_call& call, const policy& where, const Arguments&... arguments)
    {
        ranks::weighted_histogram(call, where.local().threads(), where.group(), arguments...);
    }

    template <class Count>
    static std::size_t agreed_count(const char* function, const policy& where, Count count)
    {
        session all(function, where.group(), types_of<>());
        all.begin(count);
        return all.n(all.rank());
    }
};

}  // namespace detail::ranks

/// @brief  The last argument of a histogram over ranks in which each rank gets its own part of the counters.
/// @snippet distributed_test.cpp own_counters
struct own_counters_t {
    explicit own_counters_t() = default;

    /// @brief  The first counter of a rank, of `extent` counters; the part ends where that of the next rank begins.
    static constexpr std::size_t begin(std::size_t extent, std::size_t rank, std::size_t ranks)
    {
        return extent / ranks * rank + extent % ranks * rank / ranks;
    }
};
inline constexpr own_counters_t own_counters{};

/// @brief  `histogram` over ranks that writes on each rank its own part of the counters only. Parts differ by at most one counter.
///
/// @param  counts  room for `own_counters_t::begin(extent, rank + 1, ranks) - own_counters_t::begin(extent, rank, ranks)` counters
/// @pre    all ranks make the call; their axes are equal
/// @note   synchronises as `histogram` over ranks does
/// @complexity  as of `histogram` over ranks: during the call each rank holds 8 bytes for every counter of the axis
/// @throws as `histogram` over ranks
/// @return the end of this rank's counts
/// @snippet distributed_test.cpp own_counters
template <class Local, class Group, random_access_iterator Iterator, histogram_axis Axis, class Counts>
Counts histogram(const distributed_policy<Local, Group>& policy, Iterator first, Iterator last, const Axis& axis,
                 Counts counts, own_counters_t)
{
    if constexpr (detail::check_counts<Counts>()) {
        const auto rank = static_cast<std::size_t>(policy.group().rank());
        const auto ranks = static_cast<std::size_t>(policy.group().size());
        const detail::ranks::counter_range part{own_counters_t::begin(axis.extent(), rank, ranks),
                                                own_counters_t::begin(axis.extent(), rank + 1, ranks), true};
        detail::ranks::backend<distributed_policy<Local, Group>>::histogram(
            "parprims::histogram", policy, detail::unwrap(first), detail::unwrap(last), axis, detail::unwrap(counts),
            detail::largest_count<detail::iter_value_t<Counts>>(), part);
        return counts + static_cast<std::ptrdiff_t>(part.end - part.begin);
    }
}

/// @brief  `histogram` of a range in the place of its begin and end, with own counters.
template <class Local, class Group, random_access_range Range, histogram_axis Axis, class Counts>
Counts histogram(const distributed_policy<Local, Group>& policy, const Range& range, const Axis& axis, Counts counts,
                 own_counters_t)
{
    using policy_type = distributed_policy<Local, Group>;
    return parprims::histogram(policy, detail::begin_of<policy_type>(range), detail::end_of(range), axis, counts,
                               own_counters);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
