/// @file
/// @brief  Sizes in device memory: the results of the call with that size, also from a graph, and what a size that is out of range does.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/sized.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

struct is_positive {
    PARPRIMS_HOST_DEVICE bool operator()(float x) const { return x > 0; }
};

}  // namespace

TEST_CASE_TEMPLATE("reductions of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    for_each_size<Backend>([](std::size_t n, std::size_t, const auto& sized, const float* x) {
        const auto out = poisoned<Backend, float>(3);
        const float init = 0.1f;
        pp::reduce_into(Backend::policy(), sized, out.begin(), init);
        pp::transform_reduce_into(Backend::policy(), sized, out.begin() + 1, init, pp::plus{}, squared{});
        pp::reduce_into(Backend::policy(), sized, out.begin() + 2, init, pp::exact_plus{});
        const std::vector<float> found = out.read();
        CHECK(same_bits(found[0], pp::reduce(Backend::policy(), x, x + n, init)));
        CHECK(same_bits(found[1], pp::transform_reduce(Backend::policy(), x, x + n, init, pp::plus{}, squared{})));
        CHECK(same_bits(found[2], pp::reduce(Backend::policy(), x, x + n, init, pp::exact_plus{})));
        CHECK(same_bits(pp::reduce(Backend::policy(), sized), pp::reduce(Backend::policy(), x, x + n)));
    });
}

TEST_CASE_TEMPLATE("scans and copies of a size in device memory write no element behind it", Backend, PARPRIMS_BACKENDS)
{
    for_each_size<Backend>([](std::size_t n, std::size_t bound, const auto& sized, const float* x) {
        const auto compare = [&](auto call) { check_outputs<Backend>(n, bound, sized, x, call); };
        compare([](auto first, auto last, float* out) { pp::inclusive_scan(Backend::policy(), first, last, out); });
        compare(
            [](auto first, auto last, float* out) { pp::exclusive_scan(Backend::policy(), first, last, out, 0.5f); });
        compare(
            [](auto first, auto last, float* out) { pp::copy_if(Backend::policy(), first, last, out, is_positive{}); });
        const auto kept = poisoned<Backend, float>(bound);
        const auto count = poisoned<Backend, std::uint32_t>(1);
        pp::copy_if_into(Backend::policy(), sized, kept.begin(), count.begin(), is_positive{});
        const auto all = poisoned<Backend, float>(bound);
        CHECK(count.read()[0] ==
              static_cast<std::size_t>(pp::copy_if(Backend::policy(), x, x + n, all.begin(), is_positive{}) -
                                       all.begin()));
    });
}

TEST_CASE_TEMPLATE("a range may have its size in device memory", Backend, PARPRIMS_BACKENDS)
{
    const auto numbers = place<Backend>(std::vector{3, -1, 4, -1, 5, -9, 2, 6});
    const auto kept = poisoned<Backend, int>(8);
    const auto count = poisoned<Backend, std::uint32_t>(1);
    const auto out = poisoned<Backend, int>(1);
    const auto policy = Backend::policy();
    const auto x = numbers.begin();
    const auto is_negative = [] PARPRIMS_HOST_DEVICE(int value) { return value < 0; };
    /// [sized_on_device]
    pp::copy_if_into(policy, x, x + 8, kept.begin(), count.begin(), is_negative);  // -1, -1, -9; *count is 3
    const auto negative = pp::sized_on_device(kept.begin(), count.begin(), 8);     // 8 at most
    pp::reduce_into(policy, negative, out.begin(), 0);                             // -11; nothing has waited
    /// [sized_on_device]
    CHECK(out.read()[0] == -11);
    /// [sized_range]
    const pp::sized_range<int*> range = pp::sized_on_device(kept.begin(), count.begin(), 8);
    const int sum = pp::reduce(policy, range);
    /// [sized_range]
    CHECK(sum == -11);
}

TEST_CASE_TEMPLATE("an init may lie in device memory", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for (const std::size_t bound : {std::size_t{1}, std::size_t{3000}, std::size_t{300000}}) {
        CAPTURE(bound);
        const auto x = place<Backend>(samples_between(bound, -1, 1));
        const auto keys = place<Backend>(std::vector<std::uint32_t>(bound, 7));
        const auto init = place<Backend>(std::vector{0.1f});
        for (const std::size_t n : {std::size_t{0}, bound / 2, bound}) {
            CAPTURE(n);
            const auto count = place<Backend>(std::vector{n});
            const auto sized = pp::sized_on_device(x.begin(), count.begin(), bound);
            const float* const first = x.begin();
            const float* const last = first + n;
            const float expected = pp::reduce(policy, first, last, 0.1f);
            CHECK(same_bits(pp::reduce(policy, first, last, pp::value_at(init.begin())), expected));
            CHECK(same_bits(pp::reduce(policy, sized, pp::value_at(init.begin())), expected));
            CHECK(same_bits(pp::reduce(policy, sized, pp::value_at(init.begin()), pp::exact_plus{}),
                            pp::reduce(policy, first, last, 0.1f, pp::exact_plus{})));
            const auto compare = [&](auto call) {
                const auto found = poisoned<Backend, float>(bound);
                const auto plain = poisoned<Backend, float>(bound);
                call(sized.begin(), sized.end(), found.begin(), pp::value_at(init.begin()));
                call(first, last, plain.begin(), 0.1f);
                CHECK(bits_of(found.read()) == bits_of(plain.read()));
            };
            compare([&](auto begin, auto end, float* out, auto from) {
                pp::exclusive_scan(policy, begin, end, out, from);
            });
            compare([&](auto begin, auto end, float* out, auto from) {
                pp::inclusive_scan(policy, begin, end, out, pp::plus{}, from);
            });
            compare([&](auto, auto, float* out, auto from) {
                pp::exclusive_scan_by_key(policy, keys.begin(), keys.begin() + n, first, out, from);
            });
        }
    }
    const auto x = place<Backend>(std::vector{1, 2, 3});
    const auto sum = place_guarded<Backend>(std::vector{10});
    /// [value_at]
    for (int round = 0; round < 3; ++round)  // adds to *sum
        pp::reduce_into(policy, x.begin(), x.end(), sum.begin(), pp::value_at(sum.begin()));
    /// [value_at]
    CHECK(sum.read()[0] == 28);
    const int* const none = nullptr;
    check_refused("parprims::reduce_into", "init", "null pointer",
                  [&] { pp::reduce_into(policy, x.begin(), x.end(), sum.begin(), pp::value_at(none)); });
    if constexpr (Backend::is_device)
        check_refused("parprims::exclusive_scan", "out", "overlaps init",
                      [&] { pp::exclusive_scan(policy, x.begin(), x.end(), x.begin(), pp::value_at(x.begin() + 1)); });
}

TEST_CASE_TEMPLATE("a size that is negative or above its bound", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(1000, 1.0f));
    const auto wait = [] {
        if constexpr (Backend::is_device)
            pp::stream_view().synchronize();
    };
    const auto check = [&](auto wrong, const std::string& reason) {
        const auto count = place<Backend>(std::vector{wrong});
        const auto out = poisoned<Backend, float>(1000);
        const auto kept = poisoned<Backend, std::uint32_t>(1);
        const auto counts = poisoned<Backend, std::uint32_t>(10);
        const auto sums = poisoned<Backend, float>(10);
        const auto sized = pp::sized_on_device(x.begin(), count.begin(), 999);
        const auto refused = [&](const std::string& function, auto call) {
            check_refused(function, "count", reason, [&] {
                call();
                wait();
            });
            wait();  // thrown once
            CHECK(pp::reduce(Backend::policy(), x.begin(), x.end(), 0.0f) == 1000);
        };
        refused("parprims::reduce_into", [&] { pp::reduce_into(Backend::policy(), sized, out.begin(), 0.0f); });
        refused("parprims::reduce", [&] { (void)pp::reduce(Backend::policy(), sized, 0.0f); });
        refused("parprims::inclusive_scan", [&] { pp::inclusive_scan(Backend::policy(), sized, out.begin()); });
        refused("parprims::copy_if_into",
                [&] { pp::copy_if_into(Backend::policy(), sized, out.begin(), kept.begin(), is_positive{}); });
        refused("parprims::transform", [&] { pp::transform(Backend::policy(), sized, out.begin(), squared{}); });
        refused("parprims::exclusive_scan", [&] { pp::exclusive_scan(Backend::policy(), sized, out.begin(), 0.0f); });
        refused("parprims::max_element_into", [&] { pp::max_element_into(Backend::policy(), sized, kept.begin()); });
        refused("parprims::reduce_into",
                [&] { pp::reduce_into(Backend::policy(), sized, out.begin(), 0.0f, pp::exact_plus{}); });
        refused("parprims::reduce_by_key_into", [&] {
            pp::reduce_by_key_into(Backend::policy(), sized.begin(), sized.end(), x.begin(), out.begin(),
                                   out.begin() + 999, kept.begin());
        });
        refused("parprims::inclusive_scan_by_key", [&] {
            pp::inclusive_scan_by_key(Backend::policy(), sized.begin(), sized.end(), x.begin(), out.begin());
        });
        refused("parprims::unique_copy_into",
                [&] { pp::unique_copy_into(Backend::policy(), sized, out.begin(), kept.begin()); });
        refused("parprims::histogram",
                [&] { pp::histogram(Backend::policy(), sized, pp::regular_axis(10, 0.0f, 2.0f), counts.begin()); });
        refused("parprims::weighted_histogram", [&] {
            pp::weighted_histogram(Backend::policy(), sized, x.begin(), pp::regular_axis(10, 0.0f, 2.0f), sums.begin());
        });
        const auto offsets = place<Backend>(std::vector<int>(1000, 1000));
        const auto segments = pp::sized_on_device(offsets.begin(), count.begin(), 999);
        refused("parprims::segmented_reduce", [&] {
            pp::segmented_reduce(Backend::policy(), x.begin(), x.end(), segments.begin(), segments.end(), out.begin(),
                                 0.0f);
        });
        refused("parprims::segmented_histogram", [&] {
            pp::segmented_histogram(Backend::policy(), x.begin(), x.end(), segments.begin(), segments.end(),
                                    pp::regular_axis(1, 0.0f, 2.0f), out.begin());
        });
        refused("parprims::segmented_weighted_histogram", [&] {
            pp::segmented_weighted_histogram(Backend::policy(), x.begin(), x.end(), segments.begin(), segments.end(),
                                             x.begin(), pp::regular_axis(1, 0.0f, 2.0f), out.begin());
        });
        refused("parprims::segmented_inclusive_scan", [&] {
            pp::segmented_inclusive_scan(Backend::policy(), x.begin(), x.end(), segments.begin(), segments.end(),
                                         out.begin());
        });
        CHECK(out.untouched());
        CHECK(kept.untouched());
        CHECK(sums.untouched());
    };
    check(std::int32_t{1000}, "the size 1000 is above the bound, 999");
    check(std::int32_t{-1}, "the size -1 is negative; the bound is 999");
    check(std::int64_t{-5'000'000'000}, "the size -5000000000 is negative; the bound is 999");
    check(~std::uint64_t{0}, "the size 18446744073709551615 is above the bound, 999");
    check(std::int16_t{-7}, "the size -7 is negative; the bound is 999");
}

TEST_CASE_TEMPLATE("a size above a bound of 0", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(1, 1.0f));
    const auto out = poisoned<Backend, float>(1);
    const auto count = place<Backend>(std::vector{1});
    const auto none = pp::sized_on_device(x.begin(), count.begin(), 0);
    const auto refused = [&](const std::string& function, auto call) {
        check_refused(function, "count", "the size 1 is above the bound, 0", [&] {
            call();
            if constexpr (Backend::is_device)
                pp::stream_view().synchronize();
        });
    };
    refused("parprims::inclusive_scan", [&] { pp::inclusive_scan(Backend::policy(), none, out.begin()); });
    refused("parprims::reduce_into", [&] { pp::reduce_into(Backend::policy(), none, out.begin(), 0.0f); });
    refused("parprims::transform", [&] { pp::transform(Backend::policy(), none, out.begin(), squared{}); });
    CHECK(out.untouched());
}

TEST_CASE_TEMPLATE("a count that is null, or that the call writes", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<std::uint32_t>(10, 1));
    const auto count = place<Backend>(std::vector{std::uint32_t{10}});
    const std::uint32_t* const none = nullptr;
    check_refused("parprims::reduce_into", "count", "null pointer", [&] {
        pp::reduce_into(Backend::policy(), pp::sized_on_device(x.begin(), none, 10), count.begin(), 0u);
    });
    if constexpr (Backend::is_device)
        check_refused("parprims::reduce_into", "out", "overlaps the count of the range", [&] {
            pp::reduce_into(Backend::policy(), pp::sized_on_device(x.begin(), count.begin(), 10), count.begin(), 0u);
        });
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph serves every size up to the bound")
{
    const std::size_t bound = 300000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    pp::device_buffer<float> x(samples_between(bound, -1, 1), work);
    pp::device_buffer<std::int64_t> count(1, work), kept(1, work);
    pp::device_buffer<float> positive(bound, work), sums(bound, work), total(1, work);
    const captured pipeline(work, [&] {
        pp::copy_if_into(policy, pp::sized_on_device(x.begin(), count.begin(), bound), positive.begin(), kept.begin(),
                         is_positive{});
        const auto all = pp::sized_on_device(positive.begin(), kept.begin(), bound);
        pp::inclusive_scan(policy, all, sums.begin());
        pp::reduce_into(policy, all, total.begin(), 0.0f);
    });
    for (const std::size_t n : sizes_up_to(bound)) {
        CAPTURE(n);
        count.copy_from(std::vector{static_cast<std::int64_t>(n)});
        pipeline.replay(work);
        std::vector<float> values = x.to_host(), plain;
        for (std::size_t i = 0; i < n; ++i)
            if (values[i] > 0)
                plain.push_back(values[i]);
        CHECK(kept.to_host()[0] == static_cast<std::int64_t>(plain.size()));
        CHECK(same_bits(total.to_host()[0], pp::reduce(pp::host, plain, 0.0f)));
        pp::inclusive_scan(pp::host, plain, plain.begin());
        std::vector<float> found = sums.to_host();
        found.resize(plain.size());
        CHECK(bits_of(found) == bits_of(plain));
    }

    const auto check_wrong = [&](const captured& graph, const char* function) {
        for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{bound} + 1}) {
            count.copy_from(std::vector{wrong});
            work.synchronize();
            graph.replay(work);
            check_refused(function, "count", "the bound", [&] { work.synchronize(); });
            work.synchronize();  // thrown once
        }
    };
    check_wrong(pipeline, "parprims::copy_if_into");
    // Of a graph whose second call has the wrong size, the first one works.
    const captured second(work, [&] {
        pp::reduce_into(policy, x, total.begin(), 0.0f);
        pp::transform(policy, pp::sized_on_device(x.begin(), count.begin(), bound), sums.begin(), squared{});
    });
    total.copy_from(std::vector{-1.0f});
    check_wrong(second, "parprims::transform");
    CHECK(same_bits(total.to_host()[0], pp::reduce(pp::host, x.to_host(), 0.0f)));
}

TEST_CASE("a size that is out of range is told to its own stream")
{
    const pp::stream first, second;
    const pp::device_buffer<float> x(std::vector<float>(10, 1.0f), first);
    const pp::device_buffer<int> count(std::vector{11}, first);
    pp::device_buffer<float> out(1, first);
    first.synchronize();
    pp::reduce_into(pp::device.on(first), pp::sized_on_device(x.begin(), count.begin(), 10), out.begin(), 0.0f);
    pp::stream_view().synchronize();
    second.synchronize();
    CHECK(pp::reduce(pp::device.on(second), x, 0.0f) == 10);
    check_refused("parprims::reduce_into", "count", "11", [&] { (void)pp::reduce(pp::device.on(first), x, 0.0f); });
}

#endif
