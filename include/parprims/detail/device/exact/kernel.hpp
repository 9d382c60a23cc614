/// @file
/// @brief  The kernel of exact sums: each lane adds its terms without rounding, each block adds up its lanes, and one block rounds.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/exact/block_limbs.hpp>
#include <parprims/detail/device/exact/lane_sums.hpp>
#include <parprims/detail/device/exact/rounding.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A lane adds terms without rounding as doubles, the levels of a window of exponents. Terms outside of the window become integers in the
/// lane's bins in shared memory. At the end both are added to the block's limbs: the digits of one long fixed-point number.
///
/// A warp takes batches of terms: for each lane some aligned packets if elements lie in memory, otherwise some elements. The order in
/// which terms are added does not matter.
template <class Input, class Terms, class T, class Output, class Transform>
struct exact_sum_kernel {
    static constexpr unsigned max_threads = exact_threads<Terms>;
    static constexpr unsigned min_blocks = exact_blocks_per_sm;
    static constexpr numeric::limb_range range = Terms::limbs.joined(numeric::limbs_of<T>);
    static constexpr unsigned limb_count = range.limbs();
    static constexpr unsigned items = packet_items<Input>;
    static constexpr bool in_packets = items > 1;
    static constexpr unsigned batch = exact_batch<Terms> < items ? items : exact_batch<Terms>;  // terms of a lane
    static constexpr unsigned rows = batch / items;
    static constexpr bins_shape shape = bins_of<Terms>;
    using term = typename Terms::term;
    using limbs_type = global_limbs<limb_count>;
    using limbs_of_block = warp::limbs_of_warp<range.lowest, limb_count>;
    static constexpr bool takes_limbs = requires(const Output& to) { to.set_seen(0u, 0u); };

    /// What another block of a cluster sends: its limbs, and its `seen` flags.
    struct sent_limbs {
        simt::packet<8> words[limb_count + 1];
    };

    /// Followed by the bins of all threads.
    struct alignas(16) shared_storage {
        block_limbs<range.lowest, limb_count> sum;                   // of the block
        std::uint64_t products[Terms::has_errors ? limb_count : 1];  // limbs of products that two doubles cannot hold
        std::uint32_t seen[max_threads / simt::warp_size];           // by each warp: `numeric::seen_in`, and uses_bins
        std::uint64_t inbox;                                         // of the first block of a cluster
        sent_limbs of_others[most_exact_cluster - 1];
    };
    static constexpr std::uint32_t uses_bins = 16;  ///< beside the bits of `numeric::seen_in`

    Input input;
    std::size_t n;
    std::size_t head;     // elements before the first packet; a packet may be one element
    std::size_t packets;  // those behind the last one are fewer than a packet
    Transform transform;
    Output output;
    T init;
    // `init` as an integer, computed on the host: in the kernel all warps would wait for the one that computes it.
    numeric::scaled_integer init_integer;  // 0 if init is not finite
    std::uint32_t init_seen;
    bool has_windows;
    limbs_type all;  // not used by a single block or cluster

    PARPRIMS_HOST_DEVICE void set_init(const T& value)
    {
        init = value;
        init_seen = numeric::seen_in(value);
        init_integer = numeric::is_special(init_seen) ? numeric::scaled_integer{0, 0} : numeric::scaled(value);
    }
    PARPRIMS_DEVICE std::size_t resize(std::size_t size, std::size_t blocks)
    {
        n = size;
        head = smaller_of(head, n);
        packets = (n - head) / items;
        const std::size_t warps = order::ceil_div(packets, std::size_t{rows} * simt::warp_size) + 1;
        return smaller_of(order::ceil_div(warps, simt::block::warps()), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if constexpr (!takes_limbs)
            if (n == 0) {
                if (block.thread() == 0)
                    *output = init;
                return;
            }
        const bool in_cluster = simt::block::cluster_blocks() > 1 && block.count() > 1;
        if (in_cluster) {
            if (block.index() == 0 && block.thread() == 0)
                simt::open_inbox(&shared.inbox);
            simt::block::cluster_start();
        }
        shared.sum.clear(block);
        if constexpr (Terms::has_errors) {
            for (unsigned k = block.thread(); k < limb_count; k += block.threads())
                simt::store(shared.products, k, std::uint64_t{0});
            block.sync();
        }

        // 1. Each lane adds its terms. The last batch has the elements before and behind the packets.
        const auto add_product = [&](double a, double b) {
            numeric::for_each_limb_of_product<range.lowest>(a, b, [&](unsigned k, std::int64_t part) {
                if (part != 0)
                    simt::atomic_add(shared.products + k, static_cast<std::uint64_t>(part));
            });
        };
        auto* const bins = reinterpret_cast<std::int64_t*>(&shared + 1);
        lane_sums<Terms, decltype(add_product)> sums(block, bins, has_windows, add_product);
        const std::size_t batches = order::ceil_div(packets, std::size_t{rows} * simt::warp_size);
        const bool has_ends = packets * items != n;
        const std::size_t warps = block.count() * block.warps();
        for (std::size_t b = block.warp() * block.count() + block.index(); b < batches + has_ends; b += warps) {
            term terms[batch];
            if (b < batches)
                load_batch(b, terms);
            else
                load_ends(terms);
            sums.add(terms);
        }

        if constexpr (!Terms::has_errors)
            block.sync();

        // 2. Each warp adds its levels to the block's limbs. If any lane used bins, the block adds them up, too. One warp also adds init.
        const auto add_integer = [&](std::int64_t mantissa, int exponent) { shared.sum.add(mantissa, exponent); };
        numeric::scaled_integer more{0, 0};
        if (block.index() == 0 && block.warp() == 0) {
            sums.add_seen(init_seen);
            more = init_integer;
        }
        const std::uint32_t used = sums.bins().are_used() ? uses_bins : 0;
        const std::uint32_t seen_by_warp = simt::or_lanes(sums.seen() | used);
        if (block.lane() == 0)
            simt::store(shared.seen, block.warp(), seen_by_warp);
        sums.finish(more, add_integer);
        block.sync();
        std::uint32_t seen = seen_by_warps(block, shared.seen);
        if ((seen & uses_bins) != 0) {
            if (sums.bins().are_used())
                sums.bins().settle();
            else
                sums.bins().clear();
            block.sync();
            seen &= ~uses_bins;
            for (unsigned k = block.warp(); k < shape.count; k += block.warps()) {
                const std::int64_t total = total_of_bin(block, bins + k * block.threads());
                if (block.lane() == 0)
                    add_integer(total, shape.lowest + static_cast<int>(shape.spacing * k));
            }
            block.sync();
        }

        // 3. One block collects the limbs of all: the first of a cluster, or the last to arrive. Only the first warps go on from here.
        if (block.warp() != 0)
            return;
        const auto limb = [&](unsigned k) {
            return shared.sum.limb(k) +
                   (Terms::has_errors ? static_cast<std::int64_t>(simt::load(shared.products, k)) : 0);
        };
        limbs_of_block sum(limb);
        if (in_cluster && !gather(block, shared, sum, seen))
            return;
        sum.settle();
        if (block.count() > 1 && !in_cluster && !take_all(block, sum, seen))
            return;

        // 4. That block rounds the sum, or passes its limbs to the output.
        if constexpr (takes_limbs) {
            sum.for_each([&](unsigned k, std::int64_t limb) { output.set(k, limb_count, limb); });
            if (block.lane() == 0)
                output.set_seen(limb_count, seen);
        } else {
            const T rounded = sum.template rounded<T>(seen);
            if (block.lane() == 0)
                *output = rounded;
        }
    }

private:
    PARPRIMS_DEVICE term element(std::size_t i) const
    {
        if constexpr (Input::has_source)
            return exact::term_of<Terms>(transform, input.value_of(simt::load(input.data, i)));
        else
            return exact::term_of<Terms>(transform, input[i]);
    }

    PARPRIMS_DEVICE void load_batch(std::size_t b, term (&terms)[batch]) const
    {
        const std::size_t first = b * rows * simt::warp_size + simt::block::lane();
        if ((b + 1) * rows * simt::warp_size <= packets) {
            load_rows(terms, [&](unsigned r) { return first + r * simt::warp_size; });
            return;
        }
        // Lanes past the last packet load it again, and drop its terms.
        load_rows(terms, [&](unsigned r) {
            const std::size_t place = first + r * simt::warp_size;
            return place < packets ? place : packets - 1;
        });
#pragma unroll
        for (unsigned i = 0; i < batch; ++i)
            terms[i] = first + i / items * simt::warp_size < packets ? terms[i] : Terms::nothing();
    }

    template <class Place>
    PARPRIMS_DEVICE void load_rows(term (&terms)[batch], Place place) const
    {
        if constexpr (in_packets) {
            using source = typename Input::source_type;
            const auto* const from = reinterpret_cast<const simt::packet<16>*>(input.data + head);
            simt::packet<16> loaded[rows];
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                loaded[r] = simt::load_streaming(from + place(r));
#pragma unroll
            for (unsigned i = 0; i < batch; ++i)
                terms[i] = exact::term_of<Terms>(transform,
                                                 input.value_of(simt::element<source>(loaded[i / items], i % items)));
        } else {
#pragma unroll
            for (unsigned r = 0; r < rows; ++r)
                terms[r] = element(place(r));
        }
    }

    /// Loads the elements before the first packet and behind the last one. There are fewer than in two packets, so each lane has at most one.
    PARPRIMS_DEVICE void load_ends(term (&terms)[batch]) const
    {
#pragma unroll
        for (unsigned i = 0; i < batch; ++i)
            terms[i] = Terms::nothing();
        const unsigned lane = simt::block::lane();
        const std::size_t i = lane < head ? lane : lane + packets * items;
        if (i < n)
            terms[0] = element(i);
    }

    /// The sum of a bin over all threads, in lane 0 of a warp.
    PARPRIMS_DEVICE static std::int64_t total_of_bin(simt::block block, const std::int64_t* bin)
    {
        std::int64_t total = 0;
        for (unsigned t = block.lane(); t < block.threads(); t += simt::warp_size)
            total += simt::load(bin, t);
        return warp::sum(total);
    }

    /// Combines the flags that the warps of the block have stored; the result is in every lane.
    PARPRIMS_DEVICE static std::uint32_t seen_by_warps(simt::block block, const std::uint32_t* seen)
    {
        return simt::or_lanes(block.lane() < block.warps() ? simt::load(seen, block.lane()) : 0);
    }

    /// For one warp of each block of a cluster: sends the block's limbs, settled or not, to the first block, which adds up the limbs of all.
    /// Returns whether this is the first block.
    PARPRIMS_DEVICE static bool gather(simt::block block, shared_storage& shared, limbs_of_block& sum,
                                       std::uint32_t& seen)
    {
        simt::block::cluster_wait();
        if (block.index() != 0) {
            auto& to = shared.of_others[block.index() - 1].words;
            const auto send = [&](unsigned k, std::uint64_t word) {
                simt::send(to + k, 0, __builtin_bit_cast(simt::packet<8>, word), &shared.inbox);
            };
            sum.for_each([&](unsigned k, std::int64_t mine) {
                if (k < limb_count)
                    send(k, static_cast<std::uint64_t>(mine));
            });
            if (block.lane() == 0)
                send(limb_count, seen);
            return false;
        }
        const auto others = static_cast<unsigned>(block.count() - 1);
        if (block.lane() == 0)
            simt::expect_sent(&shared.inbox, others * static_cast<unsigned>(sizeof(sent_limbs)));
        simt::wait_inbox(&shared.inbox);
        const auto word_of = [&](unsigned other, unsigned k) {
            return __builtin_bit_cast(std::int64_t, simt::load(shared.of_others[other].words, k));
        };
        sum.for_each([&](unsigned k, std::int64_t& mine) {
            if (k >= limb_count)
                return;
#pragma unroll
            for (unsigned other = 0; other < most_exact_cluster - 1; ++other)  // unrolled: no load waits for another
                mine += other < others ? word_of(other, k) : 0;
        });
        seen |=
            simt::or_lanes(block.lane() < others ? static_cast<std::uint32_t>(word_of(block.lane(), limb_count)) : 0);
        return true;
    }

    /// For one warp of each block: adds the block's limbs to those in device memory. Returns true in the last block, which gets the sum.
    PARPRIMS_DEVICE bool take_all(simt::block block, limbs_of_block& sum, std::uint32_t& seen) const
    {
        sum.for_each([&](unsigned k, std::int64_t limb) {
            if (limb != 0)
                simt::atomic_add(all.limb(k), static_cast<std::uint64_t>(limb));
        });
        if (block.lane() == 0)
            simt::atomic_or(all.seen(), seen);
        simt::sync_warp();
        bool is_last = false;
        if (block.lane() == 0)
            is_last = block::takes_last_ticket<simt::order::acq_rel>(block, all.tickets());
        if (simt::ballot(is_last) == 0)
            return false;
        simt::sync_warp();
        sum.for_each([&](unsigned k, std::int64_t& limb) {
            if (k >= limb_count)
                return;
            limb = static_cast<std::int64_t>(simt::atomic_load(all.limb(k)));
            simt::atomic_store(all.limb(k), std::uint64_t{0});
        });
        seen = simt::atomic_load(all.seen());
        simt::sync_warp();
        if (block.lane() == 0)
            simt::atomic_store(all.seen(), std::uint32_t{0});
        sum.settle();
        return true;
    }
};

}  // namespace parprims::detail::device
