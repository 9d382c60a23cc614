/// @file
/// @brief  The forms of a public function besides that with iterators: of ranges, and of arguments that no form takes.
#pragma once

#include <parprims/concepts.hpp>
#include <parprims/execution.hpp>

#include <array>  // declares std::begin and iterator traits; <iterator> is slow, see iterator/traits.hpp
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {
template <std::size_t Count>
struct along;  // view.hpp
}  // namespace parprims

namespace parprims::detail {

template <class Range>
concept element_range = random_access_range<Range> && !random_access_iterator<std::remove_cvref_t<Range>>;

/// The end of a range, as an iterator of the type of its begin.
template <class Range>
auto end_of(const Range& range)
{
    using iterator = decltype(std::begin(range));
    if constexpr (std::convertible_to<decltype(std::end(range)), iterator>) {
        return static_cast<iterator>(std::end(range));
    } else if constexpr (std::sized_sentinel_for<decltype(std::end(range)), iterator>) {
        return std::begin(range) + (std::end(range) - std::begin(range));
    } else {
        iterator end = std::begin(range);
        while (end != std::end(range))
            ++end;
        return end;
    }
}

/// The begin of a range. Refuses a device_buffer on the host.
template <class Policy, class Range>
auto begin_of(const Range& range)
{
    static_assert(!runs_on_host<Policy> || !is_device_buffer<Range>,
                  "parprims: parprims::host cannot read a device_buffer; use parprims::device, or copy with to_host()");
    return std::begin(range);
}

template <class>
inline constexpr bool never = false;

template <class>
inline constexpr bool is_along = false;
template <std::size_t Count>
inline constexpr bool is_along<along<Count>> = true;

/// Refuses `along` in a call whose other arguments are not those of one along dimensions.
template <bool IsAlong>
constexpr bool check_not_along()
{
    static_assert(
        !IsAlong,
        "parprims: along goes with a view: policy, view, along(...), then out, or axis and counts, or weights, axis "
        "and sums; the host knows its extents, so no argument has its size on the device");
    return !IsAlong;
}

/// What a call returns that does not compile. It converts to any type, so that what calls it has no error besides.
struct no_result {
    template <class T>
    operator T() const;
};

}  // namespace parprims::detail

/// An overload of `function` for all arguments that no other one takes. It fails to compile, with a sentence as the first error, which has
/// the arguments after the policy.
#define PARPRIMS_OTHER_ARGUMENTS(function, arguments)                                                                \
    template <execution_policy Policy, class... Arguments>                                                           \
    auto function(const Policy&, const Arguments&...)                                                                \
    {                                                                                                                \
        if constexpr (detail::check_not_along<(detail::is_along<Arguments> || ...)>())                               \
            static_assert(detail::never<Policy>, "parprims: the arguments of " #function " are policy, " arguments); \
        return detail::no_result{};                                                                                  \
    }

// The forms below call those that are declared before them.

/// A form of `function` with a range in the place of `first` and `last`.
#define PARPRIMS_FORM_OF_RANGE(function)                                                                    \
    template <execution_policy Policy, detail::element_range Range, class... Rest>                          \
    auto function(const Policy& policy, const Range& range, Rest... rest)                                   \
    {                                                                                                       \
        return parprims::function(policy, detail::begin_of<Policy>(range), detail::end_of(range), rest...); \
    }

/// A form of `function` with a range, and a range of the offsets of its segments.
#define PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(function)                                                              \
    template <execution_policy Policy, detail::element_range Range, detail::element_range Offsets, class... Rest> \
    auto function(const Policy& policy, const Range& range, const Offsets& offsets, Rest... rest)                 \
    {                                                                                                             \
        return parprims::function(policy, detail::begin_of<Policy>(range), detail::end_of(range),                 \
                                  detail::begin_of<Policy>(offsets), detail::end_of(offsets), rest...);           \
    }

/// A form of `function` with a range of keys and a range of as many values.
#define PARPRIMS_FORM_OF_KEYS_AND_VALUES(function)                                                              \
    template <execution_policy Policy, detail::element_range Keys, detail::element_range Values, class... Rest> \
    auto function(const Policy& policy, const Keys& keys, const Values& values, Rest... rest)                   \
    {                                                                                                           \
        detail::check_same_size("parprims::" #function, keys, values);                                          \
        return parprims::function(policy, detail::begin_of<Policy>(keys), detail::end_of(keys),                 \
                                  detail::begin_of<Policy>(values), rest...);                                   \
    }

/// A form of `function` with a range, and a range of as many elements as the stencil.
#define PARPRIMS_FORM_OF_RANGE_AND_STENCIL(function)                                                              \
    template <execution_policy Policy, detail::element_range Range, detail::element_range Stencil, class... Rest> \
    auto function(const Policy& policy, const Range& range, const Stencil& stencil, Rest... rest)                 \
    {                                                                                                             \
        detail::check_same_size("parprims::" #function, range, stencil, "stencil",                                \
                                "has % elements, but the range has %");                                           \
        return parprims::function(policy, detail::begin_of<Policy>(range), detail::end_of(range),                 \
                                  detail::begin_of<Policy>(stencil), rest...);                                    \
    }
