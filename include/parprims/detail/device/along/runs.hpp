/// @file
/// @brief  Where the elements of a line lie. A line consists of runs: its elements along its last dimension, at equal distances.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// How to go from one row of a chunk to the next in a line. Numbers of elements are cut to `limit`, to fit an int: a position has
/// fewer from its first row to its last.
struct row_steps {
    static constexpr std::size_t limit = std::size_t{1} << 30;

    /// A dimension of the line, but not its first one.
    struct dimension_step {
        int extent = static_cast<int>(limit);
        int steps = 0;            // along this dimension, from a row to the next
        std::size_t wrapped = 0;  // from one past its end to its begin, one step on along the dimension before it
    };
    std::size_t offset = 0;  // from a row to the next, if no dimension ends
    unsigned count = 0;
    dimension_step at[max_rank - 1];  // the last dimension first

    constexpr row_steps(const dimension_list& line, std::size_t row)
    {
        for (unsigned d = line.count; d-- > 1; row /= line.at[d].extent) {
            const auto stride = static_cast<std::size_t>(line.at[d].stride);
            const std::size_t extent = line.at[d].extent, steps = row % extent;
            offset += steps * stride;
            at[count++] = {static_cast<int>(smaller_of(extent, limit)), static_cast<int>(steps),
                           static_cast<std::size_t>(line.at[d - 1].stride) - extent * stride};
        }
        offset += row * static_cast<std::size_t>(line.count == 0 ? 0 : line.at[0].stride);
    }
};

/// The offset of an element of a line; `next` moves it by one row.
class row_cursor {
public:
    /// @param  at  offset of an element
    PARPRIMS_DEVICE explicit row_cursor(std::size_t at) : at_(at) {}
    /// @param  from  offset of the line's first element
    /// @param  i     number of an element of the line
    PARPRIMS_DEVICE row_cursor(const dimension_list& line, std::size_t from, std::size_t i) : at_(from)
    {
#pragma unroll 1
        for (unsigned l = 0; l + 1 < line.count; ++l) {
            const dimension& in = line.at[line.count - 1 - l];
            const std::size_t above = quotient(i, in.extent);
            const std::size_t place = i - above * in.extent;
            const auto left = static_cast<int>(smaller_of(in.extent - place, row_steps::limit));
#pragma unroll
            for (unsigned k = 0; k + 1 < max_rank; ++k)  // an index known at compile time keeps the array in registers
                left_[k] = k == l ? left : left_[k];
            at_ += place * static_cast<std::size_t>(in.stride);
            i = above;
        }
        at_ += i * static_cast<std::size_t>(line.at[0].stride);
    }

    /// The offset of the element.
    PARPRIMS_DEVICE std::size_t at() const { return at_; }
    /// Goes on to the next row.
    template <bool HasRuns>
    PARPRIMS_DEVICE void next(const row_steps& steps)
    {
        at_ += steps.offset;
        if constexpr (HasRuns) {
            const bool ends_run = step(steps, 0, 0);
            if (steps.count > 1)
                step(steps, 2, step(steps, 1, ends_run ? 1 : 0) ? 1 : 0);
        }
    }

private:
    /// Goes on along a dimension. Returns whether it ended.
    PARPRIMS_DEVICE bool step(const row_steps& steps, unsigned l, int carry)
    {
        left_[l] -= steps.at[l].steps + carry;
        const bool ends = left_[l] <= 0;
        if (ends) {
            left_[l] += steps.at[l].extent;
            at_ += steps.at[l].wrapped;
        }
        return ends;
    }

    std::size_t at_;
    int left_[max_rank - 1] = {static_cast<int>(row_steps::limit), static_cast<int>(row_steps::limit),
                               static_cast<int>(row_steps::limit)};  // elements until a dimension ends
};

}  // namespace parprims::detail::device
