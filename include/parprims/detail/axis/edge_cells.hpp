/// @file
/// @brief  A table by which a variable_axis finds a bin with one comparison: the space between its first and last edge in cells, each of which
///         overlaps at most two bins.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims {
template <class T>
class variable_axis;
template <class T>
class variable_axis_view;
}  // namespace parprims

namespace parprims::detail::axis {

/// The cell of a sample. Of two samples, the greater one is not in a lower cell. Up to a distance of `bias` from the first edge cells are
/// equally wide; behind that they are as wide as a part of the distance. So linear and logarithmic edges find as many cells as bins.
///
/// The number of a cell consists of the leading bits of distance + bias. There is no product that a compiler could fuse with the sum, so the
/// host and a GPU compute the same numbers.
template <class T>
struct cell_rule {
    T lower;             // the first edge
    std::uint32_t bias;  // bits of a float, which is a power of two
    std::uint32_t shift;

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t operator()(T x) const { return leading_bits(x) >> shift; }

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t leading_bits(T x) const
    {
        return __builtin_bit_cast(std::uint32_t, distance(x) + __builtin_bit_cast(float, bias)) - bias;
    }
    PARPRIMS_HOST_DEVICE constexpr float distance(T x) const
    {
        if constexpr (std::is_integral_v<T>) {
            using bits = std::make_unsigned_t<T>;
            return static_cast<float>(static_cast<bits>(static_cast<bits>(x) - static_cast<bits>(lower)));
        } else {
            return static_cast<float>(x - lower);
        }
    }
};

/// The cells of an axis, as kernels use them: in memory that the kernel can read.
template <class T>
struct edge_cells {
    const std::uint16_t* first_bins = nullptr;  // of each cell: it overlaps this bin and at most the next one
    T upper{};                                  // the last edge
    cell_rule<T> rule{};

    PARPRIMS_HOST_DEVICE constexpr bool exist() const { return first_bins != nullptr; }
    /// There is no loop and no branch, so that the lanes of a warp stay together and several samples of a thread are placed at once.
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_among(const T* edges, std::size_t bins, T x) const
    {
        const bool is_inside = x >= rule.lower && x < upper;
        const T inside = is_inside ? x : rule.lower;
        const std::uint32_t first = first_bins[rule(inside)];
        const std::uint32_t bin = first + (edges[first + 1] <= inside ? 1 : 0);
        return is_inside ? bin : bins + (x < rule.lower ? underflow : x >= upper ? overflow : nan);
    }
};

}  // namespace parprims::detail::axis
