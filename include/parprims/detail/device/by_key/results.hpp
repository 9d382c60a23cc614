/// @file
/// @brief  The results of scans and of reductions by key, as `keyed_work` writes them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/store/dense_output.hpp>
#include <parprims/detail/device/store/striped.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The results of a scan: one for each element. Only an exclusive scan uses `init`.
template <scan_kind Kind, class Shape, class Output>
struct scan_result {
    using shape = Shape;
    using T = typename Shape::value_type;
    using element = std::conditional_t<Output::is_pointer, typename Output::value_type, T>;
    using stage = lane_stage<element, shape::items>;
    static constexpr bool counts_heads = false;
    static constexpr bool is_staged = Output::is_pointer && stage::in_packets;
    static constexpr std::size_t stage_bytes = is_staged && stage::packets > 1 ? stage::bytes : 0;  // for a warp

    Output output;
    uninitialized<T> init;

    PARPRIMS_DEVICE void write_empty(simt::block) const {}

    template <class Work, class State>
    PARPRIMS_DEVICE void keep(const Work&, unsigned char*, std::size_t, const State&) const
    {
    }

    /// @param  before     everything before the lane
    /// @param  inclusive  `inclusive(k)` is the inclusive scan at element k of the lane
    template <class Work, class State, class Inclusive>
    PARPRIMS_DEVICE void write(simt::block block, const Work& work, unsigned char* memory, std::size_t tile,
                               const State& state, const uninitialized<T>& before, Inclusive inclusive,
                               std::size_t) const
    {
        const auto result = [&](unsigned k) {
            if constexpr (Kind == scan_kind::inclusive) {
                return inclusive(k);
            } else {
                if ((state.heads >> k & 1) != 0)
                    return init.value;
                auto op = work.op;
                return warp::combine<T>(op, init.value, k == 0 ? before.value : inclusive(k - 1));
            }
        };
        const std::size_t row = tile * shape::rows + block.warp();
        [[maybe_unused]] const auto from_head =
            state.heads | (0 - state.heads);  // bits of the elements from the lane's first head on
        if constexpr (is_staged)
            if ((row + 1) * shape::row <= work.n) {
                const auto packet_of = [&](unsigned p) {
                    constexpr unsigned of_packet = 16 / sizeof(element);
                    simt::packet<16> next;
                    if constexpr (Kind == scan_kind::inclusive && std::is_same_v<element, T>) {
                        next = state.running.packet(p);
                        if ((from_head >> p * of_packet & 1) != 0)  // nothing before the lane contributes to the packet
                            return next;
                    }
#pragma unroll
                    for (unsigned k = 0; k < of_packet; ++k)
                        simt::set_element(next, k, static_cast<element>(result(p * of_packet + k)));
                    return next;
                };
                simt::packet<16> rows[stage::packets];
                if constexpr (stage::packets == 1) {
                    rows[0] = packet_of(0);
                } else {
                    stage::store(memory, packet_of);
                    stage::load_rows(memory, rows);
                }
                const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(output.data) % 16);
                return block::store_rows(output.data, shift, stage::packets * row, rows);
            }
        if constexpr (!is_staged && sizeof(T) <= 16)  // larger values fill sectors of memory by themselves
            if ((row + 1) * shape::row <= work.n)
                return warp::write_row<T, shape::items>(output, row * shape::row, result);
        const std::size_t first = row * shape::row + block.lane() * shape::items;
#pragma unroll
        for (unsigned k = 0; k < shape::items; ++k)
            if (first + k < work.n)
                output.set(first + k, result(k));
    }
};

/// The results of a reduction by key: the first key of each run, its total, and the number of runs. A head ends the run before it, and
/// the last element of the input the last run.
template <class Shape, class Heads, class KeysOut, class ValuesOut, class Count>
struct run_result {
    using shape = Shape;
    using T = typename Shape::value_type;
    using key_type = typename Heads::key_type;
    using index = typename shape::index;
    static constexpr bool counts_heads = true;
    /// Whether the stage lacks room for all keys of a row in which nearly every element is a head. For such a row it holds the places of the
    /// heads instead, and `write` reads their keys again.
    static constexpr bool may_reread_keys = Heads::keeps_keys && kept_key_bytes(sizeof(key_type), shape::items) != 0;
    /// Keys and totals have the same places in their parts of the stage, with gaps if lanes store many small values.
    static constexpr unsigned pad = larger_of(block::dense_pad(sizeof(T)), block::dense_pad(sizeof(key_type)));
    static constexpr bool has_gaps =
        shape::max_tiles == 0 && shape::items >= 16 &&
        (may_reread_keys || shape::row * (sizeof(T) + sizeof(key_type)) <= max_bytes_with_gaps);
    static constexpr unsigned places = has_gaps ? block::dense_place<pad>(shape::row) : shape::row;
    static constexpr std::size_t total_bytes = (places * sizeof(T) + 15) / 16 * 16;
    static constexpr std::size_t key_bytes =
        !Heads::keeps_keys ? 0
        : may_reread_keys  ? simt::warp_size * kept_key_bytes(sizeof(key_type), shape::items) -
                                (total_bytes - shape::row * sizeof(T))  // gaps of totals, used only if no key is kept
                          : (places * sizeof(key_type) + 15) / 16 * 16;
    static constexpr std::size_t stage_bytes = total_bytes + key_bytes;  // of a warp

    KeysOut keys;
    ValuesOut values;
    Count count;

    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if (block.index() == 0 && block.thread() == 0)
            *count = std::size_t{0};
    }

    /// Stores side by side in shared memory, for each head of the warp's row: its key, and the total of the run that it ends. That is the
    /// lane's scan before the head; `write` completes it if the run began before the lane. The first head of the input ends no run, so the
    /// place of its total stays empty. Behind the last total comes the lane's scan before the input's last element.
    template <class Work, class State>
    PARPRIMS_DEVICE void keep(const Work& work, unsigned char* memory, index first, const State& state) const
    {
        T* const totals = totals_of(memory);
        key_type* const kept_keys = keys_of(memory, state.row_heads);
        const bool keeps_keys = keys_fit(state.row_heads);
        auto heads = state.heads;
        if constexpr (shape::items >= 16)
            heads =
                simt::separated(heads);  // or ptxas keeps the predicate of each bit from before, in more instructions
        unsigned run = state.heads_below;
        const auto put = [&](auto place_of) {
#pragma unroll
            for (unsigned k = 0; k < shape::items; ++k)
                if ((heads >> k & 1) != 0) {
                    if (k > 0)
                        simt::store(totals, place_of(run), state.running.get(k - 1));
                    if constexpr (Heads::keeps_keys)
                        if (keeps_keys)
                            simt::store(kept_keys, place_of(run), state.keys.get(k));
                    ++run;
                }
        };
        const unsigned gap = gap_of(state.row_heads);
        if (gap != 0)
            put([](unsigned i) { return block::dense_place<pad>(i, pad); });
        else
            put([](unsigned i) { return i; });
        if constexpr (may_reread_keys)
            if (!keeps_keys) {
                std::uint16_t* next = places_of(memory) + state.heads_below;
#pragma unroll 1  // seldom run
                for (unsigned k = 0; k < shape::items; ++k)
                    if ((state.heads >> k & 1) != 0)
                        simt::store(next++, static_cast<std::uint16_t>(simt::block::lane() * shape::items + k));
            }
        if (first + shape::row >= work.n) {
            const index last = work.n - 1 - first - simt::block::lane() * shape::items;
            if (last < shape::items && (state.heads >> last & 1) == 0)
#pragma unroll
                for (unsigned k = 1; k < shape::items; ++k)
                    if (k == last)
                        simt::store(totals, block::dense_place<pad>(run, gap), state.running.get(k - 1));
        }
    }

    /// Completes the total of the run that each lane's first head ends, then writes the keys and the totals of the row.
    template <class Work, class State, class Inclusive>
    PARPRIMS_DEVICE void write(simt::block block, const Work& work, unsigned char* memory, std::size_t tile,
                               const State& state, const uninitialized<T>& before, Inclusive,
                               std::size_t runs_before) const
    {
        const unsigned lane = block.lane();
        const index first = Work::first_of(block, tile) + lane * shape::items;
        const std::size_t run = runs_before + state.heads_before;  // number of the first run that begins in the row
        auto* const totals = totals_of(memory);
        auto op = work.op;
        const bool has_last = first < work.n && first + shape::items >= work.n;
        uninitialized<T> last;  // the input's last element; loaded early, used in the end
        if (has_last)
            last.value = static_cast<T>(work.values.at(work.n - 1));
        const unsigned skipped = run == 0 ? 1 : 0;  // the input's first head ends no run
        if (state.heads != 0 && (skipped == 0 || lane != 0)) {
            const unsigned place = block::dense_place<pad>(state.heads_below, gap_of(state.row_heads));
            simt::store(totals, place,
                        (state.heads & 1) != 0 ? before.value
                                               : warp::combine<T>(op, before.value, simt::load(totals, place)));
        }
        simt::sync_warp();
        if constexpr (Heads::keeps_keys)
            if (keys_fit(state.row_heads))
                block::write_dense<shape::row, pad>(keys, run, keys_of(memory, state.row_heads), 0, state.row_heads,
                                                    gap_of(state.row_heads));
        if constexpr (may_reread_keys)
            if (!keys_fit(state.row_heads))
                read_keys_again(work, memory, first - lane * shape::items, state.row_heads, run);
        block::write_dense<shape::row, pad>(values, run - 1 + skipped, totals, skipped, state.row_heads,
                                            gap_of(state.row_heads));
        if constexpr (!Heads::keeps_keys) {
            std::size_t next = run + state.heads_below;
#pragma unroll 1
            for (unsigned k = 0; k < shape::items; ++k)
                if ((state.heads >> k & 1) != 0)
                    keys.set(next++, work.heads.keys.at(first + k));
        }
        if (tile + 1 == work.tiles) {
            const std::size_t runs = runs_before + state.tile_heads;
            if (has_last)
                values.set(runs - 1,
                           last_total(work, totals + block::dense_place<pad>(state.row_heads, gap_of(state.row_heads)),
                                      state, before, work.n - 1 - first, last.value));
            if (block.thread() == 0)
                *count = runs;
        }
        simt::sync_warp();
    }

private:
    /// The gaps in the stage of a row with `heads` heads. A row with few has none if words hold several values, because gaps would cost
    /// more than they save; or if keys may not fit, because gaps would take room from them.
    PARPRIMS_DEVICE static constexpr unsigned gap_of(unsigned heads)
    {
        return has_gaps && ((pad == 1 && !may_reread_keys) || heads > shape::row / 4 * 3) ? pad : 0;
    }
    PARPRIMS_DEVICE static T* totals_of(unsigned char* memory) { return reinterpret_cast<T*>(memory); }
    /// The totals come first: those of `heads` runs and, behind them, the one of the input's last run.
    PARPRIMS_DEVICE static constexpr std::size_t bytes_before_keys(unsigned heads)
    {
        return may_reread_keys ? ((heads + 1) * sizeof(T) + 15) / 16 * 16 : total_bytes;
    }
    PARPRIMS_DEVICE static constexpr bool keys_fit(unsigned heads)
    {
        return !may_reread_keys || bytes_before_keys(heads) + heads * sizeof(key_type) <= stage_bytes;
    }
    PARPRIMS_DEVICE static key_type* keys_of(unsigned char* memory, unsigned heads)
    {
        return reinterpret_cast<key_type*>(memory + bytes_before_keys(heads));
    }
    PARPRIMS_DEVICE static std::uint16_t* places_of(unsigned char* memory)
    {
        return reinterpret_cast<std::uint16_t*>(memory + total_bytes);
    }

    /// Writes the keys of a row of `heads` heads that begins with element `first`. Each lane reads several before it writes any.
    template <class Work>
    PARPRIMS_DEVICE void read_keys_again(const Work& work, unsigned char* memory, std::size_t first, unsigned heads,
                                         std::size_t run) const
    {
        constexpr unsigned batch = 8;
#pragma unroll 1
        for (unsigned i = simt::block::lane(); i < heads; i += batch * simt::warp_size) {
            uninitialized<key_type> next[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned h = i + b * simt::warp_size; h < heads)
                    next[b].value = work.heads.keys.at(first + simt::load(places_of(memory), h));
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (const unsigned h = i + b * simt::warp_size; h < heads)
                    keys.set(run + h, next[b].value);
        }
    }

    /// The total of the last run, whose last element is element k of this lane. `kept` holds the lane's scan before that element.
    template <class Work, class State>
    PARPRIMS_DEVICE static T last_total(const Work& work, const T* kept, const State& state,
                                        const uninitialized<T>& before, index k, const T& last)
    {
        auto op = work.op;
        if ((state.heads >> k & 1) != 0)
            return last;
        if (k == 0)
            return warp::combine<T>(op, before.value, last);
        const T running = simt::load(kept);
        return warp::combine<T>(op, state.heads != 0 ? running : warp::combine<T>(op, before.value, running), last);
    }
};

}  // namespace parprims::detail::device
