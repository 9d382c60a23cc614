// A user's program in plain C++: compiled without CUDA, it runs on the CPU and, through the prebuilt types, on the GPU.
#include "expect.hpp"

#include <parprims/parprims.hpp>

#include <cstdint>
#include <vector>

#if defined(__CUDA_RUNTIME_API_H__) || defined(__DRIVER_TYPES_H__)
#error "a public header includes a header of CUDA"
#endif

namespace pp = parprims;

namespace {

const std::vector<float> values = {0.5f, 1.5f, 2.5f, 3.5f, 2.0f};
const std::vector<float> running_totals = {0.5f, 2.0f, 4.5f, 8.0f, 10.0f};
const std::vector<std::uint64_t> counts = {1, 1, 2, 1};

void run_on_host()
{
    expect(pp::reduce(pp::host, values.begin(), values.end(), 1.0f) == 11.0f, "reduce on the host");

    std::vector<float> totals(values.size());
    pp::inclusive_scan(pp::host, values.begin(), values.end(), totals.begin());
    expect(totals == running_totals, "inclusive_scan on the host");

    std::vector<std::uint64_t> found(4);
    pp::histogram(pp::host, values.begin(), values.end(), pp::regular_axis(4, 0.0f, 4.0f), found.begin());
    expect(found == counts, "histogram on the host");
}

void run_on_device()
{
    pp::device_buffer<float> x = pp::to_device(values);
    expect(pp::reduce(pp::device, x.begin(), x.end(), 1.0f) == 11.0f, "reduce on the device");
    expect(pp::reduce(pp::device, x.begin(), x.end(), 1.0f, pp::exact_plus{}) == 11.0f, "an exact sum on the device");
    expect(pp::transform_reduce(pp::device, x.begin(), x.end(), x.begin(), 0.0f, pp::exact_plus{}, pp::multiplies{}) ==
               pp::transform_reduce(pp::host, values.begin(), values.end(), values.begin(), 0.0f),
           "an exact inner product on the device");

    pp::device_buffer<std::uint64_t> found(4);
    pp::histogram(pp::device, x.begin(), x.end(), pp::regular_axis(4, 0.0f, 4.0f), found.begin());
    expect(found.to_host() == counts, "histogram on the device");

    pp::inclusive_scan(pp::device, x.begin(), x.end(), x.begin());
    expect(x.to_host() == running_totals, "inclusive_scan on the device");
}

/// Each sample is its own weight.
template <class Sum>
std::vector<Sum> weighted_on_device(const pp::device_buffer<float>& x)
{
    pp::device_buffer<Sum> sums(4);
    pp::weighted_histogram(pp::device, x, x.begin(), pp::regular_axis(4, 0.0f, 4.0f), sums.begin());
    return sums.to_host();
}

void run_weights_on_device()
{
    const pp::device_buffer<float> x = pp::to_device(values);
    expect(weighted_on_device<float>(x) == std::vector<float>{0.5f, 1.5f, 4.5f, 3.5f}, "weighted_histogram into float");
    expect(weighted_on_device<double>(x) == std::vector<double>{0.5, 1.5, 4.5, 3.5}, "weighted_histogram into double");
    expect(weighted_on_device<pp::weighted_sum<float>>(x) ==
               std::vector<pp::weighted_sum<float>>{{0.5f, 0.25f}, {1.5f, 2.25f}, {4.5f, 10.25f}, {3.5f, 12.25f}},
           "weighted_histogram into weighted_sum");
    const auto wide = pp::to_device(std::vector<double>(values.begin(), values.end()));
    pp::device_buffer<pp::profile_bin<double>> bins(4);
    pp::profile(pp::device, wide, wide.begin(), pp::regular_axis(4, 0.0, 4.0), bins.begin());
    expect(bins.to_host()[2] == pp::profile_bin<double>{2, 2.25, 0.125}, "profile on the device");
}

void run_segments_and_extremes_on_device()
{
    pp::device_buffer<float> x = pp::to_device(values);
    pp::device_buffer<float> sums(3);
    pp::segmented_reduce(pp::device, x, 2, sums.begin(), 0.0f);
    expect(sums.to_host() == std::vector<float>{2.0f, 6.0f, 2.0f}, "segmented_reduce on the device");
    const auto offsets = pp::to_device(std::vector<int>{0, 4, 4, 5});
    pp::segmented_reduce(pp::device, x, offsets, sums.begin(), 1.0f);
    expect(sums.to_host() == std::vector<float>{9.0f, 1.0f, 3.0f}, "segmented_reduce by offsets of int on the device");
    const auto wide_offsets = pp::to_device(std::vector<long long>{0, 1, 3, 5});
    pp::segmented_reduce(pp::device, x, wide_offsets, sums.begin(), 0.0f);
    expect(sums.to_host() == std::vector<float>{0.5f, 4.0f, 5.5f}, "segmented_reduce by long offsets on the device");

    expect(pp::min_element(pp::device, x) == x.begin(), "min_element on the device");
    expect(pp::max_element(pp::device, x) == x.begin() + 3, "max_element on the device");
    const auto ends = pp::minmax_element(pp::device, x);
    expect(ends.first == x.begin() && ends.second == x.begin() + 3, "minmax_element on the device");
    pp::device_buffer<std::int64_t> places(2);
    pp::minmax_element_into(pp::device, x.begin(), x.end(), places.begin());
    expect(places.to_host() == std::vector<std::int64_t>{0, 3}, "minmax_element_into on the device");
}

/// Of the first three values; the host says five at most.
void run_sizes_on_device()
{
    const pp::device_buffer<float> x = pp::to_device(values);
    const auto keys = pp::to_device(std::vector<int>{7, 7, -1, -1, 7});
    const auto count = pp::to_device(std::vector<std::uint32_t>{3});
    const auto first = pp::sized_on_device(x.begin(), count.begin(), x.size());
    const auto first_keys = pp::sized_on_device(keys.begin(), count.begin(), x.size());
    pp::device_buffer<float> out = pp::to_device(std::vector<float>(5));
    pp::device_buffer<int> runs(5);
    pp::reduce_into(pp::device, first, out.begin(), 1.0f);
    expect(out.to_host().front() == 5.5f, "reduce_into of a size on the device");
    expect(pp::reduce(pp::device, first, 1.0f, pp::exact_plus{}) == 5.5f, "an exact sum of a size on the device");
    pp::inclusive_scan(pp::device, first, out.begin());
    expect(out.to_host() == std::vector<float>{0.5f, 2.0f, 4.5f, 0, 0}, "inclusive_scan of a size on the device");
    pp::inclusive_scan_by_key(pp::device, first_keys, first, out.begin());
    expect(out.to_host() == std::vector<float>{0.5f, 2.0f, 2.5f, 0, 0},
           "inclusive_scan_by_key of a size on the device");
    expect(pp::reduce_by_key(pp::device, first_keys, first, runs.begin(), out.begin()) == 2,
           "reduce_by_key of a size on the device");
    expect(pp::unique_copy(pp::device, first_keys, runs.begin()) == runs.begin() + 2,
           "unique_copy of a size on the device");
    pp::device_buffer<int> lengths(5);
    expect(pp::run_length_encode(pp::device, first_keys, runs.begin(), lengths.begin()) == 2,
           "run_length_encode of a size on the device");
    pp::device_buffer<std::int64_t> places(2);
    pp::minmax_element_into(pp::device, first, places.begin());
    expect(places.to_host() == std::vector<std::int64_t>{0, 2}, "minmax_element_into of a size on the device");
    pp::device_buffer<std::uint32_t> found(4);
    pp::histogram(pp::device, first, pp::regular_axis(4, 0.0f, 4.0f), found.begin());
    expect(found.to_host() == std::vector<std::uint32_t>{1, 1, 1, 0}, "histogram of a size on the device");
    pp::weighted_histogram(pp::device, first, first.begin(), pp::regular_axis(4, 0.0f, 4.0f), out.begin());
    expect(out.to_host() == std::vector<float>{0.5f, 1.5f, 2.5f, 0, 0}, "weighted_histogram of a size on the device");
}

/// The size that one call leaves on the GPU is that of the next one's range.
void run_pipelines_on_device()
{
    const auto keys = pp::to_device(std::vector<int>{7, 7, -1, -1, 7});
    const pp::device_buffer<float> x = pp::to_device(values);
    pp::device_buffer<int> runs(5), lengths(5), total(1);
    pp::device_buffer<float> sums(5), sum(1);
    pp::device_buffer<std::uint32_t> count(1);
    pp::device_buffer<std::uint64_t> wide_count(1);
    pp::unique_copy_into(pp::device, keys, runs.begin(), count.begin());
    pp::reduce_into(pp::device, pp::sized_on_device(runs.begin(), count.begin(), runs.size()), total.begin(), 0);
    expect(total.to_host().front() == 13, "unique_copy_into and the sum of its results");
    pp::run_length_encode_into(pp::device, keys, runs.begin(), lengths.begin(), wide_count.begin());
    const auto encoded = pp::sized_on_device(lengths.begin(), wide_count.begin(), lengths.size());
    pp::reduce_into(pp::device, encoded, total.begin(), 0);
    expect(total.to_host().front() == 5, "run_length_encode_into and the sum of its lengths");
    pp::unique_copy_into(pp::device, encoded, runs.begin(), count.begin());  // 2 2 1
    expect(count.to_host().front() == 2, "unique_copy_into of a size on the device");
    pp::reduce_by_key_into(pp::device, keys, x, runs.begin(), sums.begin(), count.begin());
    pp::reduce_into(pp::device, pp::sized_on_device(sums.begin(), count.begin(), sums.size()), sum.begin(), 0.0f);
    expect(sum.to_host().front() == 10.0f, "reduce_by_key_into and the sum of its totals");
}

void run_by_key_and_segmented_scans_on_device()
{
    pp::device_buffer<float> x = pp::to_device(values);
    const auto keys = pp::to_device(std::vector<int>{7, 7, -1, -1, 7});
    pp::device_buffer<int> runs(5);
    pp::device_buffer<float> out(5);
    expect(pp::reduce_by_key(pp::device, keys, x, runs.begin(), out.begin()) == 3, "reduce_by_key on the device");
    std::vector<int> found = runs.to_host();
    found.resize(3);
    expect(found == std::vector<int>{7, -1, 7}, "keys of reduce_by_key");
    expect(pp::reduce(pp::device, out.begin(), out.begin() + 3, 0.0f) == 10.0f, "totals of reduce_by_key");
    expect(pp::unique_copy(pp::device, keys, runs.begin()) == runs.begin() + 3, "unique_copy on the device");
    pp::device_buffer<int> lengths(5);
    expect(pp::run_length_encode(pp::device, keys, runs.begin(), lengths.begin()) == 3,
           "run_length_encode on the device");
    found = lengths.to_host();
    found.resize(3);
    expect(found == std::vector<int>{2, 2, 1}, "lengths of run_length_encode");
    pp::inclusive_scan_by_key(pp::device, keys, x, out.begin());
    expect(out.to_host() == std::vector<float>{0.5f, 2.0f, 2.5f, 6.0f, 2.0f}, "inclusive_scan_by_key on the device");
    const auto wide_keys = pp::to_device(std::vector<long long>{1, 1, 1, 1LL << 32, 1});
    pp::exclusive_scan_by_key(pp::device, wide_keys, x, out.begin(), 1.0f);
    expect(out.to_host() == std::vector<float>{1.0f, 1.5f, 3.0f, 1.0f, 1.0f}, "exclusive_scan_by_key of wide keys");
    pp::segmented_inclusive_scan(pp::device, x, 2, out.begin());
    expect(out.to_host() == std::vector<float>{0.5f, 2.0f, 2.5f, 6.0f, 2.0f}, "segmented_inclusive_scan on the device");
    const auto offsets = pp::to_device(std::vector<int>{0, 4, 5});
    const auto numbers = pp::to_device(std::vector<int>{1, -2, 3, 4, 5});
    pp::device_buffer<int> sums(5);
    pp::segmented_exclusive_scan(pp::device, numbers, offsets, sums.begin(), -3);
    expect(sums.to_host() == std::vector<int>{-3, -2, -4, -1, -3}, "segmented_exclusive_scan of int on the device");
}

void run_along_dimensions_on_device()
{
    const std::vector<double> numbers = {1, 2, 3, 4, 5, 6};
    const auto x = pp::to_device(numbers);
    const auto matrix = pp::matrix(x.data(), 2, 3);
    pp::device_buffer<double> sums(3);
    pp::reduce(pp::device, matrix, pp::along(0), sums.begin(), 1.0);
    expect(sums.to_host() == std::vector<double>{6, 8, 10}, "reduce along columns on the device");
    pp::device_buffer<double> table(6);
    pp::inclusive_scan(pp::device, matrix, pp::along(1), pp::matrix(table.data(), 2, 3));
    expect(table.to_host() == std::vector<double>{1, 3, 6, 4, 9, 15}, "inclusive_scan along rows on the device");
}

/// long long is not std::int64_t everywhere; the library holds the fixed-width type.
void run_long_long_on_device()
{
    const std::vector<long long> numbers = {5, -2, 3};
    pp::device_buffer<long long> x = pp::to_device(numbers);
    expect(pp::reduce(pp::device, x.begin(), x.end()) == 6, "reduce of long long on the device");
    pp::device_buffer<unsigned long long> found(2);
    pp::histogram(pp::device, x.begin(), x.end(), pp::regular_axis(2, 0LL, 4LL), found.begin());
    expect(found.to_host() == std::vector<unsigned long long>{0, 1}, "histogram of long long on the device");
    pp::exclusive_scan(pp::device, x.begin(), x.end(), x.begin(), 1LL);
    expect(x.to_host() == std::vector<long long>{1, 6, 4}, "exclusive_scan of long long on the device");
}

void meet_no_device()
{
    std::vector<float> out(values.size());
    std::vector<std::uint64_t> found(4);
    const float* first = values.data();
    const float* last = first + values.size();
    expect_no_device([&] { (void)pp::to_device(values); }, "to_device without a GPU throws");
    expect_no_device([&] { pp::reduce(pp::device, first, last, 0.0f); }, "reduce without a GPU throws");
    expect_no_device([&] { pp::inclusive_scan(pp::device, first, last, out.data()); }, "scan without a GPU throws");
    expect_no_device([&] { pp::segmented_reduce(pp::device, first, last, 2, out.data(), 0.0f); },
                     "segmented_reduce without a GPU throws");
    const std::uint64_t* keys = found.data();
    expect_no_device([&] { (void)pp::reduce_by_key(pp::device, keys, keys + 2, first, found.data() + 2, out.data()); },
                     "reduce_by_key without a GPU throws");
    expect_no_device([&] { pp::segmented_inclusive_scan(pp::device, first, last, 2, out.data()); },
                     "segmented_inclusive_scan without a GPU throws");
    expect_no_device([&] { (void)pp::max_element(pp::device, first, last); }, "max_element without a GPU throws");
    expect_no_device([&] { pp::reduce(pp::device, pp::matrix(first, 1, 5), pp::along(0), out.data(), 0.0f); },
                     "reduce along a dimension without a GPU throws");
    expect_no_device([&] { pp::inclusive_scan(pp::device, pp::matrix(first, 1, 5), pp::along(1), out.data()); },
                     "inclusive_scan along a dimension without a GPU throws");
    expect_no_device([&] { pp::histogram(pp::device, first, last, pp::regular_axis(4, 0.0f, 4.0f), found.data()); },
                     "histogram without a GPU throws");
    const std::vector<double> wide(4);
    std::vector<double> sums(4);
    expect_no_device(
        [&] {
            pp::weighted_histogram(pp::device, wide.data(), wide.data() + 4, wide.data(), pp::regular_axis(4, 0.0, 4.0),
                                   sums.data());
        },
        "weighted_histogram without a GPU throws");
    std::vector<pp::profile_bin<float>> bins(4);
    expect_no_device([&] { pp::profile(pp::device, first, last, first, pp::regular_axis(4, 0.0f, 4.0f), bins.data()); },
                     "profile without a GPU throws");
}

}  // namespace

int main(int argc, char** argv)
{
    expect_backend(argc, argv);
    run_on_host();
    if (pp::device_count() > 0) {
        run_on_device();
        run_weights_on_device();
        run_segments_and_extremes_on_device();
        run_by_key_and_segmented_scans_on_device();
        run_sizes_on_device();
        run_pipelines_on_device();
        run_along_dimensions_on_device();
        run_long_long_on_device();
    } else {
        meet_no_device();
    }
}
