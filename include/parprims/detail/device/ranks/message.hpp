/// @file
/// @brief  What each rank sends in a call on GPUs: totals of its blocks, and the elements of blocks that it shares with others.
///
/// A block here is a chunk or a tile of the whole input, not a CUDA block.
///
/// A message is: a header; a place for one total, which the receiver computes; totals of the whole blocks; the elements before and after
/// them (`ends`). All messages of a group have one size, whatever is called.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/ranks/division.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The group as its kernels see it. All memory is on the GPU.
struct rank_view {
    const std::size_t* begins;  // of the slices in the whole input, and its end
    std::size_t ranks;
    std::size_t rank;
    std::byte* sent;
    std::byte* received;
    std::size_t message_bytes;  // a multiple of `memory_alignment`
    std::uint64_t* failure;     // not zero if a call failed; and which call it was
    unsigned* ticket;           // zero between kernels
    std::byte* scratch;         // of one call after another
    std::size_t scratch_bytes;
};

/// For one thread: records the first call that failed, as in rank_view::failure.
PARPRIMS_DEVICE inline void record_failure(std::uint64_t* failure, std::uint64_t call)
{
    if (simt::load(failure, 0) == 0) {
        simt::store(failure, 0, std::uint64_t{1});
        simt::store(failure, 1, call);
    }
}

/// For one warp: each lane loads total `first` + lane. Lanes past the last of `n` totals must not use theirs.
template <class T>
PARPRIMS_DEVICE uninitialized<T> load_by_lane(const uninitialized<T>* totals, std::size_t n, std::size_t first)
{
    uninitialized<T> total;
    if (first + simt::block::lane() < n)
        total.value = simt::load(totals, first + simt::block::lane());
    return total;
}

/// rank_view for one call. E: what travels as elements; T: totals. `Block`: elements of a block.
template <class T, class E, std::size_t Block>
struct rank_messages {
    static constexpr std::size_t totals_offset = memory_alignment + aligned_bytes(sizeof(T));

    rank_view group;
    std::size_t ends_offset;
    std::uint64_t call;  // the same on all ranks

    static constexpr std::size_t ends_offset_of(std::size_t totals)
    {
        return totals_offset + aligned_bytes(totals * sizeof(T));
    }
    static constexpr std::size_t bytes_of(std::size_t totals, std::size_t elements)
    {
        return ends_offset_of(totals) + aligned_bytes(elements * sizeof(E));
    }

    PARPRIMS_HOST_DEVICE std::byte* from(std::size_t rank) const { return group.received + rank * group.message_bytes; }
    /// Word 0: the call's number. Word 1: 1 if the rank failed, otherwise 0.
    PARPRIMS_HOST_DEVICE static std::uint64_t* header(std::byte* message)
    {
        return reinterpret_cast<std::uint64_t*>(message);
    }
    PARPRIMS_HOST_DEVICE static uninitialized<T>* shared_total(std::byte* message)
    {
        return reinterpret_cast<uninitialized<T>*>(message + memory_alignment);
    }
    PARPRIMS_HOST_DEVICE static uninitialized<T>* totals(std::byte* message)
    {
        return reinterpret_cast<uninitialized<T>*>(message + totals_offset);
    }
    /// For one warp: `load_by_lane` of the received totals of a rank. A kernel calls this before it knows the borders of the slice and
    /// before it has checked the message, to hide the latency. Words past the rank's last total may be anything; do not use them.
    PARPRIMS_DEVICE uninitialized<T> load_totals(std::size_t rank, std::size_t first) const
    {
        return device::load_by_lane(totals(from(rank)), (ends_offset - totals_offset) / sizeof(T), first);
    }
    PARPRIMS_HOST_DEVICE uninitialized<E>* ends(std::byte* message) const
    {
        return reinterpret_cast<uninitialized<E>*>(message + ends_offset);
    }

    PARPRIMS_DEVICE std::size_t begin(std::size_t rank) const { return simt::load(group.begins, rank); }
    PARPRIMS_DEVICE ranks::slice slice(std::size_t rank) const
    {
        const std::size_t first = begin(rank);
        return ranks::divide(first, begin(rank + 1) - first, Block);
    }

    PARPRIMS_DEVICE bool has_shared_block(std::size_t rank) const
    {
        return ranks::has_shared_block(begin(rank), begin(rank + 1), Block);
    }

    /// Writes the header and the elements, by all threads of the grid. `element(i)` is element i of the slice.
    template <class Element>
    PARPRIMS_DEVICE void write_ends(simt::block block, const ranks::slice& own_slice, Element element) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        if (thread == 0) {
            simt::store(header(group.sent), 0, call);
            simt::store(header(group.sent), 1, std::uint64_t{0});
        }
        for (std::size_t i = thread; i < own_slice.head + own_slice.tail; i += block.count() * block.threads())
            simt::store(ends(group.sent), i, element(i < own_slice.head ? i : i + own_slice.blocks * Block));
    }

    /// For all warps of a CUDA block: whether all ranks made this call and none failed. Otherwise records this call as failed.
    PARPRIMS_DEVICE bool check(simt::block block) const
    {
        bool is_bad = false;
        for (std::size_t r = block.lane(); r < group.ranks; r += simt::warp_size)
            is_bad |= simt::load(header(from(r)), 0) != call || simt::load(header(from(r)), 1) != 0;
        const bool is_good = simt::ballot(is_bad) == 0;
        if (!is_good && block.thread() == 0)
            record_failure(group.failure, call);
        return is_good;
    }
};

/// Writes the message of a rank that failed.
struct rank_failure_kernel {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    rank_view group;
    std::uint64_t call;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if (block.thread() < 2)
            simt::store(reinterpret_cast<std::uint64_t*>(group.sent), block.thread(), block.thread() == 0 ? call : 1);
    }
};

/// Runs on a rank that failed, instead of the call's second part. It only checks the messages and records the failure.
struct rank_check_kernel {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    rank_messages<std::uint64_t, std::uint64_t, 1> messages;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const { messages.check(block); }
};

/// A block that ranks share, as received: an input whose element i is that of place i in the block.
template <class Messages, class E, std::size_t Block>
class shared_block {
    /// Elements of one rank, by their places in the block.
    struct part {
        const uninitialized<E>* elements;
        std::size_t end;
    };

public:
    /// Elements from any number of ranks: each access searches for the rank.
    struct input_of_many {
        using value_type = E;
        static constexpr bool is_pointer = false;
        static constexpr bool has_source = false;

        shared_block shared;

        PARPRIMS_DEVICE E operator[](std::size_t i) const
        {
            std::size_t rank = shared.first_rank_;
            while (shared.messages_.begin(rank + 1) <= shared.begin_ + i)
                ++rank;
            return simt::load(shared.part_of(rank).elements, i);
        }
    };

    /// Elements from one or two ranks, the usual case. An access has neither a loop nor a branch, so the loads of several elements
    /// overlap.
    struct input_of_two {
        using value_type = E;
        static constexpr bool is_pointer = false;
        static constexpr bool has_source = false;

        part parts[2];

        PARPRIMS_DEVICE E operator[](std::size_t i) const
        {
            return simt::load(i < parts[0].end ? parts[0].elements : parts[1].elements, i);
        }
    };

    /// @param  first_rank  that has the block's first element
    /// @param  begin       of the block in the whole input
    PARPRIMS_DEVICE shared_block(const Messages& messages, std::size_t first_rank, std::size_t begin)
        : messages_(messages), first_rank_(first_rank), begin_(begin)
    {
    }

    /// Calls `work(input)` for the first `n` elements of the block.
    template <class Work>
    PARPRIMS_DEVICE void with_input(std::size_t n, Work work) const
    {
        const std::size_t second_rank = first_rank_ + 1 < messages_.group.ranks ? first_rank_ + 1 : first_rank_;
        const input_of_two input{{part_of(first_rank_), part_of(second_rank)}};
        if (input.parts[1].end >= n)
            work(input);
        else
            work(input_of_many{*this});
    }

private:
    PARPRIMS_DEVICE part part_of(std::size_t rank) const
    {
        const ranks::slice slice = messages_.slice(rank);
        const std::size_t first = messages_.begin(rank);
        const std::size_t end = messages_.begin(rank + 1);
        // A message has no complete blocks: the elements after them follow directly on those before them.
        const std::size_t skipped = begin_ > first && begin_ - first >= slice.head ? slice.blocks * Block : 0;
        // The place of the block's first element in the message. Unsigned, so it wraps when the slice begins behind the
        // block's start; the cast below turns it into a negative offset.
        const std::size_t place = begin_ - first - skipped;
        return {messages_.ends(messages_.from(rank)) + static_cast<std::ptrdiff_t>(place),
                end > begin_ ? end - begin_ : 0};
    }

    Messages messages_;
    std::size_t first_rank_;
    std::size_t begin_;
};

}  // namespace parprims::detail::device
