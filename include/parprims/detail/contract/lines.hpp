/// @file
/// @brief  The lines of an array along some of its dimensions, for both backends: which element of memory is element i of line l.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail {

inline constexpr unsigned max_rank = 4;

/// A dimension of an input and of its output. Strides count elements.
struct dimension {
    std::size_t extent;
    std::ptrdiff_t stride;
    std::ptrdiff_t out_stride;
};

/// Several dimensions, numbered in row-major order: the last one varies fastest.
struct dimension_list {
    unsigned count = 0;
    dimension at[max_rank] = {};

    constexpr void add(const dimension& next) { at[count++] = next; }

    PARPRIMS_HOST_DEVICE constexpr std::size_t size() const
    {
        std::size_t all = 1;
        for (unsigned d = 0; d < count; ++d)
            all *= at[d].extent;
        return all;
    }

    /// Where position i, less than `size()`, lies in the input. `Unrolled`: dimensions for which a kernel has code of its own, which is faster
    /// for positions of an inner loop, and needs more registers.
    template <unsigned Unrolled = 1>
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t offset(std::size_t i) const
    {
        return sum_of<&dimension::stride, Unrolled>(i, count);
    }
    /// Where it lies in the output.
    template <unsigned Unrolled = 1>
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t out_offset(std::size_t i) const
    {
        return sum_of<&dimension::out_stride, Unrolled>(i, count);
    }

    /// Where position i of all dimensions but the last one lies in the input.
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t outer_offset(std::size_t i) const
    {
        return sum_of<&dimension::stride, 1>(i, count == 0 ? 0 : count - 1);
    }

    /// The extent of the dimension that varies fastest; 1 without one.
    PARPRIMS_HOST_DEVICE constexpr std::size_t neighbours() const { return count == 0 ? 1 : at[count - 1].extent; }
    /// The stride of the dimension that varies fastest; 0 without one.
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t stride() const { return count == 0 ? 0 : at[count - 1].stride; }
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t out_stride() const
    {
        return count == 0 ? 0 : at[count - 1].out_stride;
    }

private:
    template <std::ptrdiff_t dimension::*Stride, unsigned Unrolled>
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t sum_of(std::size_t i, unsigned dimensions) const
    {
        std::ptrdiff_t sum = 0;
#ifdef __CUDA_ARCH__
#pragma unroll(Unrolled)
#endif
        for (unsigned d = dimensions; d-- > 1;) {
            // Not `quotient`: with it the kernel of short lines takes two registers more, and maxima of 1000 x 268435 340 us instead of 259.
            const bool is_small = i >> 32 == 0 && at[d].extent >> 32 == 0;
            const std::size_t above =
                is_small ? static_cast<unsigned>(i) / static_cast<unsigned>(at[d].extent) : i / at[d].extent;
            sum += static_cast<std::ptrdiff_t>(i - above * at[d].extent) * (at[d].*Stride);
            i = above;
        }
        return dimensions == 0 ? 0 : sum + static_cast<std::ptrdiff_t>(i) * (at[0].*Stride);
    }
};

/// The lines of an array: element i of line l is `lines.offset(l) + line.offset(i)` behind the first element of the array. There may be
/// none, or they may be empty: then `line` and `lines` may have several dimensions of which one has no extent.
struct array_lines {
    dimension_list line;
    dimension_list lines;

    /// Whether the lines are contiguous and lie at equal distances in memory, in ascending order, as the rows of a matrix do.
    constexpr bool are_rows() const
    {
        const std::size_t length = line.size();
        return line.count <= 1 && (line.stride() == 1 || length == 1) && lines.count <= 1 &&
               (lines.count == 0 || (lines.stride() > 0 && static_cast<std::size_t>(lines.stride()) >= length));
    }
    /// If so: elements from one to the next.
    constexpr std::size_t row_step() const
    {
        return lines.count == 0 ? line.size() : static_cast<std::size_t>(lines.stride());
    }

    /// Whether lines along one dimension are closer to each other than their elements, as the columns of a matrix are.
    constexpr bool are_neighbours() const;
};

/// Joins neighbouring dimensions whose elements have one stride, also in the output, and drops those of extent 1.
constexpr dimension_list merged(const dimension_list& from)
{
    dimension_list result;
    for (unsigned d = 0; d < from.count; ++d) {
        const dimension& next = from.at[d];
        if (next.extent == 1)
            continue;
        if (result.count != 0 && next.extent != 0) {
            dimension& last = result.at[result.count - 1];
            const auto extent = static_cast<std::ptrdiff_t>(next.extent);
            if (last.stride == extent * next.stride && last.out_stride == extent * next.out_stride) {
                last = {last.extent * next.extent, next.stride, next.out_stride};
                continue;
            }
        }
        result.add(next);
    }
    return result;
}

/// Where neighbours lie next to each other a stride is small. One of 0 leads to no neighbour.
constexpr std::size_t distance_of(const dimension& of)
{
    return of.stride == 0 ? static_cast<std::size_t>(-1)
                          : static_cast<std::size_t>(of.stride < 0 ? -of.stride : of.stride);
}

constexpr bool array_lines::are_neighbours() const
{
    return line.count == 1 && lines.count != 0 && distance_of(lines.at[lines.count - 1]) < distance_of(line.at[0]);
}

/// The lines of an array of `rank` dimensions along those that `is_along` names. A line keeps its order; lines are numbered so that
/// neighbours lie close to each other in the input.
constexpr array_lines lines_along(const dimension* dimensions, unsigned rank, const bool* is_along)
{
    array_lines result;
    for (unsigned d = 0; d < rank; ++d) {
        if (is_along[d]) {
            result.line.add(dimensions[d]);
            continue;
        }
        result.lines.add(dimensions[d]);
        for (unsigned i = result.lines.count - 1;
             i > 0 && distance_of(result.lines.at[i - 1]) < distance_of(result.lines.at[i]); --i) {
            const dimension moved = result.lines.at[i];
            result.lines.at[i] = result.lines.at[i - 1];
            result.lines.at[i - 1] = moved;
        }
    }
    return {detail::merged(result.line), detail::merged(result.lines)};
}

}  // namespace parprims::detail
