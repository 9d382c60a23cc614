/// @file
/// @brief  The kernels of a scan over several ranks that run before the ordinary kernel: what the groups of tiles add up to, and
///         what comes before the slice.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/flagged_words.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/scan/status_words.hpp>
#include <parprims/detail/device/scan/three_phase.hpp>
#include <parprims/detail/device/scan/tile.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The totals of a slice's tiles that travel: one for each complete group, one for each other tile.
struct rank_groups {
    std::size_t left;    // tiles before the first complete group
    std::size_t groups;  // complete
    std::size_t right;   // tiles after them

    PARPRIMS_HOST_DEVICE explicit constexpr rank_groups(const ranks::slice& of)
    {
        const std::size_t first = order::ceil_div(of.first, order::group_tiles);
        const std::size_t last = (of.first + of.blocks) / order::group_tiles;
        groups = last > first ? last - first : 0;
        left = groups == 0 ? of.blocks : first * order::group_tiles - of.first;
        right = of.blocks - left - groups * order::group_tiles;
    }
    PARPRIMS_HOST_DEVICE constexpr std::size_t all() const { return left + groups + right; }
};

/// Memory that the kernels of one scan share, on one rank.
template <class T>
struct rank_scan_memory {
    uninitialized<T>* aggregates;  // of the complete tiles
    maybe<T>* before;              // everything before the group of the first tile that begins in the slice
    unsigned long long* ticket;    // of the ordinary kernel, whose tiles are numbered from that group on
    tile_status<T> status;
};

/// Writes the message, and prepares the memory of the ordinary kernel.
template <class Input, class T, class Op, class Transform>
struct rank_pack_kernel {
    using messages_type = rank_messages<T, T, order::tile<T>>;
    static constexpr unsigned max_threads = 256;
    struct shared_storage {};

    Input input;
    ranks::slice mine;
    messages_type messages;
    rank_scan_memory<T> memory;
    Op op;
    Transform transform;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        messages.write_ends(block, mine, [&](std::size_t i) { return enter<T, Input>(transform, input[i]); });
        const std::size_t thread = block.index() * block.threads() + block.thread();
        const std::size_t threads = block.count() * block.threads();
        for (std::size_t i = thread; i < tile_status<T>::words::count * memory.status.tiles; i += threads)
            simt::store(memory.status.status, i, std::uint64_t{0});

        const rank_groups groups(mine);
        uninitialized<T>* const sent = messages_type::totals(messages.group.sent);
        for (std::size_t i = thread; i < groups.left + groups.right; i += threads) {
            const bool is_left = i < groups.left;
            simt::store(sent, is_left ? i : i + groups.groups,
                        simt::load(memory.aggregates, is_left ? i : i + groups.groups * order::group_tiles));
        }
        for (std::size_t g = block.index() * block.warps() + block.warp(); g < groups.groups;
             g += block.count() * block.warps()) {
            const T total =
                fold_aggregates(memory.aggregates + groups.left + g * order::group_tiles, order::group_tiles, op);
            if (block.lane() == 0)
                simt::store(sent, groups.left + g, total);
        }
    }
};

/// One tile in one block, whose elements come from several ranks: its total, and its output.
template <class Tile, class T>
struct shared_tile {
    struct storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[Tile::rows];
    };

    /// Reads the tile and scans its rows' totals. Returns its total where it is complete.
    PARPRIMS_DEVICE static uninitialized<T> read(simt::block block, const Tile& work, unsigned char* stage,
                                                 storage& shared)
    {
        work.fetch(stage, 0);
        simt::wait_copies<0>();
        simt::sync_warp();
        work.total_rows(stage, work.n, shared.row_totals);
        block.sync();
        if (block.warp() == 0)
            warp::scan_rows<Tile::rows>(shared.row_totals, static_cast<unsigned>(work.n / Tile::row), shared.row_scans,
                                        work.op);
        block.sync();
        uninitialized<T> total;
        if (work.n == Tile::tile)
            total.value = simt::load(shared.row_scans, Tile::rows - 1);
        return total;
    }
};

/// Folds the tiles that several ranks share and that end before this rank's slice. A block for each earlier rank.
template <class T, class Op>
struct rank_borders_kernel {
    static constexpr std::size_t tile = order::tile<T>;
    using messages_type = rank_messages<T, T, tile>;
    using input_type = shared_block_input<messages_type, T, tile>;
    using tile_type = scan_tile<scan_kind::inclusive, input_type, pointer_output<T>, T, Op, identity>;
    using work_type = shared_tile<tile_type, T>;

    static constexpr unsigned max_threads = 512;
    using shared_storage = typename work_type::storage;
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 127) / 128 * 128;
    static constexpr std::size_t shared_bytes = storage_bytes + tile_type::stage_bytes;

    messages_type messages;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t r = block.index();
        const std::size_t begin = messages.begin(r + 1) / tile * tile;
        if (!messages.has_shared_block(r) || begin + tile > messages.begin(messages.group.rank))
            return;
        auto* const stage = reinterpret_cast<unsigned char*>(&shared) + storage_bytes;
        const tile_type work{{messages, r, begin}, tile, {nullptr}, {}, op, {}, 0, 0};
        const auto total = work_type::read(block, work, stage, shared);
        if (block.thread() == 0)
            simt::store(messages_type::shared_total(messages.from(r)), total.value);
    }
};

/// Drops results of elements that lie in the slices of earlier ranks.
template <class Output>
struct later_output {
    using value_type = void;
    static constexpr bool is_pointer = false;

    Output output;
    std::size_t dropped;

    template <class T>
    PARPRIMS_DEVICE void set(std::size_t i, const T& value) const
    {
        if (i >= dropped)
            output.set(i - dropped, value);
    }
};

/// Finds what comes before the slice, and writes the results of the tile that earlier ranks have begun. One block.
template <scan_kind Kind, class T, class Output, class Op>
struct rank_start_kernel {
    static constexpr std::size_t tile = order::tile<T>;
    using messages_type = rank_messages<T, T, tile>;
    using input_type = shared_block_input<messages_type, T, tile>;
    using tile_type = scan_tile<Kind, input_type, later_output<Output>, T, Op, identity>;
    using work_type = shared_tile<tile_type, T>;

    static constexpr unsigned max_threads = 512;
    struct shared_storage {
        typename work_type::storage rows;
        maybe<T> prefix;
        unsigned is_bad;
    };
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 127) / 128 * 128;
    static constexpr std::size_t shared_bytes = storage_bytes + tile_type::stage_bytes;

    messages_type messages;
    rank_scan_memory<T> memory;
    Output output;
    maybe<T> init;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t rank = messages.group.rank;
        const bool is_good = messages.check(block, shared.is_bad);
        if (!is_good) {  // the ordinary kernel finds no tile
            if (block.thread() == 0)
                simt::store(memory.ticket, 0, ~0ull / 2);
            return;
        }

        // 1. One warp passes over the totals of the ranks before.
        const std::size_t begin = messages.begin(rank);
        const std::size_t begun = begin % tile;  // elements of the tile that they have begun
        const std::size_t shared_begin = begin - begun;
        position at{init, 0, {}};
        std::size_t first_rank = rank;
        for (std::size_t r = 0; r < rank; ++r) {
            if (block.warp() == 0)
                at.pass(messages.slice(r), messages_type::totals(messages.from(r)), op);
            if (messages.has_shared_block(r)) {
                if (messages.begin(r + 1) / tile * tile < shared_begin || begun == 0) {
                    if (block.warp() == 0)
                        at.pass_tile(simt::load(messages_type::shared_total(messages.from(r))), op);
                } else {
                    first_rank = r;
                }
            }
        }

        // 2. The tile that they have begun.
        const std::size_t n = messages.begin(rank + 1) - begin;
        const ranks::slice mine = ranks::divide(begin, n, tile);
        if (begun != 0 && n != 0) {
            if (block.warp() == 0) {
                const maybe<T> prefix = at.prefix(op);
                if (block.lane() == 0)
                    shared.prefix = prefix;
            }
            auto* const stage = reinterpret_cast<unsigned char*>(&shared) + storage_bytes;
            const tile_type work{
                {messages, first_rank, shared_begin}, begun + mine.head, {output, begun}, {}, op, {}, 0, 0};
            const uninitialized<T> total = work_type::read(block, work, stage, shared.rows);
            tile_output<tile_type, T>{work}.write_by_row(stage, 0, shared.rows.row_scans, shared.prefix);
            if (work.n == tile && block.warp() == 0)
                at.pass_tile(total.value, op);
        }

        // 3. Where the ordinary kernel starts, if a tile begins in the slice.
        if (block.warp() != 0 || n <= mine.head)
            return;
        if (block.lane() < at.tiles)
            memory.status.publish_alone(block.lane(), at.aggregate.value);
        if (block.lane() == 0) {
            *memory.before = at.anchor;
            simt::store(memory.ticket, 0, static_cast<unsigned long long>(at.tiles));
        }
    }

private:
    /// For one warp: everything before a tile. Lane i has the aggregate of tile i of its group.
    struct position {
        maybe<T> anchor;
        unsigned tiles = 0;  // of the group that have been passed
        uninitialized<T> aggregate;

        PARPRIMS_DEVICE void pass_group(const T& total, Op op) { anchor.set(anchor.then(total, op)); }
        PARPRIMS_DEVICE void pass_tile(const T& total, Op op)
        {
            if (simt::block::lane() == tiles)
                aggregate.value = total;
            if (++tiles == order::group_tiles) {
                pass_group(simt::shuffle<T>(warp::fold_full_lanes(aggregate.value, op), 0), op);
                tiles = 0;
            }
        }
        PARPRIMS_DEVICE maybe<T> prefix(Op op) const
        {
            maybe<T> result = anchor;
            if (tiles != 0)
                result.set(anchor.then(simt::shuffle<T>(warp::fold_lanes(aggregate.value, tiles, op), 0), op));
            return result;
        }

        /// All complete tiles of a slice.
        PARPRIMS_DEVICE void pass(const ranks::slice& of, const uninitialized<T>* totals, Op op)
        {
            const rank_groups groups(of);
            const std::size_t all = groups.all();
            uninitialized<T> next = load(totals, all, 0);
            for (std::size_t first = 0; first < all; first += simt::warp_size) {
                const uninitialized<T> current = next;  // the loads of the next ones overlap with this batch
                next = load(totals, all, first + simt::warp_size);
                if (first >= groups.left && first + simt::warp_size <= groups.left + groups.groups) {
                    unsigned i = 0;
                    if (!anchor.present)
                        anchor.set(simt::shuffle<T>(current.value, i++));
#pragma unroll 8
                    for (; i < simt::warp_size; ++i)
                        anchor.storage.value = warp::combine<T>(op, anchor.get(), simt::shuffle<T>(current.value, i));
                    continue;
                }
                for (unsigned i = 0; i < simt::warp_size && first + i < all; ++i) {
                    const T total = simt::shuffle<T>(current.value, i);
                    if (first + i >= groups.left && first + i < groups.left + groups.groups)
                        pass_group(total, op);
                    else
                        pass_tile(total, op);
                }
            }
        }

    private:
        PARPRIMS_DEVICE static uninitialized<T> load(const uninitialized<T>* totals, std::size_t all, std::size_t first)
        {
            uninitialized<T> loaded;
            if (first + simt::block::lane() < all)
                loaded.value = simt::load(totals, first + simt::block::lane());
            return loaded;
        }
    };
};

/// The tiles of a slice that begin in it, for the ordinary kernel.
template <class Tile, class T>
struct continued_tile : Tile {
    const maybe<T>* start;

    PARPRIMS_DEVICE maybe<T> before() const { return *start; }
};

}  // namespace parprims::detail::device
