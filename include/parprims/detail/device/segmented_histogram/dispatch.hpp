/// @file
/// @brief  Dispatch of many histograms, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/channels.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/segmented_histogram/channels.hpp>
#include <parprims/detail/device/segmented_histogram/kernel.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/plan.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

template <class Launcher, class... Axes>
class axis_on_device<Launcher, channel_axis<Axes...>>
    : public parts_on_device<std::index_sequence_for<Axes...>, Launcher, channel_axis, Axes...> {
public:
    using parts_on_device<std::index_sequence_for<Axes...>, Launcher, channel_axis, Axes...>::parts_on_device;
};

/// Launches the kernel with the counters that `plan` chose. Those of all lines lie in `[memory, memory + all)`; `counts` are those of
/// line 0.
template <bool Strided, launcher Launcher, class Lines, class Samples, class Counter>
void launch_lines(Launcher& launcher, const lines_plan& plan, bool across, const Lines& lines, const Samples& samples,
                  Counter* memory, std::size_t all, Counter* counts)
{
    const bool is_split = Lines::is_uneven || plan.split.parts > 1;
    const bool overwrites = plan.in_shared && !is_split && !Samples::by_byte;
    const std::size_t tiles = lines.tiles();
    launch_shape shape = plan.shape(tiles, launcher.gpu());
    if constexpr (reads_size<Launcher>) {
        const std::size_t resident = launcher.gpu().multiprocessors * plan.blocks_per_sm;
        shape.blocks = smaller_of(shape.blocks, resident);
        launcher.launch({smaller_of(order::ceil_div(all, lines_block_threads), resident), lines_block_threads, 0},
                        zero_counters_kernel<Counter>{counts, samples.axis.extent()});
    } else if (!overwrites) {
        launcher.zero(memory, all * sizeof(Counter));
    }
    const auto launch = [&]<bool Shared>() {
        const line_histograms_kernel<Lines, Samples, Counter, Strided, Shared> kernel{
            lines, samples, counts, tiles, plan.room, plan.group, plan.replicas, overwrites, across};
        launcher.launch(shape, kernel);
    };
    if constexpr (!Samples::by_byte)  // whose counters always fit
        if (!plan.in_shared)
            return launch.template operator()<false>();
    launch.template operator()<true>();
}

/// The samples of an input, none of them yet.
template <class Iterator, class Axis>
auto samples_of(Iterator first, const Axis& axis)
{
    const auto input = device::make_samples_input(first);
    return histogram_samples<std::remove_const_t<decltype(input)>, Axis>{input, 0, axis};
}

/// How the lines of an array are read. `follow`: samples that follow one another may be read as runs.
struct line_reading {
    std::size_t run;  ///< samples that follow one another
    bool is_strided;  ///< runs are too short for groups of threads
    bool across;      ///< neighbouring threads take neighbouring lines

    static line_reading of(const array_lines& array, bool follow = true)
    {
        const dimension_list& line = array.line;
        const std::size_t length = line.size();
        const std::size_t run = line.count == 0 ? 1 : line.at[line.count - 1].extent;
        const bool is_strided = length > 1 && (!follow || line.stride() != 1 || (run < min_run && run != length));
        const bool across = is_strided && array.lines.count != 0 &&
                            distance_of({2, array.lines.stride(), 0}) < distance_of({2, line.stride(), 0});
        return {run, is_strided, across};
    }
    lines_size size_of(const array_lines& array, std::size_t counters, unsigned items, unsigned words = 1) const
    {
        const std::size_t length = array.line.size();
        return {array.lines.size(), length, is_strided ? length : run, counters, items, false, across, words};
    }
};

/// Enqueues the histograms of lines of one length, of which there is one. `end`: elements of the input; `memory` as above; `gap` of
/// uniform_lines.
template <launcher Launcher, class Samples, class Counter>
void enqueue_uniform_lines(Launcher& launcher, const array_lines& array, std::size_t start, std::size_t end,
                           const Samples& samples, Counter* memory, Counter* counts, std::size_t gap = 0)
{
    const auto reading = line_reading::of(array);
    const lines_size size = reading.size_of(array, samples.counters(), Samples::items);
    const lines_plan plan = device::planned(launcher, plan_lines(size, launcher.gpu()));
    const uniform_lines lines{array, start, size.lines, size.length, reading.run, gap, end, plan.split};
    const std::size_t all = size.lines * samples.axis.extent();
    if (reading.is_strided)
        return device::launch_lines<true>(launcher, plan, reading.across, lines, samples, memory, all, counts);
    device::launch_lines<false>(launcher, plan, false, lines, samples, memory, all, counts);
}

/// Calls `use(plan, lines)` with the lines that segments are, of which there is one. `extent`: results of a line; `counters` and
/// `words` of lines_size.
template <launcher Launcher, class Use>
void with_lines(Launcher& launcher, const fixed_segments& segments, std::size_t extent, std::size_t counters,
                unsigned items, unsigned words, Use use)
{
    const lines_size size{segments.count, segments.size, segments.size, counters, items, false, false, words};
    const lines_plan plan = device::planned(launcher, plan_lines(size, launcher.gpu()));
    array_lines array;
    array.line.add({segments.size, 1, 0});
    array.lines.add({segments.count, static_cast<std::ptrdiff_t>(segments.size), static_cast<std::ptrdiff_t>(extent)});
    use(plan, uniform_lines{array, 0, segments.count, segments.size, segments.size, 0, segments.n, plan.split});
}
template <launcher Launcher, class Offsets, class Use>
void with_lines(Launcher& launcher, const offset_segments<Offsets>& segments, std::size_t extent, std::size_t counters,
                unsigned items, unsigned words, Use use)
{
    const std::size_t mean = larger_of<std::size_t>(segments.n / segments.count, 1);
    const lines_size size{segments.count, mean, mean, counters, items, true, false, words, segments.n};
    const lines_plan plan = device::planned(launcher, plan_lines(size, launcher.gpu()));
    use(plan, offset_lines<Offsets>{segments, extent, plan.weight, plan.positions});
}

/// Enqueues the histogram of each segment, of which there is one, to `axis.extent()` counters.
template <launcher Launcher, class Segments, class Iterator, class Axis, class Counter>
void enqueue_segmented_histogram(Launcher& launcher, const Segments& segments, Iterator first, const Axis& axis,
                                 Counter* counts)
{
    device::with_axis(launcher, axis, [&](const auto& device_axis) {
        const auto samples = device::samples_of(first, device_axis);
        device::with_lines(launcher, segments, axis.extent(), samples.counters(), samples.items, 1,
                           [&](const lines_plan& plan, const auto& lines) {
                               device::launch_lines<false>(launcher, plan, false, lines, samples, counts,
                                                           segments.count * axis.extent(), counts);
                           });
    });
}

/// Enqueues the histograms of the channels of an array, which are its last dimension. `end`: elements from `first` on.
template <unsigned Period, launcher Launcher, class Iterator, class Axis, class Counter>
void enqueue_pixels(Launcher& launcher, const dimension* dimensions, unsigned rank, std::size_t start, std::size_t end,
                    Iterator first, const Axis& axis, Counter* counts, std::size_t gap)
{
    constexpr bool all[max_rank] = {true, true, true, true};
    const auto input = device::make_input(first);
    using input_type = std::remove_const_t<decltype(input)>;
    device::with_axis(launcher, axis, [&](const auto& device_axis) {
        using axis_type = std::remove_cvref_t<decltype(device_axis)>;
        device::enqueue_uniform_lines(launcher, lines_along(dimensions, rank, all), start, end,
                                      channel_samples<input_type, Period, axis_type>{{{input}, 0, device_axis}}, counts,
                                      counts, gap);
    });
}

/// Enqueues the histograms of the channels of an image; of pixels of four samples, three may be counted.
template <launcher Launcher, class Iterator, class Axis, class Counter>
void enqueue_channel_histograms(Launcher& launcher, const dimension* dimensions, unsigned rank, std::size_t start,
                                std::size_t end, Iterator first, const Axis& axis, Counter* counts)
{
    if constexpr (Axis::channels == 3)
        if (rank > 1 && dimensions[rank - 1].stride == 1 && dimensions[rank - 2].stride == 4 &&
            4 * dimensions[rank - 2].extent >= min_run) {
            dimension padded[max_rank];
            for (unsigned d = 0; d < rank; ++d)
                padded[d] = dimensions[d];
            padded[rank - 1].extent = 4;
            return device::enqueue_pixels<4>(launcher, padded, rank, start, end, first, axis, counts, 1);
        }
    device::enqueue_pixels<Axis::channels>(launcher, dimensions, rank, start, end, first, axis, counts, 0);
}

}  // namespace parprims::detail::device
