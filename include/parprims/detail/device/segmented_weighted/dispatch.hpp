/// @file
/// @brief  Dispatch of weighted histograms of segments, on any launcher: plan, memory, launches. Arguments are valid.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/contract/weighted_lines.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/zip_packets.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented_histogram/dispatch.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/plan.hpp>
#include <parprims/detail/device/segmented_weighted/kernel.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The segment that has element `i`: -1 or `count` where none has.
PARPRIMS_DEVICE inline std::int64_t segment_of(const fixed_segments& segments, std::size_t i)
{
    return static_cast<std::int64_t>(i / segments.size);
}
template <class Offsets>
PARPRIMS_DEVICE std::int64_t segment_of(const offset_segments<Offsets>& segments, std::size_t i)
{
    std::size_t low = 0;  // segments that begin at i or before: from `low` to `low + left`
    for (std::size_t left = segments.count + 1; left != 0;) {
        const std::size_t half = left / 2;
        const bool begins = segments.begin(low + half) <= i;
        low += begins ? half + 1 : 0;
        left = begins ? left - half - 1 : half;
    }
    return static_cast<std::int64_t>(low) - 1;
}

/// Sample i with its segment: a sample of a histogram with a dimension more.
template <class Segments, class Input>
struct sample_in_segment {
    using value = typename Input::value_type;

    Segments segments;
    Input input;

    PARPRIMS_DEVICE tuple<std::int64_t, value> operator()(std::size_t i) const
    {
        return {device::segment_of(segments, i), device::operand<value, Input>(identity{}, input[i])};
    }
};

template <class Segments, class Input, class Axis>
struct samples_of_size<histogram_samples<
    iterator_input<transform_iterator<sample_in_segment<Segments, Input>, counting_iterator<std::size_t>>>, Axis>> {
    template <class Samples>
    PARPRIMS_DEVICE static void set(Samples& samples, std::size_t count)
    {
        auto& first = samples.input.first;
        sample_in_segment<Segments, Input> of_segments = first.function();
        of_segments.segments.count = count;
        first = {first.base(), of_segments};
        samples.n = count == 0 ? 0 : of_segments.segments.begin(count);
    }
};

/// Stores the bins of segments. Their number may be in device memory.
template <class Sum>
struct segment_bin_writer : bin_writer<Sum> {
    std::size_t extent;  // bins of a segment

    PARPRIMS_DEVICE std::size_t slots_of(std::size_t segments) const { return segments * extent; }
};

/// Launches the kernel with the sums that `plan` chose. `weights`: from the lowest one on.
template <bool Strided, launcher Launcher, class Work, class Lines, class Samples, class Weights>
void launch_weighted_lines(Launcher& launcher, const Work& work, const lines_plan& plan, bool across,
                           const Lines& lines, const Samples& samples, const Weights& weights)
{
    using input_type = std::remove_cvref_t<decltype(work.input())>;
    using kernel_type = weighted_lines_kernel<input_type, Samples, Weights, Lines, Work::values, Strided>;
    if (!plan.in_shared)
        return work.enqueue_global();
    // Each block looks at the weights, so there are no more than are resident.
    const std::size_t tiles = lines.tiles();
    launch_shape shape = plan.shape(tiles, launcher.gpu());
    shape.blocks = smaller_of(shape.blocks, launcher.gpu().multiprocessors * plan.blocks_per_sm);
    launcher.launch(shape, kernel_type{{work.input(), work.memory()},
                                       lines,
                                       samples,
                                       weights,
                                       tiles,
                                       plan.room,
                                       plan.group,
                                       plan.replicas,
                                       across});
}

/// Enqueues the launch that adds. `extent`: sums of a segment.
template <launcher Launcher, class Work, class Segments, class Iterator>
void enqueue_adding_lines(Launcher& launcher, const Work& work, const Segments& segments, Iterator first,
                          std::size_t extent)
{
    const auto samples = device::samples_of(first, work.input().samples.axis.template axis<1>());
    using samples_type = std::remove_const_t<decltype(samples)>;
    using weights_type = std::remove_cvref_t<decltype(work.input().weights)>;
    const auto launch = [&](const lines_plan& plan, const auto& lines) {
        device::launch_weighted_lines<false>(launcher, work, plan, false, lines, samples, work.input().weights);
    };
    using run_type = weighted_samples<samples_type, weights_type, false>;
    device::with_lines(launcher, segments, extent, samples.counters(), run_type::packet_items,
                       bin_words<typename Work::weight_type, Work::values>::shared_words, launch);
}

/// Enqueues the weighted histogram of each segment, of which there is one, to `axis.extent()` sums.
template <launcher Launcher, class Segments, class Iterator, class Weights, class Axis, class Sum>
void enqueue_segmented_weighted(Launcher& launcher, const Segments& segments, Iterator first, Weights weights,
                                const Axis& axis, Sum* sums)
{
    using input_type = std::remove_const_t<decltype(device::make_samples_input(first))>;
    const transform_iterator samples(counting_iterator<std::size_t>(0),
                                     sample_in_segment<Segments, input_type>{segments,
                                                                             device::make_samples_input(first)});
    const product_axis slots(integer_axis<std::int64_t>(0, static_cast<std::int64_t>(segments.count)), axis);
    histogram_config config = default_histogram;
    config.placement = histogram_config::global;  // where the bins of a segment do not fit shared memory
    using work_type = weighted_work<Launcher, std::remove_const_t<decltype(samples)>, Weights,
                                    std::remove_const_t<decltype(slots)>, Sum>;
    const work_type work(launcher, device::planned(launcher, config), samples, segments.n, weights, slots);
    if constexpr (reads_size<Launcher>)
        launcher.launch(
            {launcher.gpu().multiprocessors * lines_sm_threads / lines_block_threads, lines_block_threads, 0},
            zero_segments_kernel<typename work_type::weight_type, work_type::values>{work.memory(), slots.extent(),
                                                                                     axis.extent()});
    else
        work.enqueue_zero();
    if (segments.n != 0)
        device::enqueue_adding_lines(launcher, work, segments, first, axis.extent());
    if constexpr (reads_size<Launcher>)
        work.enqueue_finish(segment_bin_writer<Sum>{{sums}, axis.extent()});
    else
        work.enqueue_finish(bin_writer<Sum>{sums});
}

/// Lines of one length whose weights lie in another array. `array` has the strides of the weights as its out strides.
struct weighted_array_lines : uniform_lines {
    dimension_list places;  // see weighted_lines
    std::size_t first_place;
    std::size_t extent;            // sums of a line
    std::size_t start_of_weights;  // offset of the first weight

    PARPRIMS_DEVICE std::size_t counters_at(std::size_t line) const
    {
        return (first_place + static_cast<std::size_t>(places.out_offset(line))) * extent;
    }
    PARPRIMS_DEVICE std::size_t weights_begin(std::size_t line) const
    {
        return start_of_weights + static_cast<std::size_t>(array.lines.out_offset(line));
    }
    PARPRIMS_DEVICE std::size_t weights_of(std::size_t line, const sample_run& run) const
    {
        return weights_begin(line) + static_cast<std::size_t>(array.line.out_offset(run.position));
    }
};

/// Sample i of an array, paired with the place of its line among the results: a sample of one histogram whose first dimension is that
/// place.
template <class Input>
struct sample_in_line {
    using value = typename Input::value_type;

    Input input;
    std::size_t start;
    dimension_list all;
    dimension_list places;
    std::int64_t first_place;

    PARPRIMS_DEVICE tuple<std::int64_t, value> operator()(std::size_t i) const
    {
        return {first_place + places.out_offset(i),
                device::operand<value, Input>(identity{}, input[start + static_cast<std::size_t>(all.offset(i))])};
    }
};

/// The weight of sample i.
template <class Input>
struct weight_in_line {
    Input input;
    std::size_t start;
    dimension_list all;

    PARPRIMS_DEVICE typename Input::value_type operator()(std::size_t i) const
    {
        return input[start + static_cast<std::size_t>(all.out_offset(i))];
    }
};

/// An array of samples or weights. `begin` is its element with the lowest address.
template <class Iterator>
struct array_input {
    Iterator begin;
    std::size_t start;  // offset of the first element
    std::size_t reach;  // elements from the lowest to the highest one
};

/// Enqueues the weighted histogram of each line to `axis.extent()` sums.
template <launcher Launcher, class Iterator, class Weights, class Axis, class Sum>
void enqueue_weighted_lines(Launcher& launcher, const weighted_lines& lines, const array_input<Iterator>& samples,
                            const array_input<Weights>& weights, const Axis& axis, Sum* sums)
{
    const auto input = device::make_samples_input(samples.begin);
    const auto input_of_weights = device::make_input(weights.begin);
    using input_type = std::remove_const_t<decltype(input)>;
    using weights_type = std::remove_const_t<decltype(input_of_weights)>;
    const transform_iterator in_lines(counting_iterator<std::size_t>(0),
                                      sample_in_line<input_type>{input, samples.start, lines.all, lines.places_of_all,
                                                                 lines.first_place});
    const transform_iterator of_samples(counting_iterator<std::size_t>(0),
                                        weight_in_line<weights_type>{input_of_weights, weights.start, lines.all});
    const std::size_t count = lines.lines.lines.size();
    const product_axis slots(integer_axis<std::int64_t>(0, static_cast<std::int64_t>(count)), axis);
    histogram_config config = default_histogram;
    config.placement = histogram_config::global;  // where the bins of a line do not fit shared memory
    using work_type =
        weighted_work<Launcher, std::remove_const_t<decltype(in_lines)>, std::remove_const_t<decltype(of_samples)>,
                      std::remove_const_t<decltype(slots)>, Sum>;
    const work_type work(launcher, device::planned(launcher, config), in_lines, lines.all.size(), of_samples, slots);
    work.enqueue_zero();

    if (lines.all.size() == 0)
        return work.enqueue_finish(bin_writer<Sum>{sums});

    const auto of_line = device::samples_of(samples.begin, work.input().samples.axis.template axis<1>());
    using run_type = weighted_samples<std::remove_const_t<decltype(of_line)>, weights_type, false>;
    const bool follow = lines.lines.line.out_stride() == 1;
    const auto reading = line_reading::of(lines.lines, follow);
    const lines_size size =
        reading.size_of(lines.lines, of_line.counters(), run_type::packet_items,
                        bin_words<typename work_type::weight_type, work_type::values>::shared_words);
    const lines_plan plan = device::planned(launcher, plan_lines(size, launcher.gpu()));
    const weighted_array_lines at{{lines.lines, samples.start, count, size.length, reading.run, 0, samples.reach,
                                   plan.split},
                                  lines.places,
                                  static_cast<std::size_t>(lines.first_place),
                                  axis.extent(),
                                  weights.start};
    if (reading.is_strided)
        device::launch_weighted_lines<true>(launcher, work, plan, reading.across, at, of_line, input_of_weights);
    else
        device::launch_weighted_lines<false>(launcher, work, plan, false, at, of_line, input_of_weights);
    work.enqueue_finish(bin_writer<Sum>{sums});
}

}  // namespace parprims::detail::device
