/// @file
/// @brief  Launches the kernels of an algorithm on the executor, from the same plans as on a GPU.
#pragma once

#include <parprims/detail/device/histogram_kernel.hpp>
#include <parprims/detail/device/histogram_plan.hpp>
#include <parprims/detail/device/histogram_samples.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/device/partition_kernel.hpp>
#include <parprims/detail/device/partition_plan.hpp>
#include <parprims/detail/device/reduce_columns.hpp>
#include <parprims/detail/device/reduce_kernel.hpp>
#include <parprims/detail/device/reduce_plan.hpp>
#include <parprims/detail/device/scan_kernel.hpp>
#include <parprims/detail/device/scan_plan.hpp>
#include <parprims/detail/device/scan_small_kernel.hpp>
#include <parprims/detail/device/scan_three_phase.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/functional.hpp>

#include "states.hpp"
#include "values.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <set>
#include <vector>

namespace kernel_test {

namespace device = parprims::detail::device;
namespace executor = parprims::detail::simt::executor;
namespace order = parprims::detail::order;
using executor::launch;
using parprims::detail::maybe;
using parprims::detail::scan_kind;
using parprims::detail::uninitialized;

/// What algorithms have been run with, so that a sweep can say so.
struct runs {
    std::set<unsigned> block_threads;
    std::set<std::size_t> resident_blocks;  // as many as the launch had
    std::set<std::uint64_t> seeds;

    template <class Plan>
    void add(const executor::options& how, const Plan& plan)
    {
        add(how, plan.blocks, plan.block_threads);
    }
    void add(const executor::options& how, std::size_t blocks, unsigned threads)
    {
        block_threads.insert(threads);
        resident_blocks.insert(std::min<std::size_t>(blocks, how.resident_blocks));
        seeds.insert(how.seed);
    }
};
inline runs made;

/// A schedule for each seed: all kinds of them come up, with 1 to 8 resident blocks.
inline executor::options schedule_of(std::uint64_t seed)
{
    executor::options how;
    how.order = static_cast<executor::schedule>(seed % 4);
    how.blocks = static_cast<executor::block_order>(seed / 4 % 3);
    how.resident_blocks = 1 + static_cast<unsigned>(seed * 5 / 2 % 8);
    how.seed = seed;
    return how;
}

template <class T>
maybe<T> to_maybe(const std::optional<T>& value)
{
    maybe<T> result;
    if (value)
        result.set(*value);
    return result;
}

/// As device::enqueue_reduce. `ticket` and words are zero before and after.
template <class T, class Iterator, class Op, class Transform>
T reduce(const executor::options& how, const parprims::reduce_config& config, const device::machine& gpu,
         Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    using kernel_type = device::reduce_kernel<device::input_for<Iterator>, T, T*, Op, Transform>;
    device::check_reduce_config("reduce", config);
    const device::reduce_plan plan =
        device::plan_reduce(n, kernel_type::chunk, config, gpu, kernel_type::max_turn, kernel_type::max_turns);
    const std::size_t totals = plan.blocks == 1 ? 0 : plan.turns;
    memory<std::uint64_t> words(kernel_type::has_words ? totals * device::total_words<T>::of_total : 0);
    memory<uninitialized<T>> partials(kernel_type::has_words ? 0 : totals);
    memory<unsigned> ticket(1);
    std::fill(words.begin(), words.end(), 0);
    ticket[0] = 0;
    const auto input = device::make_input(first);
    memory<T> result(1);
    made.add(how, plan);
    const watch::reduce_ticket watching(ticket.data());
    launch(how, plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage),
           kernel_type{{input, n, op, transform, kernel_type::chunks_type::has_aligned_packets(input)},
                       result.data(),
                       to_maybe(std::optional<T>(init)),
                       plan.subtrees,
                       plan.subtree_chunks,
                       plan.turn_bits,
                       plan.turns,
                       {words.data()},
                       partials.data(),
                       ticket.data()});
    if (ticket[0] != 0 || std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; }))
        throw std::logic_error("what the blocks share is not zero afterwards");
    return result[0];
}

/// As device::enqueue_small_reduce, or nothing if there are too many elements. `ticket` and words are zero before and after.
template <class T, class Iterator, class Op, class Transform>
std::optional<T> small_reduce(const executor::options& how, unsigned max_threads, const device::machine& gpu,
                              Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    using kernel_type = device::reduce_columns_kernel<device::input_for<Iterator>, T, T*, Op, Transform>;
    using device::columns_meeting;
    const device::columns_plan plan =
        device::plan_columns(n, kernel_type::chunk, kernel_type::row, max_threads,
                             device::total_words<T>::fit ? std::size_t{kernel_type::max_blocks} : 0, gpu);
    if (plan.blocks == 0)
        return std::nullopt;
    const bool has_words = plan.blocks != plan.cluster_blocks;
    memory<std::uint64_t> words(has_words ? device::total_words<T>::of_total * plan.blocks : 0);
    memory<unsigned> ticket(1);
    std::fill(words.begin(), words.end(), 0);
    ticket[0] = 0;
    memory<T> result(1);
    made.add(how, plan);
    const watch::reduce_ticket watching(ticket.data());
    launch(how, plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage),
           kernel_type{device::make_input(first),
                       static_cast<std::uint32_t>(n),
                       static_cast<std::uint32_t>(plan.strips),
                       result.data(),
                       to_maybe(std::optional<T>(init)),
                       op,
                       transform,
                       has_words          ? columns_meeting::words
                       : plan.blocks == 1 ? columns_meeting::one_block
                                          : columns_meeting::cluster,
                       ticket.data(),
                       {words.data()}},
           plan.cluster_blocks);
    if (ticket[0] != 0 || std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; }))
        throw std::logic_error("what the blocks share is not zero afterwards");
    return result[0];
}

/// As device::enqueue_small, but with any number of warps, which hold any number of rows. A board is full of what earlier
/// scans have left.
template <class T, class Tile, class Op>
void small_scan(const executor::options& how, const Tile& work, const Op&, const device::small_scan_plan& plan,
                unsigned warps)
{
    if (plan.block_rows != 0) {
        using kernel_type = device::scan_cluster_kernel<Tile, T, Op, Tile::rows>;
        launch(how, plan.blocks, 32 * warps, sizeof(typename kernel_type::shared_storage),
               kernel_type{work, plan.block_rows}, static_cast<unsigned>(plan.blocks));
        return;
    }
    using board_type = device::small_scan_board<T>;
    constexpr std::uint64_t big = std::uint64_t{1} << 31;
    constexpr std::uint64_t epochs[] = {0, 1, 77, (1 << 20) - 1, 1 << 20, big - 1, big};
    constexpr unsigned patiences[] = {0, 1, 2, 3};
    const std::uint64_t epoch = epochs[mix(how.seed + 5) % 7];
    memory<unsigned long long> arrivals(1);
    memory<unsigned> left(board_type::max_blocks);
    memory<std::uint64_t> status(plan.blocks * board_type::words + 7);
    arrivals[0] = epoch << board_type::epoch_bits;
    std::fill(left.begin(), left.end(), 0u);
    for (std::size_t i = 0; i < status.size(); ++i)  // as nobody has written it, or of one of the last three epochs
        status[i] = epoch < 3 || i % 4 == 3 ? 0 : ((epoch - 1 - i % 3) | big) << 32 | 0xa5a5a5a5;
    const board_type board{arrivals.data(), left.data(), status.data(), static_cast<unsigned>(status.size())};
    const watch::small_scan_words<T> watching(board, epoch);
    const auto launch_with = [&]<unsigned WarpRows>(std::integral_constant<unsigned, WarpRows>) {
        using kernel_type = device::scan_small_kernel<Tile, T, Op, WarpRows>;
        launch(how, plan.blocks, 32 * warps, sizeof(typename kernel_type::shared_storage),
               kernel_type{work, board, patiences[mix(how.seed + 9) % 4]});
    };
    constexpr unsigned few_warps = 4;  // whose warps hold copies where rows are missing
    if (warps >= few_warps)
        launch_with(std::integral_constant<unsigned, Tile::rows / few_warps>{});
    else
        launch_with(std::integral_constant<unsigned, Tile::rows>{});
    if (arrivals[0] != (epoch + 1) << board_type::epoch_bits)
        throw std::logic_error("what the blocks share says no scan is over");
    if (std::any_of(left.begin(), left.end(), [](unsigned block) { return block != 0; }))
        throw std::logic_error("what the blocks share names a block that has left");
    const auto unused = status.begin() + static_cast<std::ptrdiff_t>((plan.blocks - 1) * board_type::words);
    if (epoch % board_type::epochs_between_zeroing == 0 &&
        std::any_of(unused, status.end(), [](std::uint64_t word) { return word != 0; }))
        throw std::logic_error("what the blocks share is older than it may be");
}

/// As device::scan.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan(const executor::options& how, const parprims::scan_config& config, const device::machine& gpu, Iterator first,
          std::size_t n, Output out, const std::optional<T>& init, Op op, Transform transform)
{
    using tile_type =
        device::scan_tile<Kind, device::input_for<Iterator>, device::output_for<Output>, T, Op, Transform>;
    using kernel_type = device::scan_kernel<tile_type, T, Op>;
    using value = uninitialized<T>;
    device::check_scan_config("scan", config);
    if (n == 0)
        return;
    bool input_aligned = false;
    bool output_aligned = false;
    const auto input = device::make_input(first);
    if constexpr (tile_type::copies)
        input_aligned = device::is_aligned(input.data, tile_type::packet_bytes);
    if constexpr (std::is_pointer_v<Output>)
        output_aligned = device::is_aligned(out, order::vector_bytes);
    const tile_type work{input,         n, device::make_output(out), to_maybe(init), op, transform, input_aligned,
                         output_aligned};
    if constexpr (device::has_small_scan<tile_type, T>) {
#if defined(__SANITIZE_THREAD__)
        constexpr unsigned most_warps = 6;
        constexpr unsigned clusters[] = {1, 2, 3, 2};
#else
        constexpr unsigned most_warps = 256;
        constexpr unsigned clusters[] = {1, 2, 4, 8};
#endif
        device::machine like = gpu;
        like.cluster_blocks = clusters[mix(how.seed + 3) % 4];
        like.multiprocessors = 512;
        const device::small_scan_plan plan =
            device::plan_small_scan(n, tile_type::row, tile_type::rows, tile_type::row_registers,
                                    device::small_scan_board<T>::max_blocks, config, like);
        if (plan.blocks != 0) {
            const unsigned together = plan.block_rows != 0 ? static_cast<unsigned>(plan.blocks) : 1;
            const unsigned warps =
                std::min({plan.block_threads / 32, config.block_threads / 32, most_warps / together});
            made.add(how, plan.blocks, 32 * warps);
            small_scan<T>(how, work, op, plan, warps);
            return;
        }
    }
    const device::scan_plan plan =
        device::plan_scan(n, tile_type::tile, kernel_type::storage_bytes, tile_type::stage_bytes, config, gpu);
    made.add(how, plan);

    if (config.method == parprims::scan_config::single_pass) {
        const bool is_single = plan.tiles == 1;
        memory<std::uint64_t> status(is_single ? 0 : device::tile_status<T>::bytes(plan.tiles) / 8);
        memory<unsigned long long> ticket(1);
        memory<unsigned> departures(1);
        std::fill(status.begin(), status.end(), 0);
        ticket[0] = 0;
        departures[0] = 0;
        const bool resets = plan.one_each && !is_single;
        const watch::scan_words<T> watching(status.data(), ticket.data(), is_single ? 0 : plan.tiles);
        launch(how, plan.blocks, plan.block_threads, kernel_type::shared_bytes(plan.one_each ? 1 : plan.stages),
               kernel_type{work,
                           {status.data(), plan.tiles},
                           is_single ? nullptr : ticket.data(),
                           plan.stages,
                           plan.one_each,
                           resets ? departures.data() : nullptr});
        const auto is_zero = [](std::uint64_t word) { return word == 0; };
        if (resets && !(std::all_of(status.begin(), status.end(), is_zero) && ticket[0] == 0 && departures[0] == 0))
            throw std::logic_error("what the blocks share is not zero afterwards");
        return;
    }
    const std::size_t groups = order::ceil_div(plan.tiles, order::group_tiles);
    memory<value> aggregates(plan.tiles);
    memory<value> anchors(groups);
    using kernel = device::scan_tiles_kernel<tile_type, T>;
    using scan_of_sums = device::scan_anchors_kernel<T, Op>;
    if (plan.tiles > 1)
        launch(how, plan.blocks, plan.block_threads, kernel::shared_bytes, kernel{work, aggregates.data(), nullptr, 1});
    if (groups > 1 || work.init.present)
        launch(how, 1, plan.block_threads, sizeof(typename scan_of_sums::shared_storage),
               scan_of_sums{aggregates.data(), anchors.data(), groups, work.init, work.op});
    launch(how, plan.blocks, plan.block_threads, kernel::shared_bytes,
           kernel{work, aggregates.data(), anchors.data(), 3});
}

/// As device::enqueue_partitioned. A slice is about `slice` samples.
template <class Samples, class Counter>
void partitioned(const executor::options& how, const device::machine& gpu, const Samples& samples, Counter* counts,
                 device::histogram_plan plan, std::size_t slice)
{
    using sort = device::partition_kernel<Samples>;
    using count = device::partition_histogram_kernel<Samples, Counter>;
    plan.segment = std::min(plan.segment, slice);
    const device::partition_plan cut_plan = device::plan_partition(
        samples.n, samples.counters(), plan, device::misaligned_samples(samples), Samples::items, gpu);
    memory<std::uint32_t> scratch(cut_plan.scratch_bytes() / 4);
    for (std::size_t i = 0; i < cut_plan.totals_bytes / 4; ++i)
        scratch[(cut_plan.sorted_bytes + cut_plan.starts_bytes) / 4 + i] = 0;
    for (std::size_t begin = 0; begin < samples.n; begin += cut_plan.slice) {
        const device::partition cut = device::slice_of(cut_plan, begin, samples.n, scratch.data());
        launch(how, std::min(cut_plan.blocks, cut.tiles), cut_plan.block_threads, cut.sort_bytes(), sort{samples, cut});
        const watch::histogram_counters watching(counts, samples.axis.extent(), 0);
        launch(how, plan.blocks, plan.block_threads, cut.count_bytes(), count{samples, cut, counts});
    }
}

/// As device::histogram; `segment`, where it is not 0, is how many samples pass before counters are handed on.
template <class Iterator, class Axis, class Counter>
device::histogram_plan histogram(const executor::options& how, const parprims::histogram_config& config,
                                 const device::machine& gpu, Iterator first, std::size_t n, const Axis& axis,
                                 memory<Counter>& counts, std::size_t segment = 0)
{
    using namespace device;
    using kind = parprims::histogram_config;
    const histogram_samples<input_for<Iterator>, Axis> samples{make_input(first), n, axis};
    using samples_type = std::remove_cv_t<decltype(samples)>;
    check_histogram_config("histogram", config);
    const histogram_plan plan =
        plan_histogram("histogram", n, samples.counters(), config, gpu, axis.bins(), samples_type::items);
    made.add(how, plan);
    memory<std::uint32_t> gathered(axis.extent());
    memory<unsigned> departures(1);
    std::fill(gathered.begin(), gathered.end(), 0);
    departures[0] = 0;
    const bool gathers = gathers_counts(plan, n, axis.extent());
    if (!plan.overwrites && !gathers)
        std::fill(counts.begin(), counts.end(), Counter{});
    if (plan.placement == kind::partitioned) {
        partitioned(how, gpu, samples, counts.data(), plan, segment != 0 ? segment : n);
        return plan;
    }
    using packed = histogram_packed_kernel<samples_type, Counter>;
    const std::uint32_t half = plan.placement == kind::packed ? packed::half : 0;
    const bool holds_up = how.order != executor::schedule::in_order && how.seed % 2 == 1;
    const auto watching = gathers ? watch::histogram_counters(gathered.data(), gathered.size(), half)
                                  : watch::histogram_counters(counts.data(), counts.size(), half, holds_up);
    const auto shared = [&]<bool Windowed>(std::bool_constant<Windowed>) {
        launch(how, plan.blocks, plan.block_threads, plan.shared_bytes,
               histogram_shared_kernel<samples_type, Counter, Windowed>{
                   samples, counts.data(), static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas,
                   segment != 0 ? segment : plan.segment, plan.overwrites, gathers ? gathered.data() : nullptr,
                   departures.data()});
        if (std::any_of(gathered.begin(), gathered.end(), [](std::uint32_t count) { return count != 0; }) ||
            departures[0] != 0)
            throw std::logic_error("what the blocks gather in is not zero afterwards");
    };
    if (plan.placement == kind::shared)
        shared(std::false_type{});
    else if (plan.placement == kind::passes)
        shared(std::true_type{});
    else if (plan.placement == kind::packed)
        launch(how, plan.blocks, plan.block_threads, plan.shared_bytes, packed{samples, counts.data()});
    else
        launch(how, plan.blocks, plan.block_threads, plan.shared_bytes,
               histogram_global_kernel<samples_type, Counter>{samples, counts.data()});
    return plan;
}

}  // namespace kernel_test
