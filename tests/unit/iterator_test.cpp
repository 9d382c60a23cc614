/// @file
/// @brief  Iterators: what they yield, what can be assigned through them, and that they are random access iterators.
#include <doctest/doctest.h>

#include <parprims/iterator.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <parprims/device_buffer.hpp>
#endif

namespace pp = parprims;

namespace {

struct squared {
    PARPRIMS_HOST_DEVICE constexpr long operator()(long x) const { return x * x; }
};

/// Yields what it is given, as parprims::identity does.
struct forward {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T&& operator()(T&& x) const
    {
        return static_cast<T&&>(x);
    }
};

/// A lambda with a capture, which can be neither default constructed nor assigned.
constexpr auto times(int factor)
{
    return [factor](int x) { return x * factor; };
}
using times_iterator = pp::transform_iterator<decltype(times(1)), const int*>;

static_assert(!std::is_default_constructible_v<times_iterator>);
static_assert(!std::is_default_constructible_v<pp::transform_iterator<squared, times_iterator>>);

static_assert(std::random_access_iterator<pp::counting_iterator<int>>);
static_assert(std::random_access_iterator<pp::counting_iterator<std::uint64_t>>);
static_assert(std::random_access_iterator<pp::constant_iterator<double>>);
static_assert(std::random_access_iterator<pp::transform_iterator<squared, const int*>>);
static_assert(std::random_access_iterator<pp::transform_iterator<squared, pp::counting_iterator<int>>>);
static_assert(std::random_access_iterator<pp::strided_iterator<int*>>);
static_assert(std::random_access_iterator<pp::discard_iterator>);
static_assert(std::random_access_iterator<pp::zip_iterator<int*>>);
static_assert(std::random_access_iterator<pp::zip_iterator<int*, const double*, pp::counting_iterator<int>>>);
static_assert(
    std::random_access_iterator<pp::zip_iterator<std::vector<int>::iterator, std::deque<char>::const_iterator>>);
static_assert(std::random_access_iterator<pp::zip_iterator<pp::zip_iterator<int*, char*>, int*>>);

static_assert(std::indirectly_writable<pp::zip_iterator<int*, double*>, pp::tuple<int, double>>);
static_assert(std::indirectly_writable<pp::zip_iterator<int*, double*>, pp::tuple<short, float>>);
static_assert(std::indirectly_writable<pp::strided_iterator<int*>, int>);
static_assert(std::indirectly_writable<pp::discard_iterator, std::string>);
static_assert(!std::indirectly_writable<pp::zip_iterator<int*, const double*>, pp::tuple<int, double>>);
static_assert(!std::indirectly_writable<pp::counting_iterator<int>, int>);

static_assert(!std::random_access_iterator<times_iterator>);
static_assert(pp::random_access_iterator<times_iterator>);
static_assert(pp::random_access_iterator<pp::zip_iterator<times_iterator, int*>>);
static_assert(pp::random_access_iterator<pp::strided_iterator<times_iterator>>);
static_assert(pp::random_access_iterator<int*>);
static_assert(pp::random_access_iterator<std::vector<bool>::iterator>);
static_assert(!pp::random_access_iterator<void*>);
static_assert(!pp::random_access_iterator<int>);
static_assert(!pp::random_access_iterator<std::list<int>::iterator>);
static_assert(!pp::random_access_iterator<std::forward_list<int>::iterator>);

static_assert(std::is_same_v<pp::detail::iter_value_t<const int*>, int>);
static_assert(std::is_same_v<pp::detail::iter_value_t<std::vector<bool>::iterator>, bool>);
static_assert(std::is_same_v<pp::detail::iter_value_t<times_iterator>, int>);
static_assert(std::is_same_v<pp::detail::iter_value_t<pp::zip_iterator<int*, const float*>>, pp::tuple<int, float>>);
static_assert(std::is_same_v<pp::detail::unwrapped_t<std::vector<int>::const_iterator>, const int*>);
static_assert(std::is_same_v<pp::detail::unwrapped_t<int*>, int*>);
static_assert(std::is_same_v<pp::detail::unwrapped_t<std::deque<int>::iterator>, std::deque<int>::iterator>);
static_assert(std::is_same_v<pp::detail::unwrapped_t<pp::strided_iterator<int*>>, pp::strided_iterator<int*>>);

// A kernel gets these by value.
static_assert(std::is_trivially_copyable_v<pp::counting_iterator<int>>);
static_assert(std::is_trivially_copyable_v<pp::transform_iterator<squared, const int*>>);
static_assert(std::is_trivially_copyable_v<pp::zip_iterator<int*, const double*>>);
static_assert(std::is_trivially_copyable_v<pp::strided_iterator<int*>>);
static_assert(std::is_trivially_copyable_v<pp::tuple<int, double>>);

static_assert(*(pp::counting_iterator(5) + 2) == 7);
static_assert(pp::get<1>(pp::tuple{1, 2.5}) == 2.5);

/// All the operators of a random access iterator whose element i is `value(i)`, around element 5.
template <class Iterator, class Value>
void check_operators(Iterator first, Value value)
{
    CHECK(*first == value(0));
    CHECK(first[7] == value(7));
    CHECK(*(first + 3) == value(3));
    CHECK(*(3 + first) == value(3));
    Iterator it = first;
    CHECK(*++it == value(1));
    CHECK(*it++ == value(1));
    CHECK(*it == value(2));
    CHECK(*(it += 3) == value(5));
    CHECK(it - first == 5);
    CHECK(first - it == -5);
    CHECK(*(it - 1) == value(4));
    CHECK(*it-- == value(5));
    CHECK(*--it == value(3));
    CHECK(*(it -= 2) == value(1));
    CHECK(it == first + 1);
    CHECK(it != first);
    CHECK(first < it);
    CHECK(first <= it);
    CHECK(it > first);
    CHECK(it >= first);
    CHECK_FALSE(it < first);
    CHECK_FALSE(it <= first);
    CHECK_FALSE(first > it);
    CHECK_FALSE(first >= it);
    CHECK_FALSE(it < it);
    CHECK(it <= it);
}

std::vector<int> numbers(int n)
{
    std::vector<int> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 100);
    return values;
}

}  // namespace

TEST_CASE("a counting iterator counts")
{
    check_operators(pp::counting_iterator(-3), [](int i) { return i - 3; });
    check_operators(pp::counting_iterator<std::uint8_t>(4), [](int i) { return 4 + i; });
    const std::vector<int> values(pp::counting_iterator(2), pp::counting_iterator(6));
    CHECK(values == std::vector<int>{2, 3, 4, 5});
}

TEST_CASE("a counting iterator goes beyond 32 bits and down from 0")
{
    const pp::counting_iterator<std::uint64_t> first(5);
    const std::ptrdiff_t far = std::ptrdiff_t{1} << 40;
    CHECK(*(first + far) == (std::uint64_t{1} << 40) + 5);
    CHECK((first + far) - first == far);
    const pp::counting_iterator zero(0u);
    CHECK(*(pp::counting_iterator(std::int64_t{0}) - 3) == -3);
    CHECK(pp::counting_iterator(UINT32_MAX) - zero == std::ptrdiff_t{UINT32_MAX});
    CHECK(pp::counting_iterator(INT32_MAX) - pp::counting_iterator(INT32_MIN) == std::ptrdiff_t{UINT32_MAX});
}

TEST_CASE("a constant iterator repeats its value and knows its place")
{
    check_operators(pp::constant_iterator(2.5), [](int) { return 2.5; });
    CHECK(pp::constant_iterator(1, 10) - pp::constant_iterator(1) == 10);
}

TEST_CASE("a transform iterator applies its callable to every element")
{
    const std::vector<int> values = numbers(8);
    check_operators(pp::transform_iterator(values.begin(), squared{}), [](long i) { return (100 + i) * (100 + i); });
    check_operators(pp::transform_iterator(pp::counting_iterator(0), times(7)), [](int i) { return 7 * i; });
}

TEST_CASE("a transform iterator yields references where its callable does, but none to elements that are gone")
{
    std::vector<std::pair<int, char>> values{{1, 'a'}, {2, 'b'}};
    const pp::transform_iterator second(values.begin(), [](auto& pair) -> char& { return pair.second; });
    second[1] = 'z';
    CHECK(values[1].second == 'z');
    const pp::transform_iterator forwarded(pp::counting_iterator(3), forward{});
    static_assert(std::is_same_v<decltype(*forwarded), int>);
    CHECK(forwarded[2] == 5);
    const pp::transform_iterator lvalues(values.begin(), forward{});
    static_assert(std::is_same_v<decltype(*lvalues), std::pair<int, char>&>);
}

TEST_CASE("a zip iterator yields tuples that bind, compare and assign through")
{
    std::vector<int> a = numbers(8);
    std::array<double, 8> b{0, 1, 2, 3, 4, 5, 6, 7};
    const pp::zip_iterator first(a.begin(), b.begin());
    check_operators(first, [](int i) { return pp::tuple<int, double>(100 + i, i); });
    auto [x, y] = first[2];
    x = -1;
    y = -2.0;
    CHECK(a[2] == -1);
    CHECK(b[2] == -2.0);
    *first = pp::tuple(7, 8.5f);
    CHECK(a[0] == 7);
    CHECK(b[0] == 8.5);
    first[1] = first[0];
    CHECK(a[1] == 7);
    const pp::tuple<int, double> value = *first;
    a[0] = 0;
    CHECK(pp::get<0>(value) == 7);
    first[3] = value;
    CHECK(a[3] == 7);
}

TEST_CASE("a zip iterator of one, of a zip and of proxies")
{
    std::vector<int> a = numbers(4);
    std::vector<bool> flags{false, true, false, true};
    *pp::zip_iterator(a.begin()) = pp::tuple(5);
    CHECK(a[0] == 5);
    pp::zip_iterator nested(pp::zip_iterator(a.begin(), flags.begin()), pp::counting_iterator(10));
    const auto [pair, count] = nested[1];
    CHECK(pp::get<0>(pair) == 101);
    CHECK(pp::get<1>(pair));
    CHECK(count == 11);
    *pp::zip_iterator(a.begin(), flags.begin()) = pp::tuple(6, true);
    CHECK(flags[0]);
}

TEST_CASE("standard algorithms walk over zipped ranges")
{
    const std::vector<int> a = numbers(100);
    std::vector<long> b(100);
    const pp::zip_iterator first(a.begin(), pp::counting_iterator(0l));
    std::transform(first, first + 100, b.begin(), [](const pp::tuple<int, long>& t) { return get<0>(t) - get<1>(t); });
    CHECK(std::all_of(b.begin(), b.end(), [](long x) { return x == 100; }));
    CHECK(std::lower_bound(pp::counting_iterator(0), pp::counting_iterator(1000), 77) - pp::counting_iterator(0) == 77);
}

TEST_CASE("a tuple is assigned, compared and taken apart by element")
{
    pp::tuple<int, const char*> t(1, "one");
    const char* const two = "two";
    t = pp::tuple(short{2}, two);
    CHECK(t == pp::tuple(2, two));
    CHECK_FALSE(t == pp::tuple(3, two));
    CHECK_FALSE(t == pp::tuple(2, two + 1));
    get<0>(t) = 9;
    CHECK(get<0>(std::move(t)) == 9);
    static_assert(std::tuple_size_v<pp::tuple<int, char, int>> == 3);
    static_assert(std::is_same_v<std::tuple_element_t<1, pp::tuple<int, char&>>, char&>);
}

TEST_CASE("a strided iterator takes every n-th element, backwards too")
{
    std::vector<int> values = numbers(24);
    check_operators(pp::strided_iterator(values.begin(), 3), [](int i) { return 100 + 3 * i; });
    check_operators(pp::strided_iterator(values.begin() + 23, -2), [](int i) { return 123 - 2 * i; });
    check_operators(pp::strided_iterator(values.begin(), 0, 1), [](int) { return 100; });
    pp::strided_iterator(values.data() + 1, 6)[2] = -1;
    CHECK(values[13] == -1);
    const pp::strided_iterator column(values.data() + 5, 6);
    CHECK(std::accumulate(column, column + 4, 0) == 105 + 111 + 117 + 123);
}

TEST_CASE("a discard iterator takes anything and counts its steps")
{
    const std::vector<int> values = numbers(5);
    const auto end = std::copy(values.begin(), values.end(), pp::discard_iterator());
    CHECK(end - pp::discard_iterator() == 5);
    *end = std::string("anything");
    end[3] = 1.5;
    CHECK(end == pp::discard_iterator(5));
    CHECK(pp::discard_iterator() < end);
}

TEST_CASE("unwrap gives the pointer of a contiguous iterator, of an empty range too")
{
    std::vector<int> values = numbers(3);
    CHECK(pp::detail::unwrap(values.begin()) == values.data());
    CHECK(pp::detail::unwrap(values.end()) == values.data() + 3);
    CHECK(pp::detail::unwrap(std::vector<int>().begin()) == nullptr);
}

#if PARPRIMS_CUDA_COMPILER

static_assert(pp::random_access_iterator<thrust::counting_iterator<int>>);
static_assert(pp::random_access_iterator<thrust::constant_iterator<double>>);
static_assert(pp::random_access_iterator<thrust::transform_iterator<squared, const int*>>);
static_assert(pp::random_access_iterator<thrust::zip_iterator<thrust::tuple<int*, double*>>>);
static_assert(pp::random_access_iterator<thrust::discard_iterator<>>);
static_assert(pp::random_access_iterator<thrust::device_ptr<int>>);
static_assert(pp::random_access_iterator<thrust::device_vector<int>::const_iterator>);
static_assert(std::is_same_v<pp::detail::iter_value_t<thrust::counting_iterator<int>>, int>);
static_assert(std::is_same_v<pp::detail::iter_value_t<thrust::device_vector<float>::iterator>, float>);

namespace {

template <class Input, class Output>
__global__ void copy_each(Input input, std::ptrdiff_t n, Output output)
{
    const std::ptrdiff_t i = static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        output[i] = *(input + i);
}

}  // namespace

TEST_CASE("[device] iterators of iterators are read and written in a kernel")
{
    constexpr int n = 1000;
    const auto input = pp::to_device(numbers(2 * n));
    pp::device_buffer<long> squares(n);
    pp::device_buffer<std::uint64_t> counts(n);
    pp::device_buffer<int> odd(n);
    const pp::strided_iterator every_other(input.data() + 1, 2);
    const pp::zip_iterator from(pp::transform_iterator(every_other, squared{}),
                                pp::counting_iterator<std::uint64_t>(std::uint64_t{1} << 33), every_other,
                                pp::constant_iterator(1.5));
    const pp::zip_iterator to(squares.data(), counts.data(), odd.data(), pp::discard_iterator());
    copy_each<<<(n + 127) / 128, 128>>>(from, n, to);
    const auto got_squares = squares.to_host();
    const auto got_counts = counts.to_host();
    const auto got_odd = odd.to_host();
    for (int i = 0; i < n; ++i) {
        CAPTURE(i);
        const auto k = static_cast<std::size_t>(i);
        const long x = 101 + 2 * i;
        CHECK(got_squares[k] == x * x);
        CHECK(got_counts[k] == (std::uint64_t{1} << 33) + k);
        CHECK(got_odd[k] == x);
    }
}

#endif
