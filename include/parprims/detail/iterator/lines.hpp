/// @file
/// @brief  Iterators over the lines of an array, one line after another, over what a transform makes of them, and over their results.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/iterator/facade.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims::detail {

/// The transformed elements from `first` on.
template <class Iterator>
Iterator transformed(Iterator first, identity)
{
    return first;
}
template <class Iterator, class Transform>
transform_iterator<Transform, Iterator> transformed(Iterator first, Transform transform)
{
    return {first, transform};
}

/// The elements of all lines: element i of line l is number `l * length + i`.
template <class Iterator>
class line_iterator : public iterator::facade<line_iterator<Iterator>, std::ptrdiff_t> {
public:
    using value_type = iter_value_t<Iterator>;
    using reference = decltype(*std::declval<const Iterator&>());

    PARPRIMS_HOST_DEVICE line_iterator(Iterator first, const array_lines& lines)
        : line_iterator::facade(0), first_(first), lines_(lines), length_(lines.line.size())
    {
    }

    PARPRIMS_HOST_DEVICE reference operator*() const
    {
        const auto i = static_cast<std::size_t>(this->position_);
        const std::size_t line = i / length_;
        return *(first_ + (lines_.lines.offset(line) + lines_.line.offset(i - line * length_)));
    }
    PARPRIMS_HOST_DEVICE const Iterator& base() const { return first_; }

private:
    Iterator first_;
    array_lines lines_;
    std::size_t length_;
};

/// The results of the lines, one for each.
template <class Output>
class line_output : public iterator::facade<line_output<Output>, std::ptrdiff_t> {
public:
    using value_type = iter_value_t<Output>;
    using reference = decltype(*std::declval<const Output&>());

    PARPRIMS_HOST_DEVICE line_output(Output first, const dimension_list& lines)
        : line_output::facade(0), first_(first), lines_(lines)
    {
    }

    PARPRIMS_HOST_DEVICE reference operator*() const
    {
        return *(first_ + lines_.out_offset(static_cast<std::size_t>(this->position_)));
    }
    PARPRIMS_HOST_DEVICE const Output& base() const { return first_; }

private:
    Output first_;
    dimension_list lines_;
};

}  // namespace parprims::detail

PARPRIMS_END_UNMARKED_CALLS
