/// @file
/// @brief  Dispatch of weighted histograms, on any launcher: plan, memory, launches. Arguments are valid.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/weighted/finish.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/outliers.hpp>
#include <parprims/detail/device/weighted/partition.hpp>
#include <parprims/detail/device/weighted/plan.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// How many slots can have limbs for outliers: `rows` in the first pass over the samples; if those do not suffice, `rest_rows` in each
/// further pass.
struct outlier_plan {
    std::size_t rows;
    std::size_t rest_rows;
};

/// The scratch of a call.
template <class W, unsigned Values>
struct weighted_scratch {
    static constexpr std::size_t words = bin_words<W, Values>::global_words;
    static constexpr std::size_t row_bytes = limbs_of_slot<W, Values>::count * sizeof(std::uint64_t);

    std::size_t extent;
    outlier_plan outliers;

    static outlier_plan plan(std::size_t extent, std::size_t n)
    {
        const std::size_t bytes = clamped(n, min_outlier_bytes, max_outlier_bytes);
        return {smaller_of(extent, bytes / row_bytes), larger_of(smaller_of(extent, max_outlier_bytes / row_bytes),
                                                                 order::ceil_div(extent, max_outlier_rounds))};
    }
    bool may_lack_rows() const { return outliers.rows < extent; }

    std::size_t flags_bytes() const { return aligned_bytes(extent * sizeof(std::uint32_t)); }
    std::size_t sums_bytes() const { return aligned_bytes(extent * words * sizeof(std::uint64_t)); }
    std::size_t owners_bytes() const
    {
        return may_lack_rows() ? aligned_bytes(outliers.rows * sizeof(std::uint64_t)) : 0;
    }
    std::size_t before_rows() const { return memory_alignment + flags_bytes() + sums_bytes() + owners_bytes(); }
    /// Bytes that must be zero before the kernels run.
    std::size_t zero_bytes() const { return before_rows() + outliers.rows * row_bytes; }
    std::size_t bytes() const
    {
        const std::size_t rows = may_lack_rows() ? larger_of(outliers.rows, outliers.rest_rows) : outliers.rows;
        return before_rows() + aligned_bytes(rows * row_bytes);
    }

    weighted_memory<W, Values> memory(std::byte* at, std::size_t n) const
    {
        std::byte* const flags = at + memory_alignment;
        std::byte* const sums = flags + flags_bytes();
        std::byte* const owners = sums + sums_bytes();
        return {reinterpret_cast<typename weighted_memory<W, Values>::state*>(at),
                reinterpret_cast<std::uint32_t*>(flags),
                reinterpret_cast<std::uint64_t*>(sums),
                {reinterpret_cast<std::uint64_t*>(owners), reinterpret_cast<std::uint64_t*>(owners + owners_bytes()),
                 outliers.rows, extent, limbs_of_slot<W, Values>::count},
                static_cast<int>(std::bit_width(larger_of<std::size_t>(n, 1) - 1))};
    }
};

/// Enqueues the kernel that adds the weights to the sums.
template <unsigned Values, launcher Launcher, class Weighted>
void enqueue_adding(Launcher& launcher, const counting_plan& plan, const Weighted& input,
                    const weighted_memory<typename Weighted::weight_type, Values>& memory)
{
    const auto enqueue_shared = [&]<bool Agreeing>() {
        launcher.launch(plan.shape,
                        weighted_shared_kernel<Weighted, Values, Agreeing>{
                            {input, memory}, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas});
    };
    if (plan.windows == 0)
        launcher.launch(plan.shape, weighted_global_kernel<Weighted, Values>{{input, memory}});
    else if (plan.windows > 1 || plan.replicas < min_spread_replicas)
        enqueue_shared.template operator()<true>();
    else
        enqueue_shared.template operator()<false>();
}

/// Enqueues the kernels that sort the samples with their weights, and add them part by part.
template <unsigned Values, launcher Launcher, class Weighted>
void enqueue_sorting(Launcher& launcher, const partitioned_plan& plan, const Weighted& input,
                     const weighted_memory<typename Weighted::weight_type, Values>& memory, std::byte* scratch)
{
    using part_type = part_sums<Weighted, Values>;
    launcher.zero(scratch + plan.totals_offset(), plan.totals_bytes());
    for (std::size_t begin = 0; begin < input.samples.n; begin += plan.slice) {
        const partitioned_slice slice = plan.slice_at(begin, scratch);
        launcher.launch(plan.sort_shape(slice),
                        partition_sort_kernel<decltype(input.samples), weights_payload<Weighted>>{
                            input.samples, slice, {input.weights}});
        launcher.launch(plan.count_shape, partition_part_kernel<part_type>{{{input, memory}}, slice});
    }
}

/// A weighted histogram, or a profile, of this GPU's samples: its plan, its memory, and its launches.
template <class Launcher, class Iterator, class Weights, class Axis, class Sum>
class weighted_work {
    using samples_type = histogram_samples<decltype(device::make_samples_input(std::declval<Iterator>())),
                                           typename kernel_axis<Launcher, Axis>::type>;
    using input_type = weighted_samples<samples_type, input_for<Weights>, reads_size<Launcher>>;

public:
    static constexpr unsigned values = sum_traits<Sum>::values;
    using weight_type = typename input_type::weight_type;

    /// Takes memory. A call that the plan refuses takes none and writes nothing.
    weighted_work(Launcher& launcher, const optional_config<histogram_config>& chosen, Iterator first, std::size_t n,
                  Weights weights, const Axis& axis)
        : launcher_(launcher), gpu_(launcher.gpu()), config_(chosen.value_or(default_histogram)),
          plan_(make_plan(launcher, first, n, axis, config_, gpu_)),
          parts_{axis.extent(), planned(launcher, scratch_type::plan(axis.extent(), n))}, axis_(launcher, axis),
          scratch_(launcher.scratch(parts_.bytes() + plan_.scratch_bytes())),
          start_(static_cast<std::byte*>(scratch_.get())), memory_(parts_.memory(start_, n)),
          input_{{device::make_samples_input(first), n, axis_.get()}, device::make_input(weights)}
    {
        axis_.enqueue(launcher_);
    }

    /// Enqueues that the memory becomes zero.
    void enqueue_zero() const { launcher_.zero(start_, parts_.zero_bytes()); }

    /// Enqueues that the memory becomes zero, and the kernels that add the weights to the sums.
    void enqueue_adding() const
    {
        enqueue_zero();
        if (input_.samples.n == 0)
            return;
        if constexpr (!input_type::counts_by_byte)
            if (plan_.sorts)
                return device::enqueue_sorting<values>(launcher_, plan_.sorting, input_, memory_,
                                                       start_ + parts_.bytes());
        device::enqueue_adding<values>(launcher_, plan_.adding, input_, memory_);
    }

    /// For a dispatch with kernels of its own, which replace `enqueue_adding`: their input and memory, and a launch of the kernel that
    /// adds in device memory.
    const input_type& input() const { return input_; }
    const weighted_memory<weight_type, values>& memory() const { return memory_; }
    void enqueue_global() const
    {
        launcher_.launch(plan_.adding.shape, weighted_global_kernel<input_type, values>{{input_, memory_}});
    }

    /// Enqueues the kernels that call `write(slot, sum, squares, count, seen)` for each slot (finish_slot).
    template <class Write>
    void enqueue_finish(const Write& write) const
    {
        const unsigned threads = smaller_of(config_.block_threads, weighted_finish_threads);
        const auto shape = [&](std::size_t slots) {
            return launch_shape{clamped<std::size_t>(order::ceil_div(slots, threads), 1,
                                                     weighted_finish_blocks_per_sm * gpu_.multiprocessors),
                                threads, 0};
        };
        const std::size_t rows = parts_.outliers.rest_rows;
        const auto finish = [&](std::size_t first, std::size_t slots, bool is_rest) {
            launcher_.launch(shape(slots), weighted_finish_kernel<weight_type, values, Write>{
                                               memory_, parts_.extent, first, slots, rows, is_rest, write});
        };
        finish(0, parts_.extent, false);
        if (!parts_.may_lack_rows())
            return;
        for (std::size_t first = 0; first < parts_.extent; first += rows) {
            const std::size_t slots = smaller_of(rows, parts_.extent - first);
            launcher_.launch({gpu_.multiprocessors, config_.block_threads, 0},
                             weighted_rest_kernel<input_type, values>{input_, memory_, first, slots});
            finish(first, slots, true);
        }
    }

private:
    using scratch_type = weighted_scratch<weight_type, values>;

    struct plan_type {
        bool sorts = false;
        partitioned_plan sorting{};  // if `sorts`
        counting_plan adding{};      // if not

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

    Launcher& launcher_;
    gpu_properties gpu_;
    histogram_config config_;
    plan_type plan_;
    scratch_type parts_;
    axis_on_device<Launcher, Axis> axis_;
    decltype(std::declval<Launcher&>().scratch(std::size_t{})) scratch_;
    std::byte* start_;
    weighted_memory<weight_type, values> memory_;
    input_type input_;
};

/// Enqueues the weighted histogram of `[first, first + n)`, which may be empty, in `axis` to `sums`.
template <launcher Launcher, class Iterator, class Weights, class Axis, class Sum>
void enqueue_weighted(Launcher& launcher, const optional_config<histogram_config>& chosen_config, Iterator first,
                      std::size_t n, Weights weights, const Axis& axis, Sum* sums)
{
    const weighted_work<Launcher, Iterator, Weights, Axis, Sum> work(launcher, chosen_config, first, n, weights, axis);
    work.enqueue_adding();
    work.enqueue_finish(bin_writer<Sum>{sums});
}

}  // namespace parprims::detail::device
