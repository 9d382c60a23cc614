/// @file
/// @brief  Dispatch of weighted histograms, on any launcher: plan, memory, launches. Arguments are valid.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/partition.hpp>
#include <parprims/detail/device/weighted/plan.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/execution.hpp>

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
    if (!launch.repeats && !launch.has_agreed_key)
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

/// The call that this GPU's weights belong to.
struct weighted_group {
    std::size_t n;        ///< weights of all ranks, or of the only one
    bool may_repeat;      ///< whether the guess may be wrong
    weight_peaks* peaks;  ///< of a group whose ranks agree on a guess before they add; null: in the scratch
};

/// A weighted histogram, or a profile, of this GPU's samples: its plan, its memory, and its launches.
template <class Launcher, class Iterator, class Weights, class Axis, class Sum>
class weighted_work {
    using axis_type = std::remove_cvref_t<decltype(std::declval<const axis_on_device<Launcher, Axis>&>().get())>;
    static_assert(std::is_trivially_copyable_v<axis_type>,
                  "parprims: an axis on the device must be trivially copyable");
    using samples_type = histogram_samples<decltype(device::make_samples_input(std::declval<Iterator>())), axis_type>;
    using input_type = weighted_samples<samples_type, input_for<Weights>>;

public:
    static constexpr unsigned values = sum_traits<Sum>::values;
    using weight_type = typename input_type::weight_type;
    using totals_type = weighted_totals<weight_type, values>;

    /// Takes memory, and zeroes it. A call that the plan refuses takes none and writes nothing.
    weighted_work(Launcher& launcher, const optional_config<histogram_config>& chosen, Iterator first, std::size_t n,
                  Weights weights, const Axis& axis, const weighted_call& call, const weighted_group& all)
        : launcher_(launcher), gpu_(launcher.gpu()),
          config_(chosen.value_or(tuned(weighted_tuning, gpu_.architecture, sizeof(iter_value_t<Iterator>)))),
          plan_(make_plan(launcher, first, n, axis, config_, gpu_)), parts_{axis.extent(), all.may_repeat},
          axis_(launcher, axis), scratch_(launcher.scratch(parts_.bytes() + plan_.scratch_bytes())),
          memory_(static_cast<std::byte*>(static_cast<void*>(scratch_.get()))),
          peaks_(all.peaks != nullptr ? all.peaks : parts_.peaks(memory_)), has_agreed_key_(all.peaks != nullptr),
          input_{{device::make_samples_input(first), n, axis_.get()}, device::make_input(weights)},
          bits_(traits::template bits<values>(larger_of<std::size_t>(all.n, 1))), is_bounded_(call.is_bounded),
          bound_(is_bounded_ ? double{call.rounded_bound<typename traits::real>()} : 0)
    {
        axis_.enqueue(launcher_);
        launcher_.zero(memory_, parts_.bytes());
        if (has_agreed_key_)
            launcher_.zero(peaks_, sizeof *peaks_);
    }

    /// Enqueues the search for this rank's largest weight, from which the ranks of a group take one scale: among all
    /// weights, or, if `may_repeat`, among `guessed_weights` of them.
    void enqueue_guess() const
    {
        using kernel_type = weighted_peak_kernel<input_for<Weights>>;
        const std::size_t n = input_.samples.n;
        const std::size_t looks = parts_.may_repeat ? smaller_of(guessed_weights, n) : n;
        if (n != 0)
            launcher_.launch({clamped<std::size_t>(order::ceil_div(looks, guessed_weights), 1, gpu_.multiprocessors),
                              kernel_type::max_threads, sizeof(typename kernel_type::shared_storage)},
                             kernel_type{input_.weights, looks, n / looks, peaks_});
    }

    /// Enqueues the launches that add, or, `repeats`, those that add again if the guess was wrong.
    void enqueue_adding(bool repeats) const
    {
        if (input_.samples.n == 0 || (repeats && !parts_.may_repeat))
            return;
        if constexpr (!input_type::counts_by_byte)
            if (plan_.sorts)
                return device::enqueue_sorting<values>(launcher_, plan_.sorting, input_, launch(repeats),
                                                       memory_ + parts_.bytes());
        device::enqueue_adding<values>(launcher_, plan_.adding, input_, launch(repeats));
    }

    /// For the kernel that follows, one thread a slot: the sums, and its shape.
    totals_type totals() const
    {
        return {peaks_, parts_.flags(memory_), parts_.sums(memory_, false), parts_.sums(memory_, true), parts_.extent};
    }
    launch_shape finish_shape() const
    {
        const unsigned threads = smaller_of(config_.block_threads, weighted_finish_threads);
        return {clamped<std::size_t>(order::ceil_div(parts_.extent, threads), 1,
                                     weighted_finish_blocks_per_sm * gpu_.multiprocessors),
                threads, 0};
    }
    int bits() const { return bits_; }

private:
    using traits = weight_traits<weight_type>;

    struct plan_type {
        bool sorts = false;
        partitioned_plan sorting{};  // if `sorts`
        weighted_plan adding{};      // if not

        std::size_t scratch_bytes() const { return sorts ? sorting.scratch_bytes() : 0; }
    };

    static plan_type make_plan(Launcher& launcher, Iterator first, std::size_t n, const Axis& axis,
                               const histogram_config& config, const gpu_properties& gpu)
    {
        constexpr unsigned counter_words = bin_words<weight_type, values>::shared_words;
        const histogram_size size{n,
                                  samples_type::counters_of(axis.extent()),
                                  axis.bins(),
                                  axis.extent(),
                                  samples_type::items,
                                  samples_type::leading_samples(device::make_samples_input(first)),
                                  input_type::counts_by_byte ? 0 : unsigned{sizeof(weight_type)},
                                  counter_words};
        plan_type plan;
        if constexpr (!input_type::counts_by_byte)
            if (weighted_placement(size, config, gpu) == histogram_config::partitioned) {
                plan.sorts = true;
                plan.sorting = device::planned(launcher, plan_partitioned(launcher.function(), size, config, gpu));
                return plan;
            }
        plan.adding = device::planned(launcher, plan_weighted(launcher.function(), size, config, gpu));
        return plan;
    }

    weighted_launch launch(bool repeats) const
    {
        return {peaks_, parts_.flags(memory_), parts_.sums(memory_, repeats), bits_, repeats, is_bounded_,
                bound_, has_agreed_key_};
    }

    Launcher& launcher_;
    gpu_properties gpu_;
    histogram_config config_;
    plan_type plan_;
    weighted_scratch<weight_type, Sum> parts_;
    axis_on_device<Launcher, Axis> axis_;
    decltype(std::declval<Launcher&>().scratch(std::size_t{})) scratch_;
    std::byte* memory_;
    weight_peaks* peaks_;
    bool has_agreed_key_;
    input_type input_;
    int bits_;
    bool is_bounded_;
    double bound_;
};

/// Enqueues the weighted histogram of `[first, first + n)`, which may be empty, in `axis` to `sums`.
template <launcher Launcher, class Iterator, class Weights, class Axis, class Sum>
void enqueue_weighted(Launcher& launcher, const optional_config<histogram_config>& chosen_config, Iterator first,
                      std::size_t n, Weights weights, const Axis& axis, Sum* sums, const weighted_call& call)
{
    using work_type = weighted_work<Launcher, Iterator, Weights, Axis, Sum>;
    const work_type work(launcher, chosen_config, first, n, weights, axis, call,
                         {n, !call.is_bounded && n > guessed_weights, nullptr});
    for (const bool repeats : {false, true})
        work.enqueue_adding(repeats);
    launcher.launch(work.finish_shape(),
                    weighted_finish_kernel<typename work_type::weight_type, Sum>{work.totals(), work.bits(), sums});
}

}  // namespace parprims::detail::device
