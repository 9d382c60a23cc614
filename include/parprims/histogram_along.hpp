/// @file
/// @brief  Histograms of the lines of an array, and of the channels of an image.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/arrays.hpp>
#include <parprims/detail/channels.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/segmented_histogram/backend.hpp>
#include <parprims/detail/host/segmented_histogram.hpp>
#include <parprims/detail/iterator/lines.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/view.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy.
template <class Policy, class View, std::size_t Count, class Axis, class Output>
void histogram_along(const Policy& policy, const View& view, const along<Count>& dimensions, const Axis& axis,
                     const Output& counts)
{
    constexpr const char* function = "parprims::histogram";
    if constexpr (!check_one_process<Policy>() || !check_views<View, Count, Output, View::rank() - Count + 1>()) {
    } else if constexpr (!check_counts<typename results_iterator<Output>::type>() ||
                         !check_samples<Axis, view_value_t<View>>()) {
    } else {
        const std::size_t extent = detail::checked_extent(function, axis);
        const auto at = detail::checked_lines_along<false, 2>(function, view, dimensions, counts, extent, "counts");
        detail::check_filled(function, at, extent, "counts");
        const std::size_t length = at.lines.line.size();
        constexpr auto most = largest_count<iter_value_t<decltype(at.out.first)>>();
        if (length > most)
            runtime::refuse(function, "counts", "a counter holds at most %, a line has %", most, length);
        if constexpr (!std::same_as<Policy, host_policy>) {
            device::call<device::histogram_along_call>(function, device_policy(policy), at, axis);
        } else {
            const auto counters_at = [&](std::size_t line) { return at.lines.lines.out_offset(line); };
            const std::size_t lines = at.lines.lines.size();
            if (at.input.size == 0)
                for (std::size_t i = 0; i < at.out.size; ++i)
                    host::set_count(at.out.begin(), i, 0);
            else
                host::segmented_histogram(policy.threads(), fixed_segments::of(length * lines, length),
                                          line_iterator(at.input.first, at.lines), axis, at.out.first, counters_at);
        }
    }
}

/// The samples of interleaved pixels on the host, with their channels.
template <class Elements>
struct sample_of_pixel {
    Elements elements;
    unsigned channels;

    auto operator()(std::size_t i) const
    {
        using value = iter_value_t<Elements>;
        return channel_sample<value>{static_cast<value>(*(elements + static_cast<std::ptrdiff_t>(i))),
                                     static_cast<unsigned>(i % channels)};
    }
};

/// Checks the arguments and calls the backend of the policy.
template <class Policy, class View, class Counts, class... Axes>
Counts channel_histograms(const Policy& policy, const View& view, Counts counts, const Axes&... axes)
{
    constexpr const char* function = "parprims::channel_histograms";
    if constexpr (!check_one_process<Policy>() || !check_view<View>()) {
    } else if constexpr (!check_counts<Counts>() || !(check_samples<Axes, view_value_t<View>>() && ...)) {
    } else {
        constexpr unsigned channels = sizeof...(Axes);
        const auto array = detail::checked_view(function, "view", view);
        if (array.extents[array.rank - 1] != channels)
            runtime::refuse(function, "view", "the extent of its last dimension is %, but there are % axes",
                            array.extents[array.rank - 1], channels);
        (detail::checked_extent(function, axes), ...);
        const channel_axis<Axes...> axis(axes...);
        array_shape shape{1, {axis.extent()}};
        const auto target = detail::checked_results(function, counts, shape, "counts");
        detail::check_arrays_apart(function, target, array, false, "counts");
        constexpr auto most = largest_count<iter_value_t<Counts>>();
        if (array.size / channels > most)
            runtime::refuse(function, "counts", "a counter holds at most %, there are % pixels", most,
                            array.size / channels);
        if constexpr (!std::same_as<Policy, host_policy>) {
            device::call<device::channel_histograms_call>(function, device_policy(policy), array, axis, target.first);
        } else {
            dimension dimensions[max_rank];
            bool is_along[max_rank] = {};
            for (unsigned d = 0; d < array.rank; ++d) {
                dimensions[d] = {array.extents[d], array.strides[d], 0};
                is_along[d] = true;
            }
            const line_iterator elements(array.first, detail::lines_along(dimensions, array.rank, is_along));
            const transform_iterator samples(counting_iterator<std::size_t>(0),
                                             sample_of_pixel<std::remove_const_t<decltype(elements)>>{elements,
                                                                                                      channels});
            host::histogram(policy.threads(), samples, array.size, axis, target.first);
        }
        return counts + static_cast<std::ptrdiff_t>(axis.extent());
    }
}

}  // namespace detail

/// @brief  Counts each line of an array in a histogram of its own: `histogram(policy, matrix, along(1), axis, counts)` has one for each
///         row.
///
/// Lines, the array and errors are as for `reduce` along dimensions. Each histogram is that of `histogram` of the line.
///
/// @param  axis    as for `histogram`; one for all lines
/// @param  counts  counters as for `histogram`: an iterator to where the histograms go, one after another in the row-major order of the
///                 lines; or an array of the dimensions that are left and one more, the last, of `axis.extent()` contiguous counters.
///                 There may be no gaps between lines, and no overlap with the view
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  as `segmented_histogram`
/// @throws invalid_argument  as `reduce` along dimensions and as `histogram`; an array of counters with gaps
/// @throws out_of_memory, cuda_error  as `histogram`
/// @source  as `histogram`
/// @snippet histogram_along_test.cpp histogram
template <execution_policy Policy, array_view View, std::size_t Count, histogram_axis Axis,
          detail::results_of_lines Output>
void histogram(const Policy& policy, const View& view, along<Count> dimensions, const Axis& axis, Output counts)
{
    detail::histogram_along(policy, view, dimensions, axis, counts);
}

PARPRIMS_OTHER_ARGUMENTS(
    channel_histograms,
    "an array whose last dimension is that of two to four channels, counts, and an axis for each channel")

/// @brief  Counts each channel of an image in a histogram of its own, in one pass. The last dimension of the array is the channel:
///         `strided_view(first, {rows, columns, 4}, {pitch, 4, 1})` is an image of interleaved RGBA pixels.
///
/// Overwrites `axis.extent()` counters for each axis, from `counts` on, one histogram after another. Each is that of `histogram`
/// of the samples of the channel. To count three of four channels, pass a view whose last extent is 3 and whose pixels are 4 samples
/// apart. For a region of interest, pass a view from its first sample on, with its rows and columns and the pitch of the image.
///
/// @param  view    of two to four channels; any dimensions before the last, which need not be contiguous
/// @param  counts  as for `histogram`. Must not overlap the array
/// @param  axes    one for each channel, as for `histogram`
/// @return the end of the counters
/// @pre    the array is readable and `counts` writable where `policy` runs
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  one pass over the samples; fast if a pixel is contiguous, and the pixels of a row are. Scratch on the device: the
///              edges of variable axes
/// @throws invalid_argument  the extent of the last dimension is not the number of axes; otherwise as `histogram` along dimensions
/// @throws out_of_memory, cuda_error  as `histogram`
/// @source  as `histogram`
/// @snippet histogram_along_test.cpp channel_histograms
template <execution_policy Policy, array_view View, class Counts, histogram_axis... Axes>
    requires(sizeof...(Axes) >= 2 && sizeof...(Axes) <= 4 && View::rank() >= 1)
Counts channel_histograms(const Policy& policy, const View& view, Counts counts, const Axes&... axes)
{
    return detail::channel_histograms(policy, view, counts, axes...);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
