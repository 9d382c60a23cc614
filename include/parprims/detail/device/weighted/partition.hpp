/// @file
/// @brief  Weighted histograms of many bins: what the kernels of the partition (detail/device/histogram/) need for weights.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/partition_count_kernel.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/scale.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Stores the key of the caller's bound, or of the guessed largest weight, for the kernels that follow: one block.
template <class Weighted, unsigned Values>
struct weighted_guess_kernel : weighted_kernel_base<Weighted, Values> {
    struct shared_storage {
        std::uint32_t peak;
    };

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::uint32_t key = this->first_key(block, &shared.peak);
        if (block.thread() == 0)
            simt::store(&this->launch.peaks->guessed, key);
    }
};

/// The weights, to be sorted with their samples.
template <class Weighted>
struct weights_payload {
    using value_type = typename Weighted::weight_type;
    static constexpr unsigned bytes = sizeof(value_type);
    template <unsigned Count>
    struct of_thread {
        value_type values[Count];
    };

    decltype(Weighted::weights) weights;
    const weight_peaks* peaks;
    bool repeats;

    PARPRIMS_DEVICE bool is_needed() const { return !repeats || must_repeat<value_type>(peaks); }

    /// The weights of samples `[i, i + Items)`.
    template <unsigned Items>
    PARPRIMS_DEVICE void load(std::size_t i, value_type* values) const
    {
        constexpr unsigned packet_bytes = Items * bytes;
        if constexpr (Weighted::has_packets && (packet_bytes == 4 || packet_bytes == 8 || packet_bytes == 16)) {
            using packet = simt::packet<packet_bytes>;
            if (device::is_aligned(weights.data + i, sizeof(packet))) {
                const auto loaded = simt::load_streaming(reinterpret_cast<const packet*>(weights.data + i));
#pragma unroll
                for (unsigned k = 0; k < Items; ++k)
                    values[k] = simt::element<value_type>(loaded, k);
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            values[k] = weights[i + k];
    }
};

/// The sums of a part in shared memory: what part_counts is to counts.
template <class Weighted, unsigned Values>
struct part_sums : weighted_kernel_base<Weighted, Values> {
    using base = weighted_kernel_base<Weighted, Values>;
    using typename base::integers;
    using typename base::real;
    using payload_type = typename base::weight_type;
    using bins = typename base::words;
    static constexpr unsigned words = bins::shared_words;
    static constexpr unsigned payload_bytes = sizeof(payload_type);
    static constexpr unsigned batch = weighted_part_batch;

    PARPRIMS_DEVICE static std::uint32_t* address(std::uint32_t* sums) { return simt::kept_address(sums); }
    PARPRIMS_DEVICE std::size_t all_counters() const { return this->input.samples.counters(); }

    template <class Use>
    PARPRIMS_DEVICE void with_adding(simt::block block, std::uint32_t* peak, std::uint32_t plane, Use use) const
    {
        const auto& launch = this->launch;
        if (launch.repeats && !must_repeat<payload_type>(launch.peaks))
            return;
        if (block.thread() == 0)
            simt::store(peak, 0u);
        std::uint32_t largest = 0;
        const auto add_all = [&](const auto& scale, real limit) {
            use([&, scale, limit](std::uint32_t* sums, std::uint32_t number, const payload_type& weight,
                                  std::size_t first) {
                real value = weight_traits<payload_type>::convert(weight);
                if (!(numeric::magnitude(value) <= limit)) {
                    this->take_other(first + number, weight, largest);
                    value = 0;
                }
                bins::add_shared(sums + number, plane, integers::of(scale, value).values,
                                 [&](std::int32_t high0, std::int32_t high1) {
                                     this->spill(first + number, high0, high1);
                                 });
            });
        };
        this->with_key(launch.repeats ? deciding_key<payload_type>(launch.peaks) : simt::load(&launch.peaks->guessed),
                       add_all);
        block.sync();
        raise_peak(block, peak, largest);
        block.sync();
        this->publish(block, peak);
    }

    PARPRIMS_DEVICE void flush(const std::uint32_t* sums, std::uint32_t plane, std::uint32_t i,
                               std::size_t counter) const
    {
        this->flush_counter(sums + i, plane, 1, 0, counter);
    }
};

}  // namespace parprims::detail::device
