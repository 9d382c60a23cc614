/// @file
/// @brief  Sizes in device memory, continued: calls by key, histograms, extremes and segments.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/sized.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace pp = parprims;

namespace {

struct is_more {
    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(const T& a, const T& b) const
    {
        return b < a;
    }
};

}  // namespace

TEST_CASE_TEMPLATE("transforms of a size in device memory write no element behind it", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for_each_size<Backend>([&](std::size_t n, std::size_t bound, const auto& sized, const float* x) {
        const auto compare = [&](auto call) { check_outputs<Backend>(n, bound, sized, x, call); };
        compare([&](auto first, auto last, float* out) { pp::transform(policy, first, last, out, squared{}); });
        compare([&](auto first, auto last, float* out) { pp::transform(policy, first, last, x, out, pp::plus{}); });
        compare([&](auto first, auto last, float* out) {
            pp::transform_inclusive_scan(policy, first, last, out, pp::plus{}, squared{});
        });
        compare([&](auto first, auto last, float* out) {
            pp::transform_exclusive_scan(policy, first, last, out, 0.5f, pp::plus{}, squared{});
        });
    });
}

TEST_CASE_TEMPLATE("runs of equal keys of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for_each_size<Backend>([&](std::size_t n, std::size_t bound, const auto& sized, const float* x) {
        std::vector<std::uint32_t> numbers(bound);
        for (std::size_t i = 0; i < bound; ++i)
            numbers[i] = static_cast<std::uint32_t>(i / 700 + i / 7 % 2);
        const auto keys = place<Backend>(numbers);
        const pp::sized_range of_keys(keys.begin(), sized.begin().size());
        const auto keys_found = poisoned<Backend, std::uint32_t>(bound);
        const auto keys_expected = poisoned<Backend, std::uint32_t>(bound);
        const auto found = poisoned<Backend, float>(bound);
        const auto expected = poisoned<Backend, float>(bound);
        const auto runs = poisoned<Backend, std::uint32_t>(2);
        pp::reduce_by_key_into(policy, of_keys.begin(), of_keys.end(), x, keys_found.begin(), found.begin(),
                               runs.begin());
        pp::reduce_by_key_into(policy, keys.begin(), keys.begin() + n, x, keys_expected.begin(), expected.begin(),
                               runs.begin() + 1);
        CHECK(runs.read()[0] == runs.read()[1]);
        CHECK(keys_found.read() == keys_expected.read());
        CHECK(bits_of(found.read()) == bits_of(expected.read()));
    });
}

TEST_CASE_TEMPLATE("histograms of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    for_each_size<Backend>([](std::size_t n, std::size_t, const auto& sized, const float* x) {
        for (const std::size_t bins : {std::size_t{10}, std::size_t{300000}}) {  // in shared memory, and not
            if (bins > 10 && n != 0 && n < 70000)
                continue;
            const pp::regular_axis axis(bins, -1.0f, 1.0f);
            const auto found = poisoned<Backend, std::uint32_t>(bins);
            const auto expected = poisoned<Backend, std::uint32_t>(bins);
            pp::histogram(Backend::policy(), sized, axis, found.begin());
            pp::histogram(Backend::policy(), x, x + n, axis, expected.begin());
            CHECK(found.read() == expected.read());
        }
    });
}

TEST_CASE_TEMPLATE("extremes of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    for_each_size<Backend>([](std::size_t n, std::size_t bound, const auto& sized, const float*) {
        std::vector<std::uint32_t> ascending(bound);  // so the greatest is the last one
        std::iota(ascending.begin(), ascending.end(), 0u);
        const auto x = place<Backend>(ascending);
        const pp::sized_range range(x.begin(), sized.begin().size());
        const auto found = poisoned<Backend, std::uint64_t>(2);
        pp::minmax_element_into(Backend::policy(), range, found.begin());
        CHECK(found.read() == std::vector<std::uint64_t>{0, n == 0 ? 0 : n - 1});
        pp::max_element_into(Backend::policy(), range, found.begin());
        pp::min_element_into(Backend::policy(), range, found.begin() + 1, is_more{});
        const std::size_t last = n == 0 ? 0 : n - 1;
        CHECK(found.read() == std::vector<std::uint64_t>{last, last});
        CHECK(pp::max_element(Backend::policy(), range) - range.begin() == static_cast<std::ptrdiff_t>(last));
    });
}

TEST_CASE_TEMPLATE("weighted histograms and profiles of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    for_each_size<Backend>([](std::size_t n, std::size_t, const auto& sized, const float* x) {
        for (const std::size_t bins : {std::size_t{10}, std::size_t{40000}}) {
            if (bins > 10 && n > 70001)
                continue;
            const pp::regular_axis axis(bins, -1.0f, 1.0f);
            const auto compare = [&]<class Bin>(Bin, auto call) {
                const auto found = poisoned<Backend, Bin>(bins);
                const auto expected = poisoned<Backend, Bin>(bins);
                call(sized.begin(), sized.end(), axis, found.begin());
                call(x, x + n, axis, expected.begin());
                const std::vector<Bin> a = found.read(), b = expected.read();
                CHECK(std::memcmp(a.data(), b.data(), bins * sizeof(Bin)) == 0);  // NaN too
            };
            compare(0.0, [&](auto first, auto last, const auto& of, auto* out) {
                pp::weighted_histogram(Backend::policy(), first, last, x, of, out);
            });
            compare(pp::weighted_sum<float>{}, [&](auto first, auto last, const auto& of, auto* out) {
                pp::weighted_histogram(Backend::policy(), first, last, x, of, out);
            });
            compare(pp::profile_bin<float>{}, [&](auto first, auto last, const auto& of, auto* out) {
                pp::profile(Backend::policy(), first, last, x, of, out);
            });
        }
    });
}

TEST_CASE_TEMPLATE("segments whose number is in device memory", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for (const std::size_t bound : {std::size_t{1}, std::size_t{300}, std::size_t{60000}})
        for (const std::size_t longest : {std::size_t{7}, 500000 / bound}) {
            CAPTURE(bound);
            CAPTURE(longest);
            std::vector<std::uint32_t> ends(bound + 1);
            for (std::size_t s = 1; s <= bound; ++s)
                ends[s] = ends[s - 1] + static_cast<std::uint32_t>(s * 2654435761u / 97 % (longest + 1));
            const std::size_t n = ends[bound] + 5;
            const auto x = place<Backend>(samples_between(n, -1, 1), 1);
            const auto offsets = place<Backend>(ends);
            for (const std::size_t segments : sizes_up_to(bound)) {
                CAPTURE(segments);
                const auto count = place<Backend>(std::vector{static_cast<std::int32_t>(segments)});
                const auto sized = pp::sized_on_device(offsets.begin(), count.begin(), bound);
                const auto compare = [&](std::size_t room, std::size_t compared, auto call) {
                    const auto found = poisoned<Backend, float>(room);
                    const auto expected = poisoned<Backend, float>(room);
                    call(sized.begin(), sized.end(), found.begin());
                    call(offsets.begin(), offsets.begin() + segments + 1, expected.begin());
                    std::vector<float> a = found.read(), b = expected.read();
                    a.resize(compared);
                    b.resize(compared);
                    CHECK(bits_of(a) == bits_of(b));
                };
                compare(bound, bound, [&](auto first, auto last, float* out) {
                    pp::segmented_reduce(policy, x.begin(), x.end(), first, last, out, 0.1f);
                });
                compare(bound, bound, [&](auto first, auto last, float* out) {
                    pp::segmented_reduce(policy, x.begin(), x.end(), first, last, out, 0.1f, pp::exact_plus{});
                });
                compare(4 * bound, 4 * bound, [&](auto first, auto last, float* out) {
                    pp::segmented_histogram(policy, x.begin(), x.end(), first, last, pp::regular_axis(4, -1.0f, 1.0f),
                                            out);
                });
                compare(4 * bound, 4 * bound, [&](auto first, auto last, float* out) {
                    pp::segmented_weighted_histogram(policy, x.begin(), x.end(), first, last, x.begin(),
                                                     pp::regular_axis(4, -1.0f, 1.0f), out);
                });
                compare(n, ends[segments], [&](auto first, auto last, float* out) {
                    pp::segmented_inclusive_scan(policy, x.begin(), x.end(), first, last, out);
                });
            }
        }
}

TEST_CASE_TEMPLATE("exact sums by key of a size in device memory", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    for_each_size<Backend>([&](std::size_t n, std::size_t bound, const auto& sized, const float* x) {
        if (bound > 70001)
            return;
        std::vector<std::uint32_t> numbers(bound);
        for (std::size_t i = 0; i < bound; ++i)
            numbers[i] = static_cast<std::uint32_t>(i / 9);
        const auto keys = place<Backend>(numbers);
        const auto keys_found = poisoned<Backend, std::uint32_t>(bound);
        const auto keys_expected = poisoned<Backend, std::uint32_t>(bound);
        const auto found = poisoned<Backend, float>(bound);
        const auto expected = poisoned<Backend, float>(bound);
        const auto runs = poisoned<Backend, std::uint64_t>(2);
        const pp::sized_range of_keys(keys.begin(), sized.begin().size());
        pp::reduce_by_key_into(policy, of_keys.begin(), of_keys.end(), x, keys_found.begin(), found.begin(),
                               runs.begin(), pp::equal_to{}, pp::exact_plus{});
        pp::reduce_by_key_into(policy, keys.begin(), keys.begin() + n, x, keys_expected.begin(), expected.begin(),
                               runs.begin() + 1, pp::equal_to{}, pp::exact_plus{});
        CHECK(runs.read()[0] == runs.read()[1]);
        CHECK(keys_found.read() == keys_expected.read());
        CHECK(bits_of(found.read()) == bits_of(expected.read()));
    });
}
