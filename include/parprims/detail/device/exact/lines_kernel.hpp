/// @file
/// @brief  The kernel of exact sums of lines that are neighbours in memory, as columns are: each lane, or small group of lanes, has a line.
///
/// A warp has `warp_size / group` neighbouring lines, and of these one slice of `share` elements each. Where there are several slices, warps add
/// theirs to words in memory, and the last of them to arrive rounds.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/device/exact/group_elements.hpp>
#include <parprims/detail/device/exact/group_window.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/exact/warp_bins.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct exact_lines_plan {
    unsigned group;            ///< lanes of a line
    std::size_t warps_across;  ///< of which each has `warp_size / group` lines, side by side
    std::size_t share;         ///< elements of a slice
    std::size_t slices;
    unsigned block_threads;
};

template <class Input, class Terms, class T, class Output>
struct exact_lines_kernel {
    static constexpr unsigned max_threads = exact_segments_threads;
    using window_type = group_window<Terms>;
    using bins_type = warp_bins<Terms>;
    using all_type = shared_bins<Terms>;

    /// Followed by the bins of all warps.
    struct alignas(16) shared_storage {};
    static constexpr std::size_t warp_bytes = bins_type::size * sizeof(std::int64_t);
    /// Elements of a lane until it passes on carries.
    static constexpr unsigned most_lane_elements = largest_exact_task / simt::warp_size;
    static_assert(most_lane_elements + 1 < window_type::window::most_additions &&
                  most_lane_elements + window_type::levels + 2 < bins_type::shape.most_additions);

    Input input;
    dimension_list lines;
    std::size_t count;  // of the lines
    std::size_t length;
    std::size_t stride;
    Output output;
    T init;
    exact_lines_plan plan;
    bool has_windows;     // the GPU adds doubles fast
    std::uint64_t* sums;  // of lines in several slices

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t warp = block.index() * block.warps() + block.warp();
        const std::size_t slice = warp / plan.warps_across;
        if (slice >= plan.slices)
            return;
        const unsigned group = plan.group;
        const unsigned lane = simt::block::lane();
        const unsigned own = lane & (group - 1);
        const std::size_t place = (warp - slice * plan.warps_across) * (simt::warp_size / group) + lane / group;
        const bool exists = place < count;
        const std::size_t line = exists ? place : 0;
        bins_type bins(reinterpret_cast<std::int64_t*>(&shared + 1) + block.warp() * bins_type::size);
        window_type window;

        // 1. Each lane adds its elements of the slice, the first lane of a line also init.
        const spaced_input<Input> elements{input.from(static_cast<std::size_t>(lines.offset(line))), stride};
        const std::size_t end = smaller_of((slice + 1) * plan.share, length);
        std::size_t from = slice * plan.share;
        bool is_whole = plan.slices == 1;
        for (bool is_first = slice == 0;; is_first = false) {
            const auto size = static_cast<unsigned>(smaller_of<std::size_t>(end - from, most_lane_elements * group));
            device::add_elements<Terms>(window, bins, has_windows, elements.from(from), exists ? size : 0, group,
                                        is_first && own == 0 ? Terms::of(init) : Terms::nothing());
            from += size;
            is_whole = is_whole && has_windows && size < window_type::window::most_exact && from == end;
            if (is_whole && simt::ballot(bins.are_used()) == 0) {
                const T sum = window.template rounded<T>(group);
                if (exists && own == 0)
                    output.set(static_cast<std::size_t>(lines.out_offset(line)), sum);
                return;
            }
            window.leave([&](std::int64_t total, int exponent) { bins.add_total(total, exponent, window.seen()); });
            if (from == end)
                break;
            bins.settle();
        }
        bins.add_up(group, bins_type::shape.most_additions);

        // 2. The last warp of the line to arrive, or the only one, rounds.
        const bool is_last = plan.slices == 1 ||
                             bins.add_to({sums + place * all_type::words}, group, static_cast<unsigned>(plan.slices));
        if (is_last && exists && own == 0)
            output.set(static_cast<std::size_t>(lines.out_offset(line)), bins.template rounded<T>(group));
    }
};

}  // namespace parprims::detail::device
