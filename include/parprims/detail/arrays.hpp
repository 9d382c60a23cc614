/// @file
/// @brief  What calls along dimensions refuse by the values of their arguments: extents, strides, dimensions, and outputs that overlap.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/forms.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/view.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace parprims::detail {

/// Extents and strides that have been checked.
struct array_shape {
    unsigned rank = 0;
    std::size_t extents[max_rank] = {};
    std::ptrdiff_t strides[max_rank] = {};
    std::size_t size = 1;        // elements
    std::ptrdiff_t lowest = 0;   // offset of the first one in memory, if there are any
    std::ptrdiff_t highest = 0;  // of the last one
};

/// A view whose shape has been checked.
template <class Iterator>
struct checked_array : array_shape {
    Iterator first;

    /// The elements from the lowest one on, as one range: what the call may access.
    Iterator begin() const { return first + lowest; }
    std::size_t start() const { return static_cast<std::size_t>(-lowest); }  // where `first` lies among them
    std::size_t reach() const { return size == 0 ? 0 : static_cast<std::size_t>(highest - lowest) + 1; }
};

template <class View>
using view_iterator_t = unwrapped_t<std::remove_cvref_t<decltype(std::declval<const View&>().data_handle())>>;
template <class View>
using view_value_t = iter_value_t<view_iterator_t<View>>;

/// Whether the elements of a view are those of its data handle.
template <class View>
inline constexpr bool has_plain_access = true;
template <class View>
    requires requires { typename View::reference; }
inline constexpr bool has_plain_access<View> =
    std::same_as<typename View::reference, decltype(*std::declval<const View&>().data_handle())>;

/// Where the results of a call along dimensions go: an array, or an iterator.
template <class Output>
concept results_of_lines = array_view<Output> || random_access_iterator<Output>;

template <class Output>
struct results_iterator {
    using type = unwrapped_t<Output>;
};
template <array_view Output>
struct results_iterator<Output> {
    using type = view_iterator_t<Output>;
};

/// Refuses views that no call along dimensions takes.
template <class View>
constexpr bool check_view()
{
    static_assert(View::rank() <= max_rank, "parprims: an array may have at most four dimensions");
    static_assert(has_plain_access<View>,
                  "parprims: the accessor of a view must read its elements as they are; use transform_op for the rest");
    return View::rank() <= max_rank && has_plain_access<View>;
}

/// Refuses a view that has fewer dimensions than `along` names, and an output of another rank than the results.
template <class View, std::size_t Count, class Output, std::size_t Rank>
constexpr bool check_views()
{
    if constexpr (!check_view<View>()) {
        return false;
    } else if constexpr (Count > View::rank()) {
        static_assert(never<View>, "parprims: along names more dimensions than the view has");
        return false;
    } else if constexpr (!array_view<Output>) {
        return check_output_type<Output>();
    } else if constexpr (!check_view<Output>()) {
        return false;
    } else {
        static_assert(
            Output::rank() == Rank,
            "parprims: out must be a view of the dimensions that are left, in their order; that of a scan has all, "
            "those of histograms and of minmax_element have one more");
        return Output::rank() == Rank && check_output_type<view_iterator_t<Output>>();
    }
}

/// Adds a dimension, from the last one on; false if the array would reach too far.
inline bool add_dimension(array_shape& shape, unsigned d, std::size_t extent, std::ptrdiff_t stride)
{
    shape.extents[d] = extent;
    shape.strides[d] = stride;
    if (extent == 0 || shape.size == 0) {
        shape.size = 0;
        return true;
    }
    std::ptrdiff_t& end = stride < 0 ? shape.lowest : shape.highest;
    std::ptrdiff_t reach = 0;
    return !__builtin_mul_overflow(shape.size, extent, &shape.size) &&
           !__builtin_mul_overflow(static_cast<std::ptrdiff_t>(extent - 1), stride, &reach) &&
           !__builtin_add_overflow(end, reach, &end);
}

/// The elements of a view. Refuses null pointers, and numbers that lead beyond any memory.
template <class View>
checked_array<view_iterator_t<View>> checked_view(const char* function, const char* argument, const View& view)
{
    checked_array<view_iterator_t<View>> result{{View::rank()}, detail::unwrap(view.data_handle())};
    bool fits = true;
    for (unsigned d = result.rank; d-- > 0;) {
        const auto extent = view.extent(d);
        const auto stride = view.stride(d);
        if (std::cmp_less(extent, 0))
            runtime::refuse(function, argument, "the extent of dimension % is %, less than 0", d, extent);
        fits = fits && std::cmp_less_equal(extent, std::numeric_limits<std::ptrdiff_t>::max()) &&
               std::cmp_less_equal(stride, std::numeric_limits<std::ptrdiff_t>::max()) &&
               detail::add_dimension(result, d, static_cast<std::size_t>(extent), static_cast<std::ptrdiff_t>(stride));
    }
    constexpr std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max() / (2 * sizeof(view_value_t<View>));
    const bool is_far = result.size > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) ||
                        result.highest > most || result.lowest < -most;
    if (!fits || (result.size != 0 && is_far))  // a size that does not fit may have wrapped to 0
        runtime::refuse(function, argument, "its extents and strides reach further than any memory");
    detail::check_output(function, argument, result.first, result.size);
    return result;
}

/// Refuses an output of which two elements may be one: from the smallest stride on, a dimension must step over all that those before
/// it reach.
inline void check_distinct(const char* function, const char* argument, const array_shape& shape)
{
    std::size_t reach = 0;
    for (bool is_done[max_rank] = {}; shape.size != 0;) {
        unsigned least = max_rank;
        const auto step = [&](unsigned d) { return distance_of({2, shape.strides[d], 0}); };  // the largest for 0
        for (unsigned d = 0; d < shape.rank; ++d)
            if (!is_done[d] && shape.extents[d] != 1 && (least == max_rank || step(d) < step(least)))
                least = d;
        if (least == max_rank)
            return;
        is_done[least] = true;
        if (shape.strides[least] == 0 || step(least) <= reach)
            runtime::refuse(
                function, argument,
                "elements of it may overlap: dimension % has the stride %, dimensions of smaller ones reach %", least,
                shape.strides[least], reach);
        reach += (shape.extents[least] - 1) * step(least);
    }
}

/// An array in memory, in bytes.
struct array_bytes {
    std::uintptr_t lowest;
    std::size_t element;
    array_shape shape;

    template <class Value>
    static array_bytes of(const Value* first, const array_shape& shape)
    {
        return {reinterpret_cast<std::uintptr_t>(first + shape.lowest), sizeof(Value), shape};
    }
    std::size_t stride(unsigned d) const { return element * distance_of({2, shape.strides[d], 0}); }
    bool has_steps(unsigned d) const { return d < shape.rank && shape.strides[d] != 0 && shape.extents[d] > 1; }

    /// Bytes from the lowest one to the end of the highest, without the dimensions whose stride is a multiple of `period`.
    std::size_t width(std::size_t period) const
    {
        std::size_t sum = element;
        for (unsigned d = 0; d < shape.rank; ++d)
            if (has_steps(d) && (period == 0 || stride(d) % period != 0))
                sum += (shape.extents[d] - 1) * stride(d);
        return sum;
    }
};

/// Whether two arrays may have memory in common. They have none if one ends before the other begins; or if both lie in other columns of
/// a memory of rows, whose pitch is one of their strides.
inline bool may_overlap(const array_bytes& a, const array_bytes& b)
{
    if (a.shape.size == 0 || b.shape.size == 0)
        return false;
    if (a.lowest + a.width(0) <= b.lowest || b.lowest + b.width(0) <= a.lowest)
        return false;
    for (const array_bytes* of : {&a, &b})
        for (unsigned d = 0; d < max_rank; ++d) {
            if (!of->has_steps(d))
                continue;
            const std::size_t period = of->stride(d);
            const std::size_t from_a_to_b = (b.lowest - a.lowest % period) % period;
            if (from_a_to_b >= a.width(period) && from_a_to_b + b.width(period) <= period)
                return false;
        }
    return true;
}

/// Refuses an output that overlaps the input. With `may_be_same`, each result may take the place of its element.
template <class Output, class Input>
void check_arrays_apart(const char* function, const checked_array<Output>& out, const checked_array<Input>& input,
                        bool may_be_same = false, const char* argument = "out",
                        const char* overlaps = "overlaps the view; use separate memory")
{
    if constexpr (std::is_pointer_v<Output> && std::is_pointer_v<Input>) {
        const auto written = array_bytes::of(out.first, out);
        const auto read = array_bytes::of(input.first, input);
        bool is_same = may_be_same && written.lowest == read.lowest && written.element == read.element;
        for (unsigned d = 0; d < out.rank; ++d)
            is_same = is_same && (out.extents[d] == 1 || out.strides[d] == input.strides[d]);
        if (!is_same && detail::may_overlap(written, read))
            runtime::refuse(function, argument,
                            may_be_same ? "overlaps the view in part; use the view itself or separate memory"
                                        : overlaps);
    }
}

/// Where a call along dimensions works: its arrays, and their lines. Of a reduction `out` has the dimensions that are left.
template <class Iterator, class Output>
struct checked_lines {
    using iterator = Iterator;
    using output = Output;

    checked_array<Iterator> input;
    checked_array<Output> out;
    array_lines lines;
    std::ptrdiff_t out_step = 0;  // between the results of a line that has two
};

/// The output of a call: a view with the extents of `shape`, or an iterator to results without gaps in row-major order.
template <class Output>
auto checked_results(const char* function, const Output& out, const array_shape& shape, const char* argument = "out")
{
    if constexpr (array_view<Output>) {
        auto result = detail::checked_view(function, argument, out);
        for (unsigned d = 0; d < shape.rank; ++d)
            if (result.extents[d] != shape.extents[d])
                runtime::refuse(function, argument, "the extent of dimension % is %, but there are % results", d,
                                result.extents[d], shape.extents[d]);
        detail::check_distinct(function, argument, result);
        return result;
    } else {
        checked_array<unwrapped_t<Output>> result{{shape.rank}, detail::unwrap(out)};
        std::size_t stride = 1;
        bool fits = true;
        for (unsigned d = shape.rank; d-- > 0; stride *= shape.extents[d])
            fits = detail::add_dimension(result, d, shape.extents[d], static_cast<std::ptrdiff_t>(stride)) && fits;
        if (!fits)  // lines may be empty, so that the array has no element and more lines than there are numbers
            runtime::refuse(function, argument, "the results reach further than any memory");
        detail::check_output(function, argument, result.first, result.size);
        return result;
    }
}

/// Checks the arguments of a call along dimensions. `KeepsLines`: it has a result for each element, as a scan, not `Results` for each
/// line. Several results, `count` of them, are one more dimension of the output, the last.
template <bool KeepsLines, std::size_t Results = 1, class View, std::size_t Count, class Output>
auto checked_lines_along(const char* function, const View& view, const along<Count>& chosen, const Output& out,
                         std::size_t count = Results, const char* argument = "out")
{
    const auto input = detail::checked_view(function, "view", view);
    bool is_along[max_rank] = {};
    for (const std::ptrdiff_t d : chosen.dimensions) {
        if (d < 0 || d >= static_cast<std::ptrdiff_t>(input.rank))
            runtime::refuse(function, "along", "dimension %, not from 0 to %", d, input.rank - 1);
        if (is_along[d])
            runtime::refuse(function, "along", "dimension % twice", d);
        is_along[d] = true;
    }
    array_shape shape;
    for (unsigned d = 0; d < input.rank; ++d)
        if (KeepsLines || !is_along[d])
            shape.extents[shape.rank++] = input.extents[d];
    if constexpr (Results > 1)
        shape.extents[shape.rank++] = count;
    const auto results = detail::checked_results(function, out, shape, argument);
    detail::check_arrays_apart(function, results, input, KeepsLines, argument);

    dimension dimensions[max_rank] = {};
    for (unsigned d = 0, of_result = 0; d < input.rank; ++d) {
        const bool has_results = KeepsLines || !is_along[d];
        dimensions[d] = {input.extents[d], input.strides[d], has_results ? results.strides[of_result] : 0};
        of_result += has_results ? 1 : 0;
    }
    using checked = checked_lines<view_iterator_t<View>, std::remove_cvref_t<decltype(results.first)>>;
    return checked{input, results, detail::lines_along(dimensions, input.rank, is_along),
                   Results == 1 ? 0 : results.strides[shape.rank - 1]};
}

/// Refuses counters or sums of lines, `count` of each, that do not fill the memory they reach over.
template <class Iterator, class Output>
void check_filled(const char* function, const checked_lines<Iterator, Output>& at, std::size_t count,
                  const char* argument)
{
    if ((at.out_step != 1 && count > 1) || at.out.reach() != at.out.size)
        runtime::refuse(function, argument,
                        "the counters or sums of a line must be contiguous, and there may be no gaps");
}

}  // namespace parprims::detail
