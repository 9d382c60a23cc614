/// @file
/// @brief  The ways to call a scan: ranges, iterators as input and output, launch configurations, streams.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/iterator.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>
#include <parprims/tuple.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/scan_check.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

namespace pp = parprims;

namespace {

using word = std::uint64_t;

/// Keeps what is written to the elements from `from` on, and drops the rest.
class tail_output {
public:
    PARPRIMS_HOST_DEVICE tail_output(word* kept, std::ptrdiff_t from, std::ptrdiff_t index = 0)
        : kept_(kept), from_(from), index_(index)
    {
    }
    struct reference {
        word* target;
        PARPRIMS_HOST_DEVICE const reference& operator=(word value) const
        {
            if (target != nullptr)
                *target = value;
            return *this;
        }
    };
    using value_type = word;
    PARPRIMS_HOST_DEVICE reference operator*() const { return {index_ < from_ ? nullptr : kept_ + (index_ - from_)}; }
    PARPRIMS_HOST_DEVICE tail_output operator+(std::ptrdiff_t n) const { return {kept_, from_, index_ + n}; }

private:
    word* kept_;
    std::ptrdiff_t from_;
    std::ptrdiff_t index_;
};

using pair = pp::tuple<std::uint32_t, std::int64_t>;

/// The sum of the first parts, and the last of the second ones: does not commute.
struct sum_and_last {
    PARPRIMS_HOST_DEVICE pair operator()(const pair& a, const pair& b) const
    {
        return {pp::get<0>(a) + pp::get<0>(b), pp::get<1>(b)};
    }
};

constexpr std::size_t sizes[] = {0, 1, 1000, 300001};

}  // namespace

TEST_CASE("scans take ranges that end with a sentinel")
{
    std::vector<int> sums(5);
    const auto numbers = std::views::iota(1) | std::views::take(5);
    CHECK(pp::inclusive_scan(pp::host, numbers, sums.begin()) == sums.end());
    CHECK(sums == std::vector<int>{1, 3, 6, 10, 15});
    CHECK(pp::exclusive_scan(pp::host, numbers, sums.begin(), 2) == sums.end());
    CHECK(sums == std::vector<int>{2, 3, 5, 8, 12});
}

TEST_CASE("scans on the host take truth values")
{
    const std::size_t n = 1000003;
    const auto values = std::make_unique<bool[]>(n);
    const auto out = std::make_unique<bool[]>(n);
    for (std::size_t i = 0; i < n; i += 3)
        values[i] = true;
    pp::inclusive_scan(pp::host, values.get(), values.get() + n, out.get(), pp::bit_xor{});
    bool odd = false;
    for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(i);
        REQUIRE(out[i] == (odd = odd != values[i]));
    }
    pp::exclusive_scan(pp::host, values.get(), values.get() + n, out.get(), false, pp::maximum{});
    CHECK(!out[0]);
    for (std::size_t i = 1; i < n; ++i) {
        CAPTURE(i);
        REQUIRE(out[i]);
    }
}

/// The product of all elements of a tuple, as a T.
template <class T>
struct product_of {
    template <class... Elements>
    PARPRIMS_HOST_DEVICE T operator()(const pp::tuple<Elements...>& elements) const
    {
        T result = static_cast<T>(get<0>(elements) * get<1>(elements));
        if constexpr (sizeof...(Elements) == 3)
            result = static_cast<T>(result * get<2>(elements));
        return result;
    }
};

/// Scans a function of arrays that begin one, two and three elements behind aligned addresses: in many tiles, too, for which a
/// lane loads elements ahead.
template <class Backend, class T>
void check_scan_of_arrays(std::size_t n)
{
    CAPTURE(n);
    std::vector<T> values = small_values<T>(n + 2), two(n), three(n);
    for (std::size_t i = 0; i < n; ++i) {
        two[i] = static_cast<T>(values[i] * values[i + 1]);
        three[i] = static_cast<T>(two[i] * values[i + 2]);
    }
    const auto x = place<Backend>(values, 1);
    const auto sums = poisoned<Backend, T>(n, 3);
    const T* const first = x.begin();
    const auto check = [&](const auto& zip, const std::vector<T>& expected) {
        const pp::transform_iterator in(zip, product_of<T>{});
        for_each_scan_policy<Backend>([&](const auto& policy) {
            pp::inclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n), sums.begin());
            CHECK(first_difference(sums.read(), loop_scan(true, expected, std::optional<T>(), pp::plus{})) == n);
        });
    };
    check(pp::zip_iterator(first, first + 1), two);
    check(pp::zip_iterator(first, first + 1, first + 2), three);
}

TEST_CASE_TEMPLATE("scan reads functions of several arrays", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {5000, 200001, 5000003}) {
        check_scan_of_arrays<Backend, std::uint16_t>(n);
        check_scan_of_arrays<Backend, std::uint32_t>(n);
        check_scan_of_arrays<Backend, std::uint64_t>(n);
    }
}

TEST_CASE_TEMPLATE("scan reads and writes zip iterators", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const std::vector<std::uint32_t> values = small_values<std::uint32_t>(n);
        const auto x = place<Backend>(values, 1);
        const auto sums = poisoned<Backend, std::uint32_t>(n, 1);
        const auto lasts = poisoned<Backend, std::int64_t>(n);
        const pp::zip_iterator in(x.begin(), pp::counting_iterator<std::int64_t>(-5));
        const pp::zip_iterator out(sums.begin(), lasts.begin());
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto end = pp::inclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n), out, sum_and_last{});
            CHECK(static_cast<std::size_t>(end - out) == n);
            CHECK(first_difference(sums.read(), loop_scan(true, values, std::optional<std::uint32_t>(), pp::plus{})) ==
                  n);
            const std::vector<std::int64_t> seen = lasts.read();
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                wrong += seen[i] != static_cast<std::int64_t>(i) - 5;
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE_TEMPLATE("scan writes strided elements and leaves those between them alone", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const pp::counting_iterator<word> first(1);
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto out = poisoned<Backend, word>(3 * n, 1);
            pp::exclusive_scan(policy, first, first + static_cast<std::ptrdiff_t>(n),
                               pp::strided_iterator(out.begin(), 3), word{7});
            const std::vector<word> answers = out.read();
            std::size_t wrong = 0;
            for (word i = 0; i < n; ++i) {
                wrong += answers[3 * i] != 7 + i * (i + 1) / 2;
                wrong += answers[3 * i + 1] != 0xA5A5A5A5A5A5A5A5u || answers[3 * i + 2] != 0xA5A5A5A5A5A5A5A5u;
            }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE_TEMPLATE("scan reads transform iterators and writes to nowhere", Backend, PARPRIMS_BACKENDS)
{
    const pp::transform_iterator squares(pp::counting_iterator<word>(0), square{});
    const auto out = poisoned<Backend, word>(100000);
    pp::inclusive_scan(Backend::policy(), squares, squares + 100000, out.begin());
    const std::vector<word> answers = out.read();
    word expected = 0;
    std::size_t wrong = 0;
    for (word i = 0; i < answers.size(); ++i)
        wrong += answers[i] != (expected += i * i);
    CHECK(wrong == 0);
    const auto end = pp::inclusive_scan(Backend::policy(), squares, squares + 100000, pp::discard_iterator());
    CHECK(end - pp::discard_iterator() == 100000);
}

TEST_CASE("scan takes ranges of the host, contiguous or not, on any number of threads")
{
    const std::vector<int> values = small_values<int>(100000);
    const std::vector<int> inclusive = loop_scan(true, values, std::optional<int>(), pp::plus{});
    const std::vector<int> largest = loop_scan(true, values, std::optional(1), pp::maximum{});
    const std::vector<int> exclusive = loop_scan(false, values, std::optional(5), pp::plus{});
    for (const unsigned threads : {0u, 1u, 2u, 64u}) {
        CAPTURE(threads);
        const auto policy = pp::host.threads(threads);
        std::vector<int> out(values.size());
        CHECK(pp::inclusive_scan(policy, values, out.begin()) == out.end());
        CHECK(out == inclusive);
        pp::inclusive_scan(policy, std::span<const int>(values), out.begin(), pp::maximum{}, 1);
        CHECK(out == largest);
        pp::exclusive_scan(policy, values, out.begin(), 5);
        CHECK(out == exclusive);
        std::deque<int> deque(values.begin(), values.end());
        pp::exclusive_scan(policy, deque, deque.begin(), 5, pp::plus{});
        CHECK(std::vector<int>(deque.begin(), deque.end()) == exclusive);
        out.assign(values.size(), 0);
        pp::transform_exclusive_scan(policy, values, out.begin(), 5, pp::plus{}, [](int x) { return -x; });
        CHECK(out.back() == 5 - (exclusive.back() - 5));
        pp::transform_inclusive_scan(
            policy, values, out.begin(), pp::plus{}, [](int x) { return -x; }, 5);
        CHECK(out.back() == 5 - inclusive.back());
        pp::transform_inclusive_scan(policy, values, out.begin(), pp::plus{}, [](int x) { return -x; });
        CHECK(out.back() == -inclusive.back());
    }
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] scan takes a device_buffer, in any stream, and page-locked memory")
{
    const std::vector<float> values = small_values<float>(100000);
    const std::vector<float> expected = loop_scan(true, values, std::optional<float>(), pp::plus{});
    const pp::stream work;
    pp::device_buffer<float> x = pp::to_device(values, work);
    pp::device_buffer<float> out(values.size(), work);
    for_each_scan_policy<device_backend>([&](const auto& policy) {
        CHECK(pp::inclusive_scan(policy.on(work), x, out.begin()) == out.end());
        CHECK(out.to_host() == expected);
    });
    pp::inclusive_scan(pp::device.on(work), x, x.begin());
    CHECK(x.to_host() == expected);

    pp::pinned_buffer<float> pinned(values);
    pp::inclusive_scan(pp::device.on(work), pinned.begin(), pinned.end(), pinned.begin());
    work.synchronize();
    CHECK(std::vector<float>(pinned.begin(), pinned.end()) == expected);
}

TEST_CASE("[device] scan counts elements beyond 2^31 and 2^32")
{
    if (is_quick())
        return;
    const pp::counting_iterator<word> first(0);
    const auto check = [&](const auto& policy, word n) {
        CAPTURE(n);
        const auto kept = poisoned<device_backend, word>(100, 1);
        const auto from = static_cast<std::ptrdiff_t>(n - 100);
        pp::inclusive_scan(policy, first, first + static_cast<std::ptrdiff_t>(n), tail_output(kept.begin(), from));
        const std::vector<word> answers = kept.read();
        std::size_t wrong = 0;
        for (word i = 0; i < 100; ++i) {
            const word m = n - 100 + i;  // 0 + 1 + ... + m, modulo 2^64
            wrong += answers[i] != (m % 2 == 0 ? m / 2 * (m + 1) : (m + 1) / 2 * m);
        }
        CHECK(wrong == 0);
    };
    for_each_scan_policy<device_backend>([&](const auto& policy) {
        check(policy, (word{1} << 31) + 12345);
        check(policy, (word{1} << 32) + 77);
    });
}

template <class T>
static void check_scans_of_tiles(std::size_t tiles)
{
    CAPTURE(sizeof(T));
    CAPTURE(tiles);
    const std::size_t n = tiles * (32768 / sizeof(T)) - 77;
    const std::vector<T> values = generate(n, [](std::uint64_t bits) {
        if constexpr (std::is_floating_point_v<T>)
            return spread<T>(bits);
        else
            return static_cast<T>(bits);
    });
    const pp::device_buffer<T> x = pp::to_device(values);
    pp::device_buffer<T> out(n);
    pp::inclusive_scan(pp::device, x, out.begin());
    std::vector<T> expected(n);
    pp::inclusive_scan(pp::host, values, expected.begin());
    CHECK(first_difference(out.to_host(), expected) == n);
}

TEST_CASE("[device] scan has the bits of the host however many tiles a multiprocessor has")
{
    const std::size_t each = pp::get_device_info(pp::current_device()).multiprocessors;
    const std::vector<std::size_t> few{each + 1, 3 * each};
    const std::vector<std::size_t> all{each,         each + 1, 2 * each, 2 * each + 1, 3 * each,
                                       3 * each + 1, 512,      513,      5 * each};
    for (const std::size_t tiles : is_quick() ? few : all) {
        check_scans_of_tiles<float>(tiles);
        check_scans_of_tiles<double>(tiles);
        check_scans_of_tiles<std::int16_t>(tiles);
    }
}

TEST_CASE("[device] scan gives the same answers for every launch configuration")
{
    for (const std::size_t n : {std::size_t{5000}, is_quick() ? std::size_t{30000} : std::size_t{700001}}) {
        const std::vector<affine> maps = generate(n, [](std::uint64_t bits) {
            return affine{static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32), 1};
        });
        const std::vector<affine> expected = loop_scan(true, maps, std::optional<affine>(), then{});
        const auto x = place<device_backend>(maps, 1);
        const auto check = [&](const auto& config) {
            CAPTURE(n);
            CAPTURE(pp::to_string(config));
            const auto out = poisoned<device_backend, affine>(n);
            pp::inclusive_scan(pp::device.with(config), x.begin(), x.end(), out.begin(), then{});
            CHECK(first_difference(out.read(), expected) == n);
        };
        for (const unsigned block_threads : {32u, 96u, 512u, 992u, 1024u})
            for (const unsigned blocks_per_sm : {1u, 2u, 32u}) {
                for (const unsigned stages : {2u, 3u, 4u})
                    check(pp::scan_config{block_threads, blocks_per_sm, stages});
                check(pp::three_phase_scan{block_threads, blocks_per_sm});
            }
    }
}

TEST_CASE("[device] scan reads and writes Thrust's iterators")
{
    const std::size_t n = 300001;
    const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<word>(0), square{});
    const auto out = poisoned<device_backend, word>(n);
    pp::exclusive_scan(pp::device, squares, squares + static_cast<std::ptrdiff_t>(n), out.begin(), word{3});
    const std::vector<word> answers = out.read();
    word expected = 3;
    std::size_t wrong = 0;
    for (word i = 0; i < n; expected += i * i, ++i)
        wrong += answers[i] != expected;
    CHECK(wrong == 0);
    CHECK_NOTHROW(pp::inclusive_scan(pp::device, squares, squares + static_cast<std::ptrdiff_t>(n),
                                     thrust::make_discard_iterator()));
    CHECK_NOTHROW(pp::stream_view().synchronize());
}

#endif
