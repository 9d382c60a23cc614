/// @file
/// @brief  Folds the chunks of an input of wide values, those of more than 16 bytes. A warp folds a chunk.
///
/// A lane folds one column. Its registers hold few wide values, and loading one takes many accesses. So each warp copies rows to a
/// ring in shared memory asynchronously; then a few warps keep enough bytes in flight.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/row_ring.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The input of a reduction of wide values, its operators, and the fold of its chunks by a warp.
template <class Input, class T, class Op, class Transform>
struct wide_chunks {
    using value_type = typename Input::value_type;
    static constexpr std::size_t row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static_assert(row == simt::warp_size);

    /// Whether elements go through shared memory. Otherwise lanes load them one by one.
    static constexpr bool is_staged = [] {
        if constexpr (Input::has_source) {
            using source = typename Input::source_type;
            return is_wide<source> && block::fits_ring<source> && row * sizeof(source) <= max_ring_bytes;
        }
        return false;
    }();

    static constexpr std::size_t element_bytes = [] {
        if constexpr (is_staged)
            return sizeof(typename Input::source_type) < sizeof(T) ? sizeof(T) : sizeof(typename Input::source_type);
        return sizeof(T);
    }();
    /// Rows that a lane reads at a time: as many as its registers hold.
    static constexpr unsigned batch_rows = order::power_of_two_within(wide_batch_bytes, element_bytes, 4);
    static constexpr unsigned batches = order::chunk_rows / batch_rows;  // of a chunk
    static constexpr std::size_t batch = batch_rows * row;               // elements

    static constexpr auto ring_of()
    {
        if constexpr (is_staged) {
            using source = typename Input::source_type;
            constexpr unsigned ring_batches =
                order::power_of_two_within(max_ring_bytes, batch * sizeof(source), batches);
            return block::row_ring<source, batch_rows, ring_batches>{};
        }
    }
    using ring_type = decltype(ring_of());

    /// Shared memory of a warp: its ring.
    using warp_memory = std::byte;
    static constexpr std::size_t warp_bytes = [] {
        if constexpr (is_staged)
            return std::size_t{ring_type::bytes};
        return std::size_t{0};
    }();

    Input input;
    std::size_t n;
    Op op;
    Transform transform;
    unsigned packet_bytes;  // of a copy: 4, 8 or 16, as the input is aligned

    static wide_chunks make(const Input& input, std::size_t n, Op op, Transform transform)
    {
        if constexpr (is_staged)
            return {input, n, op, transform, ring_type::packet_bytes_of(input.data)};
        else
            return {input, n, op, transform, 0};
    }

    /// Folds up to `max_chunks` chunks from chunk `first` on, at least one; the result is in every lane. Each warp has its own ring.
    PARPRIMS_DEVICE T fold(std::size_t first, std::size_t max_chunks, std::byte* ring) const
    {
        const std::size_t begin = first * chunk;
        const std::size_t left = order::ceil_div(n - begin, chunk);
        const std::size_t count = left < max_chunks ? left : max_chunks;
        const std::size_t length = n - begin < count * chunk ? n - begin : count * chunk;
        start(begin, length, ring);
        const auto leaf = [&](std::size_t i) { return fold_chunk(begin, length, i, ring); };
        return warp::fold_leaves<T>(count, leaf, op);
    }

private:
    /// Starts to copy batch `number` of [begin, begin + length). For a batch behind the last one it commits an empty group of copies.
    PARPRIMS_DEVICE void copy(std::size_t begin, std::size_t length, std::size_t number, std::byte* ring) const
    {
        const std::size_t before = number * batch;
        ring_type::copy(ring, static_cast<unsigned>(number), input.data + begin + before,
                        before < length ? length - before : 0, packet_bytes);
    }

    PARPRIMS_DEVICE void start(std::size_t begin, std::size_t length, std::byte* ring) const
    {
        if constexpr (is_staged)
#pragma unroll 1
            for (unsigned b = 0; b < ring_type::slots; ++b)
                copy(begin, length, b, ring);
    }

    /// Folds chunk i of the `length` elements from `begin` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_chunk(std::size_t begin, std::size_t length, std::size_t i, std::byte* ring) const
    {
        const std::size_t rest = length - i * chunk;
        const auto live = static_cast<unsigned>(rest < chunk ? rest : chunk);
        uninitialized<T> column;
#pragma unroll 1
        for (unsigned b = 0; b < batches && b * batch < live; ++b) {
            const auto read = [&](unsigned k) -> T {
                if constexpr (is_staged)
                    return device::operand<T, Input>(transform, input.value_of(ring_type::read(ring, b, k)));
                else
                    return device::operand<T, Input>(
                        transform, input[begin + i * chunk + b * batch + k * row + simt::block::lane()]);
            };
            const bool is_whole = (b + 1) * batch <= live;
            uninitialized<T> values[batch_rows];
            if constexpr (is_staged) {
                simt::wait_copies<ring_type::slots - 1>();
                simt::sync_warp();
            }
            if (is_whole) {
#pragma unroll
                for (unsigned k = 0; k < batch_rows; ++k)
                    values[k].value = read(k);
            } else {
#pragma unroll 1
                for (unsigned k = 0; k < batch_rows; ++k)
                    if (b * static_cast<unsigned>(batch) + k * simt::warp_size + simt::block::lane() < live)
                        warp::accumulate(op, column, b + k == 0, read(k));
            }
            if constexpr (is_staged) {
                simt::sync_warp();
                copy(begin, length, i * batches + b + ring_type::slots, ring);
            }
            if (is_whole)
#pragma unroll
                for (unsigned k = 0; k < batch_rows; ++k)
                    warp::accumulate(op, column, b + k == 0, values[k].value);
        }
        return warp::fold_lanes(column.value, live < row ? live : static_cast<unsigned>(row), op);
    }
};

}  // namespace parprims::detail::device
