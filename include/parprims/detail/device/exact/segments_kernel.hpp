/// @file
/// @brief  The kernel of exact sums of segments: each warp has a task, whose segments it divides among groups of its lanes.
///
/// Segment s has the positions from s + begin(s) to s + end(s), one more than it has elements; a gap behind it has positions, too. A task has `size` consecutive positions. Its
/// warp adds up the segments that begin in it. Segments of more than `size` elements are long: each task that they reach adds up a piece.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/exact/group_elements.hpp>
#include <parprims/detail/device/exact/group_window.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/exact/warp_bins.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Segments as a kernel finds them.
template <class Segments>
PARPRIMS_DEVICE Segments found_segments(const Segments& segments)
{
    return segments;
}

/// Takes the size of a call that lies in device memory: its number of segments.
template <class Segments>
PARPRIMS_DEVICE void set_size(Segments& segments, std::size_t count)
{
    segments.count = count;
}

/// Positions of a task: so many that most segments are not long, but at most `max_exact_task`.
PARPRIMS_HOST_DEVICE inline std::size_t exact_task(std::size_t n, std::size_t segments, bool searches,
                                                   std::size_t most_tasks)
{
    const std::size_t wanted =
        larger_of(order::ceil_div(n + segments, most_tasks), (searches ? 2 : 1) * (n / segments) + 2);
    return smaller_of(larger_of(wanted, min_exact_task), max_exact_task);
}

/// Positions of a task if there are fewer positions than planned for: smaller tasks, so that all warps have work, but no more tasks than `tasks`.
PARPRIMS_HOST_DEVICE inline std::size_t smaller_exact_task(std::size_t planned, std::size_t wanted,
                                                           std::size_t positions, std::size_t tasks)
{
    return smaller_of(planned, larger_of(wanted, order::ceil_div(positions, tasks)));
}

/// @tparam  MinBlocks  blocks that a multiprocessor is to hold; 0: registers are not limited
template <class Segments, class Input, class Terms, class T, class Output, unsigned MinBlocks>
struct exact_segments_kernel {
    static constexpr unsigned max_threads = exact_segments_threads;
    static constexpr unsigned min_blocks = MinBlocks;
    using window_type = group_window<Terms>;
    using bins_type = warp_bins<Terms>;
    using all_type = shared_bins<Terms>;
    using term = typename Terms::term;

    /// Followed by the bins of all warps.
    struct alignas(16) shared_storage {};
    static constexpr std::size_t warp_bytes = bins_type::size * sizeof(std::int64_t);

    Segments given;
    Input input;
    Output output;
    T init;
    std::size_t size;        // positions of a task
    std::size_t most_tasks;  // exact_segments_plan
    bool has_windows;        // the GPU adds doubles fast
    std::uint64_t* sums;     // of long segments, by the task in which they begin

    /// Returns 0 for a block without a task, so that it ends; otherwise the number of blocks.
    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t blocks)
    {
        device::set_size(given, count);
        // If the bound is far above the count, most blocks have no task; these end before they read more.
        const std::size_t first_warp = simt::block::index() * simt::block::warps();
        if (count == 0 || first_warp * smaller_of(size, min_exact_task) >= given.n + count)
            return 0;
        const auto segments = device::found_segments(given);
        const std::size_t positions = device::positions_of(segments);
        const std::size_t tasks = blocks * simt::block::warps();
        if (2 * positions < tasks * size) {
            const std::size_t wanted =
                device::exact_task(positions - segments.count, given.count, Segments::is_searched, most_tasks);
            size = device::smaller_exact_task(size, wanted, positions, tasks);
        }
        return first_warp * size < positions ? blocks : 0;
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto segments = device::found_segments(given);
        const std::size_t position = (block.index() * block.warps() + block.warp()) * size;
        if (position >= segments.n + segments.count)
            return;
        bins_type bins(reinterpret_cast<std::int64_t*>(&shared + 1) + block.warp() * bins_type::size);
        window_type window;
        const unsigned lane = simt::block::lane();

        // 1. Find the segments that begin in the task. Only the last of them may be long (tail), and one that began before it (head).
        const std::size_t first = find_segment(segments, position);
        std::size_t last = find_segment_behind(segments, first, position + size);
        const auto is_long = [&](std::size_t s) { return segments.end(s) > segments.begin(s) + size; };
        const bool has_head = first > 0 && is_long(first - 1) && first - 1 + segments.end(first - 1) >= position;
        const bool has_tail = first < last && is_long(last - 1);
        last -= has_tail ? 1 : 0;

        // 2. Groups of lanes take segments, so that each lane has some elements. Segments that are much longer wait for the whole warp.
        const std::size_t elements = first < last ? segments.begin(last) - segments.begin(first) : 0;
        unsigned bits = 0;
        while ((1u << bits) < simt::warp_size && (exact_lane_elements << bits) * (last - first) < elements)
            ++bits;
        const unsigned usual = 1u << bits;
        simt::lane_mask waiting = 0;  // the first lanes of segments from `turn` on
        std::size_t turn = 0;
        for (std::size_t s = first - (has_head ? 1 : 0); waiting != 0 || s < last + (has_tail ? 1 : 0);) {
            const bool is_piece = waiting == 0 && (s < first || s == last);
            unsigned group = simt::warp_size;
            std::size_t mine = s;
            if (waiting != 0) {
                const unsigned leader = simt::highest_lane(waiting);
                waiting &= ~(simt::lane_mask{1} << leader);
                mine = turn + (leader >> bits);
            } else if (is_piece) {
                ++s;
            } else {
                group = usual;
                mine = s + (lane >> bits);
                turn = s;
                s = smaller_of<std::size_t>(s + (simt::warp_size >> bits), last);
            }
            const bool exists = is_piece || mine < last;
            const bool is_leader = (lane & (group - 1)) == 0;
            const std::size_t begin = exists ? segments.begin(mine) : 0;
            const std::size_t end = exists ? larger_of(begin, segments.end(mine)) : 0;
            const bool waits = group < simt::warp_size && end - begin > group * most_lane_elements;
            if (group < simt::warp_size)
                waiting = simt::ballot(waits && is_leader);

            // 3. Each lane adds its elements, the leader also init: to the window or, if that does not hold them, to its bins.
            const std::size_t from = !is_piece || begin + mine > position ? begin : position - mine;
            const std::size_t to = waits ? from : is_piece ? smaller_of(end, position + size - mine) : end;
            const unsigned count = limited_difference(to, from, size);
            const bool adds_init = is_leader && from == begin;
            device::add_elements<Terms>(window, bins, has_windows, input.from(from), count, group,
                                        adds_init ? Terms::of(init) : Terms::nothing());
            const bool needs_bins =
                !has_windows || is_piece || count >= window_type::window::most_exact || bins.are_used();
            bool is_done = exists && !waits;
            if (simt::ballot(needs_bins) == 0) {
                const T sum = window.template rounded<T>(group);
                if (is_done && is_leader)
                    output.set(mine, begin == end ? init : sum);
                continue;
            }
            window.leave([&](std::int64_t total, int exponent) { bins.add_total(total, exponent, window.seen()); });
            bins.add_up(group, window_type::levels +
                                   (group < simt::warp_size ? most_lane_elements + 1 : size / simt::warp_size + 2));

            // 4. The leader of the group rounds; for a long segment, the leader of the last task to arrive. If offsets do not ascend, a
            //    segment may begin behind all tasks: it gets no result.
            if (is_piece) {
                const std::size_t begin_task = (mine + begin) / size;
                const auto tasks = static_cast<unsigned>((mine + end) / size - begin_task + 1);
                is_done = begin_task < std::size_t{block.count()} * block.warps() &&
                          bins.add_to({sums + begin_task * all_type::words}, group, tasks);
            }
            if (is_done && is_leader)
                output.set(mine, begin == end ? init : bins.template rounded<T>(group));
            bins.clear();
        }
    }

private:
    /// The first segment whose position is not less than `end`; it is at most `size` segments behind `first`.
    PARPRIMS_DEVICE std::size_t find_segment_behind(const auto& segments, std::size_t first, std::size_t end) const
    {
        if constexpr (Segments::is_searched)
            return first + find_first(smaller_of(segments.count - first, size),
                                      [&](std::size_t i) { return first + i + segments.begin(first + i) < end; });
        else
            return find_segment(segments, end);
    }

    static constexpr unsigned most_lane_elements = 16 * exact_lane_elements;
    static_assert(larger_of<std::size_t>(largest_exact_task / simt::warp_size, most_lane_elements) + 1 <
                  window_type::window::most_additions);
};

}  // namespace parprims::detail::device
