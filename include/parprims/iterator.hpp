/// @file
/// @brief  Iterators that compute their elements or their positions, so that inputs need not be stored or copied.
///
/// All are random access iterators, on the host and on the device, if the iterators and callables in them work there. Every
/// operation is O(1). A call on the device checks the pointers inside these iterators as it checks plain ones, but not the base of a
/// `permutation_iterator`. Class template arguments are deduced: `transform_iterator(counting_iterator(0), square)`.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/iterator/facade.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/tuple.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims {

/// @brief  `first`, `first + 1`, `first + 2`, ... Wraps where `T` does: for more than 2^32 elements use 64 bits. With -std=gnu++20 `T`
///         may have 128 bits.
/// @snippet reference.cpp counting_iterator
template <std::integral T>
    requires(!std::same_as<T, bool>)
class counting_iterator : public detail::iterator::facade<counting_iterator<T>, T> {
public:
    using value_type = T;
    using reference = T;

    counting_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr explicit counting_iterator(T first) : counting_iterator::facade(first) {}

    PARPRIMS_HOST_DEVICE constexpr T operator*() const { return this->position_; }
};

/// @brief  One value, at every position.
/// @snippet reference.cpp constant_iterator
template <class T>
class constant_iterator : public detail::iterator::facade<constant_iterator<T>, std::ptrdiff_t> {
public:
    using value_type = T;
    using reference = T;

    constant_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr explicit constant_iterator(T value, std::ptrdiff_t index = 0)
        : constant_iterator::facade(index), value_(std::move(value))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr T operator*() const { return value_; }

private:
    T value_;
};

/// @brief  `f(*it)` for every element. `f` may be a lambda with captures.
///
/// For the device `f` must be callable there. `f` may get a copy of the element, so it must not use the element's address.
/// @snippet reference.cpp transform_iterator
template <class F, random_access_iterator Iterator>
class transform_iterator : public detail::iterator::facade<transform_iterator<F, Iterator>, Iterator> {
    using result = decltype(std::declval<const F&>()(*std::declval<const Iterator&>()));

public:
    /// What `f` returns; a value where `f` returns an rvalue reference, which could dangle.
    using reference = std::conditional_t<std::is_rvalue_reference_v<result>, std::remove_cvref_t<result>, result>;
    using value_type = std::remove_cvref_t<result>;

    transform_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr transform_iterator(Iterator it, F f)
        : transform_iterator::facade(std::move(it)), f_(std::move(f))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr reference operator*() const { return f_(*this->position_); }

    PARPRIMS_HOST_DEVICE constexpr const Iterator& base() const { return this->position_; }
    PARPRIMS_HOST_DEVICE constexpr const F& function() const { return f_; }

private:
    F f_;
};

template <class F, class Iterator>
transform_iterator(Iterator, F) -> transform_iterator<F, Iterator>;

/// @brief  Tuples of the elements of several ranges; assigning to `*it` assigns to each of them.
///
/// The distance between two zip iterators is that of their first iterators.
/// @snippet reference.cpp zip_iterator
template <random_access_iterator... Iterators>
    requires(sizeof...(Iterators) > 0)
class zip_iterator : public detail::iterator::facade<zip_iterator<Iterators...>, tuple<Iterators...>> {
public:
    using value_type = tuple<detail::iter_value_t<Iterators>...>;
    using reference = tuple<decltype(*std::declval<const Iterators&>())...>;

    zip_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr explicit zip_iterator(Iterators... its)
        : zip_iterator::facade(tuple<Iterators...>(std::move(its)...))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr reference operator*() const
    {
        return [this]<std::size_t... I>(std::index_sequence<I...>) {
            return reference(*parprims::get<I>(this->position_)...);
        }(std::index_sequence_for<Iterators...>{});
    }

    PARPRIMS_HOST_DEVICE constexpr const tuple<Iterators...>& base() const { return this->position_; }
};

template <class... Iterators>
inline constexpr bool detail::writes_bits<zip_iterator<Iterators...>> = (writes_bits<Iterators> || ...);

/// @brief  Every `stride`-th element from `first` on; the stride may be negative or 0.
///
/// Computes `first + index * stride` only for elements that are accessed, so the last column of a matrix is a valid range.
/// @snippet reference.cpp strided_iterator
template <random_access_iterator Iterator>
class strided_iterator : public detail::iterator::facade<strided_iterator<Iterator>, std::ptrdiff_t> {
public:
    using value_type = detail::iter_value_t<Iterator>;
    using reference = decltype(*std::declval<const Iterator&>());

    strided_iterator() = default;
    /// @param  index  the position to start at, in strides from `first`
    PARPRIMS_HOST_DEVICE constexpr strided_iterator(Iterator first, std::ptrdiff_t stride, std::ptrdiff_t index = 0)
        : strided_iterator::facade(index), first_(std::move(first)), stride_(stride)
    {
    }

    PARPRIMS_HOST_DEVICE constexpr reference operator*() const { return *(first_ + index() * stride_); }

    PARPRIMS_HOST_DEVICE constexpr const Iterator& base() const { return first_; }  ///< at position 0
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t stride() const { return stride_; }
    PARPRIMS_HOST_DEVICE constexpr std::ptrdiff_t index() const
    {
        return this->position_;
    }  ///< in strides from `base()`

private:
    Iterator first_;
    std::ptrdiff_t stride_ = 1;
};

/// @brief  The elements of `base` at the positions that `indices` yields: `*it` is `base[*indices]`, to be read or written.
///
/// As an input it gathers, as an output it scatters. Positions are not checked. If a position occurs twice, which of the two results
/// an output keeps may differ from run to run.
/// @snippet reference.cpp permutation_iterator
template <random_access_iterator Base, random_access_iterator Indices>
class permutation_iterator : public detail::iterator::facade<permutation_iterator<Base, Indices>, Indices> {
public:
    using value_type = detail::iter_value_t<Base>;
    using reference = decltype(*std::declval<const Base&>());

    permutation_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr permutation_iterator(Base base, Indices indices)
        : permutation_iterator::facade(std::move(indices)), base_(std::move(base))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr reference operator*() const
    {
        return *(base_ + static_cast<std::ptrdiff_t>(*indices()));
    }

    PARPRIMS_HOST_DEVICE constexpr const Base& base() const { return base_; }
    PARPRIMS_HOST_DEVICE constexpr const Indices& indices() const { return this->position_; }

private:
    Base base_;
};

/// @brief  An output: `*it = x` assigns `f(x)` to `*out`, so that an algorithm converts its results while it writes them.
/// @snippet reference.cpp transform_output_iterator
template <class F, class Iterator>
class transform_output_iterator : public detail::iterator::facade<transform_output_iterator<F, Iterator>, Iterator> {
public:
    /// @brief  The type of `*it`: can be assigned to, not read.
    class target {
    public:
        PARPRIMS_HOST_DEVICE constexpr target(const Iterator& out, const F& f) : out_(out), f_(f) {}

        template <class T>
            requires(!std::same_as<std::remove_cvref_t<T>, target>)
        PARPRIMS_HOST_DEVICE constexpr const target& operator=(T&& x) const
        {
            *out_ = f_(std::forward<T>(x));
            return *this;
        }

    private:
        Iterator out_;
        F f_;
    };
    using value_type = target;
    using reference = target;

    transform_output_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr transform_output_iterator(Iterator out, F f)
        : transform_output_iterator::facade(std::move(out)), f_(std::move(f))
    {
    }

    PARPRIMS_HOST_DEVICE constexpr target operator*() const { return {base(), f_}; }

    PARPRIMS_HOST_DEVICE constexpr const Iterator& base() const { return this->position_; }
    PARPRIMS_HOST_DEVICE constexpr const F& function() const { return f_; }

private:
    F f_;
};

template <class F, class Iterator>
transform_output_iterator(Iterator, F) -> transform_output_iterator<F, Iterator>;

template <class F, class Iterator>
inline constexpr bool detail::writes_bits<transform_output_iterator<F, Iterator>> = writes_bits<Iterator>;

/// @brief  An output that ignores what is assigned to it.
/// @snippet reference.cpp discard_iterator
class discard_iterator : public detail::iterator::facade<discard_iterator, std::ptrdiff_t> {
public:
    /// @brief  The type of `*it`: a value of any type can be assigned; it is ignored.
    struct sink {
        template <class T>
            requires(!std::same_as<std::remove_cvref_t<T>, sink>)
        PARPRIMS_HOST_DEVICE constexpr const sink& operator=(T&&) const
        {
            return *this;
        }
    };
    using value_type = sink;
    using reference = sink;

    discard_iterator() = default;
    PARPRIMS_HOST_DEVICE constexpr explicit discard_iterator(std::ptrdiff_t index) : facade(index) {}

    PARPRIMS_HOST_DEVICE constexpr sink operator*() const { return {}; }
};

}  // namespace parprims

PARPRIMS_END_UNMARKED_CALLS

#include <parprims/detail/pop_macros.hpp>
