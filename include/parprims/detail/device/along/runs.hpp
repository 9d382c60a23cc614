/// @file
/// @brief  Where the elements of a line lie. A line consists of runs: its elements along its last dimension, at equal distances.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Goes through a line in steps of `Row` elements, and knows where the element lies that it has come to. If the line has at most two
/// dimensions, no step needs a division.
template <unsigned Row>
class run_cursor {
public:
    /// @param  from  offset of the line's first element in the array
    /// @param  i     number of an element of the line
    PARPRIMS_DEVICE run_cursor(const dimension_list& line, std::size_t from, std::size_t i)
        : line_(line), from_(from), length_(line.count == 0 ? 1 : line.at[line.count - 1].extent)
    {
        split(Row, row_runs_, row_rest_);
        split(i, run_, place_);
        begin_ = begin_of(run_);
    }

    /// The offset of the element.
    PARPRIMS_DEVICE std::size_t at() const { return begin_ + place_ * static_cast<std::size_t>(line_.stride()); }
    /// Goes on to the next row.
    PARPRIMS_DEVICE void next()
    {
        place_ += row_rest_;
        const bool ends_run = place_ >= length_;
        place_ -= ends_run ? length_ : 0;
        if (row_runs_ != 0 || ends_run) {
            run_ += row_runs_ + (ends_run ? 1 : 0);
            begin_ = begin_of(run_);
        }
    }

private:
    PARPRIMS_DEVICE void split(std::size_t i, std::size_t& runs, std::size_t& rest) const
    {
        runs = i < length_                ? 0
               : (i | length_) >> 32 == 0 ? static_cast<unsigned>(i) / static_cast<unsigned>(length_)
                                          : i / length_;
        rest = i - runs * length_;
    }
    PARPRIMS_DEVICE std::size_t begin_of(std::size_t run) const
    {
        return from_ + static_cast<std::size_t>(line_.outer_offset(run));
    }

    const dimension_list& line_;
    std::size_t from_;
    std::size_t length_;    // of a run
    std::size_t row_runs_;  // whole runs that a row has,
    std::size_t row_rest_;  // and elements beside them
    std::size_t run_;       // number of the element's run
    std::size_t place_;     // of the element in its run
    std::size_t begin_;     // offset of the run's first element
};

}  // namespace parprims::detail::device
