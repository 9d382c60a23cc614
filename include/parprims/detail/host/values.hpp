/// @file
/// @brief  Storage for the values of a row, the loading of elements, and the tree fold.
#pragma once

#include <parprims/detail/host/sequence.hpp>
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

/// Folds values that arrive in index order as the tree over the bits of the index, lowest bit first.
template <class T>
class tree_fold {
public:
    template <class Op>
    void push(T value, Op& op)
    {
        for (std::size_t bits = count_++; bits % 2 != 0; bits /= 2) {
            value = static_cast<T>(op(totals_.back(), value));
            totals_.pop_back();
        }
        totals_.push_back(std::move(value));
    }

    /// The total of all values pushed, of which there is at least one.
    template <class Op>
    T total(Op& op) const
    {
        T result = totals_.back();
        for (std::size_t i = totals_.size() - 1; i-- > 0;)
            result = static_cast<T>(op(totals_[i], result));
        return result;
    }

private:
    sequence<T> totals_;  // of the complete subtrees, largest first: one for each bit set in count_
    std::size_t count_ = 0;
};

}  // namespace parprims::detail::host
