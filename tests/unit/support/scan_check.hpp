/// @file
/// @brief  A scan as a loop, and all the forms of a scan compared with it.
#pragma once

#include <doctest/doctest.h>

#include <parprims/scan.hpp>

#include "backend.hpp"
#include "data.hpp"
#include "values.hpp"

#include <cstddef>
#include <optional>
#include <vector>

struct square_as_float {
    template <class T>
    PARPRIMS_HOST_DEVICE float operator()(const T& x) const
    {
        return static_cast<float>(x) * static_cast<float>(x);
    }
};

/// Calls `check(policy)` with each policy that a scan has to work under: on the device, in one pass and in three phases.
template <class Backend, class Check>
void for_each_scan_policy(Check check)
{
    check(Backend::policy());
    if constexpr (Backend::is_device)
        check(Backend::policy().with(parprims::three_phase_scan{}));
}

template <class T, class Op>
std::vector<T> loop_scan(bool is_inclusive, const std::vector<T>& values, const std::optional<T>& init, Op op)
{
    std::vector<T> answers;
    std::vector<T> total;  // none, or one
    if (init)
        total.push_back(*init);
    for (const T& value : values) {
        if (!is_inclusive)
            answers.push_back(total.front());
        if (total.empty())
            total.push_back(value);
        else
            total.front() = static_cast<T>(op(total.front(), value));
        if (is_inclusive)
            answers.push_back(total.front());
    }
    return answers;
}

/// Inclusive with and without init, exclusive, and in place.
template <class Backend, class T, class Op>
void check_scan_of(const std::vector<T>& values, const std::optional<T>& init, Op op, std::size_t offset,
                   std::size_t out_offset)
{
    namespace pp = parprims;
    const std::size_t n = values.size();
    CAPTURE(offset);
    CAPTURE(out_offset);
    const std::vector<T> inclusive = loop_scan(true, values, std::optional<T>(), op);
    const std::vector<T> inclusive_from_init = loop_scan(true, values, init, op);
    const std::vector<T> exclusive = loop_scan(false, values, init, op);
    const auto x = place<Backend>(values, offset);
    for_each_scan_policy<Backend>([&](const auto& policy) {
        const auto check = [&](const std::vector<T>& expected, auto call) {
            const auto out = poisoned<Backend, T>(n, out_offset);
            CHECK(call(out) == out.end());
            CHECK(first_difference(out.read(), expected) == n);
        };
        check(inclusive, [&](auto& out) { return pp::inclusive_scan(policy, x.begin(), x.end(), out.begin(), op); });
        check(inclusive_from_init,
              [&](auto& out) { return pp::inclusive_scan(policy, x.begin(), x.end(), out.begin(), op, *init); });
        check(exclusive,
              [&](auto& out) { return pp::exclusive_scan(policy, x.begin(), x.end(), out.begin(), *init, op); });

        const auto both = place_guarded<Backend>(values, offset);
        pp::inclusive_scan(policy, both.begin(), both.end(), both.begin(), op);
        CHECK(first_difference(both.read(), inclusive) == n);
        const auto both_exclusive = place_guarded<Backend>(values, out_offset);
        pp::exclusive_scan(policy, both_exclusive.begin(), both_exclusive.end(), both_exclusive.begin(), *init, op);
        CHECK(first_difference(both_exclusive.read(), exclusive) == n);
    });
}

/// Every size; input and output aligned and not, each on its own.
template <class Backend, class T, class Op = parprims::plus>
void check_scan(const T& init, Op op = {})
{
    for (const std::size_t n : scan_sizes<T>()) {
        CAPTURE(n);
        const std::vector<T> values = small_values<T>(n);
        check_scan_of<Backend>(values, std::optional<T>(init), op, 0, 0);
        if (n < 4 * order::tile<T>) {
            check_scan_of<Backend>(values, std::optional<T>(init), op, 1, 0);
            check_scan_of<Backend>(values, std::optional<T>(init), op, 0, 3);
        }
    }
}
