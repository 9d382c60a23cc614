// Reductions and scans by key, beside CUB, over every size: runs of 2 elements on average.
#include "device_support.cuh"
#include "groups.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstdint>

namespace bench {

namespace {

/// 0 or 1.
template <class K>
struct random_key {
    random_word word;

    __host__ __device__ K operator()(std::size_t i) const { return static_cast<K>(word(i) >> 7 & 1); }
};

/// Sums of a few of these are exact.
template <class V>
struct small_value {
    random_word word;

    __host__ __device__ V operator()(std::size_t i) const { return static_cast<V>(word(i) & 0x7f); }
};

struct sum {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a + b);
    }
};

template <class K, class V>
void bench_types(report& out, const options& asked, const std::string& type)
{
    const auto all = sizes(asked);
    const auto keys = filled<K>(slices<K>::capacity(all.back()), random_key<K>{{7}});
    const auto values = filled<V>(slices<V>::capacity(all.back()), small_value<V>{{8}});
    pp::device_buffer<K> our_keys(keys.size()), cub_keys(keys.size());
    pp::device_buffer<V> our_values(values.size()), cub_values(values.size());
    pp::device_buffer<std::int64_t> our_counts(most_calls), cub_counts(most_calls);
    for (const std::size_t n : all) {
        const slices<const K> k{keys.data(), n};
        const slices<const V> x{values.data(), n};
        const slices<K> k_ours{our_keys.data(), n}, k_cubs{cub_keys.data(), n};
        const slices<V> ours{our_values.data(), n}, cubs{cub_values.data(), n};
        const auto read = static_cast<double>(n * (sizeof(K) + sizeof(V)));
        const pace how = pace_of(n, static_cast<double>(n * std::min(sizeof(K), sizeof(V))));
        const std::size_t last = how.slices - 1;
        const auto beside_cub = [&](const char* work, double bytes, auto our_call, auto cub_call, auto is_right) {
            auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
            std::size_t scratch_bytes = scratch.size();
            row next{.work = work, .type = type, .variant = "runs of 2", .n = n, .bytes = bytes, .reference = "CUB"};
            measure(
                out, asked, next, how, our_call,
                [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
                is_right);
        };
        beside_cub(
            "reduce_by_key", 1.5 * read,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::reduce_by_key_into(pp::device.on(stream), k[slice], k[slice] + n, x[slice], k_ours[slice],
                                       ours[slice], our_counts.data() + slice);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceReduce::ReduceByKey(place, bytes, k[slice], k_cubs[slice], x[slice], cubs[slice],
                                                     cub_counts.data() + slice, sum{}, static_cast<int>(n), stream));
            },
            [&] {
                const auto runs = static_cast<std::size_t>(our_counts.to_host()[last]);
                return agree(our_counts.data(), cub_counts.data(), how.slices) &&
                       agree(k_ours[last], k_cubs[last], runs) && agree(ours[last], cubs[last], runs);
            });
        beside_cub(
            "inclusive_scan_by_key", read + static_cast<double>(n * sizeof(V)),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::inclusive_scan_by_key(pp::device.on(stream), k[slice], k[slice] + n, x[slice], ours[slice]);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceScan::InclusiveSumByKey(place, bytes, k[slice], x[slice], cubs[slice],
                                                         static_cast<int>(n), ::cuda::std::equal_to<>{}, stream));
            },
            [&] { return agree(ours[last], cubs[last], n); });
    }
}

}  // namespace

void by_key(report& out, const options& asked)
{
    bench_types<std::int8_t, std::int8_t>(out, asked, "i8/i8");
    bench_types<std::int32_t, float>(out, asked, "i32/f32");
    bench_types<std::int64_t, float>(out, asked, "i64/f32");
}

}  // namespace bench
