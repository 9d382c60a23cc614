/// @file
/// @brief  The first kernel of a scan over several ranks: the totals of tiles and of groups of tiles, from rows in
///         the registers of warps.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/scan/three_phase.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Reads complete rows of an input and folds each to its total; no shared memory.
template <class Input, class T, class Op, class Transform>
struct loaded_rows {
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr std::size_t row = order::row<T>;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(items);  // of a lane's part of a row
    static constexpr bool has_packets = packet_bytes != 0;
    using packet = simt::packet<has_packets ? packet_bytes : 1>;
    /// Rows that a warp loads before it uses any.
    static constexpr unsigned batch = order::power_of_two_within(128, has_packets ? packet_bytes : items * sizeof(T),
                                                                 order::tile_rows<T> < 8 ? order::tile_rows<T> : 8);

    Input input;
    std::size_t n;
    Op op;
    Transform transform;

    /// The totals of the `batch` complete rows from element `first` on: that of row r in lane r.
    PARPRIMS_DEVICE T totals(std::size_t first) const
    {
        uninitialized<T> columns[batch];
        if constexpr (has_packets) {
            const auto misalignment =
                static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes);
            if (misalignment == 0) {
                fold_packets(first, 0, columns);
                return warp::fold_full_rows(columns, op);
            }
            // Aligned packets extend beyond both ends of the rows; they must not extend beyond those of the input.
            if (first != 0 && n - first >= (batch + 1) * row) {
                fold_packets(first, misalignment, columns);
                return warp::fold_full_rows(columns, op);
            }
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                warp::accumulate(op, columns[b], k == 0,
                                 device::operand<T, Input>(transform,
                                                           input[first + b * row + simt::block::lane() * items + k]));
        return warp::fold_full_rows(columns, op);
    }

private:
    /// Folds the rows in the columns of each lane, from aligned packets: the rows begin `misalignment` bytes after a packet boundary.
    PARPRIMS_DEVICE void fold_packets(std::size_t first, unsigned misalignment, uninitialized<T> (&totals)[batch]) const
    {
        using source = typename Input::source_type;
        const unsigned lane = simt::block::lane();
        const auto* const packets =
            reinterpret_cast<const packet*>(reinterpret_cast<const unsigned char*>(input.data + first) - misalignment) +
            lane;
        packet loaded[batch];
        packet after{};  // lane 0: the first packet after the rows
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            loaded[b] = simt::load_streaming(packets + b * simt::warp_size);
        if (misalignment != 0 && lane == 0)
            after = simt::load_streaming(packets + batch * simt::warp_size);
        simt::sync_warp();  // all packets are loaded before any is used
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            packet own = loaded[b];
            if (misalignment != 0) {  // a lane's part ends in the packet of the next lane; lane 0 follows lane 31
                const packet& next_row = b + 1 < batch ? loaded[(b + 1) % batch] : after;
                const packet next = simt::shuffle(simt::select(lane == 0, next_row, own), (lane + 1) % simt::warp_size);
                own = block::shifted<alignof(source)>(own, next, misalignment);
            }
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                warp::accumulate(op, totals[b], k == 0,
                                 device::operand<T, Input>(transform, input.value_of(simt::element<source>(own, k))));
        }
    }
};

/// The totals of a slice's tiles that travel: one for each complete group, one for each other tile.
struct rank_groups {
    std::size_t left;    // tiles before the first complete group
    std::size_t groups;  // complete
    std::size_t right;   // tiles after them

    PARPRIMS_HOST_DEVICE explicit constexpr rank_groups(const ranks::slice& slice)
    {
        const std::size_t first = order::ceil_div(slice.first, order::group_tiles);
        const std::size_t last = (slice.first + slice.blocks) / order::group_tiles;
        groups = last > first ? last - first : 0;
        left = groups == 0 ? slice.blocks : first * order::group_tiles - slice.first;
        right = slice.blocks - left - groups * order::group_tiles;
    }
    PARPRIMS_HOST_DEVICE constexpr std::size_t all() const { return left + groups + right; }
};

/// Memory that the kernels of one scan share, on one rank.
template <class T>
struct rank_scan_memory {
    uninitialized<T>* aggregates;  // of the tiles of complete groups
    maybe<T>* before;              // everything before the group of the first tile that begins in the slice
    tile_words<T> words;           // of the long pass, whose tiles are numbered from that group on
};

/// Folds the tiles of a slice and writes the message, and prepares the memory of the long pass.
///
/// A warp folds the rows of a batch from registers. A block has `at_once` tiles in a row between two barriers.
template <class Input, class T, class Op, class Transform>
struct rank_tiles_kernel {
    using messages_type = rank_messages<T, T, order::tile<T>>;
    using rows_type = loaded_rows<Input, T, Op, Transform>;
    static constexpr unsigned rows = order::tile_rows<T>;
    static constexpr unsigned batches = rows / rows_type::batch;
    static constexpr unsigned max_threads = rank_tile_threads;
    static constexpr unsigned min_blocks = rank_tile_blocks_per_sm;
    static constexpr unsigned max_at_once = rank_tile_threads / simt::warp_size;
    struct shared_storage {
        uninitialized<T> row_totals[2][max_at_once][rows];  // of the current tiles and of those before
    };

    rows_type tiles_input;  // from the first complete tile on
    Input slice_input;
    ranks::slice own_slice;
    messages_type messages;
    rank_scan_memory<T> memory;
    unsigned* tickets;  // of the complete groups
    unsigned at_once;
    bool has_totals;  // whether a later rank needs the totals

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        messages.write_ends(block, own_slice, [&](std::size_t i) {
            return device::operand<T, Input>(tiles_input.transform, slice_input[i]);
        });
        const std::size_t thread = block.index() * block.threads() + block.thread();
        for (std::size_t i = thread; i < tile_words<T>::count * memory.words.tiles;
             i += block.count() * block.threads())
            simt::store(memory.words.words(), i, std::uint64_t{0});
        if (!has_totals)
            return;

        unsigned round = 0;
        for (std::size_t first = block.index() * at_once; first < own_slice.blocks;
             first += block.count() * at_once, round ^= 1) {
            // 1. Totals of rows.
#pragma unroll 1
            for (unsigned entry = block.warp(); entry < at_once * batches; entry += block.warps()) {
                const unsigned t = entry / batches;
                if (first + t >= own_slice.blocks)
                    break;
                const unsigned row = entry % batches * rows_type::batch;
                const T row_totals = tiles_input.totals((first + t) * order::tile<T> + row * order::row<T>);
                if (block.lane() < rows_type::batch)
                    simt::store(shared.row_totals[round][t], row + block.lane(), row_totals);
            }
            block.sync();

            // 2. Totals of tiles.
            for (unsigned t = block.warp(); t < at_once && first + t < own_slice.blocks; t += block.warps())
                send(first + t, total_of(shared.row_totals[round][t]));
        }
    }

private:
    /// For one warp: the total of a tile, in every lane, from the totals of its rows.
    PARPRIMS_DEVICE T total_of(const uninitialized<T>* row_totals) const
    {
        const auto total = [&](unsigned r) { return simt::load(row_totals, r < rows ? r : rows - 1); };
        T low = total(simt::block::lane());
        T high = rows > simt::warp_size ? total(simt::block::lane() + simt::warp_size) : low;
        warp::scan_rows<rows>(low, high, rows, tiles_input.op);
        return simt::shuffle<T>(rows > simt::warp_size ? high : low, (rows - 1) % simt::warp_size);
    }

    /// For one warp: stores the total of a tile. The warp that completes a group folds the totals of its tiles.
    PARPRIMS_DEVICE void send(std::size_t tile, const T& total) const
    {
        const rank_groups groups(own_slice);
        uninitialized<T>* const sent = messages_type::totals(messages.group.sent);
        const bool is_first = simt::block::lane() == 0;
        const std::size_t grouped = groups.groups * order::group_tiles;
        if (tile < groups.left || tile >= groups.left + grouped) {
            if (is_first)
                simt::store(sent, tile < groups.left ? tile : tile - grouped + groups.groups, total);
            return;
        }
        const std::size_t group = (tile - groups.left) / order::group_tiles;
        bool is_last = false;
        if (is_first) {
            simt::store(memory.aggregates, tile - groups.left, total);
            constexpr unsigned last = order::group_tiles - 1;
            is_last = simt::atomic_increment_wrapping<simt::order::acq_rel>(tickets + group, last) == last;
        }
        if (simt::ballot(is_last) == 0)
            return;
        simt::sync_warp();
        const T sum =
            device::fold_aggregates(memory.aggregates + group * order::group_tiles, order::group_tiles, tiles_input.op);
        if (is_first)
            simt::store(sent, groups.left + group, sum);
    }
};

}  // namespace parprims::detail::device
