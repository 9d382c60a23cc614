/// @file
/// @brief  The axes of a histogram: which sample is counted in which bin.
///
/// Bins are half-open: bin i has the samples from edge i on that are below edge i + 1, compared as mathematical values
/// whatever the types of the sample and of the edges, on the host and on the device. Samples are integers of up to 64
/// bits, enumerators, floating-point numbers, or 16-bit types with a conversion to float (__half, __nv_bfloat16). A NaN,
/// a sample below the first edge and a sample at or above the last are in no bin, and are counted only by an axis
/// `.with_flow()`.
///
/// An axis is a small value. Copies of a variable_axis (variable_axis.hpp) share its edges. A histogram calls
///   * `bins()`: the number of bins, from 1 to 2^53;
///   * `has_flow()`; `extent()`: the number of counters, which is bins, or bins + 3 with flow;
///   * `slot(x)`: the bin of `x`, or else bins + 0 for underflow, + 1 for overflow, + 2 for NaN, with flow or without.
///
/// With -use_fast_math or -ftz=true, a GPU takes subnormal floats for 0.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/check.hpp>
#include <parprims/detail/axis/regular.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims {

/// @brief  What a histogram needs to know of an axis, besides `slot(x)` for its samples.
/// @snippet reference.cpp histogram_axis
template <class Axis>
concept histogram_axis = std::copy_constructible<Axis> && requires(const Axis& axis) {
    {
        axis.bins()
    } -> std::same_as<std::size_t>;
    {
        axis.extent()
    } -> std::same_as<std::size_t>;
    {
        axis.has_flow()
    } -> std::same_as<bool>;
};

/// @brief  A `histogram_axis` that can place samples of type `X`.
/// @snippet reference.cpp histogram_axis
template <class Axis, class X>
concept histogram_axis_for = histogram_axis<Axis> && requires(const Axis& axis, const X& x) {
    {
        axis.slot(x)
    } -> std::same_as<std::size_t>;
};

namespace detail {

/// Fails to compile if an axis cannot place samples of type X. False where more errors would follow.
template <class Axis, class X>
constexpr bool check_samples()
{
    constexpr bool holds = histogram_axis_for<Axis, X>;
    static_assert(holds,
                  "parprims: this axis takes no such samples; a product_axis takes tuples, one number an axis, as of "
                  "a zip_iterator");
    return holds;
}

}  // namespace detail

/// @brief  Bins of equal width between two bounds.
///
/// Floating-point `T`: `edge(i) = min(lower + i * width, upper)` for `width = (upper - lower) / bins`. Each operation is
/// rounded separately, and so are the conversions of `i` and `bins`. Where `upper - lower` is infinite, the bounds are halved
/// and the edges doubled: `edge(i) = min(2 * (lower / 2 + i * width), upper)` for `width = (upper / 2 - lower / 2) / bins`.
/// Bounds of another type are rounded to nearest.
///
/// Integer `T`: edge i is the fraction `lower + i * (upper - lower) / bins`. Samples of any type are compared with it exactly:
/// three bins over [0, 10) hold four, three and three integers, and `regular_axis(10, 0, 1)` has a bin for each tenth. `edge(i)` is
/// the first integer of bin i, the edge rounded up: an integer x is in bin i if `edge(i) <= x < edge(i + 1)`. Bounds of another
/// integer type keep their value; floating-point bounds do not compile.
///
/// `edge(i)` ascends from edge(0) = lower to edge(bins) = upper. With more bins than values of `T`, some edges are equal, and the
/// bins between equal edges hold no value of `T`.
/// @snippet reference.cpp regular_axis
template <class T>
class regular_axis : public detail::axis::axis_base<regular_axis<T>> {
    static_assert(detail::axis::edge_value<T>,
                  "parprims: the bounds of an axis are integers of at most 64 bits, float or double");

public:
    using value_type = T;

    /// @throws invalid_argument  no bins, or more than 2^30 (float, double), 2^32 - 1 (integers of up to 32 bits) or 2^53
    ///                           (64 bits); a bound that is not finite, or outside the range of `T`; lower >= upper
    template <detail::axis::bound_of<T> Lower, detail::axis::bound_of<T> Upper>
    constexpr regular_axis(std::size_t bins, Lower lower, Upper upper)
        : rule_(make(bins, detail::axis::check_bound<T>("parprims::regular_axis", "lower", lower),
                     detail::axis::check_bound<T>("parprims::regular_axis", "upper", upper)))
    {
    }
    /// @brief  Does not compile: a floating-point number of bins, or one of 128 bits, would be truncated.
    template <detail::axis::truncated_count Bins, class Lower, class Upper>
    regular_axis(Bins, Lower, Upper) = delete;

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return rule_.bins(); }

    /// @brief  The lower edge of bin `i`, rounded up if `T` is an integer; the upper bound for `i >= bins()`.
    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const { return rule_.edge(i); }

    /// @brief  The bin of `x`, or bins() + 0, 1, 2 for underflow, overflow, NaN.
    template <detail::axis::sample_value X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const X& x) const
    {
        return detail::axis::slot_of<T>(rule_, x);
    }

    friend constexpr bool operator==(const regular_axis&, const regular_axis&) = default;

private:
    friend detail::axis::rule_access;

    static constexpr detail::axis::regular_rule<T> make(std::size_t bins, T lower, T upper)
    {
        detail::axis::check_bins("parprims::regular_axis", bins, detail::axis::regular_rule<T>::max_bins);
        detail::axis::check_order("parprims::regular_axis", lower, upper);
        return {bins, lower, upper};
    }

    detail::axis::regular_rule<T> rule_;
};

template <class Lower, class Upper>
regular_axis(std::size_t, Lower, Upper) -> regular_axis<std::common_type_t<Lower, Upper>>;

/// @brief  One bin for each integer of `[lower, upper)`.
/// @snippet reference.cpp integer_axis
template <class T>
class integer_axis : public detail::axis::axis_base<integer_axis<T>> {
    static_assert(detail::axis::edge_value<T> && std::is_integral_v<T>,
                  "parprims: the bounds of an integer_axis are integers of at most 64 bits");
    using offset_type = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

public:
    using value_type = T;

    /// @throws invalid_argument  a bound outside the range of `T`; lower >= upper; more than 2^53 bins
    template <detail::axis::bound_of<T> Lower, detail::axis::bound_of<T> Upper>
    constexpr integer_axis(Lower lower, Upper upper)
        : lower_(detail::axis::check_bound<T>("parprims::integer_axis", "lower", lower)),
          bins_(count(lower_, detail::axis::check_bound<T>("parprims::integer_axis", "upper", upper)))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    /// @brief  The integer of bin `i`; the upper bound for `i >= bins()`.
    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        const auto offset = static_cast<offset_type>(i < bins_ ? i : bins_);
        return static_cast<T>(static_cast<offset_type>(lower_) + offset);
    }

    /// @brief  The bin of `x`, or bins() + 0, 1, 2 for underflow, overflow, NaN.
    template <detail::axis::sample_value X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const X& x) const
    {
        const auto sample = detail::axis::convert<T>(x);
        if (sample.is_outside)
            return bins_ + sample.flow;
        const auto offset =
            static_cast<offset_type>(static_cast<offset_type>(sample.value) - static_cast<offset_type>(lower_));
        if (offset < bins_)
            return offset;
        return bins_ + (sample.value < lower_ ? detail::axis::underflow : detail::axis::overflow);
    }

    friend constexpr bool operator==(const integer_axis&, const integer_axis&) = default;

private:
    static constexpr offset_type count(T lower, T upper)
    {
        detail::axis::check_order("parprims::integer_axis", lower, upper);
        const auto range = static_cast<offset_type>(static_cast<offset_type>(upper) - static_cast<offset_type>(lower));
        if (range > detail::axis::max_bins)
            detail::runtime::refuse("parprims::integer_axis", "upper", "% is more than % above lower (%)", upper,
                                    detail::axis::max_bins, lower);
        return range;
    }

    T lower_;
    offset_type bins_;
};

template <class Lower, class Upper>
integer_axis(Lower, Upper) -> integer_axis<std::common_type_t<Lower, Upper>>;

/// @brief  Bins given by any callable: `f(x)` is the bin of `x`, an integer of any size.
///
/// A negative `f(x)` is underflow, one of `bins` or more is overflow; no sample counts as NaN. On the device `f` must be
/// callable and trivially copyable: a function object, or a `__host__ __device__` lambda.
/// @snippet reference.cpp function_axis
template <class F>
class function_axis : public detail::axis::axis_base<function_axis<F>> {
public:
    /// @throws invalid_argument  no bins, or more than 2^53
    constexpr function_axis(std::size_t bins, F f)
        : f_(std::move(f)), bins_(detail::axis::check_bins("parprims::function_axis", bins))
    {
    }
    /// @brief  Does not compile: a floating-point number of bins, or one of 128 bits, would be truncated.
    template <detail::axis::truncated_count Bins>
    function_axis(Bins, F) = delete;

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }
    PARPRIMS_HOST_DEVICE constexpr const F& function() const { return f_; }  ///< maps a sample to its bin

    PARPRIMS_BEGIN_UNMARKED_CALLS
    /// @brief  `f(x)`, or bins() + 0 if that is negative, bins() + 1 if it is `bins()` or more.
    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const X& x) const
    {
        const auto bin = f_(x);
        static_assert(std::is_integral_v<decltype(bin)>,
                      "parprims: the callable of a function_axis returns an integer");
        using wide =
            std::conditional_t<(sizeof(bin) > sizeof bins_), decltype(f_(x)), std::size_t>;  // also of 128 bits
        if constexpr (std::is_signed_v<decltype(f_(x))>)
            if (bin < 0)
                return bins_ + detail::axis::underflow;
        return static_cast<wide>(bin) < static_cast<wide>(bins_) ? static_cast<std::size_t>(bin)
                                                                 : bins_ + detail::axis::overflow;
    }
    PARPRIMS_END_UNMARKED_CALLS

    friend bool operator==(const function_axis&, const function_axis&) = delete;  // the base's would ignore f

private:
    F f_;
    std::size_t bins_;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
