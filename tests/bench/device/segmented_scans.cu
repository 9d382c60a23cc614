// Segmented scans beside CUB's scan by key, whose keys are the numbers of the segments: CUB 3.0 has no segmented scan.
#include "groups.hpp"
#include "segment_offsets.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstdint>

namespace bench {

namespace {
/// The segment of an element, of segments of one size.
struct quotient {
    std::uint32_t size;
    __host__ __device__ std::int32_t operator()(std::uint32_t i) const { return static_cast<std::int32_t>(i / size); }
};

/// The segment of an element, of segments by offsets.
struct segment_at {
    const std::int64_t* offsets;
    std::size_t count;
    __device__ std::int32_t operator()(std::size_t i) const
    {
        std::size_t low = 0, high = count;  // the answer is in [low, high)
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            (offsets[middle] <= static_cast<std::int64_t>(i) ? low : high) = middle;
        }
        return static_cast<std::int32_t>(low);
    }
};

/// Measures both libraries. `ours` enqueues one call from its first argument to its second one; `keys` are those of any slice.
template <class T, class Keys, class Ours>
void measure_scan(report& out, const options& asked, const std::string& variant, std::size_t n, double more_bytes,
                  Keys keys, Ours ours)
{
    const double bytes = 2.0 * static_cast<double>(n * sizeof(T)) + more_bytes;
    const pace how = pace_of(n, bytes);
    const auto x = filled<T>(slices<T>::stride(n) * how.slices, random_value<T>{{7}});
    pp::device_buffer<T> our_values(x.size()), cub_values(x.size());
    const slices<const T> in{x.data(), n};
    const slices<T> our_out{our_values.data(), n}, cub_out{cub_values.data(), n};
    const auto cub_call = [&](void* place, std::size_t& needed, std::size_t slice, cudaStream_t stream) {
        check(cub::DeviceScan::InclusiveSumByKey(place, needed, keys, in[slice], cub_out[slice], static_cast<int>(n),
                                                 cuda::std::equal_to<>{}, stream));
    };
    auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
    std::size_t scratch_bytes = scratch.size();
    measure(
        out, asked,
        row{.work = "segmented_inclusive_scan",
            .type = sizeof(T) == 4 ? "i32" : "i64",
            .variant = variant,
            .n = n,
            .bytes = bytes,
            .reference = "CUB"},
        how, [&](cudaStream_t stream, std::size_t slice) { ours(pp::device.on(stream), in[slice], our_out[slice]); },
        [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
        [&] { return agree(our_out[how.slices - 1], cub_out[how.slices - 1], n); });
}

template <class T>
void bench_size(report& out, const options& asked, std::size_t n, std::uint32_t size)
{
    const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), quotient{size});
    measure_scan<T>(out, asked, std::to_string(size) + " each", n, 0, keys,
                    [&](const auto& policy, const T* first, T* to) {
                        pp::segmented_inclusive_scan(policy, first, first + n, size, to, pp::plus{});
                    });
}

template <class T>
void bench_offsets(report& out, const options& asked, const std::string& variant,
                   const std::vector<std::int64_t>& host_offsets)
{
    const auto offsets = pp::to_device(host_offsets);
    const auto n = static_cast<std::size_t>(host_offsets.back());
    const auto keys = filled<std::int32_t>(n, segment_at{offsets.data(), offsets.size() - 1});
    measure_scan<T>(out, asked, variant, n, static_cast<double>(offsets.size() * sizeof(std::int64_t)), keys.data(),
                    [&](const auto& policy, const T* first, T* to) {
                        pp::segmented_inclusive_scan(policy, first, first + n, offsets.data(),
                                                     offsets.data() + offsets.size(), to, pp::plus{});
                    });
}

}  // namespace

void segmented_scans(report& out, const options& asked)
{
    const std::size_t n = large(asked);
    for (const std::uint32_t size : {16, 1000})
        bench_size<std::int32_t>(out, asked, n, size);
    bench_size<std::int64_t>(out, asked, n, 1000);
    for (const auto& [variant, offsets] : three_kinds(n))
        bench_offsets<std::int32_t>(out, asked, variant, offsets);
    for (unsigned k = 8; k <= 16; k += 4) {
        bench_size<std::int32_t>(out, asked, std::size_t{1} << k, 16);
        bench_offsets<std::int32_t>(out, asked, "1 to 64", offsets_of(std::size_t{1} << k, up_to_64));
    }
}

}  // namespace bench
