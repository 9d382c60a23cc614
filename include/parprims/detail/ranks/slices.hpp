/// @file
/// @brief  The slices of all ranks as one input, divided into blocks: the chunks of a reduction, the tiles of a scan.
///
/// A rank folds the complete blocks of its slice. The elements of blocks that lie on the border of slices travel as they are, so
/// every rank can fold these blocks, too, whichever ranks they come from.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/ranks/division.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace parprims::detail::ranks {

/// Blocks whose total travels as one value: those from block `begin` on that end by block `end`.
using piece_rule = std::size_t (*)(std::size_t begin, std::size_t end);

/// Calls `visit(begin, blocks)` for each piece of the complete blocks.
template <class Visit>
void for_each_piece(const slice& part, piece_rule rule, Visit visit)
{
    const std::size_t end = part.first + part.blocks;
    for (std::size_t begin = part.first; begin < end;) {
        const std::size_t blocks = rule(begin, end);
        visit(begin, blocks);
        begin += blocks;
    }
}

/// What the ranks send each other: for each one the elements of its head, the totals of its pieces, the elements of its tail.
template <class T, class Session>
class slices {
public:
    slices(Session& session, std::size_t block, piece_rule rule) : session_(session), block_(block), rule_(rule) {}

    /// Allocates all that the exchange needs, once the lengths of the slices are known.
    void prepare()
    {
        std::size_t begin = 0;
        for (std::size_t rank = 0; rank < session_.ranks(); ++rank) {
            const slice next = divide(begin, session_.n(rank), block_);
            std::size_t values = next.head + next.tail;
            for_each_piece(next, rule_, [&](std::size_t, std::size_t) { ++values; });
            most_values_ = larger_of(most_values_, values);
            slices_.push_back(next);
            begin += session_.n(rank);
        }
        sent_.resize(most_values_);
        received_.resize(most_values_ * session_.ranks());
        shared_block_.resize(block_);
    }

    const slice& own_slice() const { return slices_[session_.rank()]; }
    T* head() { return values(sent_); }
    T* totals() { return head() + own_slice().head; }  ///< of the pieces, to be written before the exchange
    T* shared_block() { return values(shared_block_); }

    template <class Visit>
    void for_each_of_mine(Visit visit) const
    {
        for_each_piece(own_slice(), rule_, visit);
    }

    /// Copies the elements at both ends of the slice, transformed, into what is sent.
    template <class Iterator, class Transform>
    void copy_ends(Iterator first, Transform transform)
    {
        std::size_t pieces = 0;
        for_each_of_mine([&](std::size_t, std::size_t) { ++pieces; });
        for (std::size_t i = 0; i < own_slice().head; ++i)
            head()[i] = host::element<T>(first, i, transform);
        const std::size_t tail = own_slice().head + own_slice().blocks * block_;
        for (std::size_t i = 0; i < own_slice().tail; ++i)
            totals()[pieces + i] = host::element<T>(first, tail + i, transform);
    }

    void exchange()
    {
        if (most_values_ != 0)
            session_.exchange(sent_.data(), received_.data(), most_values_ * sizeof(T));
    }

    /// Walks over the slices of the first `ranks` ranks. Calls `visit(total, blocks)` for each piece and for each shared block,
    /// whose total is `fold(elements, n)`. Returns how many elements of an incomplete block are left, in `shared_block()`.
    template <class Fold, class Visit>
    std::size_t join(std::size_t ranks, Fold fold, Visit visit)
    {
        std::size_t left = 0;
        const auto append = [&](const T* elements, std::size_t n) {
            if (n == 0)  // there may be no memory
                return;
            std::memcpy(static_cast<void*>(shared_block() + left), elements, n * sizeof(T));
            left += n;
            if (left == block_) {
                visit(fold(shared_block(), block_), 1);
                left = 0;
            }
        };
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const T* next = values(received_) + rank * most_values_;
            append(next, slices_[rank].head);
            next += slices_[rank].head;
            for_each_piece(slices_[rank], rule_, [&](std::size_t, std::size_t blocks) { visit(*next++, blocks); });
            append(next, slices_[rank].tail);
        }
        return left;
    }

private:
    static_assert(std::is_trivially_copyable_v<T>);

    static T* values(host::sequence<uninitialized<T>>& memory) { return reinterpret_cast<T*>(memory.data()); }

    Session& session_;
    std::size_t block_;  // elements
    piece_rule rule_;
    std::size_t most_values_ = 0;  // that a rank sends; every rank sends as many bytes
    host::sequence<slice> slices_;
    host::sequence<uninitialized<T>> sent_;
    host::sequence<uninitialized<T>> received_;
    host::sequence<uninitialized<T>> shared_block_;
};

}  // namespace parprims::detail::ranks
