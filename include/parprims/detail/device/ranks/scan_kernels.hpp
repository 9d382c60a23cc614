/// @file
/// @brief  The kernels of a scan over several ranks between the exchange and the long pass: what comes before the slice.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/tiles_kernel.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/scan/tile.hpp>
#include <parprims/detail/device/scan/work.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// For a block: reads a tile of `n` elements, and scans its rows' totals. Returns its total where it is complete. Has barriers.
template <class Work>
PARPRIMS_DEVICE inline uninitialized<typename Work::total> read_tile(simt::block block, const Work& work,
                                                                     typename Work::shared_storage& shared,
                                                                     unsigned char* slot)
{
    typename Work::fetched fetched;
    typename Work::state state;
    work.fetch(block, slot, 0, fetched);
    work.load(block, shared, slot, 0, fetched, state);
    block.sync();
    const auto total = work.find_total(block, shared, slot, 0, state);
    block.sync();
    return total;
}

/// Folds the tiles that several ranks share and that end before this rank's slice. A block for each earlier rank.
template <class T, class Op>
struct rank_borders_kernel {
    static constexpr std::size_t tile = order::tile<T>;
    using messages_type = rank_messages<T, T, tile>;
    using block_type = shared_block<messages_type, T, tile>;
    template <class Input>
    using work_of = scan_work<scan_tile<scan_kind::inclusive, Input, pointer_output<T>, T, Op, identity>, T>;

    static constexpr unsigned max_threads = rank_scan_threads;
    struct alignas(simt::shared_line_bytes) shared_storage {
        scan_totals<T> rows;
    };
    static constexpr std::size_t shared_bytes =
        sizeof(shared_storage) + work_of<typename block_type::input_of_many>::slot_bytes();

    messages_type messages;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t r = block.index();
        const std::size_t begin = messages.begin(r + 1) / tile * tile;
        if (!messages.has_shared_block(r) || begin + tile > messages.begin(messages.group.rank))
            return;
        auto* const slot = reinterpret_cast<unsigned char*>(&shared + 1);
        block_type(messages, r, begin).with_input(tile, [&](const auto& input) {
            const work_of<std::remove_cvref_t<decltype(input)>> work{{{input, tile, {nullptr}, {}, op, {}, 0, 0}}, 2};
            const auto total = device::read_tile(block, work, shared.rows, slot);
            if (block.thread() == 0)
                simt::store(messages_type::shared_total(messages.from(r)), total.value);
        });
    }
};

/// An output without the first `dropped` results, which belong to earlier ranks.
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
    using block_type = shared_block<messages_type, T, tile>;
    template <class Input>
    using work_of = scan_work<scan_tile<Kind, Input, later_output<Output>, T, Op, identity>, T>;

    static constexpr unsigned max_threads = rank_scan_threads;
    struct alignas(simt::shared_line_bytes) shared_storage {
        scan_totals<T> rows;
        maybe<T> prefix;
    };
    static constexpr std::size_t shared_bytes =
        sizeof(shared_storage) + work_of<typename block_type::input_of_many>::slot_bytes();

    messages_type messages;
    rank_scan_memory<T> memory;
    Output output;
    maybe<T> init;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t rank = messages.group.rank;
        const std::size_t begin = messages.begin(rank);
        const std::size_t n = messages.begin(rank + 1) - begin;
        uninitialized<T> next = messages.load_totals(0, 0);
        const bool is_good = messages.check(block);
        if (!is_good || n == 0) {  // the long pass finds no tile
            if (block.thread() == 0)
                simt::store(memory.words.ticket(), static_cast<unsigned long long>(memory.words.tiles));
            return;
        }

        // 1. One warp passes over the totals of the ranks before. Those of the next rank are loaded while it does.
        const std::size_t begun = begin % tile;  // elements of it that the ranks before have
        const std::size_t shared_begin = begin - begun;
        position at{init, 0, {}};
        if (block.warp() == 0)
            for (std::size_t r = 0; r < rank; ++r) {
                const uninitialized<T> current = next;
                if (r + 1 < rank)
                    next = messages.load_totals(r + 1, 0);
                at.pass(messages.slice(r), messages_type::totals(messages.from(r)), current, op);
                if (messages.has_shared_block(r) && !is_begun_by(messages.begin(r + 1), shared_begin, begun))
                    at.pass_tile(simt::load(messages_type::shared_total(messages.from(r))), op);
            }

        // 2. The tile that the ranks before have begun.
        const ranks::slice own_slice = ranks::divide(begin, n, tile);
        if (begun != 0) {
            std::size_t first_rank = rank - 1;
            while (messages.begin(first_rank) > shared_begin)
                --first_rank;
            if (block.warp() == 0) {
                const maybe<T> prefix = at.prefix(op);
                if (block.lane() == 0)
                    shared.prefix = prefix;
            }
            auto* const slot = reinterpret_cast<unsigned char*>(&shared + 1);
            const std::size_t size = begun + own_slice.head;
            block_type(messages, first_rank, shared_begin).with_input(size, [&](const auto& input) {
                using work_type = work_of<std::remove_cvref_t<decltype(input)>>;
                const work_type work{{{input, size, {output, begun}, {}, op, {}, 0, 0}}, 2};
                const uninitialized<T> total = device::read_tile(block, work, shared.rows, slot);
                work.write_by_row(slot, 0, shared.prefix);
                if (size == tile && block.warp() == 0)
                    at.pass_tile(total.value, op);
            });
        }

        // 3. Where the long pass starts, if a tile begins in the slice.
        if (block.warp() != 0 || n <= own_slice.head)
            return;
        if (block.lane() < at.tiles)
            memory.words.publish_alone(block.lane(), at.aggregate.value);
        if (block.lane() == 0) {
            *memory.before = at.anchor;
            simt::store(memory.words.ticket(), 0, static_cast<unsigned long long>(at.tiles));
        }
    }

private:
    /// Whether the tile in which a slice ends is the one that ends in this rank's slice, or after it.
    PARPRIMS_DEVICE static bool is_begun_by(std::size_t end, std::size_t shared_begin, std::size_t begun)
    {
        return begun != 0 && end / tile * tile >= shared_begin;
    }

    /// For one warp: everything before a tile. Lane i has the aggregate of tile i of its group.
    struct position {
        maybe<T> anchor;
        unsigned tiles = 0;  // of the group that have been passed
        uninitialized<T> aggregate;

        PARPRIMS_DEVICE void pass_tile(const T& total, Op op)
        {
            if (simt::block::lane() == tiles)
                aggregate.value = total;
            if (++tiles == order::group_tiles) {
                anchor.set(anchor.then(simt::shuffle<T>(warp::fold_full_lanes(aggregate.value, op), 0), op));
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

        /// For one warp: passes over the totals of `count` complete groups. Loads `ahead` batches early.
        PARPRIMS_DEVICE void pass_all_groups(const uninitialized<T>* totals, std::size_t count, Op op)
        {
            constexpr unsigned ahead = rank_batches_ahead<T>;
            constexpr unsigned at_once = rank_shuffles_at_once<T>;
            uninitialized<T> next[ahead];
#pragma unroll
            for (unsigned a = 0; a < ahead; ++a)
                next[a] = device::load_by_lane(totals, count, a * simt::warp_size);
            for (std::size_t first = 0; first < count; first += ahead * simt::warp_size)
#pragma unroll
                for (unsigned a = 0; a < ahead; ++a) {
                    const std::size_t begin = first + a * simt::warp_size;
                    const uninitialized<T> current = next[a];
                    next[a] = device::load_by_lane(totals, count, begin + ahead * simt::warp_size);
                    if (begin + simt::warp_size <= count) {
                        for (unsigned i = 0; i < simt::warp_size; i += at_once)
                            pass_groups<at_once>(current, i, op);
                    } else {
                        for (unsigned i = 0; begin + i < count; ++i)
                            pass_groups<1>(current, i, op);
                    }
                }
        }

        /// The totals of `Count` groups, from that of lane `first` on.
        template <unsigned Count>
        PARPRIMS_DEVICE void pass_groups(const uninitialized<T>& totals, unsigned first, Op op)
        {
            uninitialized<T> each[Count];
#pragma unroll
            for (unsigned i = 0; i < Count; ++i)
                each[i].value = simt::shuffle<T>(totals.value, first + i);
            if (!anchor.present)
                anchor.set(each[0].value);
            else
                anchor.storage.value = warp::combine<T>(op, anchor.get(), each[0].value);
#pragma unroll
            for (unsigned i = 1; i < Count; ++i)
                anchor.storage.value = warp::combine<T>(op, anchor.get(), each[i].value);
        }

        /// All complete tiles of a slice. `loaded`: the first 32 of its `totals`.
        PARPRIMS_DEVICE void pass(const ranks::slice& slice, const uninitialized<T>* totals, uninitialized<T> loaded,
                                  Op op)
        {
            const rank_groups groups(slice);
            const std::size_t all = groups.all();
            for (std::size_t i = 0; i < groups.left; ++i) {
                if (i != 0 && i % simt::warp_size == 0)
                    loaded = device::load_by_lane(totals, all, i);
                pass_tile(simt::shuffle<T>(loaded.value, static_cast<unsigned>(i % simt::warp_size)), op);
            }
            if (groups.groups != 0)
                pass_all_groups(totals + groups.left, groups.groups, op);
            if (groups.right == 0)
                return;
            loaded = device::load_by_lane(totals, all, all - groups.right);
            for (unsigned i = 0; i < groups.right; ++i)
                pass_tile(simt::shuffle<T>(loaded.value, i), op);
        }
    };
};

/// The tiles of a slice that begin in it, for the long pass.
template <class Tile, class T>
struct continued_tile : Tile {
    const maybe<T>* start;

    PARPRIMS_DEVICE maybe<T> before() const { return *start; }
};

}  // namespace parprims::detail::device
