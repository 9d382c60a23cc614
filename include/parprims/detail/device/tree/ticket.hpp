/// @file
/// @brief  The ticket that selects the last block of a kernel.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::block {

/// For one thread of each of `blocks` blocks: takes a ticket. After the last one, the word of tickets is zero again. If the block with
/// the last ticket reads what the others wrote before they took theirs, `Order` must be `acq_rel`.
template <simt::order Order>
PARPRIMS_DEVICE inline unsigned take_ticket(std::size_t blocks, unsigned* tickets)
{
    return simt::atomic_increment_wrapping<Order>(tickets, static_cast<unsigned>(blocks - 1));
}
PARPRIMS_DEVICE inline bool is_last_ticket(std::size_t blocks, unsigned ticket)
{
    return ticket == static_cast<unsigned>(blocks - 1);
}

/// Takes a ticket; whether it is the last.
template <simt::order Order>
PARPRIMS_DEVICE inline bool takes_last_ticket(std::size_t blocks, unsigned* tickets)
{
    return is_last_ticket(blocks, take_ticket<Order>(blocks, tickets));
}

/// Takes a ticket for a block, of all blocks of the kernel; whether it is the last.
template <simt::order Order>
PARPRIMS_DEVICE inline bool takes_last_ticket(simt::block block, unsigned* tickets)
{
    return takes_last_ticket<Order>(block.count(), tickets);
}

/// For all threads of a block: returns what the first thread passes as `known`. `shared` is in shared memory. Has a barrier.
PARPRIMS_DEVICE inline bool broadcast_first(simt::block block, bool& shared, bool known)
{
    if (block.thread() == 0)
        simt::store(&shared, known);
    block.sync();
    return simt::load(&shared);
}

}  // namespace parprims::detail::block
