/// @file
/// @brief  Weighted histograms of many bins: what the kernels of the partition (detail/device/histogram/) need for weights.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

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

    /// The weights of samples `[i, i + Items)`.
    template <unsigned Items>
    PARPRIMS_DEVICE void load(std::size_t i, value_type* values) const
    {
        constexpr unsigned packet_bytes = Items * bytes;
        if constexpr (Weighted::has_packets && decltype(Weighted::weights)::is_pointer &&
                      (packet_bytes == 4 || packet_bytes == 8 || packet_bytes == 16)) {
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
    using payload_type = typename base::weight_type;
    using bins = typename base::words;
    static constexpr unsigned words = bins::shared_words;
    static constexpr unsigned payload_bytes = sizeof(payload_type);
    static constexpr unsigned batch = weighted_part_batch;

    PARPRIMS_DEVICE static std::uint32_t* address(std::uint32_t* sums) { return simt::kept_address(sums); }
    PARPRIMS_DEVICE std::size_t all_counters() const { return this->input.samples.counters(); }
    PARPRIMS_DEVICE void set_samples(std::size_t n) { this->input.samples.n = n; }

    template <class Use>
    PARPRIMS_DEVICE void with_adding(simt::block block, std::uint32_t* looked, std::uint32_t plane, Use use) const
    {
        const auto digits = this->find_windows(block, looked);
        use([&, digits](std::uint32_t* sums, std::uint32_t number, const payload_type& weight, std::size_t first) {
            bins::add_to_shared(sums, plane, {number},
                                {this->numbers_of(digits, weight, [&] { return first + number; })});
        });
    }

    PARPRIMS_DEVICE void flush(const std::uint32_t* sums, std::uint32_t plane, std::uint32_t i,
                               std::size_t counter) const
    {
#pragma unroll
        for (unsigned part = 0; part < bins::global_words; ++part)
            this->flush_word(sums + i, plane, 1, 0, part, [&] { return this->input.samples.slot_of(counter); });
    }
};

}  // namespace parprims::detail::device
