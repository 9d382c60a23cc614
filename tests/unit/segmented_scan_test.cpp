/// @file
/// @brief  Segmented scans: the bits of the order contract for segments of one size and of any lengths, and wrong offsets.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/segmented_scan.hpp>

#include "support/backend.hpp"
#include "support/by_key_oracle.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

/// The scans of segments between offsets, as those of runs of equal segment numbers. Other elements have no results.
template <class Backend, class T>
void check_segments(const std::vector<T>& values, const std::vector<std::int64_t>& offsets, std::size_t offset)
{
    CAPTURE(values.size());
    CAPTURE(offsets.size());
    std::vector<std::size_t> numbers(values.size(), offsets.size());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        std::fill(numbers.begin() + offsets[s], numbers.begin() + offsets[s + 1], s);
    const T init = static_cast<T>(3);
    const auto expected = by_key_oracle::run(numbers, values, init, pp::equal_to{}, pp::plus{});
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(values, offset % 3);
    const auto at = place<Backend>(offsets);
    const auto out = poisoned<Backend, T>(values.size(), offset % 5);
    const auto of_segments = [&](const std::vector<T>& results) {
        return std::vector<T>(results.begin() + offsets.front(), results.begin() + offsets.back());
    };
    CHECK(pp::segmented_inclusive_scan(policy, x.begin(), x.end(), at.begin(), at.end(), out.begin()) == out.end());
    CHECK(same_values(of_segments(out.read()), of_segments(expected.inclusive)));
    CHECK(pp::segmented_exclusive_scan(policy, x.begin(), x.end(), at.begin(), at.end(), x.begin(), init) == x.end());
    CHECK(same_values(of_segments(x.read()), of_segments(expected.exclusive)));
}

/// Checks both scans of segments of one size.
template <class Backend, class T>
void check_segments(const std::vector<T>& values, std::size_t size)
{
    CAPTURE(values.size());
    CAPTURE(size);
    std::vector<std::size_t> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        numbers[i] = i / size;
    const T init = static_cast<T>(3);
    const auto expected = by_key_oracle::run(numbers, values, init, pp::equal_to{}, pp::plus{});
    const auto x = place_guarded<Backend>(values, size % 3);
    const auto out = poisoned<Backend, T>(values.size());
    const auto policy = Backend::policy();
    CHECK(pp::segmented_inclusive_scan(policy, x.begin(), x.end(), size, out.begin()) == out.end());
    CHECK(same_values(out.read(), expected.inclusive));
    CHECK(pp::segmented_exclusive_scan(policy, x.begin(), x.end(), size, x.begin(), init) == x.end());
    CHECK(same_values(x.read(), expected.exclusive));
}

}  // namespace

TEST_CASE_TEMPLATE("segmented scans have the bits of the order contract", Backend, PARPRIMS_BACKENDS)
{
    const auto values = spread_values<float>(40001);
    for (const std::size_t size : {1, 2, 3, 31, 32, 33, 100, 4096, 5000, 40000, 40001, 50000})
        check_segments<Backend>(values, size);
    const std::size_t n = values.size();
    check_segments<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return bits % 3; }), 1);
    check_segments<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return 1 + bits % 64; }), 2);
    check_segments<Backend>(values, offsets_by(n, [](std::uint64_t bits) { return bits % 9000; }), 3);
    check_segments<Backend>(values, {7, 7, 100, 5000, 39990}, 4);  // marked in each tile
    auto from_9_on = offsets_by(n, [](std::uint64_t bits) { return bits % 3; });
    for (std::int64_t& each : from_9_on)
        each = std::max<std::int64_t>(each, 9);
    check_segments<Backend>(values, from_9_on, 5);
    std::vector<std::int64_t> one_of_everything(10000, 0);
    one_of_everything.insert(one_of_everything.end(), 10000, static_cast<std::int64_t>(n));
    check_segments<Backend>(values, one_of_everything, 4);
    const auto small = generate(20001, [](std::uint64_t bits) { return static_cast<std::int8_t>(bits); });
    check_segments<Backend>(small, offsets_by(20001, [](std::uint64_t bits) { return bits % 50; }), 5);
    check_segments<Backend>(std::vector<float>{}, 7);
    const auto out = poisoned<Backend, float>(0);
    const std::int64_t* const none = nullptr;
    const auto x = place<Backend>(values);
    CHECK(pp::segmented_inclusive_scan(Backend::policy(), x.begin(), x.begin(), none, none, out.begin()) ==
          out.begin());
}

TEST_CASE_TEMPLATE("segmented scans of longer inputs have the bits of the order contract", Backend, PARPRIMS_BACKENDS)
{
    const auto up_to_64 = [](std::uint64_t bits) { return 1 + bits % 64; };
    const auto mostly_short = [](std::uint64_t bits) {
        return (std::uint64_t{1} << 33) / (bits % (1u << 31) + (1u << 14));
    };
    const std::size_t first_long = 524289;
    check_segments<Backend>(spread_values<float>(first_long), offsets_by(first_long, up_to_64), 1);
    std::vector<std::int64_t> one_of_everything(100'000, 0);
    one_of_everything.insert(one_of_everything.end(), 100'000, static_cast<std::int64_t>(first_long));
    check_segments<Backend>(spread_values<float>(first_long), one_of_everything, 2);
    const std::size_t n = is_quick() ? 600'011 : 3'000'017;
    check_segments<Backend>(spread_values<float>(n), offsets_by(n, mostly_short), 3);
}

TEST_CASE_TEMPLATE("offsets that do not ascend lead to no access outside", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<std::int32_t> wrong{5, -7, 1000000, 5, 5, 3, 2000, 7};
    const auto x = place<Backend>(std::vector<float>(1000, 1.0f));
    const auto at = place<Backend>(wrong);
    const auto out = poisoned<Backend, float>(1000);
    const auto scan = [&] {
        pp::segmented_inclusive_scan(Backend::policy(), x.begin(), x.end(), at.begin(), at.end(), out.begin());
    };
    if constexpr (Backend::is_device)
        scan();
    else
        check_refused("parprims::segmented_inclusive_scan", "offsets", "not from 0 to the 1000 elements", scan);
    (void)out.read();  // checks what lies around it
    check_refused("parprims::segmented_exclusive_scan", "segment_size", "must be at least 1",
                  [&] { pp::segmented_exclusive_scan(Backend::policy(), x.begin(), x.end(), 0, out.begin(), 0.0f); });
    check_refused("parprims::segmented_inclusive_scan", "out", "overlaps [first, last) in part", [&] {
        pp::segmented_inclusive_scan(Backend::policy(), out.begin(), out.end() - 1, 10, out.begin() + 1);
    });
    const auto numbers = place_guarded<Backend>(std::vector<std::int32_t>(100, 0));
    std::int32_t* const offsets = numbers.begin() + 40;
    for (std::int32_t* const end : {offsets + 1, offsets + 5, offsets + 20})  // out is over offset 0, 4 or 19
        check_refused("parprims::segmented_inclusive_scan", "out", "overlaps the offsets", [&] {
            pp::segmented_inclusive_scan(Backend::policy(), numbers.begin(), numbers.begin() + 5, offsets, end,
                                         end - 1);
        });
    check_refused("parprims::segmented_exclusive_scan", "out", "overlaps the offsets", [&] {
        pp::segmented_exclusive_scan(Backend::policy(), numbers.begin(), numbers.begin() + 10, offsets, offsets + 9,
                                     offsets - 9, 0);
    });
}

TEST_CASE("the examples of segmented scans")
{
    /// [segmented_scan]
    const std::vector<float> sales{3, 4, 1, 1, 1, 8};
    std::vector<float> so_far(sales.size());
    const std::vector<int> rows{0, 2, 2, 6};                                 // of a CSR matrix
    pp::segmented_inclusive_scan(pp::host, sales, rows, so_far.begin());     // 3, 7, 1, 2, 3, 11
    pp::segmented_exclusive_scan(pp::host, sales, 3, so_far.begin(), 0.0f);  // of three each: 0, 3, 7, 0, 1, 2
    /// [segmented_scan]
    CHECK(so_far == std::vector<float>{0, 3, 7, 0, 1, 2});
}
