/// @file
/// @brief  How a warp brings elements that do not lie in one array to shared memory, through any iterator.
///
/// | elements | how they are read |
/// |---|---|
/// | of 4, 8 or 16 bytes at a stride, combined as they lie | copied asynchronously, each on its own |
/// | of zipped arrays, into values of one byte (in registers: of two) | in packets of each array, wherever it begins |
/// | of other zipped arrays, into values of 4 or 8 bytes | to registers, before the lane scans the rows that they replace |
/// | of any other iterator | one by one, neighbours by neighbouring lanes |
///
/// When a block draws a tile of zipped arrays, or at a short stride, one thread starts to prefetch it to the L2 cache.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/zipped.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::block {

/// Elements at a larger stride, in bytes, are not prefetched: not every sector of the L2 cache would hold one.
inline constexpr std::size_t max_prefetched_step = 32;

/// For one thread: prefetches elements [begin, begin + count) to the L2 cache: of an array, of an array at a stride, or of zipped
/// arrays. Does nothing for other iterators.
template <class Iterator>
PARPRIMS_DEVICE inline void prefetch(const Iterator&, std::size_t, std::size_t)
{
}
template <class Source>
PARPRIMS_DEVICE inline void prefetch(Source* first, std::size_t begin, std::size_t count)
{
    simt::prefetch(first + begin, count * sizeof(Source));
}
template <class Source>
PARPRIMS_DEVICE inline void prefetch(const strided_iterator<Source*>& first, std::size_t begin, std::size_t count)
{
    const std::ptrdiff_t stride = first.stride();
    const std::size_t step = stride < 0 ? 0 - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
    if (step > max_prefetched_step / sizeof(Source))
        return;
    const auto lowest = static_cast<std::ptrdiff_t>(stride < 0 ? begin + count - 1 : begin);
    simt::prefetch(__builtin_addressof(*(first + lowest)), ((count - 1) * step + 1) * sizeof(Source));
}
template <class F, class Iterator>
PARPRIMS_DEVICE inline void prefetch(const transform_iterator<F, Iterator>& first, std::size_t begin,
                                     std::size_t count);
template <class... Iterators>
PARPRIMS_DEVICE inline void prefetch(const zip_iterator<Iterators...>& first, std::size_t begin, std::size_t count)
{
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (block::prefetch(parprims::get<J>(first.base()), begin, count), ...);
    }(std::index_sequence_for<Iterators...>{});
}
template <class F, class Iterator>
PARPRIMS_DEVICE inline void prefetch(const transform_iterator<F, Iterator>& first, std::size_t begin, std::size_t count)
{
    block::prefetch(first.base(), begin, count);
}

template <class Input>
PARPRIMS_DEVICE inline void prefetch_elements(const Input& input, std::size_t begin, std::size_t count)
{
    if constexpr (Input::has_source)
        block::prefetch(input.data, begin, count);
    else
        block::prefetch(input.first, begin, count);
}

/// Whether elements lie in memory as the operands that they become, and can be copied asynchronously.
template <class T, class Input, class Transform>
inline constexpr bool copies_elements = false;
template <class T, class Pointee>
inline constexpr bool copies_elements<T, device::iterator_input<strided_iterator<Pointee*>>, identity> =
    std::is_same_v<std::remove_const_t<Pointee>, T> && sizeof(T) == alignof(T) &&
    (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);

/// Whether a lane loads elements of zipped arrays before it scans the rows that they replace. Only as many as stay in registers.
template <class T, class Input>
inline constexpr bool loads_ahead = false;
template <class T, class Iterator>
    requires(zipped<Iterator>::exists)
inline constexpr bool loads_ahead<T, device::iterator_input<Iterator>> =
    (sizeof(T) == 4 || sizeof(T) == 8) && sizeof(typename zipped<Iterator>::elements) <= 3 * sizeof(T) &&
    std::is_copy_assignable_v<typename zipped<Iterator>::elements>;

/// The elements that a lane loads ahead: `Count`, a warp's width apart.
template <class T, class Input, unsigned Count>
struct elements_ahead {};
template <class T, class Iterator, unsigned Count>
    requires(loads_ahead<T, device::iterator_input<Iterator>>)
struct elements_ahead<T, device::iterator_input<Iterator>, Count> {
    bool are_loaded;
    uninitialized<typename zipped<Iterator>::elements> values[Count];
};

/// Whether a lane loads zipped arrays in packets: for narrow values. For wider ones many elements take longer so.
template <class T, class Input, unsigned Items>
inline constexpr bool loads_zipped = false;
template <class T, class Iterator, unsigned Items>
inline constexpr bool loads_zipped<T, device::iterator_input<Iterator>, Items> =
    sizeof(T) <= 2 && zipped_rows<Iterator, Items>::exist;

/// Copies rows of `Items` elements a lane from any iterator to regions of shared memory, as operands. For one warp.
///
/// @tparam Layout  of a batch: `thread_rows` or `row_io`
template <class T, class Layout, unsigned Items, unsigned Batch, class Input, class Transform>
struct element_fetch {
    static constexpr unsigned row = Items * simt::warp_size;

    const Input& input;
    const Transform& transform;

    /// Starts to copy a batch, or its `left` elements from `begin` to the end of the input. The batch is there once the warp has waited
    /// for its copies.
    PARPRIMS_DEVICE void operator()(unsigned char* region, std::size_t begin, std::size_t left) const
    {
        const unsigned count = left < Batch * row ? static_cast<unsigned>(left) : Batch * row;
        if constexpr (copies_elements<T, Input, Transform>) {
            copy(region, begin, count);
        } else if constexpr (stages_zipped) {
            const unsigned full = count / row;
#pragma unroll 1
            for (unsigned r = 0; r < full; ++r) {
                uninitialized<T> elements[Items];
                for_each_of_row(begin + r * row, left - r * row,
                                [&](unsigned k, const T& value) { elements[k].value = value; });
                Layout::store_elements(region + r * Layout::row_bytes, 0, elements);
            }
            load(region, begin, full * row, count);
        } else {
            load(region, begin, 0, count);
        }
    }

    using elements_ahead = block::elements_ahead<T, Input, Batch * Items>;

    /// Loads this lane's elements of a full batch to registers, without waiting for them. There are `left` from `begin` on.
    PARPRIMS_DEVICE void load_ahead(std::size_t begin, std::size_t left, elements_ahead& ahead) const
    {
        using of = zipped<decltype(Input::first)>;
        ahead.are_loaded = left >= Batch * row;
        if (!ahead.are_loaded)
            return;
        const auto first = of::arrays(input.first) + static_cast<std::ptrdiff_t>(begin + simt::block::lane());
#pragma unroll
        for (unsigned i = 0; i < Batch * Items; ++i)
            ahead.values[i].value =
                elements_at(first + static_cast<std::ptrdiff_t>(i * simt::warp_size), typename of::indices{});
    }

    /// Stores the elements that `load_ahead` has loaded in shared memory, as operands.
    PARPRIMS_DEVICE void store_ahead(unsigned char* region, const elements_ahead& ahead) const
    {
        using of = zipped<decltype(Input::first)>;
#pragma unroll
        for (unsigned i = 0; i < Batch * Items; ++i) {
            typename of::elements copies = ahead.values[i].value;
            const T value = device::operand<T, Input>(transform, *of::to(input.first, copies));
            simt::store(place(region, i * simt::warp_size + simt::block::lane()), 0, value);
        }
    }

    /// For one thread: prefetches `count` elements from `begin` on to the L2 cache.
    PARPRIMS_DEVICE void prefetch(std::size_t begin, std::size_t count) const
    {
        block::prefetch_elements(input, begin, count);
    }

    /// Loads this lane's elements of the full row of zipped arrays from `begin` on, and calls `use(k, value)` for each.
    template <class Use>
    PARPRIMS_DEVICE void for_each_of_row(std::size_t begin, std::size_t left, Use use) const
    {
        const auto first = input.first + static_cast<std::ptrdiff_t>(begin);
        zipped_rows<std::remove_const_t<decltype(first)>, Items> loaded;
        loaded.load(first, left);
        loaded.for_each(first, [&](unsigned k, const auto& it) { use(k, device::operand<T, Input>(transform, *it)); });
    }

private:
    /// Copies of the elements that an iterator over arrays refers to, each from its own array: an element that can be made of
    /// anything would be made of the tuple of references.
    template <class First, std::size_t... J>
    PARPRIMS_DEVICE static auto elements_at(const First& first, std::index_sequence<J...>)
    {
        return typename zipped<First>::elements(*parprims::get<J>(first.base())...);
    }

    /// Whether packets of zipped arrays go to shared memory: of one-byte values only. With wider ones registers spill.
    static constexpr bool stages_zipped = sizeof(T) == 1 && loads_zipped<T, Input, Items>;

    /// Elements that a lane loads before it stores them, so that the loads overlap. With more, elements of two arrays take longer,
    /// functions at a stride less time (c8e9c77).
    static constexpr unsigned elements_at_once = order::power_of_two_within(64, sizeof(T) < 4 ? 4 : sizeof(T), 8);

    PARPRIMS_DEVICE T value(std::size_t i) const { return device::operand<T, Input>(transform, input[i]); }

    PARPRIMS_DEVICE static T* place(unsigned char* region, unsigned e)
    {
        return reinterpret_cast<T*>(region + Layout::place(e));
    }

    PARPRIMS_DEVICE void copy(unsigned char* region, std::size_t begin, unsigned count) const
    {
        using words = simt::packet<sizeof(T)>;
#pragma unroll 4
        for (unsigned e = simt::block::lane(); e < count; e += simt::warp_size)
            simt::copy_async(reinterpret_cast<words*>(place(region, e)),
                             reinterpret_cast<const words*>(__builtin_addressof(input[begin + e])));
    }

    /// Loads elements [first, count) of a batch one by one. A full batch needs no condition for each; of two bytes it has them,
    /// which takes less time.
    PARPRIMS_DEVICE void load(unsigned char* region, std::size_t begin, unsigned first, unsigned count) const
    {
        if (sizeof(T) != 2 && first == 0 && count == Batch * row)
            load_while<false>(region, begin, 0, count);
        else
            load_while<true>(region, begin, first, count);
    }

    template <bool Checked>
    PARPRIMS_DEVICE void load_while(unsigned char* region, std::size_t begin, unsigned first, unsigned count) const
    {
        constexpr unsigned most = Batch * row / simt::warp_size;
        constexpr unsigned at_once = elements_at_once < most ? elements_at_once : most;
#pragma unroll 1
        for (unsigned e = first + simt::block::lane(); e < count; e += at_once * simt::warp_size) {
            uninitialized<T> elements[at_once];
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i)
                if (!Checked || e + i * simt::warp_size < count)
                    elements[i].value = value(begin + e + i * simt::warp_size);
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i)
                if (!Checked || e + i * simt::warp_size < count)
                    simt::store(place(region, e + i * simt::warp_size), 0, elements[i].value);
        }
    }
};

}  // namespace parprims::detail::block
