/// @file
/// @brief  A complete row of a scan, for trivial types: loops of constant length over arrays that nothing aliases, so that the
///         compiler vectorises them for any operator.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/values.hpp>

#include <cstddef>

namespace parprims::detail::host {

template <class T>
struct plain_row {
    static constexpr std::size_t items = order::lane_items<T>;
    static constexpr std::size_t lanes = order::lanes;

    alignas(64) T item[items][lanes];  // t: item[j] is item j of every lane

    /// Reads the row and leaves the running totals inside its lanes.
    template <class Iterator, class Op, class Transform>
    void load(const Iterator& first, std::size_t begin, Op& op, Transform& transform)
    {
        for (std::size_t l = 0; l < lanes; ++l)
            for (std::size_t j = 0; j < items; ++j)
                item[j][l] = host::element<T>(first, begin + l * items + j, transform);
        if constexpr (may_fuse<T, Iterator, Transform>)
            numeric::separate(item);
        for (std::size_t j = 1; j < items; ++j)
            for (std::size_t l = 0; l < lanes; ++l)
                item[j][l] = static_cast<T>(op(item[j - 1][l], item[j][l]));
    }

    /// The total of the row: what the Hillis-Steele scan leaves in the last lane is the tree over the lanes.
    template <class Op>
    T total(Op& op) const
    {
        T tree[lanes / 2];
        for (std::size_t l = 0; l < lanes / 2; ++l)
            tree[l] = static_cast<T>(op(item[items - 1][2 * l], item[items - 1][2 * l + 1]));
        for (std::size_t count = lanes / 4; count > 0; count /= 2)
            for (std::size_t l = 0; l < count; ++l)
                tree[l] = static_cast<T>(op(tree[2 * l], tree[2 * l + 1]));
        return tree[0];
    }

    /// Replaces the running totals by the results. `row_before` is the prefix of the row; in an inclusive scan it may be null:
    /// none.
    template <scan_kind Kind, class Op>
    void scan(const T* row_before, Op& op)
    {
        T before[lanes];
        shifted_lane_scan(before, op);
        if (row_before != nullptr) {
            const T row = *row_before;
            for (std::size_t l = 1; l < lanes; ++l)
                before[l] = static_cast<T>(op(row, before[l]));
            before[0] = row;
        }
        for (std::size_t j = items; j-- > 0;) {
            if (Kind == scan_kind::exclusive && j == 0) {
                for (std::size_t l = 0; l < lanes; ++l)
                    item[0][l] = before[l];
                break;
            }
            const std::size_t inside = Kind == scan_kind::inclusive ? j : j - 1;
            for (std::size_t l = 1; l < lanes; ++l)
                item[j][l] = static_cast<T>(op(before[l], item[inside][l]));
            item[j][0] = row_before == nullptr ? item[inside][0] : static_cast<T>(op(before[0], item[inside][0]));
        }
    }

    template <class Output>
    void store(const Output& out, std::size_t begin) const
    {
        for (std::size_t l = 0; l < lanes; ++l)
            for (std::size_t j = 0; j < items; ++j)
                *(out + static_cast<std::ptrdiff_t>(begin + l * items + j)) = item[j][l];
    }

private:
    /// S shifted by one lane. The value of lane 0 is not used.
    template <class Op>
    void shifted_lane_scan(T* before, Op& op) const
    {
        T s[2][lanes];
        for (std::size_t l = 0; l < lanes; ++l)
            s[0][l] = item[items - 1][l];
        std::size_t from = 0;
        for (std::size_t d = 1; d < lanes; d *= 2, from = 1 - from) {
            for (std::size_t l = 0; l < d; ++l)
                s[1 - from][l] = s[from][l];
            for (std::size_t l = d; l < lanes; ++l)
                s[1 - from][l] = static_cast<T>(op(s[from][l - d], s[from][l]));
        }
        before[0] = s[from][0];
        for (std::size_t l = 1; l < lanes; ++l)
            before[l] = s[from][l - 1];
    }
};

}  // namespace parprims::detail::host
