/// @file
/// @brief  Exact sums against long addition: every kind of input, any order, any backend.
#include <doctest/doctest.h>

#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/divisions.hpp"
#include "support/exact_oracle.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;
using exact_oracle::kind;

namespace {

/// Sizes from 0 on, about blocks and windows, and one that takes several tasks or thread blocks.
constexpr std::size_t sizes[] = {0, 1, 2, 3, 100, 127, 128, 129, 1000, 5001, 100003};

template <class Backend, class T>
T sum(const std::vector<T>& values, std::type_identity_t<T> init, std::size_t offset = 0)
{
    const auto x = place<Backend>(values, offset);
    return pp::reduce(Backend::policy(), x.begin(), x.end(), init, pp::exact_plus{});
}

template <class Backend, class T, class Init>
Init sum_of(const std::vector<T>& values, Init init)
{
    const auto x = place<Backend>(values);
    return pp::reduce(Backend::policy(), x.begin(), x.end(), init, pp::exact_plus{});
}

template <class Backend, class T, class Init>
Init inner_product(const std::vector<T>& values, const std::vector<T>& factors, Init init)
{
    const auto x = place<Backend>(values);
    const auto y = place<Backend>(factors);
    return pp::transform_reduce(Backend::policy(), x.begin(), x.end(), y.begin(), init, pp::exact_plus{},
                                pp::multiplies{});
}

/// NaN of any bits are the same.
template <class T>
bool same_number(T a, T b)
{
    return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

template <class Backend, class T>
void check_kind(kind which)
{
    CAPTURE(static_cast<int>(which));
    std::mt19937_64 random(1);
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        auto x = exact_oracle::inputs<T>(which, n, n + 1);
        const T init = n % 3 == 0 ? T{0} : n % 3 == 1 ? -T{0} : T{1} / 3;
        const T expected = exact_oracle::sum(x, init);
        CHECK(same_number(sum<Backend>(x, init, n % 5), expected));
        for (int order = 0; order < 3; ++order) {
            std::shuffle(x.begin(), x.end(), random);
            CHECK(same_number(sum<Backend>(x, init), expected));
        }
    }
}

template <class Backend, class T>
void check_products(kind which)
{
    CAPTURE(static_cast<int>(which));
    for (const std::size_t n : sizes) {
        if (n > 10000 && which != kind::normal)
            continue;
        CAPTURE(n);
        const auto x = exact_oracle::inputs<T>(which, n, n + 1);
        const auto y = exact_oracle::inputs<T>(n % 2 == 0 ? which : kind::wide, n, n + 2);
        const T init = n % 3 == 0 ? T{0} : n % 3 == 1 ? -T{0} : T{1} / 3;
        CHECK(same_number(inner_product<Backend>(x, y, init), exact_oracle::inner_product(x, y, init)));
        CHECK(same_number(inner_product<Backend>(x, y, 0.0), exact_oracle::inner_product(x, y, 0.0)));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums are rounded once, in any order", Backend, PARPRIMS_BACKENDS)
{
    for (int which = 0; which < exact_oracle::kinds; ++which) {
        check_kind<Backend, float>(static_cast<kind>(which));
        check_kind<Backend, double>(static_cast<kind>(which));
    }
}

TEST_CASE_TEMPLATE("exact inner products do not round the products", Backend, PARPRIMS_BACKENDS)
{
    for (int which = 0; which < exact_oracle::kinds; ++which) {
        check_products<Backend, float>(static_cast<kind>(which));
        check_products<Backend, double>(static_cast<kind>(which));
    }
}

TEST_CASE("exact sums of many short inputs")
{
    for (std::uint64_t seed = 0; seed < 100000; ++seed) {
        CAPTURE(seed);
        const std::size_t n = seed % 23;
        const auto which = static_cast<kind>(seed % exact_oracle::kinds);
        const auto check = [&](auto zero) {
            using T = decltype(zero);
            const auto x = exact_oracle::inputs<T>(which, n, seed);
            const T result = pp::reduce(pp::host, x, T{0}, pp::exact_plus{});
            REQUIRE(same_number(result, exact_oracle::sum(x, T{0})));
        };
        if (seed % 3 == 0)
            check(0.0f);
        else
            check(0.0);
    }
}

TEST_CASE_TEMPLATE("exact sums round to the type of init alone", Backend, PARPRIMS_BACKENDS)
{
    const auto x = exact_oracle::inputs<double>(kind::wide, 3000, 1);
    const auto y = place<Backend>(x);
    CHECK(same_bits(pp::reduce(Backend::policy(), y.begin(), y.end(), 1.0f, pp::exact_plus{}),
                    exact_oracle::sum(x, 1.0f)));
    const auto z = exact_oracle::inputs<float>(kind::whole_range, 3000, 1);
    const auto w = place<Backend>(z);
    for (const double init : {0.0, 1e300, 5e-324, -0x1p-1000})
        CHECK(same_bits(pp::reduce(Backend::policy(), w.begin(), w.end(), init, pp::exact_plus{}),
                        exact_oracle::sum(z, init)));
    const auto tiny = place<Backend>(std::vector<double>(3, -1e-60));
    CHECK(same_bits(pp::reduce(Backend::policy(), tiny.begin(), tiny.end(), 0.0f, pp::exact_plus{}), 0.0f));
}

TEST_CASE_TEMPLATE("exact sums of numbers that cancel are +0, of -0 alone -0", Backend, PARPRIMS_BACKENDS)
{
    const auto check = [](auto zero) {
        using T = decltype(zero);
        for (const std::size_t zeros : {0, 20, 1024}) {  // of 1024 numbers
            std::vector<T> x(1024, -zero);
            for (std::size_t i = zeros; i < x.size(); ++i)
                x[i] = i % 2 == 0 ? T{1.5} : T{-1.5};
            const T expected = zeros < x.size() ? zero : -zero;
            CHECK(same_bits(sum<Backend>(x, -zero), expected));
            CHECK(same_bits(inner_product<Backend>(x, std::vector<T>(x.size(), T{1}), -zero), expected));
            const auto y = place<Backend>(x);
            const pp::strided_iterator first(y.begin(), 1);  // no array for SIMD
            CHECK(same_bits(pp::reduce(Backend::policy(), first, first + 1024, -zero, pp::exact_plus{}), expected));
        }
    };
    check(0.0f);
    check(0.0);
}

TEST_CASE_TEMPLATE("exact sums overflow only if the sum does", Backend, PARPRIMS_BACKENDS)
{
    const auto check = [](auto zero) {
        using T = decltype(zero);
        const T most = std::numeric_limits<T>::max();
        const T half_digit =
            std::ldexp(T{1}, std::numeric_limits<T>::max_exponent - std::numeric_limits<T>::digits - 1);
        const T infinity = std::numeric_limits<T>::infinity();
        CHECK(sum<Backend>(std::vector<T>{most, half_digit}, 0) == infinity);
        CHECK(sum<Backend>(std::vector<T>{most, std::nextafter(half_digit, T{0})}, 0) == most);
        CHECK(sum<Backend>(std::vector<T>{-most, -most, most}, 0) == -most);
        CHECK(inner_product<Backend>(std::vector<T>{most, most}, std::vector<T>{most, -most}, T{1}) == 1);
    };
    check(0.0f);
    check(0.0);
}

TEST_CASE_TEMPLATE("exact sums of integers are those of plus", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(small_values<std::int32_t>(1000));
    const auto plain = pp::reduce(Backend::policy(), x.begin(), x.end(), 5, pp::plus{});
    CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), 5, pp::exact_plus{}) == plain);
}

namespace {

template <class Integer, class T>
T sum_of_parts(const std::vector<Integer>& x, T init)
{
    exact_oracle::big_sum total;
    total.add(init);
    for (const Integer each : x) {
        total.add(static_cast<double>(each >> 32) * 0x1p32);
        total.add(static_cast<double>(each & 0xffffffff));
    }
    return total.rounded<T>();
}

template <class Integer>
std::vector<Integer> large_integers(std::size_t n)
{
    std::mt19937_64 random(n);
    std::vector<Integer> x(n);
    for (Integer& each : x)
        each = static_cast<Integer>(random());
    return x;
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums of integers of 64 bits are rounded once", Backend, PARPRIMS_BACKENDS)
{
    const auto check = [](auto x, auto init) {
        const auto values = place<Backend>(x);
        const auto expected = sum_of_parts(x, init);
        CHECK(same_bits(pp::reduce(Backend::policy(), values.begin(), values.end(), init, pp::exact_plus{}), expected));
        const auto out = place<Backend>(std::vector{init});
        pp::reduce_into(Backend::policy(), values.begin(), values.end(), out.begin(), init, pp::exact_plus{});
        CHECK(same_bits(out.read()[0], expected));
        const auto none = init + 3;
        pp::reduce_into(Backend::policy(), values.begin(), values.begin(), out.begin(), none, pp::exact_plus{});
        CHECK(same_bits(out.read()[0], none));
        CHECK(same_bits(pp::reduce(Backend::policy(), values.begin(), values.begin(), none, pp::exact_plus{}), none));

        const auto sums = place<Backend>(std::vector(2, init));
        const std::size_t half = (x.size() + 1) / 2;
        pp::segmented_reduce(Backend::policy(), values.begin(), values.end(), half, sums.begin(), init,
                             pp::exact_plus{});
        const auto middle = x.begin() + static_cast<std::ptrdiff_t>(half);
        CHECK(same_bits(sums.read()[0], sum_of_parts(decltype(x)(x.begin(), middle), init)));
        CHECK(same_bits(sums.read()[1], sum_of_parts(decltype(x)(middle, x.end()), init)));
    };
    for (const std::size_t n : {2u, 3u, 1000u, 100003u}) {
        check(large_integers<std::int64_t>(n), 0.0);
        check(large_integers<std::int64_t>(n), -0.0f);
        for (int exponent = -150; exponent <= 180; exponent += 7)
            check(large_integers<std::int64_t>(n), std::ldexp(n % 2 == 0 ? 1.0 / 3 : -1.0 / 3, exponent));
        check(large_integers<std::uint64_t>(n), 0.0f);
        check(large_integers<std::uint64_t>(n), -0x1p64);
    }
    check(std::vector<std::int64_t>{std::int64_t{1} << 53, 1, -1}, 0.0);
    check(std::vector<std::int64_t>{std::int64_t{1} << 62, -(std::int64_t{1} << 62)}, -0.0);
    for (const double init : {1e-300, -5e-324, 1e300, -0x1p-60, 0x1p-53, -0x1p53, 0x1p113, 0x1p112 / 3})
        for (const std::int64_t x : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 53, std::int64_t{3} << 61})
            check(std::vector<std::int64_t>{x, 0, 0}, init);
    check(std::vector<std::int64_t>(3, std::numeric_limits<std::int64_t>::min()), 0.0);
}

TEST_CASE("exact sums of integers into a double")
{
    const std::vector<std::int32_t> x = {1 << 30, 3, -(1 << 30)};
    CHECK(pp::reduce(pp::host, x, 0x1p60, pp::exact_plus{}) == 0x1p60);
    CHECK(pp::reduce(pp::host, x, -0x1p60, pp::exact_plus{}) == -0x1p60);
    CHECK(pp::reduce(pp::host, x, 0.5, pp::exact_plus{}) == 3.5);
    const std::vector<std::uint8_t> bytes(300, 255);
    CHECK(pp::reduce(pp::host, bytes, 0.0f, pp::exact_plus{}) == 76500);
}

namespace {

/// The upper half of a float, as __nv_bfloat16 is.
struct half_float {
    std::uint16_t bits;
    PARPRIMS_HOST_DEVICE operator float() const
    {
        return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
    }
};

struct halved {
    PARPRIMS_HOST_DEVICE double operator()(double x) const { return x / 2; }
};

/// `make(bits)` has bits of any sign, exponent and mantissa; infinities and NaN are left out.
template <class Backend, class Half, class Make>
void check_halves(Make make)
{
    std::vector<Half> x;
    std::vector<float> floats;
    std::mt19937 random(5);
    while (x.size() < 3001)
        if (const Half number = make(static_cast<std::uint16_t>(random())); std::isfinite(static_cast<float>(number))) {
            x.push_back(number);
            floats.push_back(static_cast<float>(number));
        }
    CHECK(sum_of<Backend>(x, 0.0f) == exact_oracle::sum(floats, 0.0f));
    CHECK(sum_of<Backend>(x, 1.0) == exact_oracle::sum(floats, 1.0));
    CHECK(inner_product<Backend>(x, x, 0.0f) == exact_oracle::inner_product(floats, floats, 0.0f));
    CHECK(inner_product<Backend>(x, x, 0.0) == exact_oracle::inner_product(floats, floats, 0.0));
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums of floating-point numbers of 16 bits", Backend, PARPRIMS_BACKENDS)
{
    check_halves<Backend, half_float>([](std::uint16_t bits) { return half_float{bits}; });
#if PARPRIMS_CUDA_COMPILER
    check_halves<Backend, __half>([](std::uint16_t bits) { return __half(__half_raw{bits}); });
    check_halves<Backend, __nv_bfloat16>([](std::uint16_t bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); });
#endif
}

TEST_CASE_TEMPLATE("exact sums through transforms, iterators and outputs", Backend, PARPRIMS_BACKENDS)
{
    const auto x = exact_oracle::inputs<double>(kind::wide, 5000, 7);
    const auto y = place<Backend>(x);
    std::vector<double> half(x);
    for (double& each : half)
        each /= 2;
    const double expected = exact_oracle::sum(half, 0.0);
    if constexpr (PARPRIMS_CUDA_COMPILER ||
                  !Backend::is_device) {  // in plain C++ the library has no kernels of these types
        const auto halves = pp::transform_iterator(y.begin(), halved{});
        CHECK(pp::reduce(Backend::policy(), halves, halves + 5000, 0.0, pp::exact_plus{}) == expected);
        CHECK(pp::transform_reduce(Backend::policy(), y.begin(), y.end(), 0.0, pp::exact_plus{}, halved{}) == expected);
        const auto total = place<Backend>(std::vector<double>(1));
        pp::transform_reduce_into(Backend::policy(), y.begin(), y.end(), total.begin(), 0.0, pp::exact_plus{},
                                  halved{});
        CHECK(total.read()[0] == expected);
    }
    int calls = 0;
    CHECK(pp::transform_reduce(pp::host.threads(1), x.begin(), x.end(), 0.0, pp::exact_plus{},
                               [calls](double v) mutable { return ++calls != 0 ? v / 2 : v; }) == expected);
    const auto out = place<Backend>(std::vector<double>(1));
    pp::reduce_into(Backend::policy(), y.begin(), y.end(), out.begin(), 1.0, pp::exact_plus{});
    CHECK(out.read()[0] == exact_oracle::sum(x, 1.0));
    pp::reduce_into(Backend::policy(), y.begin(), y.begin(), out.begin(), 2.5f, pp::exact_plus{});
    CHECK(out.read()[0] == 2.5);
}

TEST_CASE("exact sums of many numbers that are nearly equal: no level rounds")
{
    // Each lane adds 2^14 numbers of all digits to a window, in a task.
    const float x = 1 - 0x1p-24f;
    const std::vector<float> values(std::size_t{1} << 21, x);
    CHECK(pp::reduce(pp::host.threads(1), values, 0.0, pp::exact_plus{}) == 0x1p21 * x);
    const double y = 1 - 0x1p-53;
    const std::vector<double> doubles(std::size_t{1} << 21, y);
    CHECK(pp::reduce(pp::host.threads(1), doubles, -0x1p21, pp::exact_plus{}) == -0x1p-32);
}

TEST_CASE_TEMPLATE("exact sums refuse what reduce refuses", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(9, 1));
    float* const nowhere = nullptr;
    const auto end_first = [&] { (void)pp::reduce(Backend::policy(), x.end(), x.begin(), 0.0f, pp::exact_plus{}); };
    const auto no_output = [&] {
        pp::reduce_into(Backend::policy(), x.begin(), x.end(), nowhere, 0.0f, pp::exact_plus{});
    };
    const auto no_input = [&] { (void)pp::reduce(Backend::policy(), nowhere, nowhere + 9, 0.0f, pp::exact_plus{}); };
    check_refused("parprims::reduce", "last", "comes before first, by 9", end_first);
    check_refused("parprims::reduce_into", "out", "null pointer", no_output);
    check_refused("parprims::reduce", "first", "null pointer with n = 9", no_input);
    CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), 0.0f, pp::exact_plus{}) == 9);
}

TEST_CASE("exact sums over ranks do not depend on the division")
{
    for (const kind which : {kind::wide, kind::overflowing, kind::minus_zeros, kind::infinite, kind::both_infinities}) {
        const auto x = exact_oracle::inputs<double>(which, 1000, 3);
        const double expected = exact_oracle::sum(x, -0.0);
        const double product = exact_oracle::inner_product(x, x, 0.5);
        std::vector<double> sums(64), products(64), outputs(64);
        for_divisions(
            x, 100,
            [&](auto policy, const double* first, const double* last, std::size_t, std::size_t rank) {
                sums[rank] = pp::reduce(policy, first, last, -0.0, pp::exact_plus{});
                pp::reduce_into(policy, first, last, &outputs[rank], -0.0, pp::exact_plus{});
                products[rank] =
                    pp::transform_reduce(policy, first, last, first, 0.5, pp::exact_plus{}, pp::multiplies{});
            },
            [&](std::size_t ranks) {
                for (std::size_t rank = 0; rank < ranks; ++rank) {
                    CHECK(same_number(sums[rank], expected));
                    CHECK(same_number(outputs[rank], expected));
                    CHECK(same_number(products[rank], product));
                }
            });
    }
}

TEST_CASE("exact sums of ten million numbers, in any order")
{
    auto x = exact_oracle::inputs<float>(kind::wide, 10'000'019, 11);
    const float expected = exact_oracle::sum(x, 0.25f);
    const auto check = [&] { CHECK(same_bits(pp::reduce(pp::host, x, 0.25f, pp::exact_plus{}), expected)); };
    check();
    std::rotate(x.begin(), x.begin() + 1234567, x.end());
    check();
    // From small to large, by exponents alone: windows move up, then down.
    std::stable_partition(x.begin(), x.end(), [](float a) { return std::abs(a) < 1; });
    check();
    std::reverse(x.begin(), x.end());
    check();
    std::partition(x.begin(), x.end(), [](float a) { return a < 0; });
    check();
}

TEST_CASE("exact sums on any number of threads")
{
    const auto x = exact_oracle::inputs<float>(kind::wide, 1000003, 3);
    const float expected = exact_oracle::sum(x, 0.0f);
    for (const unsigned threads : {0u, 1u, 2u, 3u, 7u})
        CHECK(same_bits(pp::reduce(pp::host.threads(threads), x, 0.0f, pp::exact_plus{}), expected));
}
