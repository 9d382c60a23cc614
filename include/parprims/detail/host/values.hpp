/// @file
/// @brief  Storage for the values of a row, the loading of elements, and the tree fold.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// Whether an array of N values of T can be on the stack, uninitialised.
template <class T, std::size_t N>
inline constexpr bool fits_stack =
    std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T> && N * sizeof(T) <= 64 * 1024;

/// Up to N values, set one after the other. A plain array if T allows, so that loops over it vectorise.
template <class T, std::size_t N, bool OnStack = fits_stack<T, N>>
class value_array {
public:
    void set(std::size_t i, const T& value) { values_[i] = value; }
    T& operator[](std::size_t i) { return values_[i]; }
    T* data() { return values_; }

private:
    alignas(64) T values_[N];
};

/// For any other T. Values are set for the first time in the order of their indices.
template <class T, std::size_t N>
class value_array<T, N, false> {
public:
    void set(std::size_t i, const T& value)
    {
        if (i < values_.size())
            values_[i] = value;
        else
            values_.push_back(value);
    }
    T& operator[](std::size_t i) { return values_[i]; }
    T* data() { return values_.data(); }

private:
    sequence<T> values_;
};

/// Element i as an operand: transformed and converted to T.
template <class T, class Iterator, class Transform>
T element(const Iterator& first, std::size_t i, Transform& transform)
{
    return static_cast<T>(transform(*(first + static_cast<std::ptrdiff_t>(i))));
}

/// Whether numeric::separate is needed between loading elements and combining them.
template <class T, class Iterator, class Transform>
inline constexpr bool may_fuse = detail::may_fuse<T, iter_value_t<Iterator>, std::is_pointer_v<Iterator>, Transform>;

/// Loads `n` elements from `begin` on to the front of a value_array. The computation of an element is not fused with what combines it.
template <class T, class Values, class Iterator, class Transform>
void load_elements(Values& values, const Iterator& first, std::size_t begin, std::size_t n, Transform& transform)
{
    for (std::size_t i = 0; i < n; ++i)
        values.set(i, host::element<T>(first, begin + i, transform));
    if constexpr (may_fuse<T, Iterator, Transform>)
        numeric::separate(values.data());
}

/// Element i, for a function or an axis that is called with it and may add to it: a product that the iterator computes is rounded
/// before.
template <class Iterator>
decltype(auto) rounded_element(const Iterator& first, std::size_t i)
{
    using value_type = iter_value_t<Iterator>;
    using reference = decltype(*(first + static_cast<std::ptrdiff_t>(i)));
    constexpr bool is_computed = may_fuse<value_type, Iterator, identity> && !std::is_reference_v<reference>;
    if constexpr (is_computed && (std::is_same_v<value_type, float> || std::is_same_v<value_type, double>)) {
        return numeric::rounded<value_type>(*(first + static_cast<std::ptrdiff_t>(i)));
    } else if constexpr (is_computed && std::is_trivially_copyable_v<value_type>) {
        value_type value = *(first + static_cast<std::ptrdiff_t>(i));
        numeric::separate(__builtin_addressof(value));
        return value;
    } else {
        return *(first + static_cast<std::ptrdiff_t>(i));
    }
}

/// Whether values may be combined in any order without a change of the result. Loops over them vectorise.
template <class T, class Op>
inline constexpr bool is_exact = std::is_integral_v<T> && basic_operator<Op>;

/// The tree over the bits of the index, of `n` values from `x(0)` on; n is from 1 to 8.
template <class T, class Load, class Op>
T fold_few(const Load& x, std::size_t n, Op& op)
{
    const auto two = [&](std::size_t i) { return static_cast<T>(op(x(i), x(i + 1))); };
    const auto four = [&](std::size_t i) { return static_cast<T>(op(two(i), two(i + 2))); };
    const auto few = [&](std::size_t i, std::size_t count) {  // 1 to 3
        return count == 1 ? x(i) : count == 2 ? two(i) : static_cast<T>(op(two(i), x(i + 2)));
    };
    if (n < 4)
        return few(0, n);
    if (n == 4)
        return four(0);
    return static_cast<T>(op(four(0), n == 8 ? four(4) : few(4, n - 4)));
}

/// The tree over x for any n of at least 1. `scratch` is a value_array of at least n / 8 + 1 values; x may read it.
template <class T, class Load, class Scratch, class Op>
T fold_tree(const Load& x, std::size_t n, Scratch& scratch, Op& op)
{
    const auto fold_eights = [&](const auto& from) {
        for (std::size_t i = 0; i < n; i += 8)
            scratch.set(i / 8, host::fold_few<T>([&](std::size_t e) { return static_cast<T>(from(i + e)); },
                                                 n - i < 8 ? n - i : 8, op));
        n = n / 8 + (n % 8 != 0 ? 1 : 0);
    };
    if (n <= 8)
        return host::fold_few<T>(x, n, op);
    const auto folded = [&](std::size_t i) -> const T& { return scratch[i]; };
    fold_eights(x);
    while (n > 8)
        fold_eights(folded);
    return host::fold_few<T>(folded, n, op);
}

/// Folds values that arrive in index order as the tree over the bits of the index, lowest bit first. The first index need not be
/// 0: a rank folds the part of a tree that it has.
template <class T>
class tree_fold {
public:
    explicit tree_fold(std::size_t first = 0) : first_(first), end_(first) {}

    /// `value` is the total of the next aligned subtree, which has `leaves` leaves, a power of two.
    template <class Op>
    void push(T value, Op& op, std::size_t leaves = 1)
    {
        std::size_t begin = end_;
        end_ += leaves;
        for (; (begin & leaves) != 0 && begin - leaves >= first_; leaves *= 2) {
            value = static_cast<T>(op(totals_.back(), value));
            totals_.pop_back();
            begin -= leaves;
        }
        totals_.push_back(std::move(value));
    }

    /// The total of all values pushed, of which there is at least one. The first index was 0.
    template <class Op>
    T total(Op& op) const
    {
        T result = totals_.back();
        for (std::size_t i = totals_.size() - 1; i-- > 0;)
            result = static_cast<T>(op(totals_[i], result));
        return result;
    }

    /// The totals of the largest aligned subtrees, in index order.
    const sequence<T>& totals() const { return totals_; }

private:
    std::size_t first_;
    std::size_t end_;
    sequence<T> totals_;
};

}  // namespace parprims::detail::host
