/// @file
/// @brief  Dispatch of histograms to the GPU: validate, plan, launch.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/device/histogram_kernel.hpp>
#include <parprims/detail/device/histogram_partitioned.hpp>
#include <parprims/detail/device/histogram_plan.hpp>
#include <parprims/detail/device/launch.hpp>
#include <parprims/detail/device/validate.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// An axis that owns its edges, as variable_axis does, which need not be there to be compiled.
template <class Axis>
concept has_edges = requires(const Axis& axis) { axis.view_at(axis.edges().data()); };

/// An axis as a kernel can use it, once what `enqueue` does is done. Edges are copied to scratch.
template <class Axis>
class axis_on_device {
public:
    axis_on_device(const device_policy&, const Axis& axis) : axis_(axis) {}
    const Axis& get() const { return axis_; }
    void enqueue(const device_policy&, bool) const {}

private:
    const Axis& axis_;
};

template <has_edges Axis>
class axis_on_device<Axis> {
    using T = typename Axis::value_type;

public:
    axis_on_device(const device_policy& policy, const Axis& axis)
        : axis_(axis), edges_(policy.resource(), axis.edges().size() * sizeof(T), policy.stream()),
          view_(axis.view_at(static_cast<const T*>(edges_.get())))
    {
    }
    const auto& get() const { return view_; }
    void enqueue(const device_policy& policy, bool is_capturing) const
    {
        // A graph copies the edges again at each launch, from where they lie now.
        if (is_capturing)
            runtime::keep_with_graph(policy.stream(), new Axis(axis_),
                                     [](void* copy) { delete static_cast<Axis*>(copy); });
        runtime::copy_async(edges_.get(), axis_.edges().data(), axis_.edges().size() * sizeof(T), policy.stream());
    }

private:
    const Axis& axis_;
    runtime::scratch_buffer edges_;
    decltype(std::declval<const Axis&>().view()) view_;
};

template <class Samples, class Counter>
void enqueue_histogram(const char* function, const device_policy& policy, const runtime::call_scope& scope,
                       const Samples& samples, Counter* counts, const histogram_plan& plan)
{
    using config = histogram_config;
    const std::size_t extent = samples.axis.extent();
    if (plan.placement == config::partitioned) {
        enqueue_partitioned(function, policy, scope.device(), samples, counts, plan);
        return;
    }

    const bool gathers = gathers_counts(plan, samples.n, extent);
    const runtime::workspace_loan own =
        gathers ? runtime::workspace_loan(policy.stream(), scope.is_capturing()) : runtime::workspace_loan();
    auto* const gathered = gathers ? reinterpret_cast<std::uint32_t*>(own->zeroed + gathered_offset) : nullptr;
    if (!plan.overwrites && !gathers)
        runtime::fill_async(counts, 0, extent * sizeof(Counter), policy.stream());

    const launch_shape shape{plan.blocks, plan.block_threads, plan.shared_bytes};
    const auto launch_shared = [&]<bool Windowed>(std::bool_constant<Windowed>) {
        launch(function, shape, scope.device(), policy.stream(),
               histogram_shared_kernel<Samples, Counter, Windowed>{
                   samples, counts, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas, plan.segment,
                   plan.overwrites, gathered, reinterpret_cast<unsigned*>(own->zeroed)});
    };
    if (plan.placement == config::shared)
        launch_shared(std::false_type{});
    else if (plan.placement == config::passes)
        launch_shared(std::true_type{});
    else if (plan.placement == config::packed)
        launch(function, shape, scope.device(), policy.stream(),
               histogram_packed_kernel<Samples, Counter>{samples, counts});
    else
        launch(function, shape, scope.device(), policy.stream(),
               histogram_global_kernel<Samples, Counter>{samples, counts});
}

/// Enqueues a histogram.
template <class Iterator, class Axis, class Counts>
void histogram(const char* function, const device_policy& policy, Iterator first, std::size_t n, const Axis& axis,
               Counts counts)
{
    static_assert(std::is_pointer_v<Counts>,
                  "parprims: the counters of a histogram on the device are contiguous in memory");
    const runtime::call_scope scope(function, policy.stream(), n != 0 ? address_of(first) : address_of(counts));
    check_input(function, "first", first, n, scope.device());
    check_input(function, "counts", counts, axis.extent(), scope.device());
    const machine gpu = machine_of(scope.device());
    const histogram_config config =
        policy.histogram().value_or(launch_row(gpu.architecture, sizeof(iter_value_t<Iterator>)).histogram);
    check_histogram_config(function, config);
    if (n == 0) {
        runtime::fill_async(counts, 0, axis.extent() * sizeof *counts, policy.stream());
        return;
    }

    using axis_type = std::remove_cvref_t<decltype(std::declval<const axis_on_device<Axis>&>().get())>;
    static_assert(std::is_trivially_copyable_v<axis_type>,
                  "parprims: an axis on the device must be trivially copyable");
    using samples_type = histogram_samples<input_for<Iterator>, axis_type>;
    const histogram_plan plan = plan_histogram(function, n, samples_type::counters_of(axis.bins()), config, gpu,
                                               axis.bins(), samples_type::items);
    const axis_on_device<Axis> here(policy, axis);
    const samples_type samples{make_input(first), n, here.get()};
    here.enqueue(policy, scope.is_capturing());  // to scratch, so nothing of the caller's is written before
    enqueue_histogram(function, policy, scope, samples, counts, plan);
}

}  // namespace parprims::detail::device
