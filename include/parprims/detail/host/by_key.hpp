/// @file
/// @brief  Scans and reductions by key on the threads of the host: scans of pairs (keyed.hpp).
#pragma once

#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/by_key_tile.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

/// The bits of eight bytes, each of which is 0 or 1.
inline std::uint64_t bits_of_bytes(const unsigned char* bytes)
{
    std::uint64_t word = 0;
    for (unsigned i = 0; i < 8; ++i)  // one load on little-endian CPUs
        word |= std::uint64_t{bytes[i]} << 8 * i;
    return word * 0x0102'0408'1020'4080u >> 56;
}

/// Heads of runs of equal keys.
template <class Keys, class Equal>
struct key_heads {
    Keys keys;
    Equal equal;

    /// Sets bit e % items of word e / items for each head among the `live` elements from `begin` on; the other bits are 0.
    template <class Word>
    void find(std::size_t begin, std::size_t live, std::size_t items, Word* words) const
    {
        for (std::size_t first = 0; first < live; first += items)
            words[first / items] = static_cast<Word>(bits(begin + first, smaller_of(items, live - first)));
    }

private:
    /// Of at most 64 elements.
    std::uint64_t bits(std::size_t begin, std::size_t count) const
    {
        unsigned char is_head[64] = {1};
        for (std::size_t e = begin == 0 ? 1 : 0; e < count; ++e)
            is_head[e] =
                equal(host::rounded_element(keys, begin + e - 1), host::rounded_element(keys, begin + e)) ? 0 : 1;
        std::uint64_t result = 0;
        for (std::size_t e = 0; e < count; e += 8)
            result |= bits_of_bytes(is_head + e) << e;
        return result;
    }
};

/// Heads of segments, and of what lies before the first and after the last one.
template <class Segments>
struct segment_heads {
    Segments segments;

    /// Marks the heads of `live` elements from element `begin` on, a word for each `items`.
    template <class Word>
    void find(std::size_t begin, std::size_t live, std::size_t items, Word* words) const
    {
        for (std::size_t lane = 0; lane * items < live; ++lane)
            words[lane] = 0;
        const auto set = [&](std::size_t e) { words[e / items] |= static_cast<Word>(Word{1} << e % items); };
        if (begin == 0)
            set(0);
        for (std::size_t s = first_from(begin); s <= segments.count && segments.begin(s) < begin + live; ++s)
            set(segments.begin(s) - begin);
    }

private:
    /// The first segment that begins at `position` or after it; the end of the last one counts as one.
    std::size_t first_from(std::size_t position) const
    {
        if constexpr (Segments::is_searched)
            return first_that(segments.count + 1, [&](std::size_t s) { return segments.begin(s) >= position; });
        else
            return order::ceil_div(position, segments.size);
    }
};

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
