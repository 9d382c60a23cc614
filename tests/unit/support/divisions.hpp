/// @file
/// @brief  Calls over ranks that are threads, for many divisions of the input, beside the call of one process.
#pragma once

#include <doctest/doctest.h>

#include <parprims/distributed.hpp>

#include "borders.hpp"
#include "host_values.hpp"
#include "thread_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace pp = parprims;

inline constexpr std::size_t rank_counts[] = {1, 2, 3, 5, 8, 64};

/// Calls `call(policy, first, last, begin of the slice, rank)` on each of many ranks, for several divisions of `values`, and
/// then `check()`.
template <class Value, class Call, class Check>
void for_divisions(const std::vector<Value>& values, std::size_t block, Call call, Check check)
{
    std::mt19937 random(static_cast<unsigned>(values.size()));
    for (const std::size_t ranks : rank_counts)
        for (unsigned attempt = 0; attempt < (ranks < 64 ? 3u : 1u); ++attempt) {
            const std::vector<std::size_t> borders = random_borders(values.size(), ranks, block, random);
            CAPTURE(ranks);
            CAPTURE(borders);
            thread_group group(ranks);
            const auto thrown = group.run([&](thread_group::member& self) {
                const std::size_t begin = borders[self.rank()], end = borders[self.rank() + 1];
                call(pp::distributed(pp::host.threads(ranks < 5 ? 2 : 1), self), values.data() + begin,
                     values.data() + end, begin, self.rank());
            });
            for (const auto& error : thrown)
                CHECK(text_of(error) == "");
            check(ranks);
        }
}

template <class Value, class T, class Op, class Transform = pp::identity>
void check_reduce(std::size_t n, T init, Op op, Transform transform = {})
{
    CAPTURE(n);
    const std::vector<Value> values = random_values<Value>(n);
    const T expected = pp::transform_reduce(pp::host, values.begin(), values.end(), init, op, transform);
    std::vector<T> results(std::ranges::max(rank_counts), init);
    for_divisions(
        values, order::chunk<Value>,
        [&](const auto& policy, const Value* first, const Value* last, std::size_t, std::size_t rank) {
            results[rank] = pp::transform_reduce(policy, first, last, init, op, transform);
        },
        [&](std::size_t ranks) {
            const auto is_wrong = [&](const T& result) { return !same_bits(result, expected); };
            CHECK(std::count_if(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(ranks), is_wrong) == 0);
        });
}

/// Sizes with borders in, at and beside `block`.
inline std::vector<std::size_t> sizes_around(std::size_t block)
{
    return {0, 1, block - 1, block, 3 * block + 5, 37 * block + block / 3};
}

template <class Value, class T, class Op, class Transform = pp::identity>
void check_scans(const std::vector<Value>& values, T init, Op op, Transform transform = {})
{
    const std::size_t n = values.size();
    CAPTURE(n);
    std::vector<T> expected(n, init), results(n, init);
    const auto check = [&](auto call) {
        call(pp::host, values.data(), values.data() + n, expected.data());
        for_divisions(
            values, order::tile<T>,
            [&](const auto& policy, const Value* first, const Value* last, std::size_t begin, std::size_t) {
                call(policy, first, last, results.data() + begin);
            },
            [&](std::size_t) {
                CHECK(first_difference(results, expected) == n);
                std::fill(results.begin(), results.end(), init);
            });
    };
    check([&](const auto& policy, const Value* first, const Value* last, T* out) {
        return pp::transform_inclusive_scan(policy, first, last, out, op, transform);
    });
    check([&](const auto& policy, const Value* first, const Value* last, T* out) {
        return pp::transform_exclusive_scan(policy, first, last, out, init, op, transform);
    });
}

/// Weights that differ by powers of two, of which some are infinite or NaN.
template <class W>
std::vector<W> random_weights(std::size_t n)
{
    std::vector<W> weights = random_values<W>(n, 9);
    if constexpr (std::is_floating_point_v<W>)
        for (std::size_t i = 0; i < n; ++i)
            weights[i] = i % 1009 == 13 ? (i % 2 == 0 ? -1 : 1) * std::numeric_limits<W>::infinity()
                         : i == n / 2   ? std::numeric_limits<W>::quiet_NaN()
                                        : std::ldexp(weights[i], static_cast<int>(i * 60 / n) - 30);
    return weights;
}
