// Calls of segments whose number lies in device memory, by the kernels that their bound selects.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/segmented_histogram/dispatch.hpp>
#include <parprims/detail/device/segmented_weighted/dispatch.hpp>

#include "support/exact_bins.hpp"
#include "support/sized.hpp"
#include "support/weights.hpp"

#include <parprims/axis.hpp>
#include <parprims/weights.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

namespace exact = parprims::detail::exact;
using segments_type = parprims::detail::offset_segments<const std::uint32_t*>;

/// Offsets of `bound` segments: of up to `most` elements, but one in `rare` has `longest`. Elements before the first and behind the last
/// offset belong to no segment.
struct input {
    input(std::size_t bound, std::size_t most, std::size_t rare, std::size_t longest, std::uint64_t seed)
        : offsets(bound + 1), n(0)
    {
        std::uint32_t at = seed % 4;
        for (std::size_t s = 0; s <= bound; ++s) {
            offsets[s] = at;
            const std::uint64_t any = mix(s * 7 + seed);
            at += static_cast<std::uint32_t>(any % rare == 1 ? longest : (any >> 20) % (most + 1));
        }
        n = offsets[bound] + 77;
    }
    segments_type of(std::size_t count) const { return {offsets.data(), n, count}; }

    memory<std::uint32_t> offsets;
    std::size_t n;
};

template <class T>
void check_reduce(const input& in, std::uint64_t seed)
{
    const std::size_t bound = in.offsets.size() - 1;
    memory<T> values(in.n, seed % 2 * alignof(T));
    fill(values);
    const T init = element<T>(1000003);
    check_sizes<std::int32_t, T>(
        bound, sizes_up_to(bound, {8, 32}, seed), seed, bound, [&](auto& on, std::size_t count, results<T>& out) {
            if (count != 0)
                device::enqueue_segmented_reduce<T>(on, in.of(count), static_cast<const T*>(values.data()),
                                                    out.values.data(), init, hash{});
        });
}

void check_extremes(const input& in, std::uint64_t seed)
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::minimum, parprims::less>;
    const std::size_t bound = in.offsets.size() - 1;
    memory<std::uint32_t> values(in.n, seed % 2 * 4);
    fill(values);
    check_sizes<std::int32_t, std::uint32_t>(
        bound, sizes_up_to(bound, {8, 32}, seed), seed, bound,
        [&](auto& on, std::size_t count, results<std::uint32_t>& out) {
            if (count != 0)
                device::enqueue_segmented_extremes(on, in.of(count), static_cast<const std::uint32_t*>(values.data()),
                                                   out.values.data(), search{});
        });
}

void check_exact(const input& in, std::uint64_t seed)
{
    const std::size_t bound = in.offsets.size() - 1;
    memory<float> values(in.n, seed % 2 * 4);
    for (std::size_t i = 0; i < in.n; ++i)
        values[i] = static_cast<float>(mix(i) % 1000) * (mix(i) % 5 == 0 ? 0x1p50f : 1.0f);
    check_sizes<std::int32_t, float>(bound, sizes_up_to(bound, {8, 32}, seed), seed, bound,
                                     [&](auto& on, std::size_t count, results<float>& out) {
                                         if (count != 0)
                                             device::enqueue_exact_segments<exact::sum_terms<float, float>>(
                                                 on, in.of(count), static_cast<const float*>(values.data()),
                                                 device::make_output(out.values.data()), 0.5f);
                                     });
}

template <class T>
void check_scan(const input& in, std::uint64_t seed)
{
    const std::size_t bound = in.offsets.size() - 1;
    memory<T> values(in.n, seed % 2 * alignof(T));
    fill(values);
    const T init = element<T>(1000003);
    check_sizes<std::int32_t, T>(bound, sizes_up_to(bound, {bound / 3 + 1}, seed), seed, in.n,
                                 [&](auto& on, std::size_t count, results<T>& out) {
                                     if (count != 0)
                                         device::enqueue_segmented_scan<scan_kind::exclusive, T>(
                                             on, in.of(count), in.n, static_cast<const T*>(values.data()),
                                             out.values.data(), __builtin_addressof(init), hash{});
                                     if constexpr (!device::reads_size<std::remove_reference_t<decltype(on)>>) {
                                         // Of no segment: unspecified, and not written if the number of segments is in memory.
                                         results<T> before(in.n);
                                         for (std::size_t i = count == 0 ? 0 : in.of(count).begin(count); i < in.n; ++i)
                                             out.values[i] = before.values[i];
                                     }
                                 });
}

template <class T, class Counter>
void check_histograms(const input& in, std::size_t bins, std::uint64_t seed)
{
    const std::size_t bound = in.offsets.size() - 1;
    memory<T> values(in.n, seed % 2 * alignof(T));
    for (std::size_t i = 0; i < in.n; ++i)
        values[i] = static_cast<T>(mix(i + seed) % (bins + 1));
    const parprims::integer_axis<std::int64_t> axis(0, static_cast<std::int64_t>(bins));
    check_sizes<std::int32_t, Counter>(bound, sizes_up_to(bound, {8, 32}, seed), seed, bound * bins,
                                       [&](auto& on, std::size_t count, results<Counter>& out) {
                                           if (count != 0)
                                               device::enqueue_segmented_histogram(on, in.of(count),
                                                                                   static_cast<const T*>(values.data()),
                                                                                   axis, out.values.data());
                                       });
}

/// Limbs for the outliers of three slots only.
struct launcher_of_few_rows : launcher_of_slices {
    launcher_of_few_rows(const executor::options& how, const device::gpu_properties& gpu)
        : launcher_of_slices(3, how, gpu)
    {
    }
};

template <class T, class W, class Sum, class Launcher = launcher>
void check_weights(const input& in, std::size_t bins, weights_like what, std::uint64_t seed)
{
    const std::size_t bound = in.offsets.size() - 1;
    memory<T> values(in.n, seed % 2 * alignof(T));
    memory<W> weights(in.n, seed % 3 * alignof(W));
    for (std::size_t i = 0; i < in.n; ++i) {
        values[i] = static_cast<T>(mix(i + seed) % (bins + 1));
        weights[i] = weight_like<W>(what, i, in.n);
    }
    const parprims::integer_axis<std::int64_t> axis(0, static_cast<std::int64_t>(bins));
    check_sizes<std::int32_t, std::uint32_t, Launcher>(
        bound, sizes_up_to(bound, {8, 32}, seed), seed, bound * bins * sizeof(Sum) / 4,
        [&](auto& on, std::size_t count, results<std::uint32_t>& out) {
            if (count != 0)
                device::enqueue_segmented_weighted(on, in.of(count), static_cast<const T*>(values.data()),
                                                   static_cast<const W*>(weights.data()), axis,
                                                   reinterpret_cast<Sum*>(out.values.data()));
        });
}

/// Adds the weights of three segments, of `bound` that there may be.
template <class Launcher = launcher>
void add_three_segments(const memory<std::uint32_t>& offsets, std::size_t bound, const memory<std::uint32_t>& samples,
                        const memory<float>& weights, std::uint32_t bins, memory<double>& sums)
{
    memory<std::int32_t> count(1);
    count[0] = 3;
    device::sized_launcher<Launcher> on(schedule_of(0), sized_gpu);
    on.set(size_at(count, bound));
    device::enqueue_segmented_weighted(on, segments_type{offsets.data(), 1000000, bound}, samples.data(),
                                       weights.data(), parprims::integer_axis<std::uint32_t>(0, bins), sums.data());
}

}  // namespace

TEST_CASE_TEMPLATE("reductions of segments whose number is in device memory", T, std::uint8_t, std::uint32_t,
                   checked<24>)
{
    constexpr std::uint64_t seed = sizeof(T);
    check_reduce<T>(input(1, 40, 1000, 0, seed + 1), seed + 1);
    check_reduce<T>(input(60, 90, 9, 5000, seed + 2), seed + 2);  // few
    if (sizeof(T) > 4)
        return;
    check_reduce<T>(input(4000, 5, 1000, 0, seed + 3), seed + 3);     // tiles
    check_reduce<T>(input(4000, 9, 700, 20000, seed + 4), seed + 4);  // segments of several tiles
    check_reduce<T>(input(40, 20000, 9, 90000, seed + 5), seed + 5);  // longer
}

TEST_CASE("extremes of segments whose number is in device memory")
{
    check_extremes(input(60, 90, 9, 5000, 12), 12);
    check_extremes(input(4000, 9, 700, 20000, 13), 13);
    check_extremes(input(40, 20000, 9, 90000, 14), 14);
}

TEST_CASE("histograms of segments whose number is in device memory")
{
    check_histograms<std::uint8_t, std::uint32_t>(input(1, 40, 1000, 0, 15), 9, 15);
    check_histograms<float, std::uint64_t>(input(60, 90, 9, 5000, 16), 30, 16);
    check_histograms<std::uint32_t, std::uint32_t>(input(4000, 9, 700, 20000, 17), 5,
                                                   17);  // several of a block at a time
    check_histograms<std::uint16_t, std::uint32_t>(input(40, 5000, 9, 90000, 18), 100, 18);  // tiles inside of segments
    check_histograms<std::uint32_t, std::uint32_t>(input(5, 90, 9, 5000, 19), 60000, 19);    // in device memory
}

TEST_CASE("histograms of segments read no offset and no sample behind their number, and write no counter there")
{
    memory<std::uint32_t> offsets(4);
    const std::uint32_t values[] = {5, 90, 90, 20000};
    std::copy_n(values, offsets.size(), offsets.data());
    memory<std::uint32_t> input(values[3]);
    for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = static_cast<std::uint32_t>(i % 5);
    memory<std::uint32_t> counts(3 * 5);
    memory<std::int32_t> count(1);
    count[0] = 3;
    device::sized_launcher<launcher> on(schedule_of(0), sized_gpu);
    on.set(size_at(count, 900));
    device::enqueue_segmented_histogram(on, segments_type{offsets.data(), 1000000, 900},
                                        static_cast<const std::uint32_t*>(input.data()),
                                        parprims::integer_axis<std::uint32_t>(0, 5), counts.data());
    for (std::size_t i = 0; i < counts.size(); ++i)
        CHECK(counts[i] == (i < 5 ? 17 : i < 10 ? 0 : 3982));
}

TEST_CASE("weights of segments whose number is in device memory")
{
    using parprims::profile_bin, parprims::weighted_sum;
    using enum weights_like;
    check_weights<std::uint8_t, float, double>(input(1, 40, 1000, 0, 20), 9, specials, 20);
    check_weights<float, double, profile_bin<double>>(input(40, 90, 9, 900, 21), 9, specials, 21);
    check_weights<std::uint16_t, float, float>(input(200, 9, 200, 900, 22), 5, cancelling, 22);
    check_weights<std::uint32_t, float, weighted_sum<double>>(input(5, 90, 9, 900, 23), 9000, late_peak, 23);
    check_weights<float, double, weighted_sum<float>, launcher_of_few_rows>(input(50, 30, 9, 700, 24), 7, specials, 24);
}

TEST_CASE("weights of segments read no offset and no sample behind their number, and write no sum there")
{
    memory<std::uint32_t> offsets(4);
    const std::uint32_t values[] = {5, 90, 90, 20000};
    std::copy_n(values, offsets.size(), offsets.data());
    memory<std::uint32_t> input(values[3]);
    memory<float> weights(values[3]);
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<std::uint32_t>(i % 5);
        weights[i] = 2;
    }
    for (const std::uint32_t bins : {5u, 20000u}) {  // in shared, and in device memory
        memory<double> sums(3 * bins);
        add_three_segments(offsets, 900, input, weights, bins, sums);
        std::size_t right = 0;
        for (std::size_t i = 0; i < sums.size(); ++i)
            right += sums[i] == (i % bins >= 5 ? 0 : i < bins ? 34 : i < 2 * bins ? 0 : 7964);
        CHECK(right == sums.size());
    }
}

TEST_CASE("segments without a sample read none")
{
    memory<std::uint32_t> offsets(4), input(0);
    memory<float> weights(0);
    std::fill_n(offsets.data(), offsets.size(), 0u);
    for (const std::uint32_t bins : {5u, 20000u}) {  // in shared memory, and in device memory, where no block adds
        memory<double> sums(3 * bins);
        std::fill_n(sums.data(), sums.size(), 1.0);
        add_three_segments(offsets, 900, input, weights, bins, sums);
        CHECK(std::count(sums.data(), sums.data() + sums.size(), 0.0) == static_cast<std::ptrdiff_t>(sums.size()));
    }
}

TEST_CASE("outliers of segments that are added last: no offset and no sample behind the number of segments is read")
{
    memory<std::uint32_t> offsets(4);
    const std::uint32_t values[] = {5, 90, 90, 3000};
    std::copy_n(values, offsets.size(), offsets.data());
    memory<std::uint32_t> input(values[3]);
    memory<float> weights(values[3]);
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<std::uint32_t>(i % 5);
        weights[i] = i % 20 < 5 ? 0x1p60f : 1;  // an outlier in each bin: there are rows for three
    }
    memory<double> sums(3 * 5);
    add_three_segments<launcher_of_few_rows>(offsets, 100, input, weights, 5, sums);
    for (std::size_t s = 0; s < 3; ++s) {
        const auto expected =
            exact_bins<double>(input.data() + values[s], values[s + 1] - values[s], weights.data() + values[s],
                               parprims::integer_axis<std::uint32_t>(0, 5));
        for (std::size_t bin = 0; bin < 5; ++bin)
            CHECK(same_sums(sums[5 * s + bin], expected[bin]));
    }
}

TEST_CASE("exact sums of segments whose number is in device memory")
{
    check_exact(input(1, 40, 1000, 0, 6), 6);
    check_exact(input(70, 90, 9, 5000, 7), 7);
    check_exact(input(3000, 5, 700, 9000, 8), 8);
}

TEST_CASE("exact sums of segments whose number is in device memory stay in their memory if offsets do not ascend")
{
    memory<std::uint32_t> offsets(4);
    const std::uint32_t values[] = {19000, 20000, 0, 0};
    std::copy_n(values, offsets.size(), offsets.data());
    memory<float> input(20000);
    fill(input);
    memory<float> sums(3);
    memory<std::int32_t> count(1);
    count[0] = 3;
    device::sized_launcher<launcher> on(schedule_of(0),
                                        device::gpu_properties{.multiprocessors = 1, .architecture = 90});
    on.set(size_at(count, 3));
    device::enqueue_exact_segments<exact::sum_terms<float, float>>(on, segments_type{offsets.data(), input.size(), 3},
                                                                   static_cast<const float*>(input.data()),
                                                                   device::make_output(sums.data()), 0.5f);
}

TEST_CASE("the tasks of fewer segments than planned, of exact sums, hold all of them")
{
    const device::gpu_properties gpu{.multiprocessors = 132, .architecture = 90};
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        // Positions of segments without elements: so many that tasks of a size rounded up are far fewer than `most_tasks`.
        const std::size_t bound = 1 + mix(seed) % (std::size_t{1} << (8 + seed % 24));
        const auto plan = device::plan_exact_segments(0, bound, true, 4608, gpu);
        const std::size_t tasks = order::ceil_div(plan.tasks, std::size_t{4}) * 4;
        const std::size_t positions = 1 + mix(seed + 1) % (bound / 2 + 1);
        const std::size_t wanted = device::exact_task(0, positions, true, plan.most_tasks);
        const std::size_t size = device::smaller_exact_task(plan.task, wanted, positions, tasks);
        CAPTURE(bound);
        CAPTURE(positions);
        REQUIRE(tasks * size >= positions);
        REQUIRE(size <= plan.task);
        REQUIRE(tasks * plan.task >= bound);
    }
}

TEST_CASE_TEMPLATE("scans of segments whose number is in device memory", T, std::uint8_t, std::uint32_t, checked<24>)
{
    constexpr std::uint64_t seed = sizeof(T);
    check_scan<T>(input(1, 40, 1000, 0, seed + 9), seed + 9);
    check_scan<T>(input(70, 90, 9, 5000, seed + 10), seed + 10);   // marked by the blocks
    check_scan<T>(input(9000, 2, 1000, 3, seed + 11), seed + 11);  // marked before
}

TEST_CASE("scans of segments have the shape of all elements, not of those before the last offset")
{
    using T = checked<16>;
    check_scan<T>(input(100, order::short_input<T> / 40, 1000, 0, 5), 5);
}
