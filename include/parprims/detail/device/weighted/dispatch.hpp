/// @file
/// @brief  Dispatch of weighted histograms, on any launcher: plan, memory, launches. Arguments are valid.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/partition.hpp>
#include <parprims/detail/device/weighted/plan.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/optional_config.hpp>
#include <parprims/detail/weights.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// The scratch of a call. All of it is zero at first.
template <class W, class Sum>
struct weighted_scratch {
    static constexpr std::size_t words = bin_words<W, sum_traits<Sum>::values>::global_words;

    std::size_t extent;
    bool may_repeat;  ///< whether the guess may be wrong

    std::size_t sums_bytes() const { return aligned_bytes(extent * words * sizeof(std::uint64_t)); }
    std::size_t flags_bytes() const { return aligned_bytes(extent * sizeof(std::uint32_t)); }
    std::size_t bytes() const { return memory_alignment + flags_bytes() + (may_repeat ? 2 : 1) * sums_bytes(); }

    weight_peaks* peaks(std::byte* memory) const { return reinterpret_cast<weight_peaks*>(memory); }
    std::uint32_t* flags(std::byte* memory) const
    {
        return reinterpret_cast<std::uint32_t*>(memory + memory_alignment);
    }
    std::uint64_t* sums(std::byte* memory, bool repeated) const
    {
        return reinterpret_cast<std::uint64_t*>(memory + memory_alignment + flags_bytes() +
                                                (repeated && may_repeat ? sums_bytes() : 0));
    }
};

/// Enqueues one of the two launches that add.
template <unsigned Values, launcher Launcher, class Weighted>
void enqueue_adding(Launcher& launcher, const weighted_plan& plan, const Weighted& input, const weighted_launch& launch)
{
    const auto enqueue_shared = [&]<bool Windowed, bool Agreeing>() {
        launcher.launch(plan.shape,
                        weighted_shared_kernel<Weighted, Values, Windowed, Agreeing>{
                            {input, launch}, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas});
    };
    if (plan.windows == 0)
        launcher.launch(plan.shape, weighted_global_kernel<Weighted, Values>{{input, launch}});
    else if (plan.windows > 1)
        enqueue_shared.template operator()<true, true>();
    else if (plan.replicas < min_spread_replicas)
        enqueue_shared.template operator()<false, true>();
    else
        enqueue_shared.template operator()<false, false>();
}

/// Enqueues the launches that sort all samples with their weights, and add them part by part.
template <unsigned Values, launcher Launcher, class Weighted>
void enqueue_sorting(Launcher& launcher, const partitioned_plan& plan, const Weighted& input,
                     const weighted_launch& launch, std::byte* memory)
{
    using guess_type = weighted_guess_kernel<Weighted, Values>;
    using part_type = part_sums<Weighted, Values>;
    launcher.zero(memory + plan.totals_offset(), plan.totals_bytes());
    if (!launch.repeats)
        launcher.launch({1, plan.count_shape.block_threads, sizeof(typename guess_type::shared_storage)},
                        guess_type{{input, launch}});
    for (std::size_t begin = 0; begin < input.samples.n; begin += plan.slice) {
        const partitioned_slice slice = plan.slice_at(begin, memory);
        launcher.launch(plan.sort_shape(slice),
                        partition_sort_kernel<decltype(input.samples), weights_payload<Weighted>>{
                            input.samples, slice, {input.weights, launch.peaks, launch.repeats}});
        launcher.launch(plan.count_shape, partition_part_kernel<part_type>{{{input, launch}}, slice});
    }
}

/// Enqueues the weighted histogram of `[first, first + n)`, which may be empty, in `axis` to `sums`.
template <launcher Launcher, class Iterator, class Weights, class Axis, class Sum>
void enqueue_weighted(Launcher& launcher, const optional_config<histogram_config>& chosen_config, Iterator first,
                      std::size_t n, Weights weights, const Axis& axis, Sum* sums, const weighted_call& call)
{
    using axis_type = std::remove_cvref_t<decltype(std::declval<const axis_on_device<Launcher, Axis>&>().get())>;
    static_assert(std::is_trivially_copyable_v<axis_type>,
                  "parprims: an axis on the device must be trivially copyable");
    using samples_type = histogram_samples<decltype(make_samples_input(first)), axis_type>;
    using input_type = weighted_samples<samples_type, input_for<Weights>>;
    using weight_type = typename input_type::weight_type;
    using kernel_type = weighted_shared_kernel<input_type, sum_traits<Sum>::values, false, false>;
    // A call that the plan refuses takes no scratch and writes nothing.
    const gpu_properties gpu = launcher.gpu();
    const histogram_config config =
        chosen_config.value_or(tuned(weighted_tuning, gpu.architecture, sizeof(iter_value_t<Iterator>)));
    constexpr unsigned values = sum_traits<Sum>::values;
    constexpr unsigned counter_words = bin_words<weight_type, values>::shared_words;
    const auto samples = make_samples_input(first);
    const weighted_size size{n,
                             samples_type::counters_of(axis.bins()),
                             axis.bins(),
                             sizeof(std::uint32_t) * counter_words,
                             sizeof(std::uint32_t) * kernel_type::header_words,
                             input_type::counts_by_byte ? 0 : unsigned{sizeof(weight_type)}};
    const weighted_scratch<weight_type, Sum> parts{axis.extent(), !call.is_bounded && n > guessed_weights};
    using traits = weight_traits<weight_type>;
    const int bits = traits::template bits<values>(larger_of<std::size_t>(n, 1));
    const double limit =
        call.is_bounded ? static_cast<double>(numeric::convert_down<typename traits::real>(call.bound)) : 0;

    // Takes memory, adds by `add(input, launch, scratch)`, and finishes.
    const auto enqueue = [&](std::size_t scratch_bytes, const auto& add) {
        const axis_on_device<Launcher, Axis> device_axis(launcher, axis);
        const auto scratch = launcher.scratch(parts.bytes() + scratch_bytes);
        auto* const memory = static_cast<std::byte*>(static_cast<void*>(scratch.get()));
        const input_type input{{samples, n, device_axis.get()}, make_input(weights)};
        device_axis.enqueue(launcher);
        launcher.zero(memory, parts.bytes());
        for (const bool repeats : {false, true})
            if (n != 0 && (!repeats || parts.may_repeat))
                add(input,
                    weighted_launch{parts.peaks(memory), parts.flags(memory), parts.sums(memory, repeats), bits,
                                    repeats, call.is_bounded, limit},
                    memory + parts.bytes());
        const unsigned threads =
            smaller_of(config.block_threads, weighted_finish_kernel<weight_type, Sum>::max_threads);
        launcher.launch({clamped<std::size_t>(order::ceil_div(axis.extent(), threads), 1,
                                              weighted_finish_blocks_per_sm * gpu.multiprocessors),
                         threads, 0},
                        weighted_finish_kernel<weight_type, Sum>{parts.peaks(memory), parts.flags(memory),
                                                                 parts.sums(memory, false), parts.sums(memory, true),
                                                                 axis.extent(), bits, sums});
    };
    if constexpr (!input_type::counts_by_byte)
        if (weighted_placement(size, config, gpu) == histogram_config::partitioned) {
            const histogram_size sorted{n,
                                        size.counters,
                                        size.bins,
                                        axis.extent(),
                                        samples_type::items,
                                        samples_type::leading_samples(samples),
                                        sizeof(weight_type),
                                        counter_words};
            const partitioned_plan plan = planned(launcher, plan_partitioned(launcher.function(), sorted, config, gpu));
            enqueue(plan.scratch_bytes(), [&](const auto& input, const weighted_launch& launch, std::byte* memory) {
                enqueue_sorting<values>(launcher, plan, input, launch, memory);
            });
            return;
        }
    const weighted_plan plan = planned(launcher, plan_weighted(launcher.function(), size, config, gpu));
    enqueue(0, [&](const auto& input, const weighted_launch& launch, std::byte*) {
        enqueue_adding<values>(launcher, plan, input, launch);
    });
}

}  // namespace parprims::detail::device
