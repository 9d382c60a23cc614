/// @file
/// @brief  Rows in shared memory of which each thread holds one in registers, so that no value is shuffled.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::block {

/// The rows of a warp: one for each lane, of an element for each lane. A packet of padding after each row: lanes that read the
/// same packet of their rows use different banks. Elements are whole words; input and output that are not aligned are copied
/// word by word.
///
/// Has the interface of `row_io`, whose rows are read by all lanes.
template <class Element, unsigned Rows>
struct thread_rows {
    static_assert(alignof(Element) == 4);
    using word = simt::packet<4>;
    using words = simt::packet<16>;
    static constexpr unsigned rows = Rows;
    static constexpr unsigned row_packets = simt::warp_size * sizeof(Element) / sizeof(words);
    static constexpr std::size_t row_bytes = (row_packets + 1) * sizeof(words);
    static constexpr std::size_t region_bytes = rows * row_bytes;
    static_assert(row_packets % 2 == 0);

    static constexpr unsigned packet_bytes = 0;
    using packet = simt::packet<1>;
    static constexpr unsigned packets = 1;
    static constexpr bool can_shift = false;
    static constexpr bool can_split = false;
    static constexpr bool has_halves = false;

    /// Consecutive elements that are a whole number of packets.
    static constexpr unsigned part_items = 4;
    static constexpr unsigned parts = simt::warp_size / part_items;
    using part = uninitialized<Element>[part_items];

    /// The first byte of element e of the rows in their region.
    PARPRIMS_DEVICE static std::size_t place(unsigned e)
    {
        return e / simt::warp_size * row_bytes + e % simt::warp_size * sizeof(Element);
    }

    /// Starts to copy the rows, or the `left` elements to the end of the array.
    PARPRIMS_DEVICE static void copy(unsigned char* region, const Element* from, unsigned, std::size_t left)
    {
        const auto copy_word = [&](unsigned global, unsigned shared) {
            simt::copy_async(reinterpret_cast<word*>(region) + shared, reinterpret_cast<const word*>(from) + global);
        };
        if (left >= rows * simt::warp_size)
            return for_each_word(copy_word);
        const auto end = static_cast<unsigned>(left * (sizeof(Element) / sizeof(word)));
        for_each_word([&](unsigned global, unsigned shared) {
            if (global < end)
                copy_word(global, shared);
        });
    }

    /// Part p of a row that this lane holds.
    PARPRIMS_DEVICE static void load(const unsigned char* row_begin, unsigned p, part& elements)
    {
        words raw[part_packets];
#pragma unroll
        for (unsigned i = 0; i < part_packets; ++i)
            raw[i] = simt::load(reinterpret_cast<const words*>(row_begin), p * part_packets + i);
        __builtin_memcpy(static_cast<void*>(elements), raw, sizeof(raw));
    }
    PARPRIMS_DEVICE static void store(unsigned char* row_begin, unsigned p, const part& elements)
    {
        words raw[part_packets];
        __builtin_memcpy(raw, static_cast<const void*>(elements), sizeof(raw));
#pragma unroll
        for (unsigned i = 0; i < part_packets; ++i)
            simt::store(reinterpret_cast<words*>(row_begin), p * part_packets + i, raw[i]);
    }

    /// This lane's element of a row that all lanes read.
    PARPRIMS_DEVICE static Element load_element(const unsigned char* row_begin, unsigned, unsigned)
    {
        return simt::load(reinterpret_cast<const Element*>(row_begin), simt::block::lane());
    }

    /// Writes all rows from their region to `to`.
    PARPRIMS_DEVICE static void write(const unsigned char* region, unsigned, Element* to)
    {
        for_each_word([&](unsigned global, unsigned shared) {
            simt::store_streaming(reinterpret_cast<word*>(to) + global,
                                  simt::load(reinterpret_cast<const word*>(region), shared));
        });
    }

private:
    static constexpr unsigned part_packets = part_items * sizeof(Element) / sizeof(words);

    /// Calls `work(global, shared)` for this lane's words of all rows: their places in the array and in the region.
    template <class Work>
    PARPRIMS_DEVICE static void for_each_word(Work work)
    {
        constexpr unsigned row_words = row_packets * sizeof(words) / sizeof(word);
        constexpr unsigned stride = row_bytes / sizeof(word);
        const unsigned lane = simt::block::lane();
#pragma unroll 4
        for (unsigned r = 0; r < rows; ++r)
#pragma unroll
            for (unsigned w = lane; w < row_words; w += simt::warp_size)
                work(r * row_words + w, r * stride + w);
    }
};

}  // namespace parprims::detail::block
