/// @file
/// @brief  The calls around copy_if: a stencil, unique_copy, unique_by_key_copy, partition_copy. At every size and alignment, from a size
///         in memory, and what they refuse.
#include <doctest/doctest.h>

#include <parprims/copy_if.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>
#include <parprims/partition_copy.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/unique_copy.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

struct is_even {
    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(const T& x) const
    {
        return static_cast<std::int64_t>(x) % 2 == 0;
    }
};

struct same_half {
    PARPRIMS_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 2 == b / 2; }
};

template <class T>
std::vector<T> keys_with_runs(std::size_t n, std::uint64_t length, std::uint64_t seed)
{
    T next{};
    return generate(
        n,
        [&](std::uint64_t bits) {
            next = static_cast<T>(next + static_cast<T>(bits % length == 0 ? 1 : 0));
            return static_cast<T>(static_cast<int>(next) % 100);
        },
        seed);
}

/// Every call on `tested` and as many values, with results beside each other in memory that is checked. `n` elements count.
template <class Backend, class T, class U, class First, class Last>
void check_selection(const std::vector<T>& tested, const std::vector<U>& values, std::size_t n, First keys_first,
                     Last keys_last, const U* values_first)
{
    std::vector<T> keys, even, odd;
    std::vector<U> of_keys, of_even;
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || tested[i] != tested[i - 1]) {
            keys.push_back(tested[i]);
            of_keys.push_back(values[i]);
        }
        (is_even{}(tested[i]) ? even : odd).push_back(tested[i]);
        if (is_even{}(tested[i]))
            of_even.push_back(values[i]);
    }
    const auto policy = Backend::policy();
    const auto count = poisoned<Backend, std::uint32_t>(4);
    const auto check = [&](auto type, std::size_t room, auto call, const auto& expected) {
        const auto found = poisoned<Backend, decltype(type)>(room, n % 3);
        call(found.begin());
        CHECK(found.read() == expected);
    };
    check(
        T{}, keys.size(), [&](T* out) { pp::unique_copy_into(policy, keys_first, keys_last, out, count.begin()); },
        keys);
    check(
        T{}, keys.size(),
        [&](T* out) {
            CHECK(pp::unique_copy(policy, keys_first, keys_last, out) - out ==
                  static_cast<std::ptrdiff_t>(keys.size()));
        },
        keys);
    const auto keys_out = poisoned<Backend, T>(keys.size(), n % 5);
    check(
        U{}, keys.size(),
        [&](U* out) {
            pp::unique_by_key_copy_into(policy, keys_first, keys_last, values_first, keys_out.begin(), out,
                                        count.begin() + 1);
        },
        of_keys);
    CHECK(keys_out.read() == keys);
    check(
        U{}, keys.size(),
        [&](U* out) {
            CHECK(pp::unique_by_key_copy(policy, keys_first, keys_last, values_first, pp::discard_iterator(), out) ==
                  keys.size());
        },
        of_keys);
    const auto others = poisoned<Backend, T>(odd.size(), n % 2);
    check(
        T{}, even.size(),
        [&](T* out) {
            pp::partition_copy_into(policy, keys_first, keys_last, out, others.begin(), count.begin() + 2, is_even{});
        },
        even);
    CHECK(others.read() == odd);
    const auto all = poisoned<Backend, T>(n);
    CHECK(pp::partition_copy(policy, keys_first, keys_last, all.begin(), pp::strided_iterator(all.end() - 1, -1),
                             is_even{}) == even.size());
    std::vector<T> both = even;
    both.insert(both.end(), odd.rbegin(), odd.rend());
    CHECK(all.read() == both);
    CHECK(count.read()[0] == keys.size());
    CHECK(count.read()[1] == keys.size());
    CHECK(count.read()[2] == even.size());
}

template <class Backend, class T, class U>
void check_stencil(const std::vector<T>& stencil, const std::vector<U>& values)
{
    const std::size_t n = values.size();
    std::vector<U> expected;
    for (std::size_t i = 0; i < n; ++i)
        if (is_even{}(stencil[i]))
            expected.push_back(values[i]);
    const auto x = place<Backend>(values, n % 3);
    const auto flags = place<Backend>(stencil, n % 5);
    const auto policy = Backend::policy();
    const auto found = poisoned<Backend, U>(expected.size(), n % 7);
    CHECK(pp::copy_if(policy, x.begin(), x.end(), flags.begin(), found.begin(), is_even{}) == found.end());
    CHECK(found.read() == expected);
    const auto again = poisoned<Backend, U>(expected.size(), n % 4);
    const auto count = poisoned<Backend, std::int64_t>(1);
    const auto size = place<Backend>(std::vector{static_cast<std::uint32_t>(n)});
    const auto sized = pp::sized_on_device(x.begin(), size.begin(), n);
    pp::copy_if_into(policy, sized.begin(), sized.end(), flags.begin(), again.begin(), count.begin(), is_even{});
    CHECK(again.read() == expected);
    CHECK(static_cast<std::size_t>(count.read()[0]) == expected.size());
}

}  // namespace

TEST_CASE_TEMPLATE("the calls around copy_if keep what the serial loop keeps", Backend, PARPRIMS_BACKENDS)
{
    std::uint64_t seed = 1;
    for (const std::size_t n : {0, 1, 2, 15, 16, 17, 4095, 16385, 70001, 1000003})
        for (const std::uint64_t length : {1, 3, 100}) {
            CAPTURE(n);
            CAPTURE(length);
            const auto check = [&](auto key, auto value) {
                using T = decltype(key);
                using U = decltype(value);
                const std::vector<T> keys = keys_with_runs<T>(n, length, ++seed);
                const std::vector<U> values = keys_with_runs<U>(n, 1, seed);
                const auto in = place<Backend>(keys, seed % 5);
                const auto x = place<Backend>(values, seed % 3);
                check_selection<Backend>(keys, values, n, static_cast<const T*>(in.begin()),
                                         static_cast<const T*>(in.end()), static_cast<const U*>(x.begin()));
                check_stencil<Backend>(keys, values);
            };
            check(std::uint8_t{}, float{});
            check(std::uint32_t{}, std::uint16_t{});
            check(double{}, std::uint32_t{});
        }
}

TEST_CASE_TEMPLATE("the calls around copy_if of a size in memory write no element behind it", Backend,
                   PARPRIMS_BACKENDS)
{
    const std::size_t bound = 300001;
    const auto keys = keys_with_runs<std::uint32_t>(bound, 3, 5);
    const auto values = keys_with_runs<float>(bound, 1, 6);
    const auto in = place<Backend>(keys, 1);
    const auto x = place<Backend>(values);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4000}, bound - 1, bound}) {
        CAPTURE(n);
        const auto count = place<Backend>(std::vector{static_cast<std::int64_t>(n)});
        const auto sized = pp::sized_on_device(static_cast<const std::uint32_t*>(in.begin()), count.begin(), bound);
        check_selection<Backend>(keys, values, n, sized.begin(), sized.end(), static_cast<const float*>(x.begin()));
    }
}

TEST_CASE_TEMPLATE("runs are of any equality and any iterator", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const pp::counting_iterator<std::uint32_t> numbers(0);
    const auto out = poisoned<Backend, std::uint32_t>(25000);
    CHECK(pp::unique_copy(policy, numbers, numbers + 50000, out.begin(), same_half{}) == out.end());
    const auto found = out.read();
    for (std::size_t i = 0; i < found.size(); ++i)
        REQUIRE(found[i] == 2 * i);
    const auto keys = poisoned<Backend, std::uint32_t>(25000);
    const auto values = poisoned<Backend, std::uint64_t>(25000);
    CHECK(pp::unique_by_key_copy(policy, numbers, numbers + 50000, pp::counting_iterator<std::uint64_t>(7),
                                 keys.begin(), values.begin(), same_half{}) == 25000);
    CHECK(keys.read() == found);
    CHECK(values.read()[12345] == 24697);
}

TEST_CASE_TEMPLATE("the calls around copy_if refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto y = place_guarded<Backend>(std::vector<number>(100, 2));
    const auto out = poisoned<Backend, number>(300);
    const number* const first = x.begin();
    const number* const last = x.end();
    number* const to = out.begin();
    number* const nowhere = nullptr;
    const auto selections = [&](const number* values, number* a, number* b, number* count, const char* argument_of_keys,
                                const char* argument_of_parts, const char* argument_of_stencil, const char* reason) {
        if (argument_of_keys != nullptr)
            check_refused("parprims::unique_by_key_copy_into", argument_of_keys, reason,
                          [&] { pp::unique_by_key_copy_into(policy, first, last, values, a, b, count); });
        if (argument_of_parts != nullptr)
            check_refused("parprims::partition_copy_into", argument_of_parts, reason,
                          [&] { pp::partition_copy_into(policy, first, last, a, b, count, is_one{}); });
        if (argument_of_stencil != nullptr)
            check_refused("parprims::copy_if_into", argument_of_stencil, reason,
                          [&] { pp::copy_if_into(policy, values, values + 100, first, b, count, is_one{}); });
    };
    const char* const null = "null pointer with n = 100";
    const char* const input = "overlaps the input";
    const char* const other = "overlaps another output";
    selections(nowhere, to, to + 100, to + 200, "values_first", nullptr, "first", null);
    selections(y.begin(), nowhere, to + 100, to + 200, "keys_out", "out_true", nullptr, null);
    selections(y.begin(), to, nowhere, to + 200, "values_out", "out_false", "out", null);
    selections(y.begin(), to, to + 100, nowhere, "count", "count", "count", "null pointer with n = 1");
    selections(y.begin(), x.begin() + 99, to, to + 200, "keys_out", "out_true", nullptr, input);
    selections(y.begin(), to, x.begin() + 99, to + 200, "values_out", "out_false", "out", input);
    selections(y.begin(), y.begin() + 99, to, to + 200, "keys_out", nullptr, nullptr, input);
    selections(y.begin(), to, y.begin() + 99, to + 200, "values_out", nullptr, "out", input);
    selections(y.begin(), to, to, to + 200, "values_out", "out_false", nullptr, other);
    selections(y.begin(), to, to + 100, to, "count", "count", nullptr, other);
    selections(y.begin(), to, to + 100, to + 100, "count", "count", "count", other);
    selections(y.begin(), to, to + 100, x.begin(), "count", "count", "count", input);
    selections(y.begin(), to, to + 100, y.begin() + 99, "count", nullptr, "count", input);
    check_refused("parprims::unique_copy", "out", "overlaps [first, last)",
                  [&] { (void)pp::unique_copy(policy, first, last, x.begin() + 1); });
    check_refused("parprims::unique_copy_into", "last", "comes before first, by 100",
                  [&] { pp::unique_copy_into(policy, last, first, to, to + 100); });
    check_refused("parprims::copy_if", "stencil", "null pointer with n = 100",
                  [&] { (void)pp::copy_if(policy, first, last, static_cast<const number*>(nowhere), to, is_one{}); });
    CHECK(out.untouched());
    CHECK(x.read() == std::vector<number>(100, 1));
    CHECK(y.read() == std::vector<number>(100, 2));
    check_works<Backend>();
}

TEST_CASE("a stencil has the size of its range")
{
    const std::vector<number> x(3), stencil(4);
    std::vector<number> out(3);
    check_refused("parprims::copy_if", "stencil", "has 4 elements, but the range has 3",
                  [&] { (void)pp::copy_if(pp::host, x, stencil, out.begin(), is_one{}); });
    check_refused("parprims::unique_by_key_copy", "values", "has 4 elements, but there are 3 keys",
                  [&] { (void)pp::unique_by_key_copy(pp::host, x, stencil, out.begin(), pp::discard_iterator()); });
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph has the calls around copy_if [device]")
{
    const std::size_t n = 200000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    pp::device_buffer<std::uint32_t> keys(n, work), runs(n, work), even(n, work), odd(n, work), counts(4, work);
    pp::device_buffer<float> x(n, work), of_runs(n, work), flagged(n, work);
    const captured graph(work, [&] {
        pp::unique_copy_into(policy, keys, runs.begin(), counts.begin());
        pp::unique_by_key_copy_into(policy, keys, x, runs.begin(), of_runs.begin(), counts.begin() + 1);
        pp::partition_copy_into(policy, keys, even.begin(), odd.begin(), counts.begin() + 2, is_even{});
        pp::copy_if_into(policy, x, keys, flagged.begin(), counts.begin() + 3, is_even{});
    });
    for (std::uint64_t round = 0; round < 4; ++round) {
        CAPTURE(round);
        const auto tested = keys_with_runs<std::uint32_t>(n, 1 + 3 * round, round);
        const auto values = keys_with_runs<float>(n, 1, round + 9);
        keys.copy_from(tested);
        x.copy_from(values);
        graph.replay(work);
        std::vector<std::uint32_t> expected(n), others(n);
        std::vector<float> of_expected(n);
        const std::size_t found =
            pp::unique_by_key_copy(pp::host, tested, values, expected.begin(), of_expected.begin());
        const auto number = counts.to_host();
        CHECK(number[0] == found);
        CHECK(number[1] == found);
        const auto begins_as = [](const auto& a, const auto& b, std::size_t count) {
            return std::equal(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(count), a.begin());
        };
        CHECK(begins_as(runs.to_host(), expected, found));
        CHECK(begins_as(of_runs.to_host(), of_expected, found));
        const std::size_t evens = pp::partition_copy(pp::host, tested, expected.begin(), others.begin(), is_even{});
        CHECK(number[2] == evens);
        CHECK(number[3] == evens);
        CHECK(begins_as(even.to_host(), expected, evens));
        CHECK(begins_as(odd.to_host(), others, n - evens));
        pp::copy_if(pp::host, values, tested, of_expected.begin(), is_even{});
        CHECK(begins_as(flagged.to_host(), of_expected, evens));
    }
}

#endif

TEST_CASE("the examples of the calls around copy_if")
{
    const std::vector<float> x{0.5f, 0.25f, 4, 2, 1};
    {
        /// [stencil]
        const std::vector<char> is_valid{1, 0, 0, 1, 1};
        std::vector<float> valid(x.size());
        const auto end = pp::copy_if(pp::host, x, is_valid, valid.begin(), pp::identity{});
        valid.erase(end, valid.end());  // 0.5, 2, 1
        /// [stencil]
        CHECK(valid == std::vector<float>{0.5f, 2, 1});

        /// [stencil_into]
        std::vector<float> invalid(x.size());
        std::size_t count = 0;
        pp::copy_if_into(pp::host, x, is_valid, invalid.begin(), &count,
                         [](char flag) { return flag == 0; });  // 0.25, 4; count is 2
        /// [stencil_into]
        CHECK(count == 2);
        CHECK(invalid[1] == 4);
    }
    /// [unique_copy]
    const std::vector<int> sorted{1, 1, 1, 3, 7, 7};
    std::vector<int> values(sorted.size());
    const auto end = pp::unique_copy(pp::host, sorted, values.begin());
    values.erase(end, values.end());  // 1, 3, 7
    /// [unique_copy]
    CHECK(values == std::vector<int>{1, 3, 7});

    /// [unique_copy_into]
    std::vector<int> tens(sorted.size());
    std::size_t count = 0;
    pp::unique_copy_into(pp::host, sorted, tens.begin(), &count,
                         [](int a, int b) { return a / 5 == b / 5; });  // 1, 7; count is 2
    /// [unique_copy_into]
    CHECK(count == 2);
    CHECK(tens[1] == 7);

    /// [unique_by_key_copy]
    const std::vector<int> days{1, 1, 2, 2, 2};
    std::vector<int> each_day(days.size());
    std::vector<float> first_of_day(days.size());
    const std::size_t number =
        pp::unique_by_key_copy(pp::host, days, x, each_day.begin(), first_of_day.begin());  // 1: 0.5, 2: 4
    /// [unique_by_key_copy]
    CHECK(number == 2);
    CHECK(first_of_day[1] == 4);

    /// [unique_by_key_copy_into]
    pp::unique_by_key_copy_into(pp::host, days, x, each_day.begin(), first_of_day.begin(), &count);  // count is 2
    /// [unique_by_key_copy_into]
    CHECK(count == 2);

    /// [partition_copy]
    std::vector<float> small(x.size()), large(x.size());
    const std::size_t smaller = pp::partition_copy(pp::host, x, small.begin(), large.begin(),
                                                   [](float v) { return v < 1; });  // 0.5, 0.25 and 4, 2, 1
    /// [partition_copy]
    CHECK(smaller == 2);
    CHECK(large[2] == 1);

    /// [partition_copy_into]
    pp::partition_copy_into(pp::host, x, small.begin(), large.begin(), &count,
                            [](float v) { return v < 2; });  // 0.5, 0.25, 1 and 4, 2; count is 3
    /// [partition_copy_into]
    CHECK(count == 3);
    CHECK(small[2] == 1);
}
