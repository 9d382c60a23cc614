/// @file
/// @brief  Dispatch of scans and reductions by key, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/key_heads.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/results.hpp>
#include <parprims/detail/device/by_key/rows.hpp>
#include <parprims/detail/device/by_key/segment_heads.hpp>
#include <parprims/detail/device/by_key/tile_work.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/pass/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace parprims::detail::device {

/// The shape of a tile of values of type T: a row for each warp.
/// @tparam  IsLean  whether lanes read rows directly, because the GPU has too little shared memory for them
template <class T, bool IsShort, bool IsLean = false>
struct keyed_tile {
    static constexpr bool is_lean = IsLean;
    using value_type = T;
    using pair = keyed<T, std::size_t, IsShort>;
    static constexpr unsigned items = order::lane_items<pair>;  // of a lane
    static constexpr unsigned row = order::row<pair>;
    static constexpr unsigned rows = order::tile_rows<pair>;
    static constexpr unsigned threads = rows * simt::warp_size;
    static constexpr unsigned size = rows * row;
    /// Tiles of an input at most, if each has a block of its own; otherwise 0.
    static constexpr unsigned max_tiles =
        IsShort ? static_cast<unsigned>(order::ceil_div(order::short_input<T>, std::size_t{size})) : 0;
    using index = std::conditional_t<max_tiles != 0, unsigned, std::size_t>;  // of an element
};

/// Whether the launcher may run on a GPU with too little shared memory for a block of the kernel: compute capability 7.5
/// has the least.
template <class Launcher, class Kernel>
inline constexpr bool may_lack_shared_memory = [] {
    constexpr std::size_t least = 64 * 1024;
    if constexpr (requires { Launcher::may_have_least_shared_memory; })
        return Launcher::may_have_least_shared_memory && Kernel::shared_bytes(Kernel::max_threads) > least;
    else
        return false;
}();

/// Calls `enqueue(tile, n)` with the shape of the tiles of n values of type T. If that returns false, a block does not fit: calls it again
/// with a shape that needs less. If the size lies in device memory, there may be a kernel for short inputs and one for others; one does nothing.
template <class T, class Launcher, class Enqueue>
void with_keyed_tile([[maybe_unused]] Launcher& launcher, std::size_t n, Enqueue enqueue)
{
    const auto enqueue_as = [&]<bool IsShort>(std::bool_constant<IsShort>, std::size_t most) {
        if constexpr (std::is_void_v<decltype(enqueue(keyed_tile<T, IsShort>{}, most))>)
            enqueue(keyed_tile<T, IsShort>{}, most);
        else if (!enqueue(keyed_tile<T, IsShort>{}, most))
            enqueue(keyed_tile<T, IsShort, true>{}, most);
    };
    constexpr std::size_t most_short = order::short_input<T>;
    if constexpr (most_short != 0) {
        if (n <= most_short)
            return enqueue_as(std::true_type{}, n);
        if constexpr (reads_size<Launcher>) {
            launcher.only_between(0, most_short);
            enqueue_as(std::true_type{}, most_short);
            launcher.only_between(most_short + 1, n);
        }
    }
    enqueue_as(std::false_type{}, n);
}

/// The pass of a shape: a block has one tile of a short input; otherwise it takes one after another.
template <class Work>
using kernel_of = std::conditional_t<Work::shape::max_tiles != 0, short_pass<Work>, long_pass<Work>>;

/// Enqueues a kernel over n elements, whose runs begin where `heads` says. If the launcher may run on GPUs with too little shared
/// memory for a block: on such a GPU, enqueues nothing and returns false.
template <class Shape, launcher Launcher, class Heads, class Values, class Op, class Result,
          class Before = nothing_before>
auto enqueue_keyed(Launcher& launcher, const Heads& heads, const Values& values, std::size_t n, Op op,
                   const Result& result, Before enqueue_before = {})
{
    const std::size_t tiles = larger_of<std::size_t>(order::ceil_div(n, Shape::size), 1);
    const auto rows = static_cast<unsigned>(smaller_of<std::size_t>(order::ceil_div(n, Shape::row), Shape::rows));
    const unsigned threads = larger_of(rows, 1u) * simt::warp_size;
    using work_type = keyed_work<Shape, Heads, Values, Op, Result>;
    const work_type work{heads, values, static_cast<typename Shape::index>(n), op, result, tiles};
    const auto enqueue = [&] {
        constexpr std::size_t most_tiles = epoch_words<typename work_type::total>::max_tiles;
        static_assert(Shape::max_tiles <= most_tiles);
        const std::size_t multiprocessors = launcher.gpu().multiprocessors;
        if constexpr (Shape::max_tiles != 0 || (order::short_input<typename Shape::value_type> != 0 && !Shape::is_lean))
            if (Shape::max_tiles != 0 || tiles <= smaller_of(most_tiles, multiprocessors * max_keyed_tiles_per_sm))
                return device::enqueue_short_pass(launcher, work, tiles, threads, enqueue_before);
        if constexpr (Shape::max_tiles == 0)
            device::enqueue_long_pass(
                launcher, work, {tiles, multiprocessors * long_pass<work_type>::min_blocks, threads}, enqueue_before);
    };
    if constexpr (!Shape::is_lean && may_lack_shared_memory<Launcher, kernel_of<work_type>>) {
        if (kernel_of<work_type>::shared_bytes(threads) > launcher.gpu().shared_bytes_per_block)
            return false;
        enqueue();
        return true;
    } else {
        enqueue();
    }
}

/// The reader: lanes read the elements of short inputs directly, and of all inputs if shared memory is scarce; otherwise warps copy rows.
template <class Shape, class Iterator>
using rows_of = std::conditional_t<Shape::is_lean || Shape::max_tiles != 0,
                                   lane_reader<input_for<Iterator>, Shape::items, typename Shape::index>,
                                   row_reader<input_for<Iterator>, Shape::items, Shape::rows>>;
template <class Shape, class Keys, class Equal>
using heads_of = key_heads<rows_of<Shape, Keys>, Equal, Shape::is_lean>;

/// `init` may be null if it is not used.
template <scan_kind Kind, class Shape, class Output, class T>
scan_result<Kind, Shape, output_for<Output>> make_scan_result(Output out, const T* init)
{
    uninitialized<T> value;
    if (init != nullptr)
        value.value = *init;
    else
        std::memset(static_cast<void*>(__builtin_addressof(value)), 0, sizeof value);
    return {device::make_output(out), value};
}

/// Enqueues the scan of the values `[values, values + all)`, of which there is at least one, to `out`.
template <scan_kind Kind, class T, launcher Launcher, class Keys, class Values, class Output, class Equal, class Op>
void enqueue_scan_by_key(Launcher& launcher, Keys keys, std::size_t all, Values values, Output out, const T* init,
                         Equal equal, Op op)
{
    device::with_keyed_tile<T>(launcher, all, [&]<class Shape>(Shape, std::size_t n) {
        return device::enqueue_keyed<Shape>(
            launcher, heads_of<Shape, Keys, Equal>{rows_of<Shape, Keys>::make(device::make_input(keys), n), equal},
            rows_of<Shape, Values>::make(device::make_input(values), n), n, op,
            device::make_scan_result<Kind, Shape>(out, init));
    });
}

/// Whether each block marks where segments begin in its tile: if n values are a short input, and a block has a thread for every
/// `max_offsets_of_thread` offsets.
template <class T>
bool are_marked_in_tiles(std::size_t n, std::size_t offsets)
{
    using tile = keyed_tile<T, true>;
    const std::size_t rows = smaller_of<std::size_t>(order::ceil_div(n, tile::row), tile::rows);
    return tile::max_tiles != 0 && n <= order::short_input<T> &&
           offsets <= rows * simt::warp_size * max_offsets_of_thread;
}

/// Marks in `bits` where segments begin.
template <launcher Launcher, class Segments>
void enqueue_mark_heads(Launcher& launcher, const Segments& segments, std::uint32_t* bits, std::size_t words)
{
    const auto blocks_for = [&](std::size_t threads) {
        return smaller_of<std::size_t>(order::ceil_div(threads, std::size_t{mark_heads_threads}),
                                       launcher.gpu().multiprocessors * mark_heads_blocks_per_sm);
    };
    if constexpr (reads_size<Launcher>)
        launcher.launch({blocks_for(words), mark_heads_threads, 0}, zero_heads_kernel<Segments>{segments, bits, words});
    else
        launcher.zero(bits, words * sizeof(std::uint32_t));
    launcher.launch({blocks_for(segments.count + 1), mark_heads_threads, 0},
                    mark_heads_kernel<Segments>{segments, bits});
}

/// Enqueues the scan of each segment of the values `[first, first + n)`, of which there is at least one.
template <scan_kind Kind, class T, launcher Launcher, class Segments, class Values, class Output, class Op>
void enqueue_segmented_scan(Launcher& launcher, const Segments& segments, std::size_t n, Values first, Output out,
                            const T* init, Op op)
{
    const auto enqueue = [&](std::size_t size, const std::uint32_t* bits, auto enqueue_before) {
        // A size in device memory is that of the segments: n, and so the shape, are the host's.
        device::with_keyed_tile<T>(device::launcher_of_host_sizes(launcher), n, [&]<class Shape>(Shape, std::size_t) {
            const auto enqueue_with = [&](const auto& heads) {
                return device::enqueue_keyed<Shape>(launcher, heads,
                                                    rows_of<Shape, Values>::make(device::make_input(first), n), n, op,
                                                    device::make_scan_result<Kind, Shape>(out, init), enqueue_before);
            };
            const segment_heads<Shape::items> heads{size, bits, n};
            if constexpr (Segments::is_searched && Shape::max_tiles != 0)
                return enqueue_with(tile_heads<Segments, Shape>{{heads, segments}});
            else if constexpr (Segments::is_searched && reads_size<Launcher>)
                return enqueue_with(offset_heads<Segments, Shape::items>{heads, segments});
            else
                return enqueue_with(heads);
        });
    };
    if constexpr (Segments::is_searched) {
        if (are_marked_in_tiles<T>(n, segments.count + 1))
            return enqueue(0, nullptr, nothing_before{});
        const std::size_t words = order::ceil_div(n, std::size_t{32}) + 1;
        const auto scratch = launcher.scratch(words * sizeof(std::uint32_t));
        auto* const bits = reinterpret_cast<std::uint32_t*>(scratch.get());
        enqueue(0, bits, [&] { enqueue_mark_heads(launcher, segments, bits, words); });
    } else {
        enqueue(segments.size, nullptr, nothing_before{});
    }
}

/// Enqueues the reduction of `all` values, which may be none, by runs of equal keys; `*count` becomes the number of runs.
template <class T, launcher Launcher, class Keys, class Values, class KeysOut, class ValuesOut, class Count,
          class Equal, class Op>
void enqueue_reduce_by_key(Launcher& launcher, Keys keys, std::size_t all, Values values, KeysOut keys_out,
                           ValuesOut values_out, Count count, Equal equal, Op op)
{
    device::with_keyed_tile<T>(launcher, all, [&]<class Shape>(Shape, std::size_t n) {
        using heads = heads_of<Shape, Keys, Equal>;
        return device::enqueue_keyed<Shape>(launcher,
                                            heads{rows_of<Shape, Keys>::make(device::make_input(keys), n), equal},
                                            rows_of<Shape, Values>::make(device::make_input(values), n), n, op,
                                            run_result<Shape, heads, output_for<KeysOut>, output_for<ValuesOut>, Count>{
                                                device::make_output(keys_out), device::make_output(values_out), count});
    });
}

}  // namespace parprims::detail::device
