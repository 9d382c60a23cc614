/// @file
/// @brief  Samples that are tuples of the elements of several arrays: each array is loaded in packets.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// Tuples of the elements of several arrays.
template <class... Ts>
struct zip_input {
    using value_type = tuple<Ts...>;
    static constexpr bool is_pointer = true;  // to read a sample computes nothing

    tuple<const Ts*...> data;

    PARPRIMS_DEVICE value_type operator[](std::size_t i) const
    {
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return value_type(simt::load(parprims::get<J>(data), i)...);
        }(std::index_sequence_for<Ts...>{});
    }
    PARPRIMS_DEVICE zip_input from(std::size_t i) const
    {
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return zip_input{tuple<const Ts*...>((parprims::get<J>(data) + i)...)};
        }(std::index_sequence_for<Ts...>{});
    }
};

/// Iterators whose elements lie in arrays of values that fill packets.
template <class Iterator>
concept packet_array =
    std::is_pointer_v<unwrapped_t<Iterator>> && !std::is_volatile_v<std::remove_pointer_t<unwrapped_t<Iterator>>> &&
    std::is_trivially_copyable_v<iter_value_t<Iterator>> && fills_packets<iter_value_t<Iterator>>;

/// As `make_input`, but arrays that are zipped stay arrays.
template <class Iterator>
input_for<Iterator> make_samples_input(const Iterator& first)
{
    return device::make_input(first);
}

template <packet_array... Iterators>
    requires(sizeof...(Iterators) <= 4)
zip_input<iter_value_t<Iterators>...> make_samples_input(const zip_iterator<Iterators...>& first)
{
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
        return zip_input<iter_value_t<Iterators>...>{{detail::unwrap(parprims::get<J>(first.base()))...}};
    }(std::index_sequence_for<Iterators...>{});
}

/// The samples of a packet of a zip: as many as elements of the widest type fill 16 bytes.
template <class... Ts>
inline constexpr unsigned zip_items = [] {
    std::size_t longest = 1;
    ((longest = larger_of(longest, sizeof(Ts))), ...);
    return static_cast<unsigned>(16 / longest);
}();

/// What a thread loads of one array for a packet of a zip: `Items` elements; if they may be misaligned, the two aligned packets in
/// which they lie, or single elements if they have less than 4 bytes in all.
template <class T, unsigned Items, bool IsAligned>
struct array_part {
    static constexpr unsigned bytes = Items * sizeof(T);
    using words = simt::packet<bytes>;
    static constexpr bool is_shifted = !IsAligned && bytes >= 4;
    struct unused {};

    words low;
    std::conditional_t<is_shifted, words, unused> high;

    /// Loads part `i` of the array's elements from `first` on.
    PARPRIMS_DEVICE static array_part load(const T* first, std::size_t i)
    {
        array_part part;
        const auto* const aligned = reinterpret_cast<const words*>(reinterpret_cast<const unsigned char*>(first) -
                                                                   (IsAligned ? 0 : shift_of(first)));
        if constexpr (IsAligned) {
            part.low = simt::load_streaming(aligned + i);
        } else if constexpr (is_shifted) {
            part.low = simt::load_streaming(aligned + i);
            part.high = shift_of(first) != 0 ? simt::load_streaming(aligned + i + 1) : part.low;
        } else {
            for (unsigned k = 0; k < Items; ++k)
                simt::set_element(part.low, k, simt::load(first, i * Items + k));
        }
        return part;
    }

    PARPRIMS_DEVICE words joined(const T* first) const
    {
        if constexpr (is_shifted)
            return block::shifted<sizeof(T)>(low, high, shift_of(first));
        else
            return low;
    }

private:
    PARPRIMS_DEVICE static unsigned shift_of(const T* first)
    {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(first) % bytes);
    }
};

/// Reads the packets of a zip, which begin at `first`.
template <bool IsAligned, class... Ts>
struct zip_reader {
    static constexpr unsigned items = zip_items<Ts...>;
    static constexpr unsigned batch = IsAligned && sizeof...(Ts) <= 2 ? zip_batch : 1;
    using indices = std::index_sequence_for<Ts...>;
    template <std::size_t J, class T>
    using part = array_part<T, items, IsAligned || J == 0>;  // the first array always is
    template <class Indices>
    struct parts;
    template <std::size_t... J>
    struct parts<std::index_sequence<J...>> {
        using type = tuple<part<J, Ts>...>;
    };
    using packet = typename parts<indices>::type;

    tuple<const Ts*...> first;

    PARPRIMS_DEVICE packet load(std::size_t i) const
    {
        return [&]<std::size_t... J>(std::index_sequence<J...>) {
            return packet(part<J, Ts>::load(parprims::get<J>(first), i)...);
        }(indices{});
    }

    /// Calls `use` with each sample.
    template <class Use>
    PARPRIMS_DEVICE void for_each(const packet& source, Use& use) const
    {
        [&]<std::size_t... J>(std::index_sequence<J...>) {
            const tuple<simt::packet<items * sizeof(Ts)>...> packets(
                parprims::get<J>(source).joined(parprims::get<J>(first))...);
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                use(tuple<Ts...>(element<Ts>(parprims::get<J>(packets), k)...));
        }(indices{});
    }

private:
    template <class T, unsigned Bytes>
    PARPRIMS_DEVICE static T element(const simt::packet<Bytes>& part, unsigned k)
    {
        if constexpr (sizeof(T) == 1 && std::is_integral_v<T> && Bytes >= 4)
            return static_cast<T>(numeric::byte_of(part.words[k / 4], k % 4));
        else
            return simt::element<T>(part, k);
    }
};

template <class... Ts>
struct sample_packets<zip_input<Ts...>> {
    static constexpr bool exist = true;
    static constexpr unsigned items = zip_items<Ts...>;
    using reader_type = zip_reader<true, Ts...>;

    /// As for one array. The first array decides where packets begin. If another one is not aligned there, the last packet is read
    /// sample by sample: the aligned packet behind it may not be in the array.
    template <class Use>
    PARPRIMS_DEVICE static void read(const zip_input<Ts...>& input, std::size_t begin, std::size_t end, Use use)
    {
        const std::size_t n = end - begin;
        const std::size_t unaligned =
            bytes_before(parprims::get<0>(input.data) + begin) / sizeof(*parprims::get<0>(input.data));
        const bool is_aligned = [&]<std::size_t... J>(std::index_sequence<J...>) {
            return ((bytes_before(parprims::get<J>(input.data) + begin + unaligned) == 0) && ...);
        }(std::index_sequence_for<Ts...>{});
        const std::size_t head = smaller_of(n, unaligned);
        const std::size_t packets = (n - head) / items;
        const tuple<const Ts*...> first = input.from(begin + head).data;
        if (is_aligned)
            use(zip_reader<true, Ts...>{first}, head, packets);
        else
            use(zip_reader<false, Ts...>{first}, head, packets != 0 ? packets - 1 : 0);
    }

private:
    /// Bytes before the first address where a part of a packet may begin.
    template <class T>
    PARPRIMS_DEVICE static std::size_t bytes_before(const T* first)
    {
        return device::bytes_to_multiple(first, items * sizeof(T));
    }
};

}  // namespace parprims::detail::device
