/// @file
/// @brief  What the blocks of a segmented reduction leave for its second kernel: totals of chunks, and which segments end where.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The totals of the chunks of segments of several chunks, and for each tile the segment that began before it and ends in it.
///
/// A complete chunk that begins at element e has place e / Chunk: complete chunks do not overlap, so their places differ. The last
/// chunk of a segment may be shorter, and has its place in an array of its own: before it lies a complete chunk of the same
/// segment. A segment that lies in one tile has no totals here: its block folds them.
template <class T, std::size_t Chunk>
struct chunk_totals {
    static constexpr std::size_t chunk = Chunk;

    uninitialized<T>* complete;
    uninitialized<T>* last;
    std::size_t* ended;  // for each tile; the number of segments if there is none

    static constexpr std::size_t bytes(std::size_t n, std::size_t tiles)
    {
        return 2 * array_bytes(n) + tiles * sizeof(std::size_t);
    }

    static chunk_totals at(std::byte* memory, std::size_t n)
    {
        return {reinterpret_cast<uninitialized<T>*>(memory),
                reinterpret_cast<uninitialized<T>*>(memory + array_bytes(n)),
                reinterpret_cast<std::size_t*>(memory + 2 * array_bytes(n))};
    }

private:
    static constexpr std::size_t array_bytes(std::size_t n) { return aligned_bytes((n / Chunk + 1) * sizeof(T)); }
};

}  // namespace parprims::detail::device
