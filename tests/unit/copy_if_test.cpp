/// @file
/// @brief  copy_if and transform: the results of std, at every size and alignment, and the output iterators.
#include <doctest/doctest.h>

#include <parprims/copy_if.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>
#include <parprims/scan.hpp>
#include <parprims/transform.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace pp = parprims;

namespace {

struct less_than {
    std::uint32_t limit;

    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(const T& x) const
    {
        return x < static_cast<T>(limit);
    }
};

struct scaled {
    float factor;
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return factor * x; }
};

struct minus {
    PARPRIMS_HOST_DEVICE std::int64_t operator()(std::uint32_t x) const { return -std::int64_t{x}; }
};

struct difference {
    PARPRIMS_HOST_DEVICE std::int32_t operator()(std::int32_t a, std::uint8_t b) const { return a - b; }
};

struct record {
    std::uint64_t key;
    std::uint64_t rest[4];
    PARPRIMS_HOST_DEVICE const record* operator&() const { return nullptr; }
};
struct is_odd {
    PARPRIMS_HOST_DEVICE bool operator()(const record& x) const { return x.key % 2 != 0; }
};

template <class T>
std::vector<T> below_100(std::size_t n, std::uint64_t seed)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<T>(bits % 100); }, seed);
}

template <class Backend, class T>
void check_copy_if(std::size_t n, std::size_t offset, std::size_t out_offset, std::uint32_t limit)
{
    CAPTURE(n);
    CAPTURE(offset);
    CAPTURE(limit);
    const auto values = below_100<T>(n, n + limit);
    std::vector<T> expected;
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), less_than{limit});
    const auto in = place<Backend>(values, offset);
    const auto out = poisoned<Backend, T>(expected.size(), out_offset);  // notices what is written behind the results
    const auto policy = Backend::policy();
    CHECK(pp::copy_if(policy, in.begin(), in.end(), out.begin(), less_than{limit}) == out.end());
    CHECK(out.read() == expected);

    const auto again = poisoned<Backend, T>(expected.size(), out_offset + 1);
    const auto count = poisoned<Backend, std::uint32_t>(1);
    pp::copy_if_into(policy, in.begin(), in.end(), again.begin(), count.begin(), less_than{limit});
    CHECK(again.read() == expected);
    CHECK(count.read()[0] == expected.size());
}

}  // namespace

TEST_CASE_TEMPLATE("copy_if keeps what std keeps, in order", Backend, PARPRIMS_BACKENDS)
{
    std::size_t turn = 0;
    for (const std::size_t n : {0, 1, 15, 16, 17, 4095, 16384, 16385, 70001, 1000003})
        for (const std::uint32_t limit : {0u, 1u, 50u, 100u}) {
            check_copy_if<Backend, std::uint8_t>(n, turn % 5, turn % 3, limit);
            check_copy_if<Backend, double>(n, turn % 2, turn % 3, limit);
            ++turn;
        }
}

TEST_CASE_TEMPLATE("copy_if takes any iterator, wide values, and output iterators", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const pp::counting_iterator<std::uint32_t> numbers(0);
    const auto out = poisoned<Backend, std::int64_t>(30000);
    const pp::transform_output_iterator negated(out.begin(), minus{});
    CHECK(pp::copy_if(policy, numbers, numbers + 50000, negated, less_than{30000}) - negated == 30000);
    const std::vector<std::int64_t> read = out.read();
    for (std::size_t i = 0; i < read.size(); ++i)
        REQUIRE(read[i] == -static_cast<std::int64_t>(i));

    std::vector<record> values(5001);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = {i, {i, 2 * i, 3 * i, 4 * i}};
    const auto in = place<Backend>(values);
    const auto kept = poisoned<Backend, record>(2500);
    CHECK(pp::copy_if(policy, in.begin(), in.end(), kept.begin(), is_odd{}) == kept.end());
    const std::vector<record> odd = kept.read();
    for (std::size_t i = 0; i < odd.size(); ++i)
        CHECK((odd[i].key == 2 * i + 1 && odd[i].rest[3] == 4 * odd[i].key));
}

TEST_CASE_TEMPLATE("transform writes a function of each element, in place or not", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for (const std::size_t n : {0, 1, 4096, 100003}) {
        CAPTURE(n);
        const auto values = below_100<float>(n, 3);
        const auto in = place_guarded<Backend>(values, 1);
        CHECK(pp::transform(policy, in.begin(), in.end(), in.begin(), scaled{2}) == in.end());
        const std::vector<float> doubled = in.read();
        CHECK(std::equal(values.begin(), values.end(), doubled.begin(), [](float x, float y) { return y == 2 * x; }));

        const auto a = place<Backend>(below_100<std::int32_t>(n, 4));
        const auto b = place<Backend>(below_100<std::uint8_t>(n, 5), 3);
        const auto out = poisoned<Backend, std::int32_t>(n);
        CHECK(pp::transform(policy, a.begin(), a.end(), b.begin(), out.begin(), difference{}) == out.end());
        std::vector<std::int32_t> expected(n);
        const auto a_values = a.read();
        const auto b_values = b.read();
        std::transform(a_values.begin(), a_values.end(), b_values.begin(), expected.begin(), difference{});
        CHECK(out.read() == expected);
    }
}

TEST_CASE_TEMPLATE("a permutation_iterator gathers and scatters", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t n = 30011;  // a prime: positions i * 7 mod n are a permutation
    std::vector<std::uint32_t> places(n);
    for (std::size_t i = 0; i < n; ++i)
        places[i] = static_cast<std::uint32_t>(i * 7 % n);
    const auto policy = Backend::policy();
    const auto positions = place<Backend>(places);
    const auto values = place<Backend>(below_100<float>(n, 9));
    const std::vector<float> x = values.read();
    const auto gathered = poisoned<Backend, float>(n);
    const auto scattered = poisoned<Backend, float>(n);
    const pp::permutation_iterator from(values.begin(), positions.begin());
    pp::transform(policy, from, from + static_cast<std::ptrdiff_t>(n), gathered.begin(), pp::identity{});
    pp::transform(policy, values.begin(), values.end(), pp::permutation_iterator(scattered.begin(), positions.begin()),
                  scaled{3});
    const auto sums = poisoned<Backend, float>(n);  // a scan's results, scattered and converted
    pp::inclusive_scan(policy, values.begin(), values.end(),
                       pp::transform_output_iterator(pp::permutation_iterator(sums.begin(), positions.begin()),
                                                     scaled{2}));
    const auto g = gathered.read();
    const auto s = scattered.read();
    const auto t = sums.read();
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += x[i];
        REQUIRE(g[i] == x[places[i]]);
        REQUIRE(s[places[i]] == 3 * x[i]);
        REQUIRE(t[places[i]] == 2 * sum);
    }
}

TEST_CASE_TEMPLATE("copy_if and transform refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto out = poisoned<Backend, number>(100);
    number* const nowhere = nullptr;
    const auto copies = [&](const number* first, const number* last, number* to, number* count, const char* argument,
                            const char* reason) {
        check_refused("parprims::copy_if_into", argument, reason,
                      [&] { pp::copy_if_into(policy, first, last, to, count, is_one{}); });
        if (count != nullptr)
            check_refused("parprims::copy_if", argument, reason,
                          [&] { (void)pp::copy_if(policy, first, last, to, is_one{}); });
    };
    copies(nowhere, nowhere + 5, out.begin(), out.begin(), "first", "null pointer with n = 5");
    copies(x.begin() + 3, x.begin(), out.begin(), out.begin(), "last", "comes before first, by 3");
    copies(x.begin(), x.end(), nowhere, out.begin(), "out", "null pointer with n = 100");
    copies(x.begin(), x.end(), out.begin(), nowhere, "count", "null pointer with n = 1");
    copies(x.begin(), x.end(), x.begin() + 99, out.begin(), "out", "overlaps [first, last)");
    check_refused("parprims::transform", "first2", "null pointer with n = 100", [&] {
        const number* const second = nullptr;
        pp::transform(policy, x.begin(), x.end(), second, out.begin(), pp::plus{});
    });
    check_refused("parprims::transform", "out", "overlaps [first, last) in part",
                  [&] { pp::transform(policy, x.begin(), x.end() - 1, x.begin() + 1, twice{}); });
    CHECK(out.untouched());
    CHECK(x.read() == std::vector<number>(100, 1));
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("copy_if refuses results that reach the input, and a count in either", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    constexpr std::ptrdiff_t gap = 1000;  // from the results to the input
    for (const std::ptrdiff_t kept : {gap, gap + 1}) {
        std::vector<number> values(5000, 0);
        std::fill_n(values.begin() + 3000, kept, 1);
        const auto copies = [&](std::ptrdiff_t count, const char* argument, const char* reason) {
            const auto memory = place_guarded<Backend>(values);
            check_refused("parprims::copy_if_into", argument, reason, [&] {
                pp::copy_if_into(policy, memory.begin() + gap, memory.end(), memory.begin(), memory.begin() + count,
                                 is_one{});
            });
        };
        copies(gap, "count", "overlaps [first, last)");
        copies(4999, "count", "overlaps [first, last)");
        copies(0, "count", "overlaps out");
        // The number of results shows this. On the device `copy_if_into` has returned by then.
        if constexpr (!Backend::is_device)
            copies(gap - 1, kept > gap ? "out" : "count", kept > gap ? "overlaps [first, last)" : "overlaps out");
        const auto memory = place_guarded<Backend>(values);
        const auto copy = [&] {
            return pp::copy_if(policy, memory.begin() + gap, memory.end(), memory.begin(), is_one{});
        };
        if (kept > gap)
            check_refused("parprims::copy_if", "out", "overlaps [first, last)", copy);
        else
            CHECK(copy() == memory.begin() + gap);
    }
}

TEST_CASE("the host writes the number of results to any output")
{
    const std::vector<float> x{3, 1, 2};
    std::vector<float> out(3);
    std::size_t doubled = 0;
    const auto is_large = [](float v) { return v > 1; };
    const auto twice = [](std::size_t i) { return 2 * i; };
    pp::copy_if_into(pp::host, x.begin(), x.end(), out.begin(), pp::transform_output_iterator(&doubled, twice),
                     is_large);
    CHECK(doubled == 4);
    pp::copy_if_into(pp::host, x.begin(), x.end(), out.begin(), pp::discard_iterator(), is_large);
    CHECK(out == std::vector<float>{3, 2, 0});
}

TEST_CASE("the examples of copy_if and transform")
{
    /// [copy_if]
    const std::vector<int> x{4, -1, 0, -7, 2};
    std::vector<int> negative(x.size());
    const auto end = pp::copy_if(pp::host, x.begin(), x.end(), negative.begin(), [](int v) { return v < 0; });
    negative.erase(end, negative.end());  // -1, -7
    /// [copy_if]
    CHECK(negative == std::vector<int>{-1, -7});

    /// [copy_if_into]
    std::vector<std::size_t> where(x.size());
    std::size_t count = 0;
    const pp::counting_iterator<std::size_t> positions(0);
    pp::copy_if_into(pp::host, positions, positions + 5, where.begin(), &count,
                     [&x](std::size_t i) { return x[i] < 0; });  // 1, 3; count is 2
    /// [copy_if_into]
    CHECK(count == 2);
    CHECK(where[1] == 3);

    /// [transform]
    std::vector<int> squares(x.size());
    pp::transform(pp::host, x.begin(), x.end(), squares.begin(), [](int v) { return v * v; });  // 16, 1, 0, 49, 4
    /// [transform]
    CHECK(squares[3] == 49);

    /// [transform_two]
    std::vector<int> sums(x.size());
    pp::transform(pp::host, x.begin(), x.end(), squares.begin(), sums.begin(), pp::plus{});  // 20, 0, 0, 42, 6
    /// [transform_two]
    CHECK(sums == std::vector<int>{20, 0, 0, 42, 6});
}
