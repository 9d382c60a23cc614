/// @file
/// @brief  What each rank sends in a call on GPUs: totals of its blocks, and the elements of blocks that it shares with others.
///
/// A message has a header, room for the total of one shared block (which the receiver fills in), the totals, and the elements
/// before and after the complete blocks of the slice. All messages of a group have one size, whatever is called.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>
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
    std::uint64_t* failure;     // 1 if a call failed, and which call it was; zero until then
};

/// The same for one call. E: what travels as elements; T: totals. `Block`: elements of a block.
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

    /// Whether a block ends with the slice of another rank than it begins with, or is incomplete, and `rank` has its first element.
    PARPRIMS_DEVICE bool has_shared_block(std::size_t rank) const
    {
        const std::size_t end = begin(rank + 1);
        return end % Block != 0 && begin(rank) <= end / Block * Block;
    }

    /// Writes the header and the elements, by all threads of the grid. `element(i)` is element i of the slice.
    template <class Element>
    PARPRIMS_DEVICE void write_ends(simt::block block, const ranks::slice& mine, Element element) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        if (thread == 0) {
            simt::store(header(group.sent), 0, call);
            simt::store(header(group.sent), 1, std::uint64_t{0});
        }
        for (std::size_t i = thread; i < mine.head + mine.tail; i += block.count() * block.threads())
            simt::store(ends(group.sent), i, element(i < mine.head ? i : i + mine.blocks * Block));
    }

    /// For all threads of a block: whether all ranks made this call and none failed. Notes the first call for which that is not so.
    /// Has barriers.
    PARPRIMS_DEVICE bool check(simt::block block, unsigned& is_bad) const
    {
        if (block.thread() == 0)
            simt::store(&is_bad, 0u);
        block.sync();
        for (std::size_t r = block.thread(); r < group.ranks; r += block.threads())
            if (simt::load(header(from(r)), 0) != call || simt::load(header(from(r)), 1) != 0)
                simt::atomic_add(&is_bad, 1u);
        block.sync();
        const bool is_good = simt::load(&is_bad) == 0;
        if (!is_good && block.thread() == 0 && simt::load(group.failure, 0) == 0) {
            simt::store(group.failure, 0, std::uint64_t{1});
            simt::store(group.failure, 1, call);
        }
        block.sync();
        return is_good;
    }
};

/// Writes a message that says that this rank failed.
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

/// Notes on such a rank that the call failed.
struct rank_check_kernel {
    static constexpr unsigned max_threads = 256;
    struct shared_storage {
        unsigned is_bad;
    };

    rank_messages<std::uint64_t, std::uint64_t, 1> messages;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        messages.check(block, shared.is_bad);
    }
};

/// The elements of a block that ranks share, as received. `first_rank` has the first one.
template <class Messages, class E, std::size_t Block>
struct shared_block_input {
    using value_type = E;
    static constexpr bool is_pointer = false;
    static constexpr bool has_source = false;

    Messages messages;
    std::size_t first_rank;
    std::size_t begin;  // of the block in the whole input

    PARPRIMS_DEVICE E operator[](std::size_t i) const
    {
        std::size_t rank = first_rank;
        while (messages.begin(rank + 1) <= begin + i)
            ++rank;
        const ranks::slice of = messages.slice(rank);
        const std::size_t place = begin + i - messages.begin(rank);
        return simt::load(messages.ends(messages.from(rank)), place < of.head ? place : place - of.blocks * Block);
    }
};

}  // namespace parprims::detail::device
