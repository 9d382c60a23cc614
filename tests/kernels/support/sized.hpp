/// @file
/// @brief  Calls whose size lies in device memory, beside those with that size from the host.
#pragma once

#include <doctest/doctest.h>

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace kernel_test {

inline constexpr device::gpu_properties sized_gpu{.multiprocessors = 3, .architecture = 90};

template <class Count>
parprims::detail::device_size size_at(memory<Count>& count, std::size_t bound)
{
    return parprims::sized_on_device(static_cast<const int*>(nullptr), count.data(), bound).begin().size();
}

/// The sizes up to a bound that are near multiples of `units`, and some between.
inline std::vector<std::size_t> sizes_up_to(std::size_t bound, std::vector<std::size_t> units, std::uint64_t& seed)
{
    std::set<std::size_t> all{0, 1, bound, bound / 2, bound - bound / 1000};
    for (const std::size_t unit : units)
        for (const std::size_t multiple : {std::size_t{1}, std::size_t{2}, bound / unit / 2, bound / unit})
            for (const std::size_t n : {multiple * unit - 1, multiple * unit, multiple * unit + 1})
                all.insert(std::min(n, bound));
    for (int i = 0; i < 3; ++i)
        all.insert(mix(++seed) % (bound + 1));
    return {all.begin(), all.end()};
}

/// Where a call leaves its results.
template <class T>
struct results {
    explicit results(std::size_t n) : values(n), numbers(n)
    {
        fill(values);
        fill(numbers);
    }
    void check(results& expected)
    {
        std::size_t same = 0;
        while (same < values.size() && same_bits(values[same], expected.values[same]) &&
               numbers[same] == expected.numbers[same])
            ++same;
        REQUIRE(same == values.size());
    }

    memory<T> values;
    memory<std::uint64_t> numbers;
};

/// Calls `run(launcher, n, results)` with a size of the host, and with one in memory that is at most `bound`.
/// @param  leaves_results  of a call whose size is out of range: those of some histograms are zero then
template <class Count, class T, class Launcher = launcher, class Run>
void check_sizes(std::size_t bound, const std::vector<std::size_t>& sizes, std::uint64_t seed, std::size_t room,
                 Run run, bool leaves_results = true)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        CAPTURE(bound);
        CAPTURE(++seed);
        results<T> expected(room);
        Launcher plain(schedule_of(seed), sized_gpu);
        run(plain, n, expected);

        memory<Count> count(1);
        count[0] = static_cast<Count>(n);
        results<T> found(room);
        device::sized_launcher<Launcher> sized(schedule_of(seed + 1), sized_gpu);
        sized.set(size_at(count, bound));
        run(sized, bound, found);
        REQUIRE(!sized.reported_size());
        found.check(expected);
    }
    // A size that is out of range: nothing is written, and the size is reported.
    for (const long long wrong : {-1ll, static_cast<long long>(bound) + 1, -2147483647ll}) {
        if (static_cast<long long>(static_cast<Count>(wrong)) != wrong)
            continue;
        CAPTURE(wrong);
        memory<Count> count(1);
        count[0] = static_cast<Count>(wrong);
        results<T> before(room);
        results<T> found(room);
        device::sized_launcher<Launcher> sized(schedule_of(++seed), sized_gpu);
        sized.set(size_at(count, bound));
        run(sized, bound, found);
        REQUIRE(sized.reported_size() == static_cast<std::uint64_t>(wrong));
        if (leaves_results)
            found.check(before);
    }
}

}  // namespace kernel_test
