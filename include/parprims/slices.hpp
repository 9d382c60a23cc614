/// @file
/// @brief  Calls over several ranks with a GPU each, for files compiled as CUDA: `slices` has the lengths of the slices and the memory
///         for messages; `staged_communicator` makes a communicator of host memory one for GPUs.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/distributed.hpp>
#include <parprims/execution.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace parprims {

/// @brief  A communicator for `slices` on GPUs over a communicator of host memory, such as `mpi_communicator`. For machines without
///         NCCL.
///
/// Each call waits for its stream, so it cannot be captured into a graph. Messages pass through page-locked memory of this object:
/// all `slices` over it must use one stream.
/// @snippet slices_test.cpp staged
template <communicator Communicator>
class staged_communicator {
public:
    /// @param  group  must outlive this object
    /// @throws out_of_memory  no page-locked memory on this rank; the other ranks do not learn of it
    explicit staged_communicator(Communicator& group) : group_(__builtin_addressof(group))
    {
        constexpr std::size_t report_bytes = 256;  // that `slices` exchanges while it is made
        reserve((size() + 1) * report_bytes);
    }

    std::size_t rank() const { return group_->rank(); }
    std::size_t size() const { return group_->size(); }

    void all_gather(const void* send, void* recv, std::size_t bytes, stream_view where)
    {
        std::byte* const memory = fetch(send, bytes, (size() + 1) * bytes, where);
        group_->all_gather(memory, memory + bytes, bytes, where);
        detail::runtime::copy_async(recv, memory + bytes, size() * bytes, where);
    }

    void all_reduce(std::uint64_t* counters, std::size_t n, stream_view where)
    {
        const std::size_t bytes = n * sizeof *counters;
        auto* const memory = reinterpret_cast<std::uint64_t*>(fetch(counters, bytes, bytes, where));
        group_->all_reduce(memory, n, where);
        detail::runtime::copy_async(counters, memory, bytes, where);
    }

    /// @brief  Throws, once, the error that kept this rank from reading a message on its GPU. The other ranks wait for that message, so
    ///         this rank has sent one with all bits set, which `slices` takes for a failure of this rank.
    void throw_unread()
    {
        if (unread_)
            std::rethrow_exception(std::exchange(unread_, nullptr));
    }

    /// @brief  Allocates memory of `bytes` bytes, unless there is as much already. `slices` does this for its messages, so that a rank
    ///         without memory can tell the others: later calls, in which ranks wait for each other, do not allocate.
    /// @pre    calls of this object have been waited for
    /// @throws out_of_memory  on this rank alone
    void reserve(std::size_t bytes)
    {
        if (memory_.size() < bytes)
            memory_ = pinned_buffer<std::byte>(bytes);
    }

private:
    /// A copy of the `bytes` bytes from `from` on, in memory of `room` bytes that no earlier copy uses any more.
    std::byte* fetch(const void* from, std::size_t bytes, std::size_t room, stream_view where)
    {
        try {
            where.synchronize();
            reserve(room);
            detail::runtime::copy_async(memory_.data(), from, bytes, where);
            where.synchronize();
        } catch (...) {
            if (memory_.size() < room)
                throw;
            unread_ = std::current_exception();
            std::memset(memory_.data(), 0xff, bytes);
        }
        return memory_.data();
    }

    Communicator* group_;
    pinned_buffer<std::byte> memory_;
    std::exception_ptr unread_;
};

}  // namespace parprims

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/ranks/device_calls.hpp>
#include <parprims/detail/ranks/device_group.hpp>
#include <parprims/detail/ranks/device_weighted.hpp>

namespace parprims {

/// @brief  The lengths of the slices that ranks pass in calls on GPUs, and memory for what the ranks send each other.
///
/// All ranks make one together, and wait for each other; later calls need not. `parprims::distributed(slices)` is the policy of the
/// calls. They run one after another in the stream of `where`, each over `n` elements. Whichever GPU is current, they run on
/// that of the stream; in a default stream on the one that was current when this was made.
///
/// Calls that return a value wait for it, the others are enqueued. If an enqueued call fails on a rank, the output of all ranks
/// stays as it was, and the next call that returns a value throws on every rank; so does `check()`.
/// @snippet nccl_test.cpp slices
template <communicator Communicator>
class slices {
public:
    /// @param  where        the stream, which is not captured, and where memory comes from
    /// @param  group        a communicator of GPU memory. Must outlive this object
    /// @param  n            elements of this rank's slice
    /// @param  value_bytes  size of the largest element or value in a call
    /// @param  counters     of the largest histogram, with its flow. A sum of a weighted histogram takes 16 counters (weighted_sum:
    ///                      39) for weights of float and 16 bits, 71 (207) for weights of double and integers
    /// @throws invalid_argument  on every rank: ranks with another `value_bytes` or `counters`, or too many elements
    /// @throws out_of_memory     on every rank. A rank that has not even 256 bytes for each rank cannot tell the others, which wait
    slices(const device_policy& where, Communicator& group, std::size_t n, std::size_t value_bytes = 8,
           std::size_t counters = 65536)
        : group_("parprims::slices", where, group, n, value_bytes, counters)
    {
    }

    std::size_t rank() const { return group_.rank(); }            ///< of this process or thread
    std::size_t size() const { return group_.ranks(); }           ///< ranks of the group
    std::size_t n() const { return group_.n(); }                  ///< elements of this rank's slice
    std::size_t begin() const { return group_.begin(); }          ///< elements of the ranks before
    std::size_t total() const { return group_.total(); }          ///< elements of all ranks
    std::size_t message_bytes() const { return group_.bytes(); }  ///< that a rank sends in a call

    /// @brief  Waits for all calls so far. All ranks call this together.
    /// @throws invalid_argument, out_of_memory, rank_error  on every rank, if a call has failed on one, as for
    ///         `distributed`; docs/ranks.md names the exceptions. If a launch failed after the messages were exchanged, this rank throws
    ///         until it has made the next call, for which the others wait
    void check() { group_.throw_failure("parprims::slices::check"); }

    detail::ranks::device_group<Communicator>& detail_group() { return group_; }  ///< for the library

private:
    detail::ranks::device_group<Communicator> group_;
};

/// @brief  The policy of a call that all ranks make together, each with its own slice on its GPU.
/// @snippet nccl_test.cpp slices
template <communicator Communicator>
distributed_policy<device_policy, slices<Communicator>> distributed(slices<Communicator>& all)
{
    return {all.detail_group().where(), all};
}

namespace detail::ranks {

template <class Communicator>
struct backend<distributed_policy<device_policy, parprims::slices<Communicator>>> {
    using policy = distributed_policy<device_policy, parprims::slices<Communicator>>;

    template <class Iterator, class T, class Op, class Transform, class... Output>
    static T reduce(const char* function, const policy& where, Iterator first, Iterator last, T init, Op op,
                    Transform transform, Output... out)
    {
        using checked_op = std::conditional_t<is_exact_sum<Op>, plus, Op>;
        if constexpr (device::check_call<T, Iterator, checked_op, Transform, Output...>()) {
            auto& group = where.group().detail_group();
            if constexpr (sizeof...(Output) == 0)
                return ranks::reduce_and_wait<T>(function, group, first, last, init, op, transform);
            else if constexpr (is_exact_sum<Op>)
                (ranks::exact_sum<false>(function, group, first, last, out, init, transform), ...);
            else
                (ranks::reduce<false, T>(function, group, first, last, out, init, op, transform), ...);
            return init;  // not used
        }
    }

    template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
    static void scan(const char* function, const policy& where, Iterator first, Iterator last, Output out,
                     const T* init, Op op, Transform transform)
    {
        if constexpr (device::check_call<T, Iterator, Op, Transform, Output>())
            ranks::scan<Kind, T>(function, where.group().detail_group(), first, last, out, init, op, transform);
    }

    template <class Iterator, class Axis, class Counts>
    static void histogram(const char* function, const policy& where, Iterator first, Iterator last, const Axis& axis,
                          Counts counts, std::uint64_t most, counter_range part = {})
    {
        if constexpr (device::check_histogram_call<Iterator, Axis, Counts>())
            ranks::histogram(function, where.group().detail_group(), first, last, axis, counts, most, part);
    }

    template <class Iterator, class Weights, class Axis, class Sums>
    static void weighted_histogram(const weighted_call& call, const policy& where, Iterator first, Iterator last,
                                   Weights weights, const Axis& axis, Sums sums)
    {
        if constexpr (device::check_weighted_call<Iterator, Weights, Axis, Sums>())
            ranks::weighted_histogram(call, where.group().detail_group(), first, last, weights, axis, sums);
    }

    /// A count that throws differs from the slice's, so the call fails on every rank, and what was thrown is reported.
    template <class Count>
    static std::size_t agreed_count(const char*, const policy& where, Count count)
    {
        std::size_t n = where.group().detail_group().n() == 0 ? 1 : 0;
        where.group().detail_group().keep([&] { n = count(); });
        return n;
    }
};

}  // namespace detail::ranks

}  // namespace parprims

#else

namespace parprims {

template <communicator Communicator>
class slices {
    static_assert(detail::never<Communicator>, "parprims: slices on GPUs need a file that is compiled as CUDA");
};

}  // namespace parprims

#endif

#include <parprims/detail/pop_macros.hpp>
