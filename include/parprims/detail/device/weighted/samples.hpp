/// @file
/// @brief  Samples and their weights, and how a grid walks over both.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// Calls `use(sample, weight)` for the samples of thread number `thread` of `threads`, which are zipped: the weights are read as
/// one more array of the zip. 2^28 pairs of floats in 32 x 32 bins on an H200 (CUDA 13.0, ea90bb2): 627 us, one by one 1248.
template <class... Ts, class Axis, class W, class Use>
PARPRIMS_DEVICE void for_each_zipped(const histogram_samples<zip_input<Ts...>, Axis>& samples, const W* weights,
                                     std::size_t thread, std::size_t threads, Use& use)
{
    using all_type = histogram_samples<zip_input<Ts..., W>, Axis>;
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        const all_type all{{{parprims::get<J>(samples.input.data)..., weights}}, samples.n, samples.axis};
        typename all_type::packets_ahead ahead;
        all.load_first(ahead, thread, threads);
        all.for_each(ahead, thread, threads, [&](const tuple<Ts..., W>& sample) {
            use(tuple<Ts...>(parprims::get<J>(sample)...), parprims::get<sizeof...(Ts)>(sample));
        });
    }(std::index_sequence_for<Ts...>{});
}

template <class Samples>
inline constexpr bool are_zipped = false;
template <class... Ts, class Axis>
inline constexpr bool are_zipped<histogram_samples<zip_input<Ts...>, Axis>> = true;

/// Samples of a packet, if they are zipped with weights of type W.
template <class Samples, class W>
inline constexpr unsigned zipped_items = 1;
template <class... Ts, class Axis, class W>
inline constexpr unsigned zipped_items<histogram_samples<zip_input<Ts...>, Axis>, W> = zip_items<Ts..., W>;

/// Sample i has weight i. `Samples` are histogram_samples; both are read in packets where both are pointers, or zips of them.
/// @tparam  IsSized  their number lies in device memory
template <class Samples, class Weights, bool IsSized>
struct weighted_samples {
    static constexpr bool is_sized = IsSized;
    using sample_type = typename Samples::value_type;
    using weight_type = typename Weights::value_type;
    static constexpr bool counts_by_byte = Samples::by_byte;
    static constexpr bool has_packets = Samples::has_packets && Weights::is_pointer && 16 % sizeof(weight_type) == 0 &&
                                        alignof(weight_type) == sizeof(weight_type);
    /// Samples that a lane takes at a time: as many as 16 bytes have of the larger type.
    static constexpr unsigned items = has_packets ? 16 / larger_of(sizeof(sample_type), sizeof(weight_type)) : 1;
    static constexpr bool are_zipped_with_weights =
        are_zipped<Samples> && Weights::is_pointer && fills_packets<weight_type>;
    /// Samples of a packet. A range needs as many threads as its begin and its end have samples outside of packets.
    static constexpr unsigned packet_items = are_zipped_with_weights ? zipped_items<Samples, weight_type> : items;
    static constexpr unsigned batch = weighted_batch;

    Samples samples;
    Weights weights;

    /// Blocks that have a packet, or a sample, for each thread.
    PARPRIMS_DEVICE std::size_t blocks_at_most() const
    {
        return order::ceil_div(samples.n, std::size_t{items} * simt::block::threads());
    }

    /// Calls `use(sample, weight)` for the samples of thread number `thread` of `threads`.
    template <class Use>
    PARPRIMS_DEVICE void for_each(std::size_t thread, std::size_t threads, Use use) const
    {
        for_each_group<1>(thread, threads, [&](const sample_type(&sample)[1], const weight_type(&weight)[1]) {
            use(sample[0], weight[0]);
        });
    }

    /// Calls `use(those, weights)` with arrays of `Most` samples and weights, or of one.
    template <unsigned Most, class Use>
    PARPRIMS_DEVICE void for_each_group(std::size_t thread, std::size_t threads, Use use) const
    {
        const auto use_one = [&](const sample_type& sample, const weight_type& weight) {
            const sample_type those[1] = {sample};
            const weight_type of_those[1] = {weight};
            use(those, of_those);
        };
        if constexpr (are_zipped_with_weights) {
            for_each_zipped(samples, weights.data, thread, threads, use_one);
        } else if constexpr (!has_packets) {
            for (std::size_t i = thread; i < samples.n; i += threads)
                use_one(samples.sample(i), weights[i]);
        } else {
            const std::size_t head = unaligned();
            const std::size_t body = (samples.n - head) / items;
            const bool has_aligned_weights = device::is_aligned(weights.data + head, sizeof(weight_packet));
            // The next packets are in flight while these are used.
            std::size_t i = thread;
            const auto are_whole = [&] { return i + (batch - 1) * threads < body; };
            packets_in_flight ahead;
            bool whole = are_whole();
            if (whole)
                load_all(ahead, head + i * items, threads * items, has_aligned_weights);
            while (whole) {
                const packets_in_flight now = ahead;
                i += batch * threads;
                whole = are_whole();
                if (whole)
                    load_all(ahead, head + i * items, threads * items, has_aligned_weights);
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    use_all<Most>(now.pairs[b], use);
            }
#pragma unroll 1
            for (; i < body; i += threads)
                use_all<Most>(load(head + i * items, has_aligned_weights), use);
            const std::size_t tail = head + body * items;
            if (thread < head)
                use_one(samples.sample(thread), weights[thread]);
            if (thread < samples.n - tail)
                use_one(samples.sample(tail + thread), weights[tail + thread]);
        }
    }

private:
    using sample_packet = simt::packet<has_packets ? items * sizeof(sample_type) : 4>;
    using weight_packet = simt::packet<has_packets ? items * sizeof(weight_type) : 4>;
    struct pair_of_packets {
        sample_packet samples;
        weight_packet weights;
    };

    struct packets_in_flight {
        pair_of_packets pairs[batch];
    };

    /// Samples before the first that begins a packet.
    PARPRIMS_DEVICE std::size_t unaligned() const
    {
        constexpr std::size_t bytes = sizeof(sample_packet);
        const auto address = reinterpret_cast<std::uintptr_t>(samples.input.data);
        return smaller_of<std::size_t>((bytes - address % bytes) % bytes / sizeof(sample_type), samples.n);
    }

    /// The samples and weights from `i` on. Weights that do not begin a packet where samples do are loaded one by one.
    PARPRIMS_DEVICE pair_of_packets load(std::size_t i, bool weights_are_aligned) const
    {
        pair_of_packets result;
        result.samples = simt::load_streaming(reinterpret_cast<const sample_packet*>(samples.input.data + i));
        if (weights_are_aligned) {
            result.weights = simt::load_streaming(reinterpret_cast<const weight_packet*>(weights.data + i));
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                simt::set_element<weight_type>(result.weights, k, weights[i + k]);
        }
        return result;
    }

    PARPRIMS_DEVICE void load_all(packets_in_flight& ahead, std::size_t i, std::size_t stride,
                                  bool weights_are_aligned) const
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            ahead.pairs[b] = load(i + b * stride, weights_are_aligned);
    }

    template <unsigned Most, class Use>
    PARPRIMS_DEVICE static void use_all(const pair_of_packets& ahead, Use& use)
    {
        constexpr unsigned together = smaller_of(Most, items);
#pragma unroll
        for (unsigned k = 0; k < items; k += together) {
            sample_type those[together];
            weight_type of_those[together];
#pragma unroll
            for (unsigned j = 0; j < together; ++j) {
                those[j] = simt::element<sample_type>(ahead.samples, k + j);
                of_those[j] = simt::element<weight_type>(ahead.weights, k + j);
            }
            use(those, of_those);
        }
    }
};

}  // namespace parprims::detail::device
