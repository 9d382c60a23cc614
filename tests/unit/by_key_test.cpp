/// @file
/// @brief  Scans and reductions by key: the bits of the order contract at runs of any lengths, any alignment, any iterators.
#include <doctest/doctest.h>

#include <parprims/by_key.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>

#include "support/backend.hpp"
#include "support/by_key_oracle.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

/// Keys in runs of `length(bits)` elements. The next run has another key.
template <class K, class Length>
std::vector<K> runs_of(std::size_t n, Length length, std::uint64_t seed = 1)
{
    std::vector<K> keys;
    random_bits random(seed);
    for (K key{}; keys.size() < n; key = static_cast<K>(key + 1 + random() % 3))
        keys.resize(std::min<std::size_t>(n, keys.size() + std::max<std::size_t>(1, length(random()))), key);
    return keys;
}

template <class Backend, class K, class T, class Equal = pp::equal_to, class Op = pp::plus>
void check_by_key(const std::vector<K>& keys, const std::vector<T>& values, std::size_t offset, Equal equal = {},
                  Op op = {})
{
    const std::size_t n = keys.size();
    CAPTURE(n);
    CAPTURE(offset);
    const auto policy = Backend::policy();
    const T init = static_cast<T>(3);
    const auto expected = by_key_oracle::run(keys, values, init, equal, op);
    const auto k = place<Backend>(keys, offset % 5);
    const auto x = place<Backend>(values, offset % 3);

    const auto scanned = poisoned<Backend, T>(n, offset % 7);
    CHECK(pp::inclusive_scan_by_key(policy, k.begin(), k.end(), x.begin(), scanned.begin(), equal, op) ==
          scanned.end());
    CHECK(same_values(scanned.read(), expected.inclusive));
    const auto in_place = place_guarded<Backend>(values, offset % 3);
    CHECK(pp::exclusive_scan_by_key(policy, k.begin(), k.end(), in_place.begin(), in_place.begin(), init, equal, op) ==
          in_place.end());
    CHECK(same_values(in_place.read(), expected.exclusive));

    const std::size_t runs = expected.keys.size();  // nothing is written behind so many
    const auto run_keys = poisoned<Backend, K>(runs, offset % 4);
    const auto totals = poisoned<Backend, T>(runs, offset % 6);
    CHECK(pp::reduce_by_key(policy, k.begin(), k.end(), x.begin(), run_keys.begin(), totals.begin(), equal, op) ==
          runs);
    CHECK(run_keys.read() == expected.keys);
    CHECK(same_values(totals.read(), expected.totals));
    const auto again = poisoned<Backend, T>(runs);
    const auto count = poisoned<Backend, std::uint32_t>(1);
    pp::reduce_by_key_into(policy, k.begin(), k.end(), x.begin(), run_keys.begin(), again.begin(), count.begin(), equal,
                           op);
    CHECK(count.read()[0] == runs);
    CHECK(same_values(again.read(), expected.totals));
}

/// At most 1000 times as many as the elements of a tile, in a few lengths of runs.
template <class Backend, class K, class T>
void check_lengths(std::size_t n)
{
    std::uint64_t seed = n;
    const auto values = [&] {
        if constexpr (std::is_floating_point_v<T>)
            return spread_values<T>(n, seed);
        else
            return generate(
                n, [](std::uint64_t bits) { return static_cast<T>(bits); }, seed);
    };
    for (const std::uint64_t longest : {1, 2, 7, 100, 5000}) {
        CAPTURE(longest);
        ++seed;
        check_by_key<Backend>(runs_of<K>(
                                  n, [=](std::uint64_t bits) { return 1 + bits % longest; }, seed),
                              values(), seed);
    }
    check_by_key<Backend>(std::vector<K>(n, K{7}), values(), seed);
}

/// Keys that are equal up to their last digit.
struct same_tens {
    template <class K>
    PARPRIMS_HOST_DEVICE bool operator()(const K& a, const K& b) const
    {
        return a / 10 == b / 10;
    }
};

struct tenth {
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x / 10; }
};

/// Associative, not commutative.
struct right_one {
    template <class T>
    PARPRIMS_HOST_DEVICE T operator()(const T&, const T& b) const
    {
        return b;
    }
};

/// Of 12 bytes.
struct triple {
    std::uint32_t x, y, z;

    explicit PARPRIMS_HOST_DEVICE triple(std::uint32_t value = 0) : x(value), y(5 * value), z(~value) {}
    PARPRIMS_HOST_DEVICE const triple* operator&() const { return nullptr; }
    friend PARPRIMS_HOST_DEVICE triple operator+(triple a, const triple& b)
    {
        a.x += b.x;
        a.y ^= b.y;
        a.z += b.z;
        return a;
    }
};

}  // namespace

TEST_CASE_TEMPLATE("calls by key have the bits of the order contract", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 20000}) {
        check_lengths<Backend, std::int32_t, float>(n);
        check_lengths<Backend, std::int8_t, std::int8_t>(n);
    }
    for (const std::size_t n : {63, 64, 65, 2049, 9001}) {
        check_lengths<Backend, std::uint8_t, double>(n);
        check_lengths<Backend, std::int64_t, float>(n);
        check_lengths<Backend, std::int64_t, std::int16_t>(n);
    }
    for (const std::size_t n :
         {524288, 524289})  // the last short input, and the first that is not: four groups of tiles
        check_lengths<Backend, std::int32_t, float>(n);
}

TEST_CASE_TEMPLATE("calls by key take any equality and any operator", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t n = 9001;
    const auto keys = runs_of<std::int32_t>(n, [](std::uint64_t bits) { return 1 + bits % 4; });
    check_by_key<Backend>(keys, spread_values<float>(n), 0, same_tens{}, pp::maximum{});
    check_by_key<Backend>(keys, spread_values<float>(n), 1, same_tens{}, right_one{});
    for (const std::size_t several : {9001, 87381, 87382})  // the last short input, and the first that is not
        check_by_key<Backend>(
            runs_of<std::int32_t>(several, [](std::uint64_t bits) { return 1 + bits % 4; }),
            generate(several, [](std::uint64_t bits) { return triple(static_cast<std::uint32_t>(bits)); }), 2);
    // A NaN is not equal to itself.
    std::vector<float> with_nan(n, 1.0f);
    with_nan[5] = with_nan[6] = with_nan.back() = std::nanf("");
    const auto k = place<Backend>(with_nan);
    const auto lengths = poisoned<Backend, std::int32_t>(5);
    const auto first_keys = poisoned<Backend, float>(5);
    CHECK(pp::reduce_by_key(Backend::policy(), k.begin(), k.end(), pp::constant_iterator<std::int32_t>(1),
                            first_keys.begin(), lengths.begin()) == 5);
    CHECK(lengths.read() == std::vector<std::int32_t>{5, 1, 1, static_cast<std::int32_t>(n) - 8, 1});
}

TEST_CASE_TEMPLATE("calls by key take any iterators", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const std::size_t n = 30011;
    const pp::counting_iterator<std::uint32_t> numbers(0);
    const pp::transform_iterator tens(numbers, tenth{});
    const auto keys = poisoned<Backend, std::uint64_t>(3002);  // another type than that of the keys
    const auto totals = poisoned<Backend, double>(3002);
    CHECK(pp::reduce_by_key(policy, tens, tens + static_cast<std::ptrdiff_t>(n), numbers, keys.begin(),
                            totals.begin()) == 3002);
    const auto read_keys = keys.read();
    const auto read_totals = totals.read();
    for (std::size_t i = 0; i < 3001; ++i) {
        REQUIRE(read_keys[i] == i);
        REQUIRE(read_totals[i] == static_cast<double>(100 * i + 45));
    }
    CHECK(read_totals[3001] == 30010);
    const auto ranks = poisoned<Backend, std::int64_t>(n);
    pp::exclusive_scan_by_key(policy, tens, tens + static_cast<std::ptrdiff_t>(n),
                              pp::constant_iterator<std::uint32_t>(1), ranks.begin(), 0u);
    const auto read_ranks = ranks.read();
    for (std::size_t i = 0; i < n; ++i)
        REQUIRE(read_ranks[i] == static_cast<std::int64_t>(i % 10));
}

TEST_CASE_TEMPLATE("calls by key refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto k = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto keys = poisoned<Backend, number>(100);
    const auto out = poisoned<Backend, number>(100);
    number* const nowhere = nullptr;
    const auto scans = [&](const number* first, const number* last, const number* values, number* to,
                           const char* argument, const char* reason) {
        check_refused("parprims::inclusive_scan_by_key", argument, reason,
                      [&] { pp::inclusive_scan_by_key(policy, first, last, values, to); });
        check_refused("parprims::exclusive_scan_by_key", argument, reason,
                      [&] { pp::exclusive_scan_by_key(policy, first, last, values, to, number{0}); });
    };
    scans(nowhere, nowhere + 5, x.begin(), out.begin(), "keys_first", "null pointer with n = 5");
    scans(k.end(), k.begin(), x.begin(), out.begin(), "keys_last", "comes before first, by 100");
    scans(k.begin(), k.end(), nowhere, out.begin(), "values_first", "null pointer with n = 100");
    scans(k.begin(), k.end(), x.begin(), nowhere, "out", "null pointer with n = 100");
    scans(k.begin(), k.end(), x.begin(), k.begin(), "out", "overlaps the keys");
    scans(k.begin(), k.end() - 1, x.begin(), x.begin() + 1, "out", "overlaps [first, last) in part");

    const auto reduces = [&](const number* first, const number* last, const number* values, number* to_keys, number* to,
                             const char* argument, const char* reason) {
        check_refused("parprims::reduce_by_key", argument, reason,
                      [&] { (void)pp::reduce_by_key(policy, first, last, values, to_keys, to); });
        check_refused("parprims::reduce_by_key_into", argument, reason,
                      [&] { pp::reduce_by_key_into(policy, first, last, values, to_keys, to, out.begin()); });
    };
    reduces(nowhere, nowhere + 5, x.begin(), keys.begin(), out.begin(), "keys_first", "null pointer with n = 5");
    reduces(k.end(), k.begin(), x.begin(), keys.begin(), out.begin(), "keys_last", "comes before first, by 100");
    reduces(k.begin(), k.end(), nowhere, keys.begin(), out.begin(), "values_first", "null pointer with n = 100");
    reduces(k.begin(), k.end(), x.begin(), nowhere, out.begin(), "keys_out", "null pointer with n = 100");
    reduces(k.begin(), k.end(), x.begin(), keys.begin(), nowhere, "values_out", "null pointer with n = 100");
    reduces(k.begin(), k.end(), x.begin(), x.begin() + 99, out.begin(), "keys_out", "overlaps the values");
    reduces(k.begin(), k.end(), x.begin(), keys.begin(), k.begin(), "values_out", "overlaps the keys");
    reduces(k.begin(), k.end(), x.begin(), out.begin(), out.begin(), "values_out", "overlaps keys_out");
    check_refused("parprims::reduce_by_key_into", "count", "null pointer with n = 1", [&] {
        pp::reduce_by_key_into(policy, k.begin(), k.end(), x.begin(), keys.begin(), out.begin(), nowhere);
    });
    CHECK(out.untouched());
    CHECK(keys.untouched());
    CHECK(x.read() == std::vector<number>(100, 1));
    check_works<Backend>();
}

TEST_CASE_TEMPLATE("reduce_by_key refuses runs that reach the input or each other, and a count in any", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    std::vector<number> values(200, 1);
    for (number run = 0; run < 10; ++run)
        values[100 + 10 * run] = run % 2;
    const auto memory = place_guarded<Backend>(values);
    const auto elsewhere = poisoned<Backend, number>(100);
    number* const in = memory.begin() + 100;  // keys, and values: 18 runs
    number* const out = elsewhere.begin();
    const auto into = [&](number* keys_out, number* values_out, number* count, const char* argument,
                          const char* reason) {
        check_refused("parprims::reduce_by_key_into", argument, reason,
                      [&] { pp::reduce_by_key_into(policy, in, memory.end(), in, keys_out, values_out, count); });
    };
    into(out, out + 50, in, "count", "overlaps the keys");
    into(out, out + 50, memory.end() - 1, "count", "overlaps the keys");
    into(out, out + 50, out, "count", "overlaps keys_out");
    into(out, out + 50, out + 50, "count", "overlaps values_out");
    CHECK(memory.read() == values);
    CHECK(elsewhere.untouched());
    const auto reduces = [&](number* keys_out, number* values_out, const char* argument, const char* reason) {
        check_refused("parprims::reduce_by_key", argument, reason,
                      [&] { (void)pp::reduce_by_key(policy, in, memory.end(), in, keys_out, values_out); });
        if constexpr (!Backend::is_device)
            into(keys_out, values_out, out + 99, argument, reason);
    };
    reduces(out, out + 5, "values_out", "overlaps keys_out");
    reduces(in - 5, out, "keys_out", "overlaps the keys");
    reduces(out, in - 5, "values_out", "overlaps the keys");
    if constexpr (!Backend::is_device)
        into(out, out + 50, out + 5, "count", "overlaps keys_out");
}

TEST_CASE("ranges of keys and values have the same size")
{
    const std::vector<int> keys{1, 1, 2};
    const std::vector<float> values{1, 2};
    std::vector<float> out(3);
    check_refused("parprims::inclusive_scan_by_key", "values", "has 2 elements, but there are 3 keys",
                  [&] { pp::inclusive_scan_by_key(pp::host, keys, values, out.begin()); });
}

TEST_CASE("the examples of calls by key")
{
    /// [reduce_by_key]
    const std::vector<int> city{1, 1, 4, 4, 4, 2};
    const std::vector<float> sales{3, 4, 1, 1, 1, 8};
    std::vector<int> cities(city.size());
    std::vector<float> totals(city.size());
    const std::size_t runs = pp::reduce_by_key(pp::host, city, sales, cities.begin(), totals.begin());
    cities.resize(runs);  // 1, 4, 2
    totals.resize(runs);  // 7, 3, 8
    /// [reduce_by_key]
    std::vector<int> lengths(runs);
    pp::reduce_by_key(pp::host, city.begin(), city.end(), pp::constant_iterator<int>(1), cities.begin(),
                      lengths.begin());
    CHECK(cities == std::vector<int>{1, 4, 2});
    CHECK(totals == std::vector<float>{7, 3, 8});
    CHECK(lengths == std::vector<int>{2, 3, 1});

    /// [reduce_by_key_into]
    std::size_t count = 0;
    pp::reduce_by_key_into(pp::host, city, sales, cities.begin(), totals.begin(), &count);  // count is 3
    /// [reduce_by_key_into]
    CHECK(count == 3);

    /// [scan_by_key]
    std::vector<float> so_far(city.size());
    pp::inclusive_scan_by_key(pp::host, city, sales, so_far.begin());        // 3, 7, 1, 2, 3, 8
    pp::exclusive_scan_by_key(pp::host, city, sales, so_far.begin(), 0.0f);  // 0, 3, 0, 1, 2, 0
    /// [scan_by_key]
    CHECK(so_far == std::vector<float>{0, 3, 0, 1, 2, 0});
}
