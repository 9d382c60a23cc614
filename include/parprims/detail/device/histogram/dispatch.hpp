/// @file
/// @brief  Dispatch of histograms, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partitioned.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/optional_config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// An axis that owns its edges, as variable_axis does, which need not be there to be compiled.
template <class Axis>
concept has_edges = requires(const Axis& axis) { axis.view_at(axis.edges().data()); };

/// An axis as a kernel can use it, once what `enqueue` does is done. Edges are copied to scratch.
template <class Launcher, class Axis>
class axis_on_device {
public:
    axis_on_device(Launcher&, const Axis& axis) : axis_(axis) {}
    const Axis& get() const { return axis_; }
    void enqueue(Launcher&) const {}

private:
    const Axis& axis_;
};

template <class Launcher, has_edges Axis>
class axis_on_device<Launcher, Axis> {
    using T = typename Axis::value_type;

public:
    axis_on_device(Launcher& on, const Axis& axis)
        : axis_(axis), edges_(on.scratch(axis.edges().size() * sizeof(T))),
          view_(axis.view_at(reinterpret_cast<const T*>(edges_.get())))
    {
    }
    const auto& get() const { return view_; }
    void enqueue(Launcher& on) const
    {
        const Axis& kept = on.keep(axis_);  // a graph copies the edges again at each launch
        on.copy(edges_.get(), kept.edges().data(), kept.edges().size() * sizeof(T));
    }

private:
    const Axis& axis_;
    decltype(std::declval<Launcher&>().scratch(0)) edges_;
    decltype(std::declval<const Axis&>().view()) view_;
};

/// Enqueues the counting of samples, whose axis is on the device.
template <launcher Launcher, class Samples, class Counter>
void enqueue_histogram(Launcher& on, const Samples& samples, Counter* counts, const histogram_plan& plan)
{
    using config = histogram_config;
    const std::size_t extent = samples.axis.extent();
    if (plan.placement == config::partitioned) {
        enqueue_partitioned(on, samples, counts, plan);
        return;
    }

    // So few counters that the workspace has room for them need not be zeroed before.
    const bool gathers = gathers_counts(plan, samples.n, extent);
    const auto own = on.zeroed(gathers ? gathered_offset + extent * sizeof(std::uint32_t) : 0);
    auto* const gathered = gathers ? reinterpret_cast<std::uint32_t*>(own.get() + gathered_offset) : nullptr;
    if (!plan.overwrites && !gathers)
        on.zero(counts, extent * sizeof(Counter));

    const launch_shape shape{plan.blocks, plan.block_threads, plan.shared_bytes};
    const auto launch_shared = [&]<bool Windowed>(std::bool_constant<Windowed>) {
        on.launch(shape, histogram_shared_kernel<Samples, Counter, Windowed>{
                             samples, counts, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas,
                             plan.segment, plan.overwrites, gathered, reinterpret_cast<unsigned*>(own.get())});
    };
    if (plan.placement == config::shared)
        launch_shared(std::false_type{});
    else if (plan.placement == config::passes)
        launch_shared(std::true_type{});
    else if (plan.placement == config::packed)
        on.launch(shape, histogram_packed_kernel<Samples, Counter>{samples, counts});
    else
        on.launch(shape, histogram_global_kernel<Samples, Counter>{samples, counts});
}

/// Enqueues the histogram of `[first, first + n)`, which may be empty, in `axis` to `counts`.
template <launcher Launcher, class Iterator, class Axis, class Counter>
void enqueue_histogram(Launcher& on, const optional_config<histogram_config>& chosen_config, Iterator first,
                       std::size_t n, const Axis& axis, Counter* counts)
{
    using axis_type = std::remove_cvref_t<decltype(std::declval<const axis_on_device<Launcher, Axis>&>().get())>;
    static_assert(std::is_trivially_copyable_v<axis_type>,
                  "parprims: an axis on the device must be trivially copyable");
    using samples_type = histogram_samples<input_for<Iterator>, axis_type>;
    if (n == 0) {
        on.zero(counts, axis.extent() * sizeof(Counter));
        return;
    }
    const machine gpu = on.gpu();
    const histogram_config config =
        chosen_config.value_or(tuned(histogram_tuning, gpu.architecture, sizeof(iter_value_t<Iterator>)));
    const histogram_plan plan = planned(on, plan_histogram(on.function(), n, samples_type::counters_of(axis.bins()),
                                                           config, gpu, axis.bins(), samples_type::items));
    const axis_on_device<Launcher, Axis> here(on, axis);
    const samples_type samples{make_input(first), n, here.get()};
    here.enqueue(on);  // to scratch, so nothing of the caller's is written before
    enqueue_histogram(on, samples, counts, plan);
}

}  // namespace parprims::detail::device
