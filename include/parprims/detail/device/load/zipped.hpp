/// @file
/// @brief  Iterators over several arrays: loads their arrays in packets or element by element, and computes elements from the copies.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/row_io.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::block {

/// What a lane loads of one array for its part of a row: the two aligned packets in which its `Items` elements lie; only one if the array
/// is known to be aligned.
template <class Source, unsigned Items, bool IsAligned>
struct array_row {
    using row = row_io<Source, Items, 1>;
    using packet = typename row::packet;
    packet parts[IsAligned ? 1 : 2];

    PARPRIMS_DEVICE static bool is_aligned(const Source* first) { return block::shift_of(first) % sizeof(packet) == 0; }

    /// Loads the lane's packets of the row that begins at `first`; there are `left` elements to the end of the array.
    PARPRIMS_DEVICE void load(const Source* first, std::size_t left)
    {
        const auto* const packets = reinterpret_cast<const packet*>(first);
        if constexpr (IsAligned) {
            parts[0] = simt::load(packets, simt::block::lane());
        } else if (is_aligned(first)) {
            parts[0] = simt::load(packets, simt::block::lane());
            parts[1] = parts[0];
        } else {
            row::load_split(first, block::shift_of(first), left, parts);
        }
    }

    /// The lane's part of the row.
    PARPRIMS_DEVICE packet joined(const Source* first) const
    {
        if constexpr (IsAligned)
            return parts[0];
        else
            return row::joined(parts, block::shift_of(first));
    }

    /// Element k of the lane's part of the row.
    PARPRIMS_DEVICE static Source element(const packet& joined, unsigned k) { return simt::element<Source>(joined, k); }
};

/// Whether a lane loads `Items` elements of an array as a packet.
template <unsigned Items, class Pointer>
inline constexpr bool loads_packet = false;
template <unsigned Items, class Source>
    requires(std::is_trivially_copyable_v<Source> && !std::is_volatile_v<Source>)
inline constexpr bool loads_packet<Items, Source*> =
    sizeof(Source) == alignof(Source) &&
    (Items * sizeof(Source) == 4 || Items * sizeof(Source) == 8 || Items * sizeof(Source) == 16);

/// An iterator over arrays: a zip of pointers, a pointer, or a function of one of these.
template <class Iterator>
struct zipped {
    static constexpr bool exists = false;
    template <unsigned Items>
    static constexpr bool has_packets = false;
};

template <class... Sources>
    requires((std::is_trivially_copyable_v<Sources> && std::is_copy_constructible_v<Sources> &&
              !std::is_volatile_v<Sources>) &&
             ...)
struct zipped<zip_iterator<Sources*...>> {
    static constexpr bool exists = true;
    template <unsigned Items>
    static constexpr bool has_packets = (loads_packet<Items, Sources*> && ...);
    using iterator = zip_iterator<Sources*...>;
    using elements = tuple<std::remove_const_t<Sources>...>;
    template <unsigned Items, bool IsAligned>
    using rows = tuple<array_row<std::remove_const_t<Sources>, Items, IsAligned>...>;
    using indices = std::index_sequence_for<Sources...>;

    PARPRIMS_DEVICE static iterator arrays(const iterator& first) { return first; }

    /// An iterator as `first`, to copies of elements.
    PARPRIMS_DEVICE static iterator to(const iterator&, elements& copies)
    {
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return iterator(__builtin_addressof(parprims::get<J>(copies))...);
        }(indices{});
    }
};

template <class Source>
    requires(zipped<zip_iterator<Source*>>::exists)
struct zipped<Source*> : zipped<zip_iterator<Source*>> {
    using elements = tuple<std::remove_const_t<Source>>;

    PARPRIMS_DEVICE static auto arrays(Source* first) { return zip_iterator<Source*>(first); }
    PARPRIMS_DEVICE static Source* to(Source*, elements& copies)
    {
        return __builtin_addressof(parprims::get<0>(copies));
    }
};

template <class F, class Zip>
    requires(zipped<Zip>::exists)
struct zipped<transform_iterator<F, Zip>> : zipped<Zip> {
    using iterator = transform_iterator<F, Zip>;

    PARPRIMS_DEVICE static auto arrays(const iterator& first) { return zipped<Zip>::arrays(first.base()); }
    PARPRIMS_DEVICE static iterator to(const iterator& first, typename zipped<Zip>::elements& copies)
    {
        return iterator(zipped<Zip>::to(first.base(), copies), first.function());
    }
};

/// The rows of an iterator over arrays, which a lane loads in packets of `Items` elements of each. `IsAligned`: all packets are aligned.
template <class Iterator, unsigned Items, bool IsAligned = false>
struct zipped_rows {
    static constexpr bool exist = false;
};

template <class Iterator, unsigned Items, bool IsAligned>
    requires(zipped<Iterator>::template has_packets<Items>)
struct zipped_rows<Iterator, Items, IsAligned> {
    static constexpr bool exist = true;
    using of = zipped<Iterator>;
    using indices = typename of::indices;

    typename of::template rows<Items, IsAligned> arrays;

    PARPRIMS_DEVICE static bool are_aligned(const Iterator& first)
    {
        using arrays_type = typename of::template rows<Items, IsAligned>;
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return (std::tuple_element_t<J, arrays_type>::is_aligned(parprims::get<J>(of::arrays(first).base())) &&
                    ...);
        }(indices{});
    }

    PARPRIMS_DEVICE void load(const Iterator& first, std::size_t left)
    {
        [&]<std::size_t... J>(std::index_sequence<J...>) {
            (parprims::get<J>(arrays).load(parprims::get<J>(of::arrays(first).base()), left), ...);
        }(indices{});
    }

    /// Calls `use(k, it)` for each element of the lane; `it` is an iterator to copies of what was loaded.
    template <class Use>
    PARPRIMS_DEVICE void for_each(const Iterator& first, Use use) const
    {
        const auto tuple_of = [](const auto&... each) {
            return tuple<std::remove_cvref_t<decltype(each)>...>(each...);
        };
        [&]<std::size_t... J>(std::index_sequence<J...>) {
            const auto packets =
                tuple_of(parprims::get<J>(arrays).joined(parprims::get<J>(of::arrays(first).base()))...);
#pragma unroll
            for (unsigned k = 0; k < Items; ++k) {
                typename of::elements copies(parprims::get<J>(arrays).element(parprims::get<J>(packets), k)...);
                use(k, of::to(first, copies));
            }
        }(indices{});
    }
};

}  // namespace parprims::detail::block
