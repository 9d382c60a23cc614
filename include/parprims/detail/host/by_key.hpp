/// @file
/// @brief  Scans and reductions by key on the threads of the host: scans of pairs (keyed.hpp).
#pragma once

#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/by_key_tile.hpp>
#include <parprims/detail/host/run_heads.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/host/values.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// The scan of the pairs of values and heads. `sink(lane, op)` writes the results of a lane.
template <class T, class Heads, class Values, class Op, class Sink>
void scan_lanes(unsigned threads, const Heads& heads, const Values& values, std::size_t n, Op op, const Sink& sink)
{
    const auto scan_as = [&]<class Pair>(std::type_identity<Pair>) {
        host::run_scan(threads, n, scan_start<Pair>{}, [&](std::size_t) {
            return keyed_tile_scanner<Pair, Heads, Values, Op, Sink>(heads, values, n, op, sink);
        });
    };
    if constexpr (order::short_input<T> != 0)
        if (n <= order::short_input<T>)
            return scan_as(std::type_identity<keyed<T, std::size_t, true>>{});
    scan_as(std::type_identity<keyed<T>>{});
}

/// Scans each run from `init` on, which may be null if the scan is inclusive.
template <scan_kind Kind, class T, class Heads, class Values, class Output, class Op>
void scan_by_key(unsigned threads, const Heads& heads, const Values& values, std::size_t n, Output out, const T* init,
                 Op op)
{
    host::scan_lanes<T>(threads, heads, values, n, op, [=](const auto& lane, Op& combine) {
        const auto target = out + static_cast<std::ptrdiff_t>(lane.begin);
        const auto set = [&](std::size_t e, const T& value) { *(target + static_cast<std::ptrdiff_t>(e)) = value; };
        if constexpr (Kind == scan_kind::inclusive) {
            const T* const totals = lane.totals;
            const std::size_t open = lane.open();
            const std::size_t live = lane.live;
            if (open > 0) {
                const T before = lane.before->value;
                for (std::size_t e = 0; e < open; ++e)
                    set(e, static_cast<T>(combine(before, totals[e])));
            }
            for (std::size_t e = open; e < live; ++e)
                set(e, totals[e]);
        } else {
            for (std::size_t e = 0; e < lane.live; ++e)
                set(e,
                    (lane.heads >> e & 1) != 0 ? *init : static_cast<T>(combine(*init, lane.total_before(e, combine))));
        }
    });
}

/// Scans each segment; `init` as above. Offsets ascend, and are at most n.
template <scan_kind Kind, class T, class Segments, class Values, class Output, class Op>
void segmented_scan(unsigned threads, const Segments& segments, const Values& values, Output out, const T* init, Op op)
{
    if (segments.count != 0)
        host::scan_by_key<Kind>(threads, segment_heads<Segments>{segments}, values, segments.n, out, init, op);
}

/// Writes the first key of each run and its total. Returns the number of runs.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
std::size_t reduce_by_key(unsigned threads, const Keys& keys, std::size_t n, const Values& values, KeysOut keys_out,
                          ValuesOut values_out, Equal equal, Op op)
{
    std::size_t count = 0;
    const auto set = [&](std::size_t run, const T& total) { *(values_out + static_cast<std::ptrdiff_t>(run)) = total; };
    host::scan_lanes<T>(
        threads, key_heads<Keys, Equal>{keys, equal}, values, n, op, [&](const auto& lane, Op& combine) {
            std::size_t run = lane.before != nullptr ? lane.before->heads : 0;  // that begins next
            for (auto heads = lane.heads; heads != 0; heads &= heads - 1, ++run) {
                const auto e = static_cast<std::size_t>(std::countr_zero(heads));
                *(keys_out + static_cast<std::ptrdiff_t>(run)) = host::rounded_element(keys, lane.begin + e);
                if (run > 0)
                    set(run - 1, lane.total_before(e, combine));
            }
            if (lane.begin + lane.live == n) {
                const std::size_t e = lane.live - 1;
                const T last = static_cast<T>(host::rounded_element(values, n - 1));
                set(run - 1,
                    (lane.heads >> e & 1) != 0 ? last : static_cast<T>(combine(lane.total_before(e, combine), last)));
                count = run;
            }
        });
    return count;
}

}  // namespace parprims::detail::host
