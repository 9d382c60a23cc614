/// @file
/// @brief  Arrays of one to four dimensions, as calls along a dimension take them: `std::mdspan` and its like, or a `strided_view`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/concepts.hpp>
#include <parprims/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims {

/// @brief  An array with extents and strides: element (i, j, ...) is `*(data_handle() + i * stride(0) + j * stride(1) + ...)`.
///
/// Satisfied by `std::mdspan`, `cuda::std::mdspan` and that of Kokkos, whatever their layout if it has strides. Calls take at most four
/// dimensions. They refuse an accessor that does not read `data_handle()` as it is, such as one that scales.
/// @snippet reference.cpp array_view
template <class View>
concept array_view = requires(const View& view, std::size_t dimension) {
    requires std::integral<std::remove_cvref_t<decltype(View::rank())>>;
    typename std::integral_constant<std::size_t, View::rank()>;  // known when the call is compiled
    requires random_access_iterator<std::remove_cvref_t<decltype(view.data_handle())>>;
    {
        view.extent(dimension)
    } -> std::integral;
    {
        view.stride(dimension)
    } -> std::integral;
};

namespace detail {

/// A number of a list, which may have numbers of several types.
class listed_number {
public:
    template <std::integral Number>
    constexpr listed_number(Number number) : value_(static_cast<std::ptrdiff_t>(number))
    {
    }
    constexpr explicit operator std::ptrdiff_t() const { return value_; }

private:
    std::ptrdiff_t value_;
};

}  // namespace detail

/// @brief  An array of `Rank` dimensions from `first` on, with an extent and a stride for each. Strides count elements, and may be
///         negative or 0.
///
/// Owns nothing. A sub-array is the view of its first element, smaller extents and the same strides.
/// @snippet reference.cpp strided_view
template <random_access_iterator Iterator, std::size_t Rank>
class strided_view {
public:
    static constexpr std::size_t rank() { return Rank; }

    /// @brief  Arrays of integers, or lists of one type.
    template <std::integral Extent, std::integral Stride>
    constexpr strided_view(Iterator first, const Extent (&extents)[Rank], const Stride (&strides)[Rank])
        : first_(std::move(first))
    {
        set(extents, strides);
    }

    /// @brief  `strided_view(first, {rows, 3, 4}, {-pitch, 4, 1})`: lists of integers, whose types may differ.
    constexpr strided_view(Iterator first, const detail::listed_number (&extents)[Rank],
                           const detail::listed_number (&strides)[Rank])
        : first_(std::move(first))
    {
        set(extents, strides);
    }

    constexpr std::ptrdiff_t extent(std::size_t dimension) const { return extents_[dimension]; }
    constexpr std::ptrdiff_t stride(std::size_t dimension) const { return strides_[dimension]; }
    constexpr const Iterator& data_handle() const { return first_; }

private:
    constexpr void set(const auto& extents, const auto& strides)
    {
        for (std::size_t d = 0; d < Rank; ++d) {
            extents_[d] = static_cast<std::ptrdiff_t>(extents[d]);
            strides_[d] = static_cast<std::ptrdiff_t>(strides[d]);
        }
    }

    Iterator first_;
    std::ptrdiff_t extents_[Rank];
    std::ptrdiff_t strides_[Rank];
};

/// @brief  A matrix whose rows lie one after another, each `pitch` elements behind the one before it. Dimension 0 is that of the rows.
///
/// @param  pitch  more than `columns` where rows end with a gap, as in a part of a larger matrix
/// @snippet reference.cpp matrix
template <random_access_iterator Iterator, std::integral Rows, std::integral Columns, std::integral Pitch>
constexpr strided_view<Iterator, 2> matrix(Iterator first, Rows rows, Columns columns, Pitch pitch)
{
    return {std::move(first), {rows, columns}, {pitch, 1}};
}

/// @brief  A matrix without gaps.
template <random_access_iterator Iterator, std::integral Rows, std::integral Columns>
constexpr strided_view<Iterator, 2> matrix(Iterator first, Rows rows, Columns columns)
{
    return parprims::matrix(std::move(first), rows, columns, columns);
}

/// @brief  The dimensions that a call goes along: `along(0)`, `along(0, 2)`. Each is a number from 0 on, less than the rank.
///
/// The lines of an array are what it consists of along these dimensions: along dimension 0 of a matrix its columns, along
/// dimension 1 its rows. A line along several dimensions has its elements in row-major order: the last dimension varies fastest.
/// @snippet reference.cpp along
template <std::size_t Count>
struct along {
    template <std::integral... Dimensions>
        requires(sizeof...(Dimensions) == Count && Count > 0)
    constexpr explicit along(Dimensions... chosen) : dimensions{static_cast<std::ptrdiff_t>(chosen)...}
    {
    }

    std::ptrdiff_t dimensions[Count];
};

template <std::integral... Dimensions>
along(Dimensions...) -> along<sizeof...(Dimensions)>;

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
