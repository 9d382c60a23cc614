// Extremes of segments on the executor, against a search of each segment: ties, NaN, empty segments, segments of every kind.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/iterator.hpp>

#include <doctest/doctest.h>

#include "support/segments.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

using namespace kernel_test;
using parprims::detail::extreme;
using parprims::detail::extreme_search;

namespace {

struct pair_of_numbers {
    std::uint32_t key;
    std::uint64_t rest;
};
struct by_key {
    bool operator()(const pair_of_numbers& a, const pair_of_numbers& b) const { return a.key < b.key; }
};
struct by_last_digit {
    bool operator()(std::int32_t a, std::int32_t b) const { return a % 10 < b % 10; }
};

/// Few different values, so that there are ties, and some NaN and zeros of either sign.
template <class T>
T value_of(std::uint64_t bits)
{
    if constexpr (std::is_same_v<T, pair_of_numbers>) {
        return {static_cast<std::uint32_t>(bits % 40), bits};
    } else if constexpr (std::is_floating_point_v<T>) {
        if (bits % 1000 == 0)
            return std::numeric_limits<T>::quiet_NaN();
        return bits % 7 == 0 ? (bits % 2 == 0 ? T{-0.0} : T{0})
                             : static_cast<T>(static_cast<int>(bits / 7 % 400) - 200);
    } else {
        return static_cast<T>(bits % 200);
    }
}

/// The position that a serial search finds in [begin, end).
template <unsigned K, class Iterator, class Search>
std::size_t find(Iterator x, std::size_t begin, std::size_t end, const Search& search)
{
    std::size_t best = begin;
    for (std::size_t i = begin + 1; i < end; ++i)
        if (search.template replaces<K>(*(x + static_cast<std::ptrdiff_t>(i)),
                                        *(x + static_cast<std::ptrdiff_t>(best))))
            best = i;
    return best;
}

template <class Search, class Iterator, class Segments>
void check_segments(const Segments& segments, Iterator first, const std::vector<std::size_t>& offsets,
                    std::uint64_t seed, std::size_t tile, const Search& search)
{
    using T = std::iter_value_t<Iterator>;
    CAPTURE(seed);
    CAPTURE(tile);
    CAPTURE(segments.count);
    CAPTURE(segments.n);
    memory<std::uint32_t> output(Search::count * segments.count);
    constexpr std::size_t chunk = order::chunk<T>;
    segmented_launcher on(schedule_of(seed), tile, (segments.n - 1) / chunk, segments.count,
                          Segments::is_searched ? 0 : order::ceil_div(segments.longest(), chunk));
    device::enqueue_segmented_extremes(on, segments, first, output.data(), search);
    for (std::size_t s = 0; s < segments.count; ++s) {
        CAPTURE(s);
        CAPTURE(offsets[s]);
        CAPTURE(offsets[s + 1]);
        const bool is_empty = offsets[s] == offsets[s + 1];
        REQUIRE(output[Search::count * s] ==
                (is_empty ? offsets[s] : find<0>(first, offsets[s], offsets[s + 1], search)));
        if constexpr (Search::count == 2)
            REQUIRE(output[2 * s + 1] == (is_empty ? offsets[s] : find<1>(first, offsets[s], offsets[s + 1], search)));
    }
}

/// @param  read  makes the iterator of the call from a pointer
template <class Search, class T, class Read = std::identity>
void sweep(Search search, Read read = {})
{
    const std::size_t chunk = order::chunk<T>;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        const std::size_t n = 1 + mix(seed + sizeof(T)) % (5 * chunk);
        memory<T> input(n, mix(seed + 7) % (128 / alignof(T)) * alignof(T));
        for (std::size_t i = 0; i < n; ++i)
            input[i] = value_of<T>(mix(seed * n + i) >> 11);
        const auto first = read(static_cast<const T*>(input.data()));
        const std::size_t tile = tile_of(chunk, seed / 6);
        const auto offsets = offsets_of(n, static_cast<unsigned>(seed % 6), chunk, mix(seed));
        memory<std::size_t> shared(offsets.size());
        std::copy(offsets.begin(), offsets.end(), shared.begin());
        const parprims::detail::offset_segments<const std::size_t*> segments{shared.data(), n, offsets.size() - 1};
        check_segments(segments, first, offsets, seed, tile, search);
        const std::size_t sizes[] = {1, 2, 7, 32, 33, order::row<T>, order::row<T> + 1, chunk, chunk + 1, 3 * chunk, n};
        const std::size_t size = sizes[seed % 11];
        check_segments(parprims::detail::fixed_segments::of(n, size), first, equal_offsets(n, size), seed, tile,
                       search);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("positions of the extremes of segments", T, std::uint8_t, std::int32_t, float, double)
{
    sweep<extreme_search<extreme::minimum, parprims::less>, T>({});
    sweep<extreme_search<extreme::both, parprims::less>, T>({});
}

TEST_CASE_TEMPLATE("positions of the extremes of segments whose elements are computed", T, std::uint8_t, std::int16_t,
                   double)
{
    const auto read = [](const T* first) { return parprims::strided_iterator<const T*>(first, 1); };
    sweep<extreme_search<extreme::minimum, parprims::less>, T>({}, read);
    sweep<extreme_search<extreme::both, parprims::less>, T>({}, read);
}

TEST_CASE("positions of the extremes of segments by an order of one's own")
{
    sweep<extreme_search<extreme::maximum, by_key>, pair_of_numbers>({});
    sweep<extreme_search<extreme::both, by_last_digit>, std::int32_t>({});
}
