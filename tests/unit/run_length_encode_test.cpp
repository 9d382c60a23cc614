/// @file
/// @brief  run_length_encode and run_length_encode_non_trivial: the runs that a serial loop finds, at every size, and what they refuse.
#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>
#include <parprims/run_length_encode.hpp>
#include <parprims/sized_on_device.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
std::vector<T> keys_in_runs(std::size_t n, std::uint64_t length, std::uint64_t seed)
{
    int next = 0;
    return generate(
        n,
        [&](std::uint64_t bits) {
            next = (next + (bits % length == 0 ? 1 : 0)) % 100;
            return static_cast<T>(next);
        },
        seed);
}

template <class T>
struct found_runs {
    std::vector<T> values;
    std::vector<std::uint32_t> lengths;
    std::vector<std::int64_t> offsets;
    std::vector<double> long_lengths;

    found_runs(const std::vector<T>& x, std::size_t n)
    {
        for (std::size_t i = 0, end; i < n; i = end) {
            for (end = i + 1; end < n && x[end] == x[i];)
                ++end;
            values.push_back(x[i]);
            lengths.push_back(static_cast<std::uint32_t>(end - i));
            if (end - i > 1) {
                offsets.push_back(static_cast<std::int64_t>(i));
                long_lengths.push_back(static_cast<double>(end - i));
            }
        }
    }
};

template <class Backend, class T, class First, class Last>
void check_runs(const std::vector<T>& x, std::size_t n, First first, Last last)
{
    const found_runs<T> expected(x, n);
    const auto policy = Backend::policy();
    const auto values = poisoned<Backend, T>(expected.values.size(), n % 7);
    const auto lengths = poisoned<Backend, std::uint32_t>(expected.values.size(), n % 3);
    const auto offsets = poisoned<Backend, std::int64_t>(expected.offsets.size());
    const auto long_lengths = poisoned<Backend, double>(expected.offsets.size());
    CHECK(pp::run_length_encode(policy, first, last, values.begin(), lengths.begin()) == expected.values.size());
    CHECK(values.read() == expected.values);
    CHECK(lengths.read() == expected.lengths);
    CHECK(pp::run_length_encode_non_trivial(policy, first, last, offsets.begin(), long_lengths.begin()) ==
          expected.offsets.size());
    CHECK(offsets.read() == expected.offsets);
    CHECK(long_lengths.read() == expected.long_lengths);
    const auto counts = poisoned<Backend, std::uint32_t>(2);
    const auto again = poisoned<Backend, std::uint32_t>(expected.values.size());
    pp::run_length_encode_into(policy, first, last, pp::discard_iterator(), again.begin(), counts.begin());
    pp::run_length_encode_non_trivial_into(policy, first, last, pp::discard_iterator(), pp::discard_iterator(),
                                           counts.begin() + 1);
    CHECK(again.read() == expected.lengths);
    CHECK(counts.read()[0] == expected.values.size());
    CHECK(counts.read()[1] == expected.offsets.size());
}

}  // namespace

TEST_CASE_TEMPLATE("run_length_encode finds the runs that a serial loop finds", Backend, PARPRIMS_BACKENDS)
{
    std::uint64_t seed = 1;
    for (const std::size_t n : {0, 1, 2, 3, 31, 4095, 16385, 70001, 1000003})
        for (const std::uint64_t length : {1, 2, 3, 100, 20000, 10000000}) {
            CAPTURE(n);
            CAPTURE(length);
            const auto check = [&](auto key) {
                using T = decltype(key);
                const std::vector<T> keys = keys_in_runs<T>(n, length, ++seed);
                const auto in = place<Backend>(keys, seed % 5);
                check_runs<Backend>(keys, n, static_cast<const T*>(in.begin()), static_cast<const T*>(in.end()));
            };
            check(std::uint8_t{});
            check(std::uint32_t{});
            check(double{});
        }
}

TEST_CASE_TEMPLATE("run_length_encode of a size in memory", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t bound = 300001;
    const auto keys = keys_in_runs<std::uint32_t>(bound, 3, 5);
    const auto in = place<Backend>(keys, 1);
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{4000}, bound - 1, bound}) {
        CAPTURE(n);
        const auto count = place<Backend>(std::vector{static_cast<std::int64_t>(n)});
        const auto sized = pp::sized_on_device(static_cast<const std::uint32_t*>(in.begin()), count.begin(), bound);
        check_runs<Backend>(keys, n, sized.begin(), sized.end());
    }
}

TEST_CASE_TEMPLATE("one element has no long run: outputs without room are taken", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<number>{7});
    const auto count = poisoned<Backend, number>(1);
    number* const nowhere = nullptr;
    CHECK(pp::run_length_encode_non_trivial(Backend::policy(), x.begin(), x.end(), nowhere, nowhere) == 0);
    CHECK(pp::run_length_encode_non_trivial(Backend::policy(), x.begin(), x.end(), count.begin(), count.begin()) == 0);
    pp::run_length_encode_non_trivial_into(Backend::policy(), x.begin(), x.end(), nowhere, nowhere, count.begin());
    CHECK(count.read()[0] == 0);
}

TEST_CASE_TEMPLATE("run_length_encode refuses what it cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto out = poisoned<Backend, number>(300);
    const number* const first = x.begin();
    const number* const last = x.end();
    number* const to = out.begin();
    number* const nowhere = nullptr;
    const auto refused = [&](const number* from, number* a, number* b, number* count, const char* of_runs,
                             const char* of_long_runs, const char* reason) {
        check_refused("parprims::run_length_encode_into", of_runs, reason,
                      [&] { pp::run_length_encode_into(policy, from, from + 100, a, b, count); });
        check_refused("parprims::run_length_encode_non_trivial_into", of_long_runs, reason,
                      [&] { pp::run_length_encode_non_trivial_into(policy, from, from + 100, a, b, count); });
    };
    refused(nowhere, to, to + 100, to + 200, "first", "first", "null pointer with n = 100");
    refused(first, nowhere, to + 100, to + 200, "values_out", "offsets_out", "null pointer with n = 100");
    refused(first, to, nowhere, to + 200, "lengths_out", "lengths_out", "null pointer with n = 100");
    refused(first, to, to + 100, nowhere, "count", "count", "null pointer with n = 1");
    refused(first, x.begin() + 99, to, to + 200, "values_out", "offsets_out", "overlaps the input");
    refused(first, to, x.begin() + 99, to + 200, "lengths_out", "lengths_out", "overlaps the input");
    refused(first, to, to, to + 200, "lengths_out", "lengths_out", "overlaps another output");
    refused(first, to, to + 100, to + 100, "count", "count", "overlaps another output");
    check_refused("parprims::run_length_encode", "last", "comes before first, by 100",
                  [&] { (void)pp::run_length_encode(policy, last, first, to, to + 100); });
    const pp::constant_iterator<number> many(1);
    const auto floats = poisoned<Backend, float>(2);
    check_refused("parprims::run_length_encode", "lengths_out", "at most 16777216, n is 16777217", [&] {
        (void)pp::run_length_encode(policy, many, many + 16777217, pp::discard_iterator(), floats.begin());
    });
    check_refused("parprims::run_length_encode_non_trivial", "offsets_out", "at most 16777216, n is 16777217", [&] {
        (void)pp::run_length_encode_non_trivial(policy, many, many + 16777217, floats.begin(), pp::discard_iterator());
    });
    CHECK(out.untouched());
    CHECK(floats.untouched());
    CHECK(x.read() == std::vector<number>(100, 1));
    check_works<Backend>();
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph finds runs [device]")
{
    const std::size_t n = 200000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    pp::device_buffer<std::uint32_t> keys(n, work), values(n, work), lengths(n, work), offsets(n, work),
        long_lengths(n, work), counts(2, work);
    const captured graph(work, [&] {
        pp::run_length_encode_into(policy, keys, values.begin(), lengths.begin(), counts.begin());
        pp::run_length_encode_non_trivial_into(policy, keys, offsets.begin(), long_lengths.begin(), counts.begin() + 1);
    });
    for (std::uint64_t round = 0; round < 4; ++round) {
        CAPTURE(round);
        const auto tested = keys_in_runs<std::uint32_t>(n, 1 + 3 * round, round);
        keys.copy_from(tested);
        graph.replay(work);
        const found_runs<std::uint32_t> expected(tested, n);
        const auto number = counts.to_host();
        const auto found_lengths = lengths.to_host();
        const auto found_offsets = offsets.to_host();
        REQUIRE(number[0] == expected.values.size());
        REQUIRE(number[1] == expected.offsets.size());
        for (std::size_t r = 0; r < expected.values.size(); ++r)
            REQUIRE(found_lengths[r] == expected.lengths[r]);
        for (std::size_t r = 0; r < expected.offsets.size(); ++r)
            REQUIRE(found_offsets[r] == expected.offsets[r]);
    }
}

#endif

TEST_CASE("the examples of run_length_encode")
{
    /// [run_length_encode]
    const std::vector<char> row{'w', 'w', 'w', 'b', 'w', 'w'};
    std::vector<char> colours(row.size());
    std::vector<int> lengths(row.size());
    const std::size_t runs = pp::run_length_encode(pp::host, row, colours.begin(), lengths.begin());  // w 3, b 1, w 2
    /// [run_length_encode]
    CHECK(runs == 3);
    CHECK(lengths[2] == 2);

    /// [run_length_encode_into]
    std::size_t count = 0;
    pp::run_length_encode_into(pp::host, row, colours.begin(), lengths.begin(), &count);  // count is 3
    /// [run_length_encode_into]
    CHECK(count == 3);

    /// [run_length_encode_non_trivial]
    std::vector<int> where(row.size());
    const std::size_t repeated =
        pp::run_length_encode_non_trivial(pp::host, row, where.begin(), lengths.begin());  // 0: 3 elements, 4: 2
    /// [run_length_encode_non_trivial]
    CHECK(repeated == 2);
    CHECK(where[1] == 4);
    CHECK(lengths[1] == 2);

    /// [run_length_encode_non_trivial_into]
    pp::run_length_encode_non_trivial_into(pp::host, row, where.begin(), lengths.begin(), &count);  // count is 2
    /// [run_length_encode_non_trivial_into]
    CHECK(count == 2);
}
