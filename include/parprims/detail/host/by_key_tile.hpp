/// @file
/// @brief  One tile of a scan by key (keyed.hpp), for any type and any operator.
#pragma once

#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/scan_tile.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/functional.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// A lane of a scan by key, ready for its results.
template <class T, class Pair>
struct keyed_lane {
    std::size_t begin;   // its first element
    std::size_t live;    // its elements
    head_bits<T> heads;  // bit e: a run begins at element e
    T* totals;           // the running totals of the runs inside the lane
    const Pair* before;  // everything before the lane; null for the first one

    /// Elements before the first head: their results need what is before the lane.
    std::size_t open() const
    {
        const auto first = static_cast<std::size_t>(std::countr_zero(heads));
        return first < live ? first : live;
    }

    /// The total of element e's run up to e.
    template <class Op>
    T total_at(std::size_t e, Op& op) const
    {
        return e < open() ? static_cast<T>(op(before->value, totals[e])) : totals[e];
    }

    /// What element e's predecessors leave, from the last head among them on. There is one.
    template <class Op>
    T total_before(std::size_t e, Op& op) const
    {
        return e == 0 ? before->value : total_at(e - 1, op);
    }
};

/// Scans tiles for one thread, as `tile_scanner` does. Keeps what it found in the tiles of a run between its two passes.
///
/// @tparam  Pair  `keyed` values
/// @tparam  Sink  called with each lane and the operator on values, writes the results
template <class Pair, class Heads, class Values, class Op, class Sink>
class keyed_tile_scanner {
    using T = decltype(Pair::value);

public:
    keyed_tile_scanner(const Heads& heads, const Values& values, std::size_t n, const Op& op, const Sink& sink)
        : heads_(heads), values_(values), n_(n), op_{op}, sink_(sink)
    {
        if constexpr (has_simd_op<T, Op>)
            kernels_ = kernels_for<T, Op>();
    }

    combine_keyed<Op>& op() { return op_; }

    /// First pass over a tile, number `tile_of_run` of its run: scans the totals of the rows and returns the aggregate.
    Pair fold_rows(std::size_t tile, std::size_t tile_of_run)
    {
        auto& totals = row_prefixes_[tile_of_run];
        const std::size_t count = rows(tile);
        for (std::size_t r = 0; r < count; ++r) {
            load_row(tile * order::tile<Pair> + r * row, tile_of_run * tile_rows + r);
            totals.set(r, lanes_[(tile_of_run * tile_rows + r) * order::lanes + lanes() - 1]);
        }
        host::hillis_steele<Pair>(totals, count, op_);
        return totals[count - 1];
    }

    /// Second pass: writes the results, given the tile's prefix.
    void scan_rows(std::size_t tile, std::size_t tile_of_run, const optional<Pair>& prefix)
    {
        const std::size_t count = rows(tile);
        for (std::size_t r = 0; r < count; ++r) {
            optional<Pair> with_rows;
            if (r > 0)
                with_rows.emplace(after(prefix, row_prefixes_[tile_of_run][r - 1]));
            write_row(tile * order::tile<Pair> + r * row, tile_of_run * tile_rows + r, r > 0 ? with_rows : prefix);
        }
    }

private:
    static constexpr std::size_t row = order::row<Pair>;
    static constexpr std::size_t items = order::lane_items<Pair>;
    static constexpr std::size_t tile_rows = order::tile_rows<Pair>;
    static constexpr std::size_t run_rows = run_tiles * tile_rows;
    /// Whether values of two runs may be combined and the result dropped: without branches, which would often be mispredicted.
    static constexpr bool may_speculate = is_exact<T, Op>;
    static_assert(items <= 8 * sizeof(head_bits<T>));

    std::size_t rows(std::size_t tile) const
    {
        return order::ceil_div(smaller_of(order::tile<Pair>, n_ - tile * order::tile<Pair>), row);
    }
    std::size_t lanes() const { return order::ceil_div(live_, items); }

    /// op(a, b); b if a is absent.
    Pair after(const optional<Pair>& a, const Pair& b) { return a ? op_(*a, b) : b; }

    /// Reads the row that starts at element `begin`, number q of the run: leaves the heads, the running totals of the runs inside
    /// lanes, and the scan of the lanes.
    void load_row(std::size_t begin, std::size_t q)
    {
        live_ = smaller_of(row, n_ - begin);
        heads_.find(begin, live_, items, heads_of_[q]);
        if constexpr (has_simd_op<T, Op>)
            if (kernels_ != nullptr && live_ == row)
                return scan_by_simd(begin, q);
        load_values(begin, q);
        for (std::size_t l = 0; l < lanes(); ++l) {
            T* const totals = totals_.data() + q * row + l * items;
            const std::size_t live = smaller_of(items, live_ - l * items);
            scan_items(totals, live, heads_of_[q][l]);
            lanes_.set(q * order::lanes + l,
                       {totals[live - 1], static_cast<std::size_t>(std::popcount(heads_of_[q][l]))});
        }
        Pair* const scans = lanes_.data() + q * order::lanes;
        host::hillis_steele<Pair>(scans, lanes(), op_);
    }

    void load_values(std::size_t begin, std::size_t q)
    {
        identity unchanged;
        for (std::size_t i = 0; i < live_; ++i)
            totals_.set(q * row + i, host::element<T>(values_, begin + i, unchanged));
        if constexpr (may_fuse<T, Values, identity>)
            numeric::separate(totals_.data());
    }

    /// The running totals of runs in the `live` elements of a lane.
    void scan_items(T* t, std::size_t live, head_bits<T> heads)
    {
        if constexpr (may_speculate) {
            for (std::size_t e = 1; e < live; ++e) {
                const int is_head = -static_cast<int>(heads >> e & 1);
                t[e] = static_cast<T>((t[e] & T(is_head)) | (op_.op(t[e - 1], t[e]) & ~T(is_head)));
            }
        } else {
            for (std::size_t e = 1; e < live; ++e)
                if ((heads >> e & 1) == 0)
                    t[e] = static_cast<T>(op_.op(t[e - 1], t[e]));
        }
    }

    void scan_by_simd(std::size_t begin, std::size_t q)
    {
        T scans[order::lanes];
        const T* x = totals_.data() + q * row;
        if constexpr (std::is_pointer_v<Values> && std::is_same_v<std::remove_cvref_t<decltype(*values_)>, T>)
            x = values_ + begin;
        else
            load_values(begin, q);
        kernels_->scan_row_by_key(x, heads_of_[q], items, totals_.data() + q * row, scans);
        std::size_t heads = 0;
        for (std::size_t l = 0; l < order::lanes; ++l) {
            heads += static_cast<std::size_t>(std::popcount(heads_of_[q][l]));
            lanes_.set(q * order::lanes + l, {scans[l], heads});
        }
    }

    void write_row(std::size_t begin, std::size_t q, const optional<Pair>& row_before)
    {
        const std::size_t live = smaller_of(row, n_ - begin);
        for (std::size_t l = 0; l * items < live; ++l) {
            optional<Pair> with_lanes;
            if (l > 0)
                with_lanes.emplace(after(row_before, lanes_[q * order::lanes + l - 1]));
            const optional<Pair>& before = l > 0 ? with_lanes : row_before;
            sink_(keyed_lane<T, Pair>{begin + l * items, smaller_of(items, live - l * items), heads_of_[q][l],
                                      totals_.data() + q * row + l * items,
                                      before ? __builtin_addressof(*before) : nullptr},
                  op_.op);
        }
    }

    const Heads& heads_;
    const Values& values_;
    const std::size_t n_;
    combine_keyed<Op> op_;
    const Sink& sink_;
    const simd_kernels<T>* kernels_ = nullptr;
    std::size_t live_ = 0;  // elements of the current row
    // Of the rows of the run:
    head_bits<T> heads_of_[run_rows][order::lanes];
    value_array<T, run_rows * row> totals_;                 // t
    value_array<Pair, run_rows * order::lanes> lanes_;      // S
    value_array<Pair, tile_rows> row_prefixes_[run_tiles];  // Q of its tiles
};

}  // namespace parprims::detail::host
