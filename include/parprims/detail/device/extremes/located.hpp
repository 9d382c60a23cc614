/// @file
/// @brief  Extreme values with their positions, as lanes, warps and blocks of a search exchange them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/extremes.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// __half and __nv_bfloat16, known by a function of their headers, which need not be included.
template <class Value>
concept half_precision = std::is_class_v<Value> && requires(const Value& x) {
    {
        __hmax(x, x)
    } -> std::same_as<Value>;
    static_cast<float>(x);
};

/// The type in which values are compared: numbers of half precision in their natural order become float, which has a rank, and an instruction
/// for the larger one.
template <class Search, class Value>
using compared = std::conditional_t<Search::has_natural_order && half_precision<Value>, float, Value>;

/// Extreme values, each with its position.
template <class Value, class Position, unsigned Count>
struct located {
    static constexpr Position nowhere = static_cast<Position>(-1);

    uninitialized<Value> values[Count];
    Position places[Count];

    PARPRIMS_HOST_DEVICE located()
    {
        for (Position& place : places)
            place = nowhere;
    }

    /// The first one considered as extreme K.
    template <unsigned K, class Search>
    PARPRIMS_DEVICE void begin_with(const Value& value, std::size_t place)
    {
        values[K].value = value;
        places[K] = static_cast<Position>(place);
    }

    /// Takes `value` as extreme K if that is better than the one so far.
    template <unsigned K, class Search>
    PARPRIMS_DEVICE void consider(const Search& search, const Value& value, Position place)
    {
        const bool replaces =
            places[K] == nowhere || search.template replaces<K>(value, place, values[K].value, places[K]);
        values[K].value = replaces ? value : values[K].value;
        places[K] = replaces ? place : places[K];
    }

    /// Takes what is better in `other`.
    template <unsigned K, class Search>
    PARPRIMS_DEVICE void merge(const Search& search, const located& other)
    {
        if (other.places[K] != nowhere)
            consider<K>(search, other.values[K].value, other.places[K]);
    }

    template <unsigned K, class Search>
    PARPRIMS_DEVICE Position place() const
    {
        return places[K];
    }
};

/// Extreme numbers in their natural order, each with its position. Ranks are compared, without a branch.
template <class Rank, class Position, unsigned Count>
struct ranked {
    static constexpr Position nowhere = static_cast<Position>(-1);

    Rank ranks[Count];
    Position places[Count];  // as `ordered` says

    PARPRIMS_HOST_DEVICE ranked()
    {
        for (unsigned k = 0; k < Count; ++k) {
            ranks[k] = static_cast<Rank>(-1);
            places[k] = nowhere;
        }
    }

    template <unsigned K, class Search, class Value>
    PARPRIMS_DEVICE void begin_with(const Value& value, std::size_t place)
    {
        ranks[K] = numeric::rank_of<Search::template is_maximum<K>>(value);
        places[K] = ordered<K, Search>(static_cast<Position>(place));
    }

    template <unsigned K, class Search, class Value>
    PARPRIMS_DEVICE void consider(const Search&, const Value& value, Position place)
    {
        take<K>(numeric::rank_of<Search::template is_maximum<K>>(value), ordered<K, Search>(place));
    }

    template <unsigned K, class Search>
    PARPRIMS_DEVICE void merge(const Search&, const ranked& other)
    {
        take<K>(other.ranks[K], other.places[K]);
    }

    /// The best of the values of all lanes, in every lane. Takes half the time of shuffles.
    PARPRIMS_DEVICE void fold_lanes()
    {
#pragma unroll
        for (unsigned k = 0; k < Count; ++k) {
            const Rank best = least(ranks[k]);
            places[k] = least(ranks[k] == best ? places[k] : nowhere);
            ranks[k] = best;
        }
    }

    template <unsigned K, class Search>
    PARPRIMS_DEVICE Position place() const
    {
        return places[K] == nowhere ? nowhere : ordered<K, Search>(places[K]);
    }

private:
    /// The least of the values of all lanes; of 64 bits, by halves.
    template <class Number>
    PARPRIMS_DEVICE static Number least(Number value)
    {
        if constexpr (sizeof(Number) <= 4) {
            return static_cast<Number>(simt::min_lanes(value));
        } else {
            const auto upper = static_cast<std::uint32_t>(value >> 32);
            const unsigned best = simt::min_lanes(upper);
            return Number{best} << 32 | simt::min_lanes(upper == best ? static_cast<std::uint32_t>(value) : ~0u);
        }
    }

    /// A position as it is compared: of equal elements the better one has the lower number, and none is `nowhere`. Its own inverse.
    template <unsigned K, class Search>
    PARPRIMS_DEVICE static Position ordered(Position place)
    {
        return Search::template takes_last<K> ? nowhere - 1 - place : place;
    }

    template <unsigned K>
    PARPRIMS_DEVICE void take(Rank rank, Position place)
    {
        const bool replaces = (rank < ranks[K]) | ((rank == ranks[K]) & (place < places[K]));
        ranks[K] = replaces ? rank : ranks[K];
        places[K] = replaces ? place : places[K];
    }
};

/// What lanes, warps and blocks exchange of values as they are compared: `ranked` for numbers in their natural order, otherwise `located`.
template <class Search, class Value, class Position>
struct found_of {
    using type = located<Value, Position, Search::count>;
};
template <class Search, class Value, class Position>
    requires(Search::has_natural_order && numeric::has_rank<Value>)
struct found_of<Search, Value, Position> {
    using type = ranked<decltype(numeric::rank_of<false>(Value{})), Position, Search::count>;
};

/// The better ones of two. Places decide ties, so this is associative and commutative: any order of work finds the same.
template <class Search>
struct better_of {
    Search search;

    template <class T>
    PARPRIMS_DEVICE T operator()(const T& a, const T& b) const
    {
        T result = a;
        result.template merge<0>(search, b);
        if constexpr (Search::count == 2)
            result.template merge<1>(search, b);
        return result;
    }
};

}  // namespace parprims::detail::device
