// Where the smallest element of each segment is, beside CUB, which finds pairs of a position in the segment and a value.
#include "groups.hpp"
#include "segment_offsets.cuh"

#include <cub/device/device_segmented_reduce.cuh>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

namespace {

template <class T>
using pair = cub::KeyValuePair<int, T>;

/// Where a pair of CUB lies in the input.
struct place_in_input {
    template <class Pair>
    __host__ __device__ std::int64_t operator()(const Pair& found, std::int64_t offset) const
    {
        return offset + found.key;
    }
};

/// `ours` enqueues one call for an input and an output.
template <class T, class Ours>
void measure_segments(report& out, const options& asked, const std::string& type, const std::string& variant,
                      const std::vector<std::int64_t>& host_offsets, double more_bytes, Ours ours)
{
    const auto n = static_cast<std::size_t>(host_offsets.back());
    const std::size_t segments = host_offsets.size() - 1;
    const auto offsets = pp::to_device(host_offsets);
    const double bytes = static_cast<double>(n * sizeof(T) + segments * sizeof(std::int64_t)) + more_bytes;
    const pace how = pace_of(n, bytes);
    const auto x = filled<T>(slices<T>::stride(n) * how.slices, random_value<T>{{12}});
    pp::device_buffer<std::int64_t> found(slices<std::int64_t>::stride(segments) * how.slices), expected(segments);
    pp::device_buffer<pair<T>> pairs(segments);
    const slices<const T> in{x.data(), n};
    const slices<std::int64_t> to{found.data(), segments};
    const auto cub_call = [&](void* place, std::size_t& needed, std::size_t slice, cudaStream_t stream) {
        check(cub::DeviceSegmentedReduce::ArgMin(place, needed, in[slice], pairs.data(), static_cast<int>(segments),
                                                 offsets.data(), offsets.data() + 1, stream));
    };
    auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
    std::size_t scratch_bytes = scratch.size();
    measure(
        out, asked,
        row{.work = "segmented_min_element",
            .type = type,
            .variant = variant,
            .n = n,
            .bytes = bytes,
            .reference = "CUB"},
        how,
        [&](cudaStream_t stream, std::size_t slice) {
            ours(pp::device.on(stream), in[slice], offsets.data(), to[slice]);
        },
        [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
        [&] {
            cub_call(scratch.data(), scratch_bytes, how.slices - 1, nullptr);
            pp::transform(pp::device, pairs.data(), pairs.data() + segments, offsets.data(), expected.data(),
                          place_in_input{});
            return agree(to[how.slices - 1], expected.data(), segments);
        });
}

template <class T>
void bench_segment_extremes(report& out, const options& asked, const std::string& type)
{
    const std::size_t n = large(asked);
    for (const std::size_t size : {16, 1000}) {
        std::vector<std::int64_t> offsets{0};
        while (static_cast<std::size_t>(offsets.back()) < n)
            offsets.push_back(std::min(static_cast<std::int64_t>(n), offsets.back() + static_cast<std::int64_t>(size)));
        measure_segments<T>(out, asked, type, std::to_string(size) + " each", offsets, 0,
                            [&](const auto& policy, const T* first, const std::int64_t*, std::int64_t* to) {
                                pp::segmented_min_element(policy, first, first + n, size, to);
                            });
    }
    const auto offsets = offsets_of(n, up_to_64);
    measure_segments<T>(out, asked, type, "1 to 64", offsets,
                        static_cast<double>(offsets.size() * sizeof(std::int64_t)),
                        [&](const auto& policy, const T* first, const std::int64_t* from, std::int64_t* to) {
                            pp::segmented_min_element(policy, first, first + n, from, from + offsets.size(), to);
                        });
}

}  // namespace

void segment_extremes(report& out, const options& asked)
{
    bench_segment_extremes<float>(out, asked, "f32");
    bench_segment_extremes<double>(out, asked, "f64");
}

}  // namespace bench
