/// @file
/// @brief  The kernel that finds extremes: each lane finds the extreme value of its elements and where it is.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/partials.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A warp takes a batch of packets at a time, `extremes_rows` for each lane. A packet is a single element where elements do not lie in
/// memory, or may lie across packets.
///
/// With few elements, it takes most of the time to fetch the code of the kernel. So one loop folds lanes, warps and blocks.
template <class Input, class Search, class Output, class Position>
struct extremes_kernel {
    using value_type = typename Input::value_type;
    using position = Position;

    using found = typename found_of<Search, value_type, position>::type;
    using partials_type = flagged_partials<found>;
    using extremes = std::make_integer_sequence<unsigned, Search::count>;

    static constexpr unsigned items = packet_items<Input>;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned rows = in_packets || sizeof(value_type) <= 16 ? extremes_rows : 1;
    static constexpr unsigned batch = rows * simt::warp_size;  // packets
    static constexpr unsigned max_threads = extremes_threads;
    static constexpr unsigned min_blocks = extremes_blocks_per_sm;

    struct shared_storage {
        uninitialized<found> totals[max_threads / simt::warp_size];
        bool is_last;
    };

    Input input;
    position n;
    position head;     // elements before the first packet
    position packets;  // whole ones
    Search search;
    Output output;
    partials_type partials;  // of the blocks; not used by a single block

    PARPRIMS_DEVICE std::size_t resize(std::size_t size, std::size_t blocks)
    {
        n = static_cast<position>(size);
        head = smaller_of(head, n);
        packets = (n - head) / items;
        const std::size_t warps = order::ceil_div(packets, batch);
        return smaller_of(larger_of<std::size_t>(order::ceil_div(warps, simt::block::warps()), 1), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto blocks = static_cast<unsigned>(block.count());
        const auto index = static_cast<unsigned>(block.index());
        unsigned ticket = 0;  // is looked at in the end only, so no thread waits for it here
        if (blocks != 1 && block.thread() == 0)
            ticket = partials.take_ticket(block);

        // 1. The best elements of each lane. All blocks have the same number of batches, or one more.
        found best;
        const auto batches = static_cast<position>(order::ceil_div(packets, batch));
        for (position b = block.warp() * blocks + index; b < batches; b += blocks * block.warps())
            look_at_batch(b, best, extremes{});
        if (in_packets && index + 1 == blocks && block.warp() + 1 == block.warps())
            look_at_ends(best, extremes{});

        // 2. The last block folds the best ones of all blocks.
        unsigned warps = block.warps();
#pragma unroll 1
        for (bool is_whole = blocks == 1;; is_whole = true) {
            best = fold_block(block, shared, best, warps);
            if (is_whole)
                break;
            if (block.thread() == 0)
                partials.publish(index, best);
            if (!block::broadcast_first(block, shared.is_last, partials.is_last(block, ticket)))
                return;
            best = found();
            for (unsigned first = block.warp() * simt::warp_size; first < blocks; first += block.threads()) {
                const unsigned live = smaller_of(blocks - first, simt::warp_size);
                const found next = partials.template take<1>(first, live, better());
                simt::sync_warp();
                if (block.lane() < live)
                    best = better()(best, next);
            }
            const unsigned needed = (blocks + simt::warp_size - 1) / simt::warp_size;
            warps = needed < warps ? needed : warps;
        }
        if (block.thread() == 0)
            write(best, extremes{});
    }

private:
    PARPRIMS_DEVICE better_of<Search> better() const { return {search}; }

    PARPRIMS_DEVICE value_type element(std::size_t i) const
    {
        if constexpr (Input::has_source)
            return operand(input.value_of(simt::load(input.data, i)));
        else
            return operand(input[i]);
    }

    /// An element. If it is a product, it is rounded before `compare` may add to it; to compare numbers in their natural order adds
    /// nothing.
    template <class Element>
    PARPRIMS_DEVICE static value_type operand(Element&& element)
    {
        if constexpr (Search::has_natural_order && std::is_arithmetic_v<value_type>)
            return static_cast<value_type>(element);
        else
            return device::operand<value_type, Input>(identity{}, std::forward<Element>(element));
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void look_at_batch(position b, found& best, std::integer_sequence<unsigned, K...>) const
    {
        // In an incomplete last batch, some lanes look at the last packet again.
        const position first = b * batch;
        const position behind = packets - first;
        const unsigned last = (behind < batch ? static_cast<unsigned>(behind) : batch) - 1;
        const auto packet_of = [&](unsigned r) {
            const unsigned p = r * simt::warp_size + simt::block::lane();
            return p < last ? p : last;
        };
        const auto keep = [&]<unsigned I>(std::integral_constant<unsigned, I>, const numbered<value_type>& extreme) {
            const position place = (first + packet_of(extreme.number / items)) * items + extreme.number % items;
            best.template consider<I>(search, extreme.value, head + place);
        };
        if constexpr (in_packets) {
            const auto* const from = reinterpret_cast<const simt::packet<16>*>(input.data + head) + first;
            simt::packet<16> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r] = simt::load_streaming(from + packet_of(r));
            simt::sync_warp();  // all loads are issued before any value is used
            (keep(std::integral_constant<unsigned, K>{}, extreme_of_packets<K>(loaded)), ...);
        } else {
            uninitialized<value_type> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r].value = element(first + packet_of(r));
            simt::sync_warp();
            (keep(std::integral_constant<unsigned, K>{},
                  device::extreme_value<K, rows>(search, [&](unsigned r) { return loaded[r].value; })),
             ...);
        }
    }

    template <unsigned K>
    PARPRIMS_DEVICE numbered<value_type> extreme_of_packets(const simt::packet<16> (&loaded)[rows]) const
    {
        using source = typename Input::source_type;
        if constexpr (Input::is_pointer && has_room_for_number<value_type, Search>)
            return extreme_of_small<K, value_type, Search>(loaded);
        else
            return device::extreme_value<K, rows * items>(search, [&](unsigned i) -> value_type {
                return operand(input.value_of(simt::element<source>(loaded[i / items], i % items)));
            });
    }

    /// For one warp: the elements before the first packet and behind the last one, fewer than it has lanes.
    template <unsigned... K>
    PARPRIMS_DEVICE void look_at_ends(found& best, std::integer_sequence<unsigned, K...>) const
    {
        const position between = packets * items;
        const position i = simt::block::lane() < head ? simt::block::lane() : simt::block::lane() + between;
        if (i < n) {
            const value_type value = element(i);
            (best.template consider<K>(search, value, i), ...);
        }
    }

    /// The best of the values of the first `warps` warps, in the first thread.
    PARPRIMS_DEVICE found fold_block(simt::block block, shared_storage& shared, found best, unsigned warps) const
    {
        unsigned lanes = simt::warp_size;  // that hold different values
#pragma unroll 1
        for (;; warps = 1) {
            if constexpr (requires { best.fold_lanes(); })
                best.fold_lanes();
            else
#pragma unroll 1
                for (unsigned distance = 1; distance < lanes; distance *= 2)
                    best = better()(best, simt::shuffle_down(best, distance));
            if (warps == 1)
                return best;
            if (block.lane() == 0)
                simt::store(shared.totals, block.warp(), best);
            block.sync();
            // Lanes without a warp take the value of the first one again: that changes nothing.
            best = simt::load(shared.totals, block.lane() < warps ? block.lane() : 0);
            lanes = warps;
        }
    }

    PARPRIMS_DEVICE std::size_t end_or(position place) const { return place == found::nowhere ? n : place; }

    template <unsigned... K>
    PARPRIMS_DEVICE void write(const found& best, std::integer_sequence<unsigned, K...>) const
    {
        *output = positions<Search::count>{end_or(best.template place<K, Search>())...};
    }
};

/// Writes positions to consecutive places of an output.
template <unsigned Count, class Output>
struct stored_positions {
    struct reference {
        const Output& output;

        PARPRIMS_DEVICE void operator=(const positions<Count>& found) const
        {
#pragma unroll
            for (unsigned k = 0; k < Count; ++k)
                output.set(k, found.at[k]);
        }
    };

    Output output;

    PARPRIMS_DEVICE reference operator*() const { return {output}; }
};

}  // namespace parprims::detail::device
