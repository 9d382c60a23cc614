/// @file
/// @brief  The guide's examples of operators and types of one's own.
#include <doctest/doctest.h>

#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include "support.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// [functor]
struct scaled_square {
    float scale;
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return scale * x * x; }
};
/// [functor]

/// [complex]
struct complex_number {
    float re, im;

    friend PARPRIMS_HOST_DEVICE complex_number operator+(complex_number a, complex_number b)
    {
        return {a.re + b.re, a.im + b.im};
    }
};
/// [complex]

/// [two_sums]
struct two_sums {
    double of_values, of_squares;
};
struct add_two_sums {
    PARPRIMS_HOST_DEVICE two_sums operator()(const two_sums& a, const two_sums& b) const
    {
        return {a.of_values + b.of_values, a.of_squares + b.of_squares};
    }
};
struct to_two_sums {
    PARPRIMS_HOST_DEVICE two_sums operator()(float x) const { return {x, static_cast<double>(x) * x}; }
};
/// [two_sums]

/// [scaled]
/// mantissa * 2^exponent; the mantissa of a number that is not 0 is in [0.5, 1).
struct scaled_number {
    double mantissa;
    std::int64_t exponent;
};
struct to_scaled_number {
    PARPRIMS_HOST_DEVICE scaled_number operator()(double x) const
    {
        int exponent = 0;
        const double mantissa = std::frexp(x, &exponent);
        return {mantissa, exponent};
    }
};
struct multiply_scaled_numbers {
    PARPRIMS_HOST_DEVICE scaled_number operator()(const scaled_number& a, const scaled_number& b) const
    {
        const scaled_number product = to_scaled_number{}(a.mantissa * b.mantissa);
        return {product.mantissa, product.exponent + a.exponent + b.exponent};
    }
};
/// [scaled]

/// [value_type]
static_assert(std::is_trivially_copyable_v<two_sums> && std::is_trivially_copy_assignable_v<two_sums>);
static_assert(sizeof(two_sums) <= 1024 && alignof(two_sums) <= 128);
/// [value_type]

}  // namespace

TEST_CASE_TEMPLATE("guide: three ways to write an operator", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{1, 2, 3});
    /// [lambda]
    const float scale = 2;
    const auto f = [scale] PARPRIMS_HOST_DEVICE(float a) { return scale * a * a; };
    const float with_lambda = pp::transform_reduce(policy, x, 0.0f, pp::plus{}, f);
    /// [lambda]
    /// [functor_call]
    const float with_functor = pp::transform_reduce(policy, x, 0.0f, pp::plus{}, scaled_square{2});
    /// [functor_call]
    CHECK(with_lambda == 28);
    CHECK(with_functor == 28);
}

TEST_CASE_TEMPLATE("guide: a type of one's own", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto z = bring<Backend>(std::vector<complex_number>{{1, 2}, {3, 4}});
    auto sums = make_array<Backend, complex_number>(2);
    /// [complex_call]
    const complex_number total = pp::reduce(policy, z, complex_number{0, 0});  // plus{} calls operator+
    pp::inclusive_scan(policy, z, sums.begin());
    /// [complex_call]
    CHECK(total.re == 4);
    CHECK(total.im == 6);
    CHECK(fetch(sums)[1].im == 6);

    const auto x = bring<Backend>(std::vector<float>{1, 2, 3});
    /// [two_sums_call]
    const two_sums s = pp::transform_reduce(policy, x, two_sums{0, 0}, add_two_sums{}, to_two_sums{});
    /// [two_sums_call]
    CHECK(s.of_values == 6);
    CHECK(s.of_squares == 14);
}

TEST_CASE_TEMPLATE("guide: products that overflow on the way", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    std::vector<double> factors(1024);
    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = i % 2 == 0 ? 0x1p700 : 0x1p-700;
    const auto x = bring<Backend>(factors);
    /// [scaled_call]
    const double product = pp::reduce(policy, x, 1.0, pp::multiplies{});  // NaN: 2^700, 2^-700, 2^700 and so on
    const scaled_number p =
        pp::transform_reduce(policy, x, scaled_number{0.5, 1}, multiply_scaled_numbers{}, to_scaled_number{});
    const double in_range = std::ldexp(p.mantissa, static_cast<int>(p.exponent));  // 1
    /// [scaled_call]
    CHECK(std::isnan(product));
    CHECK(in_range == 1);

    for (std::size_t i = 0; i < factors.size(); ++i)
        factors[i] = 0.5 * static_cast<double>(i);
    auto running = make_array<Backend, scaled_number>(factors.size());
    pp::transform_inclusive_scan(policy, bring<Backend>(factors), running.begin(), multiply_scaled_numbers{},
                                 to_scaled_number{});
    for (const scaled_number& each : fetch(running))
        REQUIRE(each.mantissa == 0);
}

TEST_CASE_TEMPLATE("guide: the type of init is the type of the result", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<double>{0.5, 0.5, 0.5});
    /// [narrowing]
    const auto truncated = pp::reduce(policy, x, 0);  // int 0: each element becomes an int first, as in std::reduce
    const auto sum = pp::reduce(policy, x, 0.0);      // 1.5
    const auto simplest = pp::reduce(policy, x);      // 1.5: init is a value-initialised element
    /// [narrowing]
    static_assert(std::is_same_v<decltype(truncated), const int>);
    CHECK(truncated == 0);
    CHECK(sum == 1.5);
    CHECK(simplest == 1.5);

    const auto bytes = bring<Backend>(std::vector<unsigned char>{200, 100});
    auto sums = make_array<Backend, unsigned>(2);
    /// [widening]
    const unsigned total = pp::reduce(policy, bytes, 0u);             // 300: combined as unsigned
    pp::inclusive_scan(policy, bytes, sums.begin(), pp::plus{}, 0u);  // 200 300: so are these, because init is
    /// [widening]
    CHECK(total == 300);
    CHECK(fetch(sums) == std::vector<unsigned>{200, 300});
}
