/// @file
/// @brief  Scans of the tiles of the order contract on the host: rows in plain C++, and the tiles that are made of them.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// A complete row of a scan, for trivial types: loops of constant length over arrays that nothing aliases, so that the compiler
/// vectorises them for any operator.
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

/// Tiles of a run, for which a thread takes one ticket. A run does not cross a group, and two runs fit an L2 cache.
inline constexpr std::size_t run_tiles = 4;
static_assert(order::group_tiles % run_tiles == 0);

/// Bytes of a scan's results from which on they bypass the caches (docs/host-simd.md).
inline constexpr std::size_t stream_bytes = 64 * 1024 * 1024;

/// The Hillis-Steele scan of the first `live` values, in place. From the last value down, so that each step reads values of the
/// previous level.
template <class T, class Values, class Op>
void hillis_steele(Values& values, std::size_t live, Op& op)
{
    for (std::size_t d = 1; d < live; d *= 2)
        for (std::size_t l = live; l-- > d;)
            values[l] = static_cast<T>(op(values[l - d], values[l]));
}

/// Scans tiles for one thread. Keeps the prefixes of the rows of a run between its two passes.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
class tile_scanner {
public:
    /// The `threads` threads take runs in turn. So the next run of this thread is probably `threads` runs ahead, and prefetched.
    /// Results of at least `min_streamed_bytes` bypass the caches.
    tile_scanner(Iterator first, std::size_t n, Output out, const Op& op, const Transform& transform,
                 std::size_t threads, std::size_t min_streamed_bytes)
        : first_(first), n_(n), out_(out), op_(op), transform_(transform), ahead_(threads * run_tiles * order::tile<T>)
    {
        if constexpr (has_simd_op<T, Op>)
            kernels_ = kernels_for<T, Op>();
        if constexpr (reads_array && writes_array)
            stream_ = n * sizeof(T) >= min_streamed_bytes && static_cast<const T*>(out) != first;
    }

    Op& op() { return op_; }

    /// op(a, b); b if a is absent.
    T after(const optional<T>& a, const T& b) { return a ? static_cast<T>(op_(*a, b)) : b; }

    /// First pass over a tile, number `tile_of_run` of its run: scans the totals of the rows and returns the aggregate.
    T fold_rows(std::size_t tile, std::size_t tile_of_run)
    {
        const std::size_t begin = tile * order::tile<T>;
        const std::size_t rows = order::ceil_div(smaller_of(order::tile<T>, n_ - begin), row);
        auto& totals = row_prefixes_[tile_of_run];
        bool done = false;
        if constexpr (has_simd_op<T, Op>)
            if (kernels_ != nullptr && n_ - begin >= order::tile<T>) {
                kernels_->fold_rows(array_of(begin, order::tile<T>), totals.data());
                done = true;
            }
        for (std::size_t r = 0; r < rows && !done; ++r)
            totals.set(r, fold_row(begin + r * row));
        host::hillis_steele<T>(totals, rows, op_);
        return totals[rows - 1];
    }

    /// Second pass: writes the results, given the tile's prefix.
    void scan_rows(std::size_t tile, std::size_t tile_of_run, const optional<T>& prefix)
    {
        const std::size_t begin = tile * order::tile<T>;
        const std::size_t n = smaller_of(order::tile<T>, n_ - begin);
        std::size_t r = 0;
        if constexpr (has_simd_op<T, Op>)
            if (kernels_ != nullptr) {
                r = n / row;
                const auto rows = Kind == scan_kind::inclusive ? kernels_->inclusive_rows : kernels_->exclusive_rows;
                const T* const x = array_of(begin, r * row);
                T* results = staged_.data();
                const T* ahead = nullptr;
                if constexpr (writes_array)
                    results = out_ + begin;
                if constexpr (reads_array)
                    if (n_ - begin >= ahead_ + order::tile<T>)
                        ahead = x + ahead_;
                rows(x, results, r, row_prefixes_[tile_of_run].data(), prefix ? __builtin_addressof(*prefix) : nullptr,
                     ahead, stream_);
                if constexpr (!writes_array)
                    for (std::size_t i = 0; i < r * row; ++i)
                        *(out_ + static_cast<std::ptrdiff_t>(begin + i)) = results[i];
            }
        for (; r * row < n; ++r) {
            optional<T> with_rows;
            if (r > 0)
                with_rows.emplace(after(prefix, row_prefixes_[tile_of_run][r - 1]));
            scan_row(begin + r * row, r > 0 ? with_rows : prefix);
        }
    }

private:
    static constexpr std::size_t row = order::row<T>;
    static constexpr std::size_t items = order::lane_items<T>;
    static constexpr bool is_plain = fits_stack<T, row>;
    static constexpr bool reads_array = has_simd<T, Iterator, Op, Transform>;
    static constexpr bool writes_array = std::is_same_v<Output, T*>;
    static constexpr bool is_staged = has_simd_op<T, Op> && !(reads_array && writes_array);

    /// The elements from `begin` on as an array for SIMD: those of the input, or a copy.
    const T* array_of(std::size_t begin, std::size_t count)
    {
        if constexpr (reads_array) {
            return first_ + begin;
        } else {
            host::load_elements<T>(staged_, first_, begin, count, transform_);
            return staged_.data();
        }
    }

    T fold_row(std::size_t begin)
    {
        if constexpr (is_plain)
            if (n_ - begin >= row) {
                plain_row<T> complete;
                complete.load(first_, begin, op_, transform_);
                return complete.total(op_);
            }
        const std::size_t lanes = load_row(begin);
        return lane_prefixes_[lanes - 1];
    }

    void scan_row(std::size_t begin, const optional<T>& before)
    {
        if constexpr (is_plain)
            if (n_ - begin >= row) {
                plain_row<T> complete;
                complete.load(first_, begin, op_, transform_);
                complete.template scan<Kind>(before ? __builtin_addressof(*before) : nullptr, op_);
                complete.store(out_, begin);
                return;
            }
        load_row(begin);
        write_row(begin, before);
    }

    /// Reads the row that starts at element `begin` and leaves the running totals of its lanes and the scan of the lanes; returns
    /// how many lanes are live.
    std::size_t load_row(std::size_t begin)
    {
        width_ = smaller_of(row, n_ - begin);
        host::load_elements<T>(totals_, first_, begin, width_, transform_);
        for (std::size_t i = 1; i < width_; ++i)
            if (i % items != 0)
                totals_[i] = static_cast<T>(op_(totals_[i - 1], totals_[i]));
        const std::size_t lanes = order::ceil_div(width_, items);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            lane_prefixes_.set(lane, totals_[smaller_of(lane * items + items, width_) - 1]);
        host::hillis_steele<T>(lane_prefixes_, lanes, op_);
        return lanes;
    }

    void write_row(std::size_t begin, const optional<T>& row_before)
    {
        for (std::size_t lane = 0; lane * items < width_; ++lane) {
            optional<T> with_lanes;
            if (lane > 0)
                with_lanes.emplace(after(row_before, lane_prefixes_[lane - 1]));
            const optional<T>& before = lane > 0 ? with_lanes : row_before;
            const std::size_t live = smaller_of(items, width_ - lane * items);
            for (std::size_t j = 0; j < live; ++j) {
                const bool is_alone = Kind == scan_kind::exclusive && j == 0;
                const std::size_t last = lane * items + (Kind == scan_kind::inclusive || j == 0 ? j : j - 1);
                *(out_ + static_cast<std::ptrdiff_t>(begin + lane * items + j)) =
                    is_alone ? *before : after(before, totals_[last]);
            }
        }
    }

    const Iterator first_;
    const std::size_t n_;
    const Output out_;
    Op op_;
    Transform transform_;
    std::size_t ahead_;  // distance to the elements to prefetch
    const simd_kernels<T>* kernels_ = nullptr;
    bool stream_ = false;                                          // results bypass the caches
    value_array<T, is_staged ? order::tile<T> : 1> staged_;        // a tile's elements, or its results, for SIMD
    std::size_t width_ = 0;                                        // elements of the current row
    value_array<T, row> totals_;                                   // t
    value_array<T, order::lanes> lane_prefixes_;                   // S
    value_array<T, order::tile_rows<T>> row_prefixes_[run_tiles];  // Q of the tiles of the run
};

}  // namespace parprims::detail::host
