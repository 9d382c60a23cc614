/// @file
/// @brief  The kernel and the dispatch of `transform`: a warp reads and writes packets where it can, else elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/load/zipped.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/device/transform/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// How many values fill a packet of an output; 0 where they cannot, or have more than `MostBytes`.
template <class Value, std::size_t MostBytes>
inline constexpr unsigned transformed_packet = [] {
    if constexpr (!std::is_void_v<Value>)
        if (std::is_trivially_copyable_v<Value> && sizeof(Value) == alignof(Value) && sizeof(Value) <= MostBytes)
            return static_cast<unsigned>(16 / sizeof(Value));
    return 0u;
}();

/// Elements that fill whole packets of input and output are read and written in packets, at any alignment; a row is a packet of
/// output for each lane of a warp. Other elements are read and written one by one.
/// @tparam  IsSized  the size lies in device memory, so of a large bound resident blocks draw the tiles (sized.hpp): a block for each tile
///                   might be many that have none
template <class Input, class Output, class Transform, class Result, bool IsSized>
struct transform_kernel {
    static constexpr unsigned max_threads = transform_threads;
    static constexpr std::size_t most_bytes = IsSized ? max_sized_packet_value : max_packet_value;
    static constexpr unsigned packet_items = transformed_packet<typename Output::value_type, most_bytes>;
    template <bool IsAligned>
    using rows_type = block::zipped_rows<typename Input::iterator, packet_items, IsAligned>;
    static constexpr bool in_packets = rows_type<false>::exist;
    static constexpr unsigned items =
        in_packets ? packet_items
                   : order::power_of_two_within(max_transformed_bytes, sizeof(Result), max_transformed_items);

    static constexpr std::size_t sized_blocks_per_sm = max_undrawn_tiles_per_sm;
    static constexpr bool draws_numbers = true;

    struct shared_storage {};

    Input input;
    std::size_t n;
    Output output;
    Transform transform;
    unsigned rows;  // of a warp: 1 or 2

    PARPRIMS_DEVICE std::size_t resize(std::size_t size, std::size_t)
    {
        n = size;
        return order::ceil_div(n, std::size_t{items} * rows * simt::block::threads());
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&, std::size_t index = simt::block::index()) const
    {
        write_tile(block, index);
    }

private:
    PARPRIMS_DEVICE void write_tile(simt::block block, std::size_t tile) const
    {
        if constexpr (in_packets) {
            constexpr unsigned row = items * simt::warp_size;
            const std::size_t begin = (tile * block.warps() + block.warp()) * (rows * row);
            if (rows == 2 && n >= 2 * row && begin <= n - 2 * row)
                return write_rows<2>(begin);
            for (std::size_t at = begin; at < n && at < begin + rows * row; at += row)
                if (n - at >= row)
                    write_rows<1>(at);
                else
                    write_elements(at + simt::block::lane(), simt::warp_size);
        } else {
            write_elements(tile * items * block.threads() + block.thread(), block.threads());
        }
    }

    /// Tests once whether all packets are aligned, not for each array and row.
    template <unsigned Count>
    PARPRIMS_DEVICE void write_rows(std::size_t begin) const
    {
        if (rows_type<false>::are_aligned(input.iterator_at(begin)) && block::shift_of(output.data + begin) == 0)
            write_rows_as<Count, true>(begin);
        else
            write_rows_as<Count, false>(begin);
    }

    template <unsigned Count, bool IsAligned>
    PARPRIMS_DEVICE void write_rows_as(std::size_t begin) const
    {
        using value_type = typename Output::value_type;
        constexpr unsigned row = items * simt::warp_size;
        rows_type<IsAligned> loaded[Count];
#pragma unroll
        for (unsigned r = 0; r < Count; ++r)
            loaded[r].load(input.iterator_at(begin + r * row), n - (begin + r * row));
        simt::packet<16> results[Count];
#pragma unroll
        for (unsigned r = 0; r < Count; ++r)
            loaded[r].for_each(input.iterator_at(begin + r * row), [&](unsigned k, const auto& it) {
                simt::set_element(results[r], k, static_cast<value_type>(transform(*it)));
            });
        simt::sync_warp();  // in place, a lane may write what others read
        value_type* const to = output.data + begin;
        block::store_rows(to, IsAligned ? 0u : block::shift_of(to), 0u, results);
    }

    /// `items` elements from `first` on that lie `stride` apart. All are read before one is written.
    PARPRIMS_DEVICE void write_elements(std::size_t first, std::size_t stride) const
    {
        if constexpr (IsSized)
            if (first + (items - 1) * stride < n)
                return write_elements(first, stride, [](unsigned) { return true; });
        write_elements(first, stride, [&](unsigned k) { return first + k * stride < n; });
    }

    template <class Exists>
    PARPRIMS_DEVICE void write_elements(std::size_t first, std::size_t stride, Exists exists) const
    {
        uninitialized<Result> results[items];
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (exists(k))
                results[k].value = transform(input[first + k * stride]);
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (exists(k))
                output.set(first + k * stride, results[k].value);
    }
};

struct transform_plan {
    unsigned block_threads;
    unsigned rows;
};

/// Enqueues the transformation of `[first, first + n)`, which is not empty, to `out`.
template <class Result, launcher Launcher, class Iterator, class Output, class Transform>
void enqueue_transform(Launcher& launcher, Iterator first, std::size_t n, Output out, Transform transform)
{
    using kernel_type =
        transform_kernel<input_for<Iterator>, output_for<Output>, Transform, Result, reads_size<Launcher>>;
    const bool in_pairs = kernel_type::in_packets && n / kernel_type::items >= min_packets_in_pairs;
    const bool in_large_blocks = reads_size<Launcher> || (kernel_type::in_packets && !in_pairs);
    const unsigned threads = in_large_blocks ? transform_threads : transform_threads / 2;
    const transform_plan plan = device::planned(launcher, transform_plan{threads, in_pairs ? 2u : 1u});
    const unsigned rows = kernel_type::in_packets ? plan.rows : 1;
    const std::size_t tile = std::size_t{kernel_type::items} * rows * plan.block_threads;
    const std::size_t tiles = order::ceil_div(n, tile);
    const std::size_t multiprocessors = launcher.gpu().multiprocessors;
    constexpr unsigned sized_threads = kernel_type::in_packets ? sized_packet_threads : sized_element_threads;
    const std::size_t resident = multiprocessors * sized_threads / plan.block_threads;
    const bool are_drawn = reads_size<Launcher> && tiles > multiprocessors * max_undrawn_tiles_per_sm;
    const std::size_t blocks = are_drawn ? resident : tiles;
    const auto ticket = launcher.zeroed(are_drawn ? sizeof(unsigned) : 0);
    device::launch_drawn(launcher, {blocks, plan.block_threads, 0},
                         kernel_type{device::make_input(first), n, device::make_output(out), transform, rows},
                         are_drawn ? reinterpret_cast<unsigned*>(ticket.get()) : nullptr);
}

}  // namespace parprims::detail::device
