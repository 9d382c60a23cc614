/// @file
/// @brief  Samples and their weights, and how a grid walks over both.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/singles.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// Calls `use(sample, weight)` for the samples of thread number `thread` of `threads`, which are zipped: the weights are read as
/// one more array of the zip, in packets.
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

/// Reads packets of `Items` elements that samples are made from, and of those of their weights, which are loaded one by one unless
/// `HasAlignedWeights`. Calls `use` with arrays of `Most` samples and weights.
template <class Samples, class Weights, unsigned Items, unsigned Most, bool HasAlignedWeights>
struct pair_reader {
    using sample_type = typename Samples::value_type;
    using weight_type = typename Weights::value_type;
    using sample_source = typename Samples::source_type;
    using weight_source = typename Weights::source_type;
    using sample_packet = simt::packet<Items * sizeof(sample_source)>;
    using weight_packet = simt::packet<Items * sizeof(weight_source)>;
    struct packet {
        sample_packet samples;
        weight_packet weights;
    };
    static constexpr unsigned batch = weighted_batch;

    const Samples& samples;
    const Weights& weights;
    const sample_source* first_sample;
    const weight_source* first_weight;

    PARPRIMS_DEVICE packet load(std::size_t i) const
    {
        packet result;
        result.samples = simt::load_streaming(reinterpret_cast<const sample_packet*>(first_sample) + i);
        if constexpr (HasAlignedWeights) {
            result.weights = simt::load_streaming(reinterpret_cast<const weight_packet*>(first_weight) + i);
        } else {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                simt::set_element<weight_source>(result.weights, k, simt::load(first_weight, i * Items + k));
        }
        return result;
    }

    template <class Use>
    PARPRIMS_DEVICE void for_each(const packet& source, Use& use) const
    {
        constexpr unsigned together = smaller_of(Most, Items);
#pragma unroll
        for (unsigned k = 0; k < Items; k += together) {
            sample_type those[together];
            weight_type of_those[together];
#pragma unroll
            for (unsigned j = 0; j < together; ++j) {
                those[j] = element_in_flight<Samples, sample_type>::operand(
                    samples, identity{}, simt::element<sample_source>(source.samples, k + j));
                of_those[j] = element_in_flight<Weights, weight_type>::operand(
                    weights, identity{}, simt::element<weight_source>(source.weights, k + j));
            }
            use(those, of_those);
        }
    }
};

/// Samples of a packet, if samples that are zipped are read with weights of type W; 0 if they are not zipped.
template <class Samples, class W>
inline constexpr unsigned zipped_items = 0;
template <class... Ts, class Axis, class W>
inline constexpr unsigned zipped_items<histogram_samples<zip_input<Ts...>, Axis>, W> = zip_items<Ts..., W>;

/// Sets the number of samples to one that is not planned for.
/// @tparam  Samples  a class that reads them by segments has a specialisation: of it `n` is the number of segments
template <class Samples>
struct samples_of_size {
    PARPRIMS_DEVICE static void set(Samples& samples, std::size_t n) { samples.n = n; }
};

/// Sample i has weight i. `Samples` are histogram_samples; both are read in packets where both are arrays, functions of arrays, or zips.
/// @tparam  IsSized  their number lies in device memory
template <class Samples, class Weights, bool IsSized>
struct weighted_samples {
    static constexpr bool is_sized = IsSized;
    using sample_type = typename Samples::value_type;
    using weight_type = typename Weights::value_type;
    static constexpr bool counts_by_byte = Samples::by_byte;
    using samples_input = decltype(Samples::input);
    static constexpr bool has_packets = reads_array<samples_input> && reads_array<Weights>;
    /// Samples that a lane takes at a time: as many as 16 bytes have of the larger elements.
    static constexpr unsigned items =
        has_packets ? smaller_of(sample_packets<samples_input>::items, sample_packets<Weights>::items) : 1;
    static constexpr bool are_zipped_with_weights =
        zipped_items<Samples, weight_type> != 0 && Weights::is_pointer && fills_packets<weight_type>;
    /// Samples of a packet. If they are zipped, a range needs as many threads as its begin and its end have samples outside of packets.
    static constexpr unsigned packet_items = are_zipped_with_weights ? zipped_items<Samples, weight_type> : items;

    Samples samples;
    Weights weights;

    /// Sets the size of the call.
    PARPRIMS_DEVICE void resize(std::size_t n) { samples_of_size<Samples>::set(samples, n); }

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
            struct pair {
                sample_type sample;
                weight_type weight;
            };
            device::for_each_single(
                thread, threads, samples.n,
                [&](std::size_t i) -> pair {
                    return {samples.sample(i), weights[i]};
                },
                [&](std::size_t, const pair& next) { use_one(next.sample, next.weight); });
        } else {
            const std::size_t unaligned =
                device::bytes_to_multiple(samples.input.data, items * sizeof(*samples.input.data));
            const auto head = smaller_of<std::size_t>(unaligned / sizeof(*samples.input.data), samples.n);
            const std::size_t body = (samples.n - head) / items;
            const auto read = [&]<bool HasAlignedWeights>() {
                using reader_type = pair_reader<samples_input, Weights, items, Most, HasAlignedWeights>;
                const reader_type reader{samples.input, weights, samples.input.data + head, weights.data + head};
                typename reader_type::packet ahead[reader_type::batch];
                device::load_present(ahead, reader, thread, threads, body);
                device::for_each_packet(ahead, reader, thread, threads, body, use);
            };
            if (device::is_aligned(weights.data + head, items * sizeof(*weights.data)))
                read.template operator()<true>();
            else
                read.template operator()<false>();
            // Samples before and behind the packets.
            const std::size_t unpacked = samples.n - body * items;
#pragma unroll 1
            for (std::size_t i = thread; i < unpacked; i += threads) {
                const std::size_t at = i < head ? i : body * items + i;
                use_one(samples.sample(at), weights[at]);
            }
        }
    }
};

}  // namespace parprims::detail::device
