/// @file
/// @brief  The kernel that finds extremes: which batch of packets has the extreme value, then where it is in that batch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/ticket.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/tuning.hpp>
#include <parprims/detail/device/reduce/partials.hpp>
#include <parprims/detail/extreme.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Extreme values, each with where it is: the number of a batch, or the position of an element.
template <class Value, unsigned Count>
struct located {
    static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

    uninitialized<Value> values[Count];
    std::size_t places[Count];

    PARPRIMS_DEVICE located()
    {
        for (std::size_t& place : places)
            place = nowhere;
    }

    /// Takes `value` as extreme K if that is better than the one so far.
    template <unsigned K, class Search>
    PARPRIMS_DEVICE void consider(const Search& search, const Value& value, std::size_t place)
    {
        const bool replaces =
            places[K] == nowhere || search.template replaces<K>(value, place, values[K].value, places[K]);
        values[K].value = replaces ? value : values[K].value;
        places[K] = replaces ? place : places[K];
    }
};

/// The better ones of two. Places decide ties, so this is associative and commutative: any order of work finds the same.
template <class Search>
struct better_located {
    Search search;

    template <class T>
    PARPRIMS_DEVICE T operator()(const T& a, const T& b) const
    {
        T result = a;
        merge(result, b, std::make_integer_sequence<unsigned, Search::count>{});
        return result;
    }

private:
    template <class T, unsigned... K>
    PARPRIMS_DEVICE void merge(T& a, const T& b, std::integer_sequence<unsigned, K...>) const
    {
        ((b.places[K] != T::nowhere ? a.template consider<K>(search, b.values[K].value, b.places[K]) : void()), ...);
    }
};

/// A warp takes a batch of packets at a time, and keeps only the best batch of each lane. So ties between elements are no concern
/// until one batch is left, whose elements are looked at again. The elements before the first aligned packet and behind the last
/// one are looked at only then. Where elements do not lie in memory, or may lie across packets, a packet is one element.
template <class Input, class Search, class Output>
struct extremes_kernel {
    using value_type = typename Input::value_type;
    using found = located<value_type, Search::count>;
    using partials_type = reduce_partials<found>;
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
    std::size_t n;
    std::size_t head;     // elements before the first packet
    std::size_t packets;  // whole ones
    Search search;
    Output output;
    partials_type partials;  // of the blocks; not used by a single block

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto blocks = static_cast<unsigned>(block.count());
        bool is_last = false;  // the ticket is taken now and used at the end
        if (blocks != 1 && block.thread() == 0)
            is_last = partials.takes_last_ticket(block);

        // 1. The best batch of each lane, and of the block.
        found best;
        const std::size_t batches = order::ceil_div(packets, batch);
        for (std::size_t b = block.index() * block.warps() + block.warp(); b < batches; b += blocks * block.warps())
            look_at_batch(b, best, extremes{});
        best = fold_block(block, shared, best);

        // 2. The last block folds the best ones of all blocks.
        if (blocks != 1) {
            if (block.thread() == 0)
                partials.publish(block.index(), best);
            if (!block::told_by_first_thread(block, shared.is_last, is_last))
                return;
            const unsigned leaves = (blocks + simt::warp_size - 1) / simt::warp_size;
            found total;
            for (unsigned leaf = block.warp(); leaf < leaves; leaf += block.warps()) {
                const unsigned left = blocks - leaf * simt::warp_size;
                const found folded = partials.template fold<1>(
                    leaf * simt::warp_size, left < simt::warp_size ? left : simt::warp_size, better());
                total = better()(total, folded);
            }
            if (block.lane() != 0)
                total = found();
            best = fold_block(block, shared, total);
        }

        // 3. The position in that batch, or outside of the packets.
        block.sync();
        found exact;
        look_closer(block, best, exact, extremes{});
        exact = fold_block(block, shared, exact);
        if (block.thread() == 0)
            write(exact, extremes{});
    }

private:
    PARPRIMS_DEVICE better_located<Search> better() const { return {search}; }

    PARPRIMS_DEVICE value_type element(std::size_t i) const
    {
        if constexpr (Input::has_source)
            return enter(input.of(simt::load(input.data, i)));
        else
            return enter(input[i]);
    }

    /// An element, whose product, if it is one, is rounded before `compare` adds to it. That of numbers adds nothing.
    template <class Element>
    PARPRIMS_DEVICE static value_type enter(Element&& element)
    {
        if constexpr (Search::has_natural_order && std::is_arithmetic_v<value_type>)
            return static_cast<value_type>(element);
        else
            return device::enter<value_type, Input>(identity{}, std::forward<Element>(element));
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void look_at_batch(std::size_t b, found& best, std::integer_sequence<unsigned, K...>) const
    {
        // In an incomplete last batch, some lanes look at the last packet again.
        const std::size_t first = b * batch;
        const std::size_t behind = packets - first;
        const unsigned last = (behind < batch ? static_cast<unsigned>(behind) : batch) - 1;
        const auto packet_of = [&](unsigned r) {
            const unsigned p = r * simt::warp_size + simt::block::lane();
            return p < last ? p : last;
        };
        if constexpr (in_packets) {
            const auto* const from = reinterpret_cast<const simt::packet<16>*>(input.data + head) + first;
            simt::packet<16> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r] = simt::load_streaming(from + packet_of(r));
            simt::sync_warp();  // all loads are issued before any value is used
            (keep<K>(best, extreme_of_packets<K>(loaded), b), ...);
        } else {
            uninitialized<value_type> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r].value = element(first + packet_of(r));
            simt::sync_warp();
            (keep<K>(best, extreme_value<K, rows>(search, [&](unsigned r) { return loaded[r].value; }), b), ...);
        }
    }

    template <unsigned K>
    PARPRIMS_DEVICE value_type extreme_of_packets(const simt::packet<16> (&loaded)[rows]) const
    {
        using source = typename Input::source_type;
        if constexpr (Input::is_pointer && has_pairs<value_type, Search>)
            return extreme_of_pairs<Search::template is_maximum<K>, value_type>(loaded);
        else
            return extreme_value<K, rows * items>(search, [&](unsigned i) -> value_type {
                return enter(input.of(simt::element<source>(loaded[i / items], i % items)));
            });
    }

    /// As `consider`, for a batch behind all that the lane has looked at.
    template <unsigned K>
    PARPRIMS_DEVICE void keep(found& best, const value_type& value, std::size_t b) const
    {
        if (best.places[K] == found::nowhere || search.template replaces<K>(value, best.values[K].value)) {
            best.values[K].value = value;
            best.places[K] = b;
        }
    }

    /// The best of the threads' values, in every thread.
    PARPRIMS_DEVICE found fold_block(simt::block block, shared_storage& shared, const found& mine) const
    {
        const found in_warp = warp::fold_full_lanes(mine, better());
        if (block.lane() == 0)
            simt::store(shared.totals, block.warp(), in_warp);
        block.sync();
        found total;
        if (block.lane() < block.warps())
            total = simt::load(shared.totals, block.lane());
        return simt::shuffle(warp::fold_full_lanes(total, better()), 0);
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void look_closer(simt::block block, const found& best, found& exact,
                                     std::integer_sequence<unsigned, K...>) const
    {
        (look_for<K>(block, best.places[K], exact), ...);
    }

    /// The threads look for extreme K at the elements of its batch, if there is one, and at those outside of packets.
    template <unsigned K>
    PARPRIMS_DEVICE void look_for(simt::block block, std::size_t b, found& exact) const
    {
        const auto look = [&](std::size_t i) { exact.template consider<K>(search, element(i), i); };
        if (b != found::nowhere)
            for (unsigned p = block.thread(); p < batch; p += block.threads())
                if (const std::size_t packet = b * batch + p; packet < packets)
#pragma unroll 1
                    for (unsigned k = 0; k < items; ++k)
                        look(head + packet * items + k);
        const std::size_t tail = head + packets * items;
        if (in_packets && block.thread() < head)
            look(block.thread());
        if (in_packets && block.thread() < n - tail)
            look(tail + block.thread());
    }

    template <unsigned... K>
    PARPRIMS_DEVICE void write(const found& exact, std::integer_sequence<unsigned, K...>) const
    {
        *output = positions<Search::count>{(exact.places[K] == found::nowhere ? n : exact.places[K])...};
    }
};

/// Positions that are written one after another.
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
