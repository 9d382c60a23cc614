/// @file
/// @brief  Dispatch of histograms, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partition_count_kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/partition_sort_kernel.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/execution.hpp>
#include <parprims/product_axis.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// An axis that owns memory, as variable_axis does, whose header need not be included.
template <class Axis>
concept has_table = requires(const Axis& axis) { detail::axis::rule_access::table(axis).data(); };

/// An axis as a kernel can use it, once `enqueue` has been called. The memory that an axis owns is copied to scratch.
template <class Launcher, class Axis>
class axis_on_device {
public:
    axis_on_device(Launcher&, const Axis& axis) : axis_(axis) {}
    const Axis& get() const { return axis_; }
    void enqueue(Launcher&) const {}

private:
    const Axis& axis_;
};

template <class Launcher, has_table Axis>
class axis_on_device<Launcher, Axis> {
    using access = detail::axis::rule_access;

public:
    axis_on_device(Launcher& launcher, const Axis& axis)
        : axis_(axis), table_(launcher.scratch(access::table(axis).size())),
          view_(access::view_in(axis, reinterpret_cast<const unsigned char*>(table_.get())))
    {
    }
    const auto& get() const { return view_; }
    void enqueue(Launcher& launcher) const
    {
        const auto& kept = access::table(launcher.keep(axis_));  // a graph copies the table again at each launch
        launcher.copy(table_.get(), kept.data(), kept.size());
    }

private:
    const Axis& axis_;
    decltype(std::declval<Launcher&>().scratch(0)) table_;
    decltype(std::declval<const Axis&>().view()) view_;
};

/// The parts of a product, each on the device.
template <std::size_t I, class Launcher, class Axis>
struct part_on_device : axis_on_device<Launcher, Axis> {
    using axis_on_device<Launcher, Axis>::axis_on_device;
};
template <class Indices, class Launcher, template <class...> class Combined, class... Axes>
struct parts_on_device;
template <std::size_t... I, class Launcher, template <class...> class Combined, class... Axes>
struct parts_on_device<std::index_sequence<I...>, Launcher, Combined, Axes...> : part_on_device<I, Launcher, Axes>... {
    parts_on_device(Launcher& launcher, const Combined<Axes...>& axis)
        : part_on_device<I, Launcher, Axes>(launcher, axis.template axis<I>())...
    {
    }
    auto get() const
    {
        return Combined<std::remove_cvref_t<decltype(part_on_device<I, Launcher, Axes>::get())>...>(
            part_on_device<I, Launcher, Axes>::get()...);
    }
    void enqueue(Launcher& launcher) const { (part_on_device<I, Launcher, Axes>::enqueue(launcher), ...); }
};

template <class Launcher, class... Axes>
class axis_on_device<Launcher, product_axis<Axes...>>
    : public parts_on_device<std::index_sequence_for<Axes...>, Launcher, product_axis, Axes...> {
public:
    using parts_on_device<std::index_sequence_for<Axes...>, Launcher, product_axis, Axes...>::parts_on_device;
};

/// The type of an axis in a kernel.
template <class Launcher, class Axis>
struct kernel_axis {
    using type = std::remove_cvref_t<decltype(std::declval<const axis_on_device<Launcher, Axis>&>().get())>;
    static_assert(std::is_trivially_copyable_v<type>, "parprims: an axis on the device must be trivially copyable");
};

/// Enqueues the copy of the edges of an axis, then calls `use` with the axis on the device.
template <launcher Launcher, class Axis, class Use>
void with_axis(Launcher& launcher, const Axis& axis, Use use)
{
    using axis_type = typename kernel_axis<Launcher, Axis>::type;
    const axis_on_device<Launcher, Axis> device_axis(launcher, axis);
    device_axis.enqueue(launcher);
    use(axis_type(device_axis.get()));
}

/// Enqueues the counting of samples whose axis is on the device. All scratch is taken before anything is written.
template <launcher Launcher, class Samples, class Counter>
void enqueue_counting(Launcher& launcher, const counting_plan& plan, const Samples& samples, Counter* counts)
{
    const std::size_t extent = samples.axis.extent();
    const auto workspace = launcher.zeroed(plan.gathers ? memory_alignment + extent * sizeof(std::uint32_t) : 0);
    auto* const gathered =
        plan.gathers ? reinterpret_cast<std::uint32_t*>(workspace.get() + memory_alignment) : nullptr;
    if (!plan.overwrites && !plan.gathers)
        launcher.zero(counts, extent * sizeof(Counter));
    const auto enqueue_shared = [&]<bool Windowed>() {
        launcher.launch(plan.shape,
                        histogram_shared_kernel<Samples, Counter, Windowed>{
                            samples, counts, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas,
                            plan.overwrites, gathered, reinterpret_cast<unsigned*>(workspace.get())});
    };
    if (plan.windows == 0)
        launcher.launch(plan.shape, histogram_global_kernel<Samples, Counter>{samples, counts});
    else if (plan.windows == 1)
        enqueue_shared.template operator()<false>();
    else
        enqueue_shared.template operator()<true>();
}

template <launcher Launcher, class Samples, class Counter>
void enqueue_counting(Launcher& launcher, const partitioned_plan& plan, const Samples& samples, Counter* counts)
{
    const auto scratch = launcher.scratch(plan.scratch_bytes());
    auto* const memory = static_cast<std::byte*>(scratch.get());
    launcher.zero(counts, samples.axis.extent() * sizeof(Counter));
    launcher.zero(memory + plan.totals_offset(), plan.totals_bytes());
    for (std::size_t begin = 0; begin < samples.n; begin += plan.slice) {
        const partitioned_slice slice = plan.slice_at(begin, memory);
        launcher.launch(plan.sort_shape(slice), partition_sort_kernel<Samples>{samples, slice, {}});
        launcher.launch(plan.count_shape, partition_count_kernel<Samples, Counter>{{samples, counts}, slice});
    }
}

/// Enqueues the histogram of `[first, first + n)`, which may be empty, in `axis` to `counts`.
template <launcher Launcher, class Iterator, class Axis, class Counter>
void enqueue_histogram(Launcher& launcher, const optional_config<histogram_config>& chosen_config, Iterator first,
                       std::size_t n, const Axis& axis, Counter* counts)
{
    const auto input = device::make_samples_input(first);
    using samples_type =
        histogram_samples<std::remove_const_t<decltype(input)>, typename kernel_axis<Launcher, Axis>::type>;
    using enum histogram_config::placement_kind;
    if (n == 0) {
        launcher.zero(counts, axis.extent() * sizeof(Counter));
        return;
    }

    // A call that a plan refuses takes no scratch and writes nothing.
    const auto enqueue = [&](const auto& plan) {
        device::with_axis(launcher, axis, [&](const auto& device_axis) {
            device::enqueue_counting(launcher, plan, samples_type{input, n, device_axis}, counts);
        });
    };

    const gpu_properties gpu = launcher.gpu();
    const histogram_config config = chosen_config.value_or(default_histogram);
    const histogram_size size{n,
                              samples_type::counters_of(axis.extent()),
                              axis.bins(),
                              axis.extent(),
                              samples_type::items,
                              samples_type::leading_samples(input)};
    const auto placement = config.placement == automatic ? choose_placement(size.counters, gpu) : config.placement;
    if (placement == partitioned)
        return enqueue(device::planned(launcher, plan_partitioned(launcher.function(), size, config, gpu)));
    enqueue(device::planned(launcher, placement == shared   ? plan_shared(launcher.function(), size, config, gpu)
                                      : placement == passes ? plan_passes(launcher.function(), size, config, gpu)
                                                            : plan_global(size, config, gpu)));
}

}  // namespace parprims::detail::device
