// Segmented reductions beside CUB: segments of one size, and offsets whose lengths differ little, much and very much.
#include "groups.hpp"
#include "segment_offsets.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>

namespace bench {

namespace {

/// Where segment i of one size begins.
struct times {
    std::int64_t size;
    std::int64_t n;
    __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i * size < n ? i * size : n; }
};

/// Measures both libraries over `count` segments of values of type T, which are combined in type A. `ours` enqueues one call from
/// its first argument to its second one.
template <class T, class A, class Offsets, class Ours>
void measure_segments(report& out, const options& asked, row next, Offsets offsets, std::size_t count, Ours ours)
{
    const pace how = pace_of(next.n, next.bytes);
    const auto x = filled<T>(slices<T>::stride(next.n) * how.slices, random_value<T>{{7}});
    pp::device_buffer<A> our_values(slices<A>::stride(count) * how.slices), cub_values(our_values.size());
    const slices<const T> in{x.data(), next.n};
    const slices<A> our_out{our_values.data(), count}, cub_out{cub_values.data(), count};
    const auto cub_call = [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
        const auto segments = static_cast<std::int64_t>(count);
        if constexpr (std::is_same_v<T, A>)
            check(cub::DeviceSegmentedReduce::Sum(place, bytes, in[slice], cub_out[slice], segments, offsets,
                                                  offsets + 1, stream));
        else
            check(cub::DeviceSegmentedReduce::Reduce(place, bytes, in[slice], cub_out[slice], segments, offsets,
                                                     offsets + 1, ::cuda::std::plus<A>{}, A{}, stream));
    };
    auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
    std::size_t scratch_bytes = scratch.size();
    next.work = "segmented_reduce";
    next.reference = "CUB";
    measure(
        out, asked, next, how,
        [&](cudaStream_t stream, std::size_t slice) { ours(pp::device.on(stream), in[slice], our_out[slice]); },
        [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
        [&] { return agree(our_out[how.slices - 1], cub_out[how.slices - 1], count); });
}

/// `n` elements in segments of `size`.
template <class T, class A>
void bench_size(report& out, const options& asked, const std::string& type, std::size_t n, std::size_t size)
{
    const std::size_t count = (n + size - 1) / size;
    const row next{.type = type,
                   .variant = std::to_string(size) + " each",
                   .n = n,
                   .bytes = static_cast<double>(n * sizeof(T) + count * sizeof(A))};
    const auto offsets =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                        times{static_cast<std::int64_t>(size), static_cast<std::int64_t>(n)});
    measure_segments<T, A>(out, asked, next, offsets, count, [&](const auto& policy, const T* first, A* values) {
        pp::segmented_reduce(policy, first, first + n, size, values, A{});
    });
}

template <class T, class A>
void bench_offsets(report& out, const options& asked, const std::string& type, const std::string& variant,
                   const std::vector<std::int64_t>& host_offsets)
{
    const auto offsets = pp::to_device(host_offsets);
    const std::size_t count = offsets.size() - 1;
    const auto n = static_cast<std::size_t>(host_offsets.back());
    const row next{.type = type,
                   .variant = variant,
                   .n = n,
                   .bytes =
                       static_cast<double>(n * sizeof(T) + count * sizeof(A) + offsets.size() * sizeof(std::int64_t))};
    measure_segments<T, A>(out, asked, next, offsets.data(), count, [&](const auto& policy, const T* first, A* values) {
        pp::segmented_reduce(policy, first, first + n, offsets.data(), offsets.data() + offsets.size(), values, A{});
    });
}

template <class T, class A = T>
void bench_type(report& out, const options& asked, const std::string& type)
{
    const std::size_t n = large(asked);
    for (const std::size_t size : {2, 16, 32, 100, 129, 1000, 4096, 65536, 1 << 24})
        if (size <= n)
            bench_size<T, A>(out, asked, type, n, size);
    for (const auto& [variant, offsets] : three_kinds(n))
        bench_offsets<T, A>(out, asked, type, variant, offsets);
    for (unsigned k = 8; k <= 16; k += 4) {
        bench_size<T, A>(out, asked, type, std::size_t{1} << k, 16);
        bench_offsets<T, A>(out, asked, type, "1 to 64", offsets_of(std::size_t{1} << k, up_to_64));
    }
}

}  // namespace

void segments(report& out, const options& asked)
{
    bench_type<std::int8_t, std::int32_t>(out, asked, "i8 to i32");
    bench_type<std::int32_t>(out, asked, "i32");
    bench_type<float>(out, asked, "f32");
    bench_type<std::int64_t>(out, asked, "i64");
    bench_offsets<double, double>(out, asked, "f64", "0 to 4095", offsets_of(large(asked), up_to_4095));
}

}  // namespace bench
