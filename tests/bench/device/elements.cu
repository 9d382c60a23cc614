// Positions of the minimum, compaction and transformation, beside CUB, over every size.
#include "device_support.cuh"
#include "groups.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

namespace bench {

namespace {

/// True for half of the random values.
struct is_low {
    template <class T>
    __host__ __device__ bool operator()(const T& x) const
    {
        if constexpr (std::is_floating_point_v<T>)
            return x < 0;
        else
            return static_cast<T>(x & 2) == 0;
    }
};

template <class T>
void bench_min_element(report& out, const options& asked, const std::string& type)
{
    const auto all = sizes(asked);
    const auto x = filled<T>(slices<T>::capacity(all.back()), random_value<T>{{5}});
    pp::device_buffer<T> least(most_calls);
    pp::device_buffer<std::int64_t> ours(most_calls), cubs(most_calls);
    for (const std::size_t n : all) {
        const slices<const T> in{x.data(), n};
        const auto bytes = static_cast<double>(n * sizeof(T));
        const pace how = pace_of(n, bytes);
        const auto cub_call = [&](void* place, std::size_t& place_bytes, std::size_t slice, cudaStream_t stream) {
            check(cub::DeviceReduce::ArgMin(place, place_bytes, in[slice], least.data() + slice, cubs.data() + slice,
                                            static_cast<std::int64_t>(n), stream));
        };
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{.work = "min_element", .type = type, .n = n, .bytes = bytes, .reference = "CUB"};
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::min_element_into(pp::device.on(stream), in[slice], in[slice] + n, ours.data() + slice);
            },
            [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
            [&] { return agree(ours.data(), cubs.data(), how.slices); });
    }
}

/// @param  our_call  gets a policy, begin and end of a range, a flag for each element, where results go, and the count
/// @param  cub_call  gets scratch and its bytes, the begin of a range, its flags, where results go, the count, n and the stream
template <class T, class Ours, class Cubs>
void bench_selection(report& out, const options& asked, const char* work, const std::string& type,
                     double bytes_of_element, Ours our_call, Cubs cub_call)
{
    const auto all = sizes(asked);
    const std::size_t room = slices<T>::capacity(all.back());
    const auto x = filled<T>(room, random_value<T>{{6}});
    pp::device_buffer<bool> low(room);
    pp::transform(pp::device, x.begin(), x.end(), low.begin(), is_low{});
    pp::device_buffer<T> ours(room), cubs(room);
    pp::device_buffer<std::int64_t> our_counts(most_calls), cub_counts(most_calls);
    for (const std::size_t n : all) {
        const slices<const T> in{x.data(), n};
        const slices<T> our_out{ours.data(), n}, cub_out{cubs.data(), n};
        const pace how = pace_of(n, static_cast<double>(n * sizeof(T)));
        const auto flags = [&](std::size_t slice) { return low.data() + (in[slice] - x.data()); };
        const auto call = [&](void* place, std::size_t& place_bytes, std::size_t slice, cudaStream_t stream) {
            check(cub_call(place, place_bytes, in[slice], flags(slice), cub_out[slice], cub_counts.data() + slice,
                           static_cast<std::int64_t>(n), stream));
        };
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{.work = work,
                 .type = type,
                 .variant = "half kept",
                 .n = n,
                 .bytes = bytes_of_element * static_cast<double>(n),
                 .reference = "CUB"};
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                our_call(pp::device.on(stream), in[slice], in[slice] + n, flags(slice), our_out[slice],
                         our_counts.data() + slice);
            },
            [&](cudaStream_t stream, std::size_t slice) { call(scratch.data(), scratch_bytes, slice, stream); },
            [&] {
                const std::size_t last = how.slices - 1;
                const std::int64_t count = our_counts.to_host()[last];
                return agree(our_counts.data(), cub_counts.data(), how.slices) &&
                       agree(our_out[last], cub_out[last], static_cast<std::size_t>(count));
            });
    }
}

template <class T>
void bench_copy_if(report& out, const options& asked, const std::string& type)
{
    bench_selection<T>(
        out, asked, "copy_if", type, 1.5 * sizeof(T),
        [](auto on, auto first, auto last, const bool*, T* to, auto* count) {
            pp::copy_if_into(on, first, last, to, count, is_low{});
        },
        [](void* place, std::size_t& bytes, auto first, const bool*, T* to, auto* count, auto n, cudaStream_t stream) {
            return cub::DeviceSelect::If(place, bytes, first, to, count, n, is_low{}, stream);
        });
    bench_selection<T>(
        out, asked, "copy_if by a stencil", type, 1.5 * sizeof(T) + 1,
        [](auto on, auto first, auto last, const bool* flags, T* to, auto* count) {
            pp::copy_if_into(on, first, last, flags, to, count, pp::identity{});
        },
        [](void* place, std::size_t& bytes, auto first, const bool* flags, T* to, auto* count, auto n,
           cudaStream_t stream) {
            return cub::DeviceSelect::Flagged(place, bytes, first, flags, to, count, n, stream);
        });
}

/// CUB writes what is not kept to the end of the same output, backwards. Here another output takes it.
template <class T>
void bench_partition(report& out, const options& asked, const std::string& type)
{
    pp::device_buffer<T> rejected(slices<T>::capacity(sizes(asked).back()));
    bench_selection<T>(
        out, asked, "partition_copy", type, 2 * sizeof(T),
        [&](auto on, auto first, auto last, const bool*, T* to, auto* count) {
            pp::partition_copy_into(on, first, last, to, rejected.data(), count, is_low{});
        },
        [](void* place, std::size_t& bytes, auto first, const bool*, T* to, auto* count, auto n, cudaStream_t stream) {
            return cub::DevicePartition::If(place, bytes, first, to, count, n, is_low{}, stream);
        });
}

struct half_of {
    template <class T>
    __host__ __device__ T operator()(const T& x) const
    {
        return static_cast<T>(x / 2);
    }
};

template <class T>
void bench_transform(report& out, const options& asked, const std::string& type)
{
    const auto all = sizes(asked);
    const std::size_t room = slices<T>::capacity(all.back());
    const auto x = filled<T>(room, random_value<T>{{9}});
    pp::device_buffer<T> ours(room), cubs(room);
    for (const std::size_t n : all) {
        const slices<const T> in{x.data(), n};
        const slices<T> our_out{ours.data(), n}, cub_out{cubs.data(), n};
        const auto bytes = 2 * static_cast<double>(n * sizeof(T));
        const pace how = pace_of(n, bytes / 2);
        row next{.work = "transform", .type = type, .n = n, .bytes = bytes, .reference = "CUB"};
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::transform(pp::device.on(stream), in[slice], in[slice] + n, our_out[slice], half_of{});
            },
            [&](cudaStream_t stream, std::size_t slice) {
                check(cub::DeviceTransform::Transform(in[slice], cub_out[slice], static_cast<std::int64_t>(n),
                                                      half_of{}, stream));
            },
            [&] { return agree(our_out[how.slices - 1], cub_out[how.slices - 1], n); });
    }
}

}  // namespace

void elements(report& out, const options& asked)
{
    bench_min_element<std::int8_t>(out, asked, "i8");
    bench_min_element<std::int16_t>(out, asked, "i16");
    bench_min_element<std::int32_t>(out, asked, "i32");
    bench_min_element<float>(out, asked, "f32");
    bench_min_element<double>(out, asked, "f64");
    bench_copy_if<std::int8_t>(out, asked, "i8");
    bench_copy_if<std::int32_t>(out, asked, "i32");
    bench_copy_if<double>(out, asked, "f64");
    bench_partition<std::int32_t>(out, asked, "i32");
    bench_partition<double>(out, asked, "f64");
    bench_transform<std::int8_t>(out, asked, "i8");
    bench_transform<float>(out, asked, "f32");
}

}  // namespace bench
