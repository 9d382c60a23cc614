/// @file
/// @brief  Exact sums of segments and of runs of equal keys, against long addition.
#include <doctest/doctest.h>

#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/exact_oracle.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace pp = parprims;
using exact_oracle::kind;

namespace {

template <class T>
bool same_numbers(const std::vector<T>& a, const std::vector<T>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](T x, T y) { return same_bits(x, y) || (std::isnan(x) && std::isnan(y)); });
}

/// Lengths about `mean`, some 0, and now and then one 30 times as long.
std::vector<std::int64_t> offsets_of(std::size_t n, std::size_t mean, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> offsets{static_cast<std::int64_t>(std::min<std::size_t>(n, seed % 3))};
    while (static_cast<std::size_t>(offsets.back()) < n) {
        const std::size_t length = random() % 25 == 0 ? 30 * mean : random() % 9 == 0 ? 0 : random() % (2 * mean + 1);
        offsets.push_back(static_cast<std::int64_t>(std::min(n, static_cast<std::size_t>(offsets.back()) + length)));
    }
    return offsets;
}

template <class T, class Value>
std::vector<T> sums(const std::vector<Value>& x, const std::vector<std::int64_t>& offsets, T init)
{
    std::vector<T> results;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        results.push_back(
            exact_oracle::sum(std::vector<Value>(x.begin() + offsets[s], x.begin() + offsets[s + 1]), init));
    return results;
}

template <class Backend, class Value, class T>
void check_offsets(kind which, std::size_t n, std::size_t mean)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(mean);
    const auto x = exact_oracle::inputs<Value>(which, n, n + mean);
    const auto offsets = offsets_of(n, mean, n + static_cast<std::uint64_t>(which));
    const T init = mean % 3 == 0 ? T{0} : mean % 3 == 1 ? -T{0} : T{1} / 3;
    const auto values = place<Backend>(x, mean % 5);
    const auto at = place<Backend>(offsets);
    const auto out = poisoned<Backend, T>(offsets.size() - 1);
    pp::segmented_reduce(Backend::policy(), values.begin(), values.end(), at.begin(), at.end(), out.begin(), init,
                         pp::exact_plus{});
    CHECK(same_numbers(out.read(), sums(x, offsets, init)));
}

template <class Backend, class Value, class T>
void check_size(kind which, std::size_t n, std::size_t size)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(size);
    const auto x = exact_oracle::inputs<Value>(which, n, n + size);
    std::vector<std::int64_t> offsets;
    for (std::size_t begin = 0; begin < n; begin += size)
        offsets.push_back(static_cast<std::int64_t>(begin));
    offsets.push_back(static_cast<std::int64_t>(n));
    const T init = size % 3 == 0 ? T{0} : size % 3 == 1 ? -T{0} : T{1} / 3;
    const auto values = place<Backend>(x, size % 5);
    const auto out = poisoned<Backend, T>(offsets.size() - 1);
    pp::segmented_reduce(Backend::policy(), values.begin(), values.end(), size, out.begin(), init, pp::exact_plus{});
    CHECK(same_numbers(out.read(), sums(x, offsets, init)));
}

/// The upper half of a float, as __nv_bfloat16 is.
struct upper_half {
    std::uint16_t bits;
    PARPRIMS_HOST_DEVICE operator float() const
    {
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    }
};

/// Runs of equal keys of about `mean`.
template <class Backend, class Value>
void check_keys(kind which, std::size_t n, std::size_t mean)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(mean);
    const auto x = exact_oracle::inputs<Value>(which, n, n + mean);
    auto offsets = offsets_of(n, mean, n + static_cast<std::uint64_t>(which));
    offsets.insert(offsets.begin(), 0);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    std::vector<std::uint32_t> keys(n), firsts;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        firsts.push_back(static_cast<std::uint32_t>(s % 3 + 5));
        std::fill(keys.begin() + offsets[s], keys.begin() + offsets[s + 1], firsts.back());
    }
    const auto expected = sums(x, offsets, -Value{0});
    const auto given = place<Backend>(keys, mean % 3);
    const auto values = place<Backend>(x, mean % 5);
    const auto keys_out = poisoned<Backend, std::uint32_t>(expected.size());
    const auto out = poisoned<Backend, Value>(expected.size());
    CHECK(pp::reduce_by_key(Backend::policy(), given.begin(), given.end(), values.begin(), keys_out.begin(),
                            out.begin(), pp::equal_to{}, pp::exact_plus{}) == expected.size());
    CHECK(keys_out.read() == firsts);
    CHECK(same_numbers(out.read(), expected));

    const auto into = poisoned<Backend, Value>(expected.size());
    const auto count = poisoned<Backend, std::uint64_t>(1);
    pp::reduce_by_key_into(Backend::policy(), given.begin(), given.end(), values.begin(), keys_out.begin(),
                           into.begin(), count.begin(), pp::equal_to{}, pp::exact_plus{});
    CHECK(count.read()[0] == expected.size());
    CHECK(same_numbers(into.read(), expected));
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums of segments are rounded once", Backend, PARPRIMS_BACKENDS)
{
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t mean : {1u, 8u, 100u, 2000u}) {
            const std::size_t n = mean < 100 ? 40 * mean + 7 : 10007;
            check_offsets<Backend, float, float>(static_cast<kind>(which), n, mean);
            check_offsets<Backend, double, double>(static_cast<kind>(which), n, mean);
            check_size<Backend, float, float>(static_cast<kind>(which), n, mean + 2);
            check_size<Backend, double, double>(static_cast<kind>(which), n, mean + 1);
        }
}

TEST_CASE_TEMPLATE("exact sums of long segments", Backend, PARPRIMS_BACKENDS)
{
    check_offsets<Backend, float, float>(kind::wide, 400003, 20000);
    check_offsets<Backend, double, double>(kind::wide, 300007, 40000);
    check_size<Backend, double, double>(kind::outliers, 300007, 140001);
}

TEST_CASE_TEMPLATE("exact sums of segments round to the type of init alone", Backend, PARPRIMS_BACKENDS)
{
    check_offsets<Backend, float, double>(kind::whole_range, 5003, 30);
    check_offsets<Backend, double, float>(kind::wide, 5003, 30);
}

TEST_CASE_TEMPLATE("exact sums of integers in segments and runs are those of plus", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(small_values<std::int32_t>(1000));
    const auto out = poisoned<Backend, std::int32_t>(10);
    const auto plain = poisoned<Backend, std::int32_t>(10);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), 100, out.begin(), 5, pp::exact_plus{});
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), 100, plain.begin(), 5);
    CHECK(out.read() == plain.read());

    const auto keys = place<Backend>(std::vector<std::uint32_t>(1000, 3));
    const auto key = poisoned<Backend, std::uint32_t>(1);
    const auto total = poisoned<Backend, std::int32_t>(1);
    CHECK(pp::reduce_by_key(Backend::policy(), keys.begin(), keys.end(), x.begin(), key.begin(), total.begin(),
                            pp::equal_to{}, pp::exact_plus{}) == 1);
    CHECK(total.read()[0] == pp::reduce(Backend::policy(), x.begin(), x.end(), 0));
}

TEST_CASE_TEMPLATE("exact sums of segments of integers into floats, and of halves by key", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<std::int32_t>{1 << 30, 3, -(1 << 30), 7});
    const auto offsets = place<Backend>(std::vector<int>{0, 3, 4});
    const auto sums = place<Backend>(std::vector<double>(2));
    const auto floats = place<Backend>(std::vector<float>(2));
    pp::segmented_reduce(policy, x.begin(), x.end(), 3, sums.begin(), 0x1p60, pp::exact_plus{});
    CHECK(sums.read() == std::vector<double>{0x1p60, 0x1p60});
    pp::segmented_reduce(policy, x.begin(), x.end(), 3, floats.begin(), 0.5f, pp::exact_plus{});
    CHECK(floats.read() == std::vector<float>{3.5f, 7.5f});
    pp::segmented_reduce(policy, x.begin(), x.end(), offsets.begin(), offsets.end(), floats.begin(), 1.5f,
                         pp::exact_plus{});
    CHECK(floats.read() == std::vector<float>{4.5f, 8.5f});

    const auto halves = place<Backend>(std::vector<upper_half>{{0x3f80}, {0x0d80}, {0xbf80}});  // 1, 2^-100, -1
    const auto keys = place<Backend>(std::vector<int>(3));
    const auto key = place<Backend>(std::vector<int>(1));
    const auto total = place<Backend>(std::vector<float>(1));
    CHECK(pp::reduce_by_key(policy, keys.begin(), keys.end(), halves.begin(), key.begin(), total.begin(),
                            pp::equal_to{}, pp::exact_plus{}) == 1);
    CHECK(total.read()[0] == 0x1p-100f);
}

TEST_CASE_TEMPLATE("exact sums of segments refuse what segmented_reduce refuses", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(9, 1));
    const auto out = poisoned<Backend, float>(3);
    const auto no_size = [&] {
        pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), 0, out.begin(), 0.0f, pp::exact_plus{});
    };
    const auto in_place = [&] {
        pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), 3, x.begin(), 0.0f, pp::exact_plus{});
    };
    check_refused("parprims::segmented_reduce", "segment_size", "must be at least 1, not 0", no_size);
    check_refused("parprims::segmented_reduce", "out", "overlaps [first, last)", in_place);
    pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), 3, out.begin(), 0.0f, pp::exact_plus{});
    CHECK(out.read() == std::vector<float>(3, 3));
}

TEST_CASE_TEMPLATE("exact sums of runs of equal keys", Backend, PARPRIMS_BACKENDS)
{
    check_keys<Backend, float>(kind::normal, 0, 3);
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t mean : {1u, 5u, 300u}) {
            check_keys<Backend, float>(static_cast<kind>(which), 50 * mean + 3, mean);
            check_keys<Backend, double>(static_cast<kind>(which), 50 * mean + 3, mean);
        }
    check_keys<Backend, double>(kind::wide, 200003, 90000);
    check_keys<Backend, float>(kind::wide, 200003, 1);
}
