/// @file
/// @brief  What the kernel of scans and reductions by key writes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/shifted.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/by_key/kernel.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/keyed.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A result for each element. `init` is used by an exclusive scan.
template <scan_kind Kind, class T, class Output>
struct scan_result {
    using shape = keyed_tile<T>;
    using element = std::conditional_t<Output::is_pointer, typename Output::value_type, T>;
    using stage = lane_stage<element, shape::items>;
    static constexpr bool counts_heads = false;
    static constexpr bool is_staged = Output::is_pointer && stage::in_packets;
    static constexpr std::size_t stage_bytes = is_staged ? stage::bytes : 0;  // of a warp

    Output output;
    uninitialized<T> init;

    PARPRIMS_DEVICE void write_nothing(simt::block) const {}

    /// @param  before     everything before the lane
    /// @param  inclusive  the inclusive scan at element k of the lane
    template <class Kernel, class State, class Inclusive>
    PARPRIMS_DEVICE void write(simt::block block, const Kernel& kernel, unsigned char* memory, std::size_t tile,
                               const State& state, const uninitialized<T>& before, Inclusive inclusive,
                               std::size_t) const
    {
        const auto result = [&](unsigned k) {
            if constexpr (Kind == scan_kind::inclusive) {
                return inclusive(k);
            } else {
                if ((state.heads >> k & 1) != 0)
                    return init.value;
                auto op = kernel.op;
                return warp::combine<T>(op, init.value, k == 0 ? before.value : inclusive(k - 1));
            }
        };
        const std::size_t row = tile * shape::rows + block.warp();
        if constexpr (is_staged)
            if ((row + 1) * shape::row <= kernel.n) {
                stage::store(memory, [&](unsigned k) { return static_cast<element>(result(k)); });
                simt::packet<16> rows[4];
                stage::load_rows(memory, rows);
                const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data) % 16);
                return block::store_rows(output.data, shift, 4 * row, rows);
            }
        const std::size_t first = row * shape::row + block.lane() * shape::items;
#pragma unroll
        for (unsigned k = 0; k < shape::items; ++k)
            if (first + k < kernel.n)
                output.set(first + k, result(k));
    }
};

/// The first key of each run, its total, and the number of runs. At a head the total of the run before is known; the last element
/// of the input completes that of the last run.
template <class T, class KeysOut, class ValuesOut, class Count>
struct run_result {
    using shape = keyed_tile<T>;
    using stage = lane_stage<T, shape::items>;
    static constexpr bool counts_heads = true;
    using position = std::uint16_t;  // of a head in a row
    static_assert(shape::row <= 1 << 16);
    static constexpr std::size_t stage_bytes = stage::bytes + shape::row * sizeof(position);  // of a warp
    /// Runs of a lane whose keys are read at a time, so that a warp waits once for all. 2^28 elements in runs of 2: 8 at a time
    /// took 1662 us instead of 1324 (i32/f32), 1802 instead of 1898 (i64/f32).
    static constexpr unsigned batch = 4;

    KeysOut keys;
    ValuesOut values;
    Count count;

    PARPRIMS_DEVICE void write_nothing(simt::block block) const
    {
        if (block.index() == 0 && block.thread() == 0)
            *count = std::size_t{0};
    }

    /// What is before each element of the warp's row goes to shared memory, and the positions of heads. From there lanes take what
    /// is before heads, so that neighbours write side by side.
    template <class Kernel, class State, class Inclusive>
    PARPRIMS_DEVICE void write(simt::block block, const Kernel& kernel, unsigned char* memory, std::size_t tile,
                               const State& state, const uninitialized<T>& before, Inclusive inclusive,
                               std::size_t runs_before) const
    {
        const unsigned lane = block.lane();
        const std::size_t first = (tile * shape::rows + block.warp()) * shape::row;
        const auto exclusive = [&](unsigned k) { return k == 0 ? before.value : inclusive(k - 1); };
        if (simt::ballot(state.heads != 0) != 0) {
            const unsigned row_before = simt::shuffle(state.heads_before, 0);
            unsigned count = state.heads_before - row_before;
#pragma unroll
            for (unsigned k = 0; k < shape::items; ++k)
                if ((state.heads >> k & 1) != 0)
                    simt::store(positions_of(memory), count++, static_cast<position>(lane * shape::items + k));
            stage::store(memory, exclusive);
            write_runs(kernel, memory, first, runs_before + row_before, simt::shuffle(count, simt::warp_size - 1));
            simt::sync_warp();
        }
        if (tile + 1 != kernel.status.tiles)
            return;
        const std::size_t runs = runs_before + state.tile_heads;
#pragma unroll
        for (unsigned k = 0; k < shape::items; ++k)
            if (first + lane * shape::items + k + 1 == kernel.n) {
                auto op = kernel.op;
                const T last = static_cast<T>(kernel.values.at(kernel.n - 1));
                const bool is_alone = (state.heads >> k & 1) != 0;
                values.set(runs - 1, is_alone ? last : warp::combine<T>(op, exclusive(k), last));
            }
        if (block.thread() == 0)
            *count = runs;
    }

private:
    PARPRIMS_DEVICE static position* positions_of(unsigned char* memory)
    {
        return reinterpret_cast<position*>(memory + stage::bytes);
    }

    /// Writes the `count` runs that begin in the warp's row, from element `first` on, to the places from `run` on.
    template <class Kernel>
    PARPRIMS_DEVICE void write_runs(const Kernel& kernel, unsigned char* memory, std::size_t first, std::size_t run,
                                    unsigned count) const
    {
        const unsigned lane = simt::block::lane();
#pragma unroll 1
        for (unsigned begin = 0; begin < count; begin += batch * simt::warp_size) {
            uninitialized<typename Kernel::key_type> key[batch];
            unsigned element[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b) {
                const unsigned i = begin + b * simt::warp_size + lane;
                element[b] = i < count ? simt::load(positions_of(memory), i) : 0;
                if (i < count)
                    key[b].value = kernel.heads.keys.at(first + element[b]);
            }
#pragma unroll
            for (unsigned b = 0; b < batch; ++b) {
                const unsigned i = begin + b * simt::warp_size + lane;
                if (i < count)
                    keys.set(run + i, key[b].value);
                if (i < count && run + i != 0)  // no run ends at the first head
                    values.set(run + i - 1, stage::load(memory, element[b]));
            }
        }
    }
};

}  // namespace parprims::detail::device
