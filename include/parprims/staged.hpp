/// @file
/// @brief  Slices on GPUs over a communicator of host memory: by way of page-locked memory.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/detail/runtime/call.hpp>
#include <parprims/distributed.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream_view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace parprims {

/// @brief  A communicator for `slices` on GPUs over one of host memory, such as `mpi_communicator` where NCCL is not there.
///
/// Each call waits for its stream, so it can be no part of a graph. What travels passes through page-locked memory of this object:
/// all `slices` over it must use one stream.
/// @snippet slices_test.cpp staged
template <communicator Communicator>
class staged_communicator {
public:
    /// @param  group  must outlive this object
    /// @throws out_of_memory  no page-locked memory on this rank: the others are not told
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

    /// @brief  Throws what kept this rank from reading a message on its GPU, once. It sent one whose bits are all set instead, as
    ///         the others wait for it; `slices` takes that for a failure of this rank.
    void throw_unread()
    {
        if (unread_)
            std::rethrow_exception(std::exchange(unread_, nullptr));
    }

    /// @brief  Allocates memory of `bytes` bytes, unless there is as much. `slices` does this for its messages, so that a rank
    ///         without memory can tell the others: no call in which ranks wait for each other allocates afterwards.
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

#include <parprims/detail/pop_macros.hpp>
