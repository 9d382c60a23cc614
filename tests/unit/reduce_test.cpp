/// @file
/// @brief  reduce, transform_reduce and the forms that leave the value on the device, against a loop.
#include <doctest/doctest.h>

#include <parprims/reduce.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

template <class Value, class T, class Op, class Transform>
T fold(const std::vector<Value>& values, const T& init, Op op, Transform transform)
{
    T total = init;
    for (const Value& value : values)
        total = static_cast<T>(op(total, static_cast<T>(transform(value))));
    return total;
}

/// Every size, aligned and not; `op` must not care for the order.
template <class Backend, class Value, class T, class Op = pp::plus>
void check_reduce(const T& init, Op op = {})
{
    for (const std::size_t n : reduce_sizes<Value>())
        for (const std::size_t offset : {0, 1}) {
            CAPTURE(n);
            CAPTURE(offset);
            const std::vector<Value> values = small_values<Value>(n);
            const auto x = place<Backend>(values, offset);
            const T expected = fold(values, init, op, pp::identity{});
            CHECK(same_bits(pp::reduce(Backend::policy(), x.begin(), x.end(), init, op), expected));
        }
}

/// Numbers that are added up one by one, so that no word of a total is another.
template <class Part, unsigned Count>
struct parts {
    Part part[Count];
    PARPRIMS_HOST_DEVICE friend parts operator+(const parts& a, const parts& b)
    {
        parts sum;
        for (unsigned i = 0; i < Count; ++i)
            sum.part[i] = static_cast<Part>(a.part[i] + b.part[i]);
        return sum;
    }
};

/// Of numbers whose sums are exact, and of random words otherwise.
template <class T>
T some_value(std::uint64_t bits)
{
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(bits >> 34);  // 2^22 of them add up to less than 2^53
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
    } else {
        T value;
        random_bits random(bits);
        for (auto& part : value.part)
            part = static_cast<std::remove_reference_t<decltype(part)>>(random());
        return value;
    }
}

/// A value is returned as words of four bytes: where all of them differ, none can be taken for another.
template <class T>
bool all_words_differ(const T& value)
{
    std::uint32_t words[(sizeof(T) + 3) / 4] = {};
    std::memcpy(words, static_cast<const void*>(&value), sizeof(T));
    for (const std::uint32_t& word : words)
        for (const std::uint32_t* other = words; other != &word; ++other)
            if (*other == word)
                return false;
    return true;
}

/// Of few and many elements, by one block and by many, with either kernel.
template <class Backend, class T>
void check_returned()
{
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{1000}, std::size_t{20001}, std::size_t{300007}, std::size_t{3000017}}) {
        CAPTURE(n);
        const std::vector<T> values = generate(n, some_value<T>, n);
        const T init = some_value<T>(~std::uint64_t{n});
        const T expected = fold(values, init, pp::plus{}, pp::identity{});
        REQUIRE(all_words_differ(expected));
        const auto x = place<Backend>(values);
        CHECK(same_bits(pp::reduce(Backend::policy(), x.begin(), x.end(), init), expected));
        if constexpr (Backend::is_device)
            for (const unsigned subtree_chunks :
                 {1u, 32u}) {  // where it is given, the kernel for few elements is not taken
                CAPTURE(subtree_chunks);
                const auto policy = pp::device.with(pp::reduce_config{64, 1, subtree_chunks});
                CHECK(same_bits(pp::reduce(policy, x.begin(), x.end(), init), expected));
            }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("reduce adds up numbers of one byte in a wider type", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, std::int8_t>(1000);
}

TEST_CASE_TEMPLATE("reduce adds up integers", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, std::uint32_t>(std::uint32_t{7});
    check_reduce<Backend, std::int64_t>(std::int64_t{-7});
}

TEST_CASE_TEMPLATE("reduce adds up floating-point numbers", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, float>(3.0f);
    check_reduce<Backend, double>(-3.0);
}

TEST_CASE_TEMPLATE("reduce adds up structs of 12 bytes", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, vec3>(vec3{1, 2, 3});
}

TEST_CASE_TEMPLATE("reduce adds up structs of 256 bytes", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, wide>(wide(5));
}

TEST_CASE_TEMPLATE("reduce returns every word of a number", Backend, PARPRIMS_BACKENDS)
{
    check_returned<Backend, std::int64_t>();
    check_returned<Backend, std::uint64_t>();
    check_returned<Backend, double>();
}

TEST_CASE_TEMPLATE("reduce returns every word of a struct", Backend, PARPRIMS_BACKENDS)
{
    check_returned<Backend, parts<std::uint16_t, 3>>();
    check_returned<Backend, parts<std::uint32_t, 2>>();
    check_returned<Backend, parts<std::uint32_t, 3>>();
    check_returned<Backend, parts<std::uint32_t, 4>>();
    check_returned<Backend, parts<std::uint32_t, 6>>();
}

TEST_CASE_TEMPLATE("reduce needs no default constructor", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, no_default>(no_default(5));
}

TEST_CASE_TEMPLATE("reduce takes over-aligned values", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, over_aligned>(over_aligned(5));
}

TEST_CASE_TEMPLATE("reduce needs no identity of its operator", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : reduce_sizes<std::int64_t>()) {
        CAPTURE(n);
        // Nothing larger or smaller than the values may come in from elsewhere.
        const auto x = place<Backend>(std::vector<std::int64_t>(n, -12), 1);
        const std::int64_t below = -15, above = 3;
        CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), below, pp::maximum{}) == (n == 0 ? below : -12));
        CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), above, pp::minimum{}) == (n == 0 ? above : -12));
    }
}

TEST_CASE_TEMPLATE("reduce carries the state of an operator", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, std::uint32_t>(std::uint32_t{5}, plus_modulo{11});
}

TEST_CASE_TEMPLATE("reduce of nothing is init", Backend, PARPRIMS_BACKENDS)
{
    const float* const nowhere = nullptr;
    CHECK(pp::reduce(Backend::policy(), nowhere, nowhere, 2.5f) == 2.5f);
    CHECK(pp::reduce(Backend::policy(), nowhere, nowhere) == 0.0f);
}

TEST_CASE_TEMPLATE("reduce with minimum and maximum finds a NaN wherever it is", Backend, PARPRIMS_BACKENDS)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::size_t n = 5 * order::chunk<float> + 17;
    for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{1234}, n - 1}) {
        CAPTURE(at);
        std::vector<float> values = small_values<float>(n);
        values[at] = nan;
        const auto x = place<Backend>(values);
        const float smallest = pp::reduce(Backend::policy(), x.begin(), x.end(), 1.0f, pp::minimum{});
        const float largest = pp::reduce(Backend::policy(), x.begin(), x.end(), 1.0f, pp::maximum{});
        CHECK(smallest != smallest);
        CHECK(largest != largest);
        CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), 1.0f, pp::maximum_number{}) == 2.0f);
    }
    const auto numbers = place<Backend>(small_values<float>(n));
    CHECK(pp::reduce(Backend::policy(), numbers.begin(), numbers.end(), 1.0f, pp::minimum{}) == 0.0f);
    CHECK(pp::reduce(Backend::policy(), numbers.begin(), numbers.end(), 1.0f, pp::maximum{}) == 2.0f);
    const float from_nan = pp::reduce(Backend::policy(), numbers.begin(), numbers.end(), nan, pp::maximum{});
    CHECK(from_nan != from_nan);
}

TEST_CASE("minimum and maximum find the NaN of a class, too, on either side")
{
    struct boxed {
        float value;
        bool operator==(const boxed&) const = default;
        bool operator<(const boxed& other) const { return value < other.value; }
    };
    const boxed nan{std::numeric_limits<float>::quiet_NaN()}, number{1};
    const auto check = [&](auto op) {
        CHECK(op(nan, number) != op(nan, number));
        CHECK(op(number, nan) != op(number, nan));
    };
    check(pp::minimum{});
    check(pp::maximum{});
}

TEST_CASE_TEMPLATE("transform_reduce reduces what the transform makes of the elements", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : reduce_sizes<float>()) {
        CAPTURE(n);
        const std::vector<float> values = small_values<float>(n);
        const auto x = place<Backend>(values, 1);
        const double expected = fold(values, 0.5, pp::plus{}, square{});
        CHECK(pp::transform_reduce(Backend::policy(), x.begin(), x.end(), 0.5, pp::plus{}, square{}) == expected);
    }
}

TEST_CASE_TEMPLATE("reduce_into leaves the value in memory, and nothing beside it", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : reduce_sizes<float>())
        for (const std::size_t offset : {0, 3}) {
            CAPTURE(n);
            CAPTURE(offset);
            const std::vector<float> values = small_values<float>(n);
            const auto x = place<Backend>(values);
            const auto total = poisoned<Backend, float>(1, offset);
            pp::reduce_into(Backend::policy(), x.begin(), x.end(), total.begin(), 3.0f);
            CHECK(total.read().front() == fold(values, 3.0f, pp::plus{}, pp::identity{}));
        }
}

TEST_CASE_TEMPLATE("transform_reduce_into leaves the value in memory", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<float> values = small_values<float>(100000);
    const auto x = place<Backend>(values);
    const auto total = poisoned<Backend, double>(1, 1);
    const auto call = [&](std::size_t n) {
        pp::transform_reduce_into(Backend::policy(), x.begin(), x.begin() + n, total.begin(), 0.5, pp::plus{},
                                  square{});
        return total.read().front();
    };
    CHECK(call(values.size()) == fold(values, 0.5, pp::plus{}, square{}));
    CHECK(call(0) == 0.5);
}

TEST_CASE_TEMPLATE("reduce counts elements beyond 2^32", Backend, PARPRIMS_BACKENDS)
{
    using number = std::uint64_t;
    const auto check = [](number n) {
        CAPTURE(n);
        const pp::counting_iterator<number> first(0);
        const number total = pp::reduce(Backend::policy(), first, first + static_cast<std::ptrdiff_t>(n), number{1});
        CHECK(total == 1 + (n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n));  // modulo 2^64
    };
    if (is_quick())
        return;
    check((number{1} << 31) + 5);
    if (Backend::is_device)
        check((number{1} << 32) + 12345);
}

TEST_CASE("the example of reduce")
{
    /// [reduce]
    const std::vector<float> values{3, 1, 4, 1, 5};
    const float sum = pp::reduce(pp::host, values, 0.0f);                                                     // 14
    const float largest = pp::reduce(pp::host, values.begin(), values.end(), values.front(), pp::maximum{});  // 5
    /// [reduce]
    CHECK(sum == 14);
    CHECK(largest == 5);
}

TEST_CASE("the example of transform_reduce")
{
    /// [transform_reduce]
    const std::vector<float> values{3, 4};
    const auto square = [](float x) { return x * x; };
    const double length_squared = pp::transform_reduce(pp::host, values, 0.0, pp::plus{}, square);  // 25
    /// [transform_reduce]
    CHECK(length_squared == 25);
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] the example of reduce_into")
{
    /// [reduce_into]
    const pp::device_buffer<float> values = pp::to_device({3.0f, 1.0f, 4.0f});
    pp::device_buffer<float> sum(1);
    pp::reduce_into(pp::device, values, sum.begin(), 0.0f);  // enqueued: nothing waits
    const float on_the_host = sum.to_host().front();         // 8
    /// [reduce_into]
    CHECK(on_the_host == 8);
}

TEST_CASE_TEMPLATE("reduce takes 16-bit floating-point numbers", Backend, PARPRIMS_BACKENDS)
{
    check_reduce<Backend, __half>(1.0f);
    check_reduce<Backend, __nv_bfloat16>(1.0f);
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, 3 * order::chunk<__half> + 1}) {
        CAPTURE(n);
        std::vector<__half> values(n, __float2half(0.25f));
        values[n / 2] = __float2half(8.0f);
        const auto x = place<Backend>(values, 1);
        const __half largest = pp::reduce(Backend::policy(), x.begin(), x.end(), __float2half(-1.0f), pp::maximum{});
        CHECK(__half2float(largest) == 8.0f);
    }
}

#endif
