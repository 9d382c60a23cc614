/// @file
/// @brief  Dispatch of `copy_if`, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/copy_if/tile.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/pass/dispatch.hpp>
#include <parprims/detail/device/pass/epoch_words.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/gpu_properties.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

struct copy_if_plan {
    unsigned lane_packets;  ///< of a tile: 2, 4 or 8
    unsigned block_threads;
    std::size_t max_tiles;  ///< of a short pass, in which a block has each; more are drawn by resident blocks
};

/// @param  packets       of `items` elements
/// @param  threads       of a block, at most
/// @param  few_threads   of a block with a small tile; also of one with a medium tile, as long as these make a short pass
/// @param  largest_rows  of a tile
/// @param  most_tiles    of a short pass
inline copy_if_plan plan_copy_if(std::size_t packets, unsigned items, unsigned threads, unsigned few_threads,
                                 unsigned largest_rows, unsigned most_tiles, const gpu_properties& gpu)
{
    const auto tiles = [&](unsigned block_threads, unsigned rows) {
        return order::ceil_div(packets, std::size_t{block_threads} * rows);
    };
    const auto most_of = [&](std::size_t for_each) {
        return smaller_of<std::size_t>(most_tiles, gpu.multiprocessors * for_each);
    };
    const std::size_t most = most_of(max_copied_tiles_per_sm);
    const std::size_t most_largest = most_of(max_largest_tiles_per_sm);
    const bool is_sparse = items <= max_sparse_items;
    const std::size_t most_small = is_sparse ? most_of(max_sparse_tiles_per_sm) : most;
    const bool is_single =
        is_sparse && tiles(few_threads, small_tile::rows) > 1 && tiles(few_threads, medium_tile::rows) <= 1;
    if (tiles(few_threads, small_tile::rows) <= most_small && !is_single)
        return {small_tile::rows, few_threads, most_largest};
    if (tiles(few_threads, medium_tile::rows) <= most)
        return {medium_tile::rows, few_threads, most_largest};
    return {tiles(threads, medium_tile::rows) <= most ? medium_tile::rows : largest_rows, threads, most_largest};
}

/// Elements between a multiple of `bytes` and `data`.
template <class Element>
unsigned elements_behind(std::size_t bytes, const Element* data)
{
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % bytes / sizeof(Element));
}

/// The outputs of a kernel for those of a call.
template <class Iterator>
kept_outputs<output_for<Iterator>> make_kept_outputs(Iterator out)
{
    return {device::make_output(out), {}, {}, {}};
}
template <class Kept, class Source, class Other, class Rejected>
auto make_kept_outputs(const kept_outputs<Kept, Source, Other, Rejected>& to)
{
    const auto output = [](auto out) {
        if constexpr (std::is_same_v<decltype(out), no_iterator>)
            return out;
        else
            return device::make_output(out);
    };
    const auto input = [](auto first) {
        if constexpr (random_access_iterator<decltype(first)>)
            return device::make_input(first);
        else
            return first;
    };
    return kept_outputs<decltype(output(to.kept)), decltype(input(to.source)), decltype(output(to.other)),
                        decltype(output(to.rejected))>{output(to.kept), input(to.source), output(to.other),
                                                       output(to.rejected)};
}

/// Enqueues the copy of those elements of `[first, first + n)`, which may be empty, that the predicate keeps; `*count` becomes their
/// number.
/// @param  out  of the elements, or `kept_outputs`
template <launcher Launcher, class Iterator, class Output, class Predicate, class Count>
void enqueue_copy_if(Launcher& launcher, Iterator first, std::size_t n, Output out, Predicate predicate, Count count)
{
    using input_type = input_for<Iterator>;
    using outputs_type = decltype(device::make_kept_outputs(out));
    using large_work = copy_if_work<input_type, outputs_type, Predicate, Count, large_tile>;
    using largest_tile = std::conditional_t<large_work::tests_many, medium_tile, large_tile>;
    using largest = copy_if_work<input_type, outputs_type, Predicate, Count, largest_tile>;
    const gpu_properties gpu = launcher.gpu();
    const input_type input = device::make_input(first);
    unsigned threads = copy_if_threads;
    while (threads > order::lanes && long_pass<largest>::shared_bytes(threads) > gpu.shared_bytes_per_block)
        threads /= 2;
    const unsigned few_threads =
        smaller_of(threads, copy_if_work<input_type, outputs_type, Predicate, Count, small_tile>::max_threads);
    unsigned lead = 0;
    const auto packets = [&] { return order::ceil_div(lead + n, largest::items); };
    if constexpr (largest::in_packets)
        if (n != 0) {
            // Rows that begin with a cache line are copied faster. But a single tile stays one.
            lead = device::elements_behind(16, input.data);
            if (packets() > few_threads * medium_tile::rows)
                lead = device::elements_behind(simt::shared_line_bytes, input.data);
        }
    const copy_if_plan plan =
        device::planned(launcher, plan_copy_if(packets(), largest::items, threads, few_threads, largest_tile::rows,
                                               epoch_words<typename largest::total>::max_tiles, gpu));

    const auto enqueue = [&]<class Size>(Size) {
        using work_type = copy_if_work<input_type, outputs_type, Predicate, Count, Size>;
        const unsigned block_threads = smaller_of(plan.block_threads, work_type::max_threads);  // tests change plans
        const std::size_t tiles =
            larger_of<std::size_t>(order::ceil_div(packets(), std::size_t{block_threads} * Size::rows), 1);
        const work_type work{{input, n, lead}, device::make_kept_outputs(out), predicate, count, tiles};
        if (tiles <= plan.max_tiles)
            device::enqueue_short_pass(launcher, work, tiles, block_threads);
        else if constexpr (Size::rows == largest_tile::rows)
            device::enqueue_long_pass(launcher, work,
                                      {tiles, gpu.multiprocessors * std::size_t{Size::blocks_per_sm}, block_threads});
        return tiles <= plan.max_tiles;
    };
    if (plan.lane_packets == small_tile::rows && enqueue(small_tile{}))
        return;
    if constexpr (largest_tile::rows != medium_tile::rows)
        if (plan.lane_packets == medium_tile::rows && enqueue(medium_tile{}))
            return;
    enqueue(largest_tile{});
}

}  // namespace parprims::detail::device
