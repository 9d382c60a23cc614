/// @file
/// @brief  The calls that the rows name, by the public functions, on the memory of a backend.
#pragma once

#include <parprims/by_key.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/functional.hpp>
#include <parprims/profile.hpp>
#include <parprims/reduce.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan.hpp>
#include <parprims/scan_along.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/view.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weighted_histogram_along.hpp>

#include "rows.hpp"
#include "values.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace contract {

namespace pp = parprims;

/// Each function computes what a row says, for elements of V, values of T and an operator.
///
/// @tparam  Backend  has `policy(row)`, `place(values, offset)` and `room<T>(n, offset)`; a place has `begin()`, `end()` and, for results,
///                   `read()`. `place_of_segments` and `offsets(values)` are those of segmented calls
template <class Backend, class V, class T, class Op>
struct public_calls {
    static auto elements(const row& r, std::uint64_t more_seed = 0)
    {
        return Backend::place(values_of<V>(r, more_seed), r.offset);
    }
    /// Begins elsewhere than the input.
    static auto results(std::size_t n, const row& r) { return Backend::template room<T>(n, 3 * r.offset + 1); }

    static std::vector<T> reduce(const row& r)
    {
        const auto x = elements(r);
        if constexpr (std::is_same_v<V, T> && std::is_same_v<Op, pp::plus> && std::is_arithmetic_v<T>)
            if (!r.has_init())
                return {pp::reduce(Backend::policy(r), x.begin(), x.end())};
        return {pp::reduce(Backend::policy(r), x.begin(), x.end(), init_of<T>(r), Op{})};
    }

    static std::vector<T> transform_reduce(const row& r)
    {
        const auto x = elements(r);
        return {pp::transform_reduce(Backend::policy(r), x.begin(), x.end(), init_of<T>(r), Op{}, square<V>{})};
    }

    static std::vector<T> transform_reduce_2(const row& r)
    {
        const auto x = elements(r);
        const auto y = elements(r, 1000);
        using times = std::conditional_t<std::is_same_v<Op, pp::exact_plus>, pp::multiplies, product<V>>;
        return {pp::transform_reduce(Backend::policy(r), x.begin(), x.end(), y.begin(), init_of<T>(r), Op{}, times{})};
    }

    static std::vector<T> inclusive_scan(const row& r)
    {
        const auto x = elements(r);
        const auto out = results(r.n, r);
        if (r.has_init())
            pp::inclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), Op{}, init_of<T>(r));
        else if constexpr (std::is_same_v<V, T>)
            pp::inclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), Op{});
        return out.read();
    }

    static std::vector<T> exclusive_scan(const row& r)
    {
        const auto x = elements(r);
        const auto out = results(r.n, r);
        pp::exclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), init_of<T>(r), Op{});
        return out.read();
    }

    static std::vector<T> transform_inclusive_scan(const row& r)
    {
        const auto x = elements(r);
        const auto out = results(r.n, r);
        if (r.has_init())
            pp::transform_inclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), Op{}, square<V>{},
                                         init_of<T>(r));
        else if constexpr (std::is_same_v<V, T>)
            pp::transform_inclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), Op{}, square<V>{});
        return out.read();
    }

    static std::vector<T> transform_exclusive_scan(const row& r)
    {
        const auto x = elements(r);
        const auto out = results(r.n, r);
        pp::transform_exclusive_scan(Backend::policy(r), x.begin(), x.end(), out.begin(), init_of<T>(r), Op{},
                                     square<V>{});
        return out.read();
    }

    static std::vector<T> inclusive_scan_by_key(const row& r)
    {
        const auto keys = Backend::place(keys_of(r), r.offset);
        const auto x = elements(r);
        const auto out = results(r.n, r);
        pp::inclusive_scan_by_key(Backend::policy(r), keys.begin(), keys.end(), x.begin(), out.begin(), pp::equal_to{},
                                  Op{});
        return out.read();
    }

    static std::vector<T> exclusive_scan_by_key(const row& r)
    {
        const auto keys = Backend::place(keys_of(r), r.offset);
        const auto x = elements(r);
        const auto out = results(r.n, r);
        pp::exclusive_scan_by_key(Backend::policy(r), keys.begin(), keys.end(), x.begin(), out.begin(), init_of<T>(r),
                                  pp::equal_to{}, Op{});
        return out.read();
    }

    static std::vector<T> reduce_by_key(const row& r)
    {
        const auto keys = Backend::place(keys_of(r), r.offset);
        const auto x = elements(r);
        const auto keys_out = Backend::template room<std::uint32_t>(r.n, r.offset);
        const auto out = results(r.n, r);
        const std::size_t runs = pp::reduce_by_key(Backend::policy(r), keys.begin(), keys.end(), x.begin(),
                                                   keys_out.begin(), out.begin(), pp::equal_to{}, Op{});
        std::vector<T> totals = out.read();
        totals.resize(runs);
        return totals;
    }

    /// By whatever says in `r` where segments begin: `call` gets a size, or the begin and the end of offsets.
    template <class Call>
    static void segmented(const row& r, Call call)
    {
        if (!r.has_offsets())
            return call(r.length());
        const auto offsets = Backend::offsets(offsets_of(r));
        call(offsets.begin(), offsets.end());
    }
    static auto elements_of_segments(const row& r) { return Backend::place_of_segments(values_of<V>(r), r.offset); }

    static std::vector<T> segmented_reduce(const row& r)
    {
        const auto x = elements_of_segments(r);
        const std::size_t segments = r.has_offsets() ? offsets_of(r).size() - 1 : (r.n + r.length() - 1) / r.length();
        const auto out = results(segments, r);
        segmented(r, [&](auto... where) {
            pp::segmented_reduce(Backend::policy(r), x.begin(), x.end(), where..., out.begin(), init_of<T>(r), Op{});
        });
        return out.read();
    }

    static std::vector<T> segmented_inclusive_scan(const row& r)
    {
        const auto x = elements_of_segments(r);
        const auto out = results(r.n, r);
        segmented(r, [&](auto... where) {
            pp::segmented_inclusive_scan(Backend::policy(r), x.begin(), x.end(), where..., out.begin(), Op{});
        });
        return out.read();
    }

    static std::vector<T> segmented_exclusive_scan(const row& r)
    {
        const auto x = elements_of_segments(r);
        const auto out = results(r.n, r);
        segmented(r, [&](auto... where) {
            pp::segmented_exclusive_scan(Backend::policy(r), x.begin(), x.end(), where..., out.begin(), init_of<T>(r),
                                         Op{});
        });
        return out.read();
    }

    static std::vector<T> reduce_along(const row& r)
    {
        const auto x = elements(r);
        const auto out = results(r.lines(), r);
        pp::reduce(Backend::policy(r), pp::matrix(x.begin(), r.n / r.length(), r.length()), pp::along(r.dimension()),
                   out.begin(), init_of<T>(r), Op{});
        return out.read();
    }

    /// `call` gets a policy, a matrix, the dimension, and where the results go.
    template <class Call>
    static std::vector<T> scan_along(const row& r, Call call)
    {
        const auto x = elements(r);
        const auto out = results(r.n, r);
        call(Backend::policy(r), pp::matrix(x.begin(), r.n / r.length(), r.length()), pp::along(r.dimension()),
             out.begin());
        return out.read();
    }
    static std::vector<T> inclusive_scan_along(const row& r)
    {
        return scan_along(r, [&](auto... arguments) {
            if (r.has_init())
                pp::inclusive_scan(arguments..., Op{}, init_of<T>(r));
            else if constexpr (std::is_same_v<V, T>)
                pp::inclusive_scan(arguments..., Op{});
        });
    }
    static std::vector<T> exclusive_scan_along(const row& r)
    {
        return scan_along(r, [&](auto... arguments) { pp::exclusive_scan(arguments..., init_of<T>(r), Op{}); });
    }

    /// What `call(policy, first, last, weights, axis, bins)` writes.
    template <class Bin, class Call>
    static std::vector<T> bins_of(const row& r, Call call)
    {
        const auto x = Backend::place(samples_of<V>(r, r.length()), r.offset);
        const auto weights = elements(r);
        const auto bins = Backend::template room<Bin>(r.length(), 1);
        call(Backend::policy(r), x.begin(), x.end(), weights.begin(),
             pp::regular_axis<V>(r.length(), V{0}, static_cast<V>(r.length())), bins.begin());
        return contract::numbers_of(bins.read());
    }
    static std::vector<T> weighted_histogram(const row& r)
    {
        return bins_of<T>(r, [](auto... arguments) { pp::weighted_histogram(arguments...); });
    }
    static std::vector<T> weighted_histogram_2(const row& r)
    {
        return bins_of<pp::weighted_sum<T>>(r, [](auto... arguments) { pp::weighted_histogram(arguments...); });
    }
    static std::vector<T> profile(const row& r)
    {
        return bins_of<pp::profile_bin<T>>(r, [](auto... arguments) { pp::profile(arguments...); });
    }
    static std::vector<T> weighted_histogram_along(const row& r)
    {
        const auto x = Backend::place(samples_of<V>(r, line_bins), r.offset);
        const auto weights = elements(r);
        const auto sums = results(r.lines() * line_bins, r);
        const auto matrix_of = [&](auto first) { return pp::matrix(first, r.n / r.length(), r.length()); };
        pp::weighted_histogram(Backend::policy(r), matrix_of(x.begin()), pp::along(r.dimension()),
                               matrix_of(weights.begin()), pp::regular_axis<V>(line_bins, V{0}, V{line_bins}),
                               sums.begin());
        return sums.read();
    }
};

}  // namespace contract
