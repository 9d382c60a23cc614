// Reductions and scans by key, beside CUB: runs of 2 elements on average over every size, and at a few sizes runs of one element,
// of several lengths, and all elements in one run.
#include "device_support.cuh"
#include "groups.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

namespace {

/// The lengths of runs that are measured. Runs of 2 have random lengths, with that mean.
struct run_length {
    const char* name;
    std::size_t elements;  // 0: all
};
constexpr run_length runs_of_2{"runs of 2", 2};
constexpr run_length other_lengths[] = {
    {"runs of 1", 1}, {"runs of 3", 3}, {"runs of 17", 17}, {"runs of 1000", 1000}, {"one run", 0}};

/// Neighbouring runs have different keys, of any type.
template <class K>
struct key_at {
    std::size_t run;

    __host__ __device__ K operator()(std::size_t i) const
    {
        if (run == 2)
            return static_cast<K>(random_word{7}(i) >> 7 & 1);
        return static_cast<K>(run == 0 ? 0 : i / run);
    }
};

/// From -3 to 3. The sum of any elements in a row is as small: exact in every type.
template <class V>
struct small_step {
    random_word word;

    __host__ __device__ V operator()(std::size_t i) const
    {
        return static_cast<V>(static_cast<int>(word(i) & 3) - static_cast<int>(word(i - 1) & 3));
    }
};

struct sum {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a + b);
    }
};

/// The inputs and outputs of one pair of types, for every size up to the largest.
template <class K, class V>
struct by_key_bench {
    report& out;
    const options& asked;
    std::string type;
    pp::device_buffer<K> keys, our_keys, cub_keys;
    pp::device_buffer<V> values, our_values, cub_values;
    pp::device_buffer<std::int64_t> our_counts, cub_counts;

    by_key_bench(report& to, const options& how, std::string name, std::size_t largest)
        : out(to), asked(how), type(std::move(name)), keys(slices<K>::capacity(largest)), our_keys(keys.size()),
          cub_keys(keys.size()), values(filled<V>(slices<V>::capacity(largest), small_step<V>{{8}})),
          our_values(values.size()), cub_values(values.size()), our_counts(most_calls), cub_counts(most_calls)
    {
    }

    void fill_keys(const run_length& length)
    {
        fill<<<2048, 256>>>(keys.data(), keys.size(), key_at<K>{length.elements});
        check(cudaGetLastError());
    }

    pace pace_at(std::size_t n) const { return pace_of(n, static_cast<double>(n * std::min(sizeof(K), sizeof(V)))); }

    template <class Ours, class Cubs, class IsRight>
    void beside_cub(const char* work, const run_length& length, std::size_t n, double bytes, Ours our_call,
                    Cubs cub_call, IsRight is_right)
    {
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{.work = work, .type = type, .variant = length.name, .n = n, .bytes = bytes, .reference = "CUB"};
        measure(
            out, asked, next, pace_at(n), our_call,
            [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
            is_right);
    }

    void reduce(const run_length& length, std::size_t n)
    {
        const slices<const K> k{keys.data(), n};
        const slices<const V> x{values.data(), n};
        const slices<K> k_ours{our_keys.data(), n}, k_cubs{cub_keys.data(), n};
        const slices<V> ours{our_values.data(), n}, cubs{cub_values.data(), n};
        const std::size_t runs = length.elements == 0 ? 1 : (n + length.elements - 1) / length.elements;
        const std::size_t count = pace_at(n).slices, last = count - 1;
        beside_cub(
            "reduce_by_key", length, n, static_cast<double>((n + runs) * (sizeof(K) + sizeof(V))),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::reduce_by_key_into(pp::device.on(stream), k[slice], k[slice] + n, x[slice], k_ours[slice],
                                       ours[slice], our_counts.data() + slice);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceReduce::ReduceByKey(place, bytes, k[slice], k_cubs[slice], x[slice], cubs[slice],
                                                     cub_counts.data() + slice, sum{}, static_cast<int>(n), stream));
            },
            [&] {
                const auto found = static_cast<std::size_t>(our_counts.to_host()[last]);
                return agree(our_counts.data(), cub_counts.data(), count) && agree(k_ours[last], k_cubs[last], found) &&
                       agree(ours[last], cubs[last], found);
            });
    }

    void scan(const run_length& length, std::size_t n)
    {
        const slices<const K> k{keys.data(), n};
        const slices<const V> x{values.data(), n};
        const slices<V> ours{our_values.data(), n}, cubs{cub_values.data(), n};
        const std::size_t last = pace_at(n).slices - 1;
        beside_cub(
            "inclusive_scan_by_key", length, n, static_cast<double>(n * (sizeof(K) + 2 * sizeof(V))),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::inclusive_scan_by_key(pp::device.on(stream), k[slice], k[slice] + n, x[slice], ours[slice]);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceScan::InclusiveSumByKey(place, bytes, k[slice], x[slice], cubs[slice],
                                                         static_cast<int>(n), ::cuda::std::equal_to<>{}, stream));
            },
            [&] { return agree(ours[last], cubs[last], n); });
    }
};

/// What is neither small nor round, and the largest.
std::vector<std::size_t> large_sizes(const options& asked)
{
    std::vector<std::size_t> result;
    for (const std::size_t n : {std::size_t{3'000'000}, (std::size_t{1} << 24) + 4099})
        if (n < large(asked))
            result.push_back(n);
    result.push_back(large(asked));
    return result;
}

/// Runs of 2 over every size, other lengths at a few.
template <class K, class V>
void bench_types(report& out, const options& asked, const std::string& type)
{
    const auto all = sizes(asked);
    by_key_bench<K, V> both(out, asked, type, all.back());
    both.fill_keys(runs_of_2);
    for (const std::size_t n : all)
        both.reduce(runs_of_2, n);
    for (const std::size_t n : all)
        both.scan(runs_of_2, n);
    for (const run_length& length : other_lengths) {
        both.fill_keys(length);
        for (const std::size_t n : large_sizes(asked))
            both.reduce(length, n);
        for (const std::size_t n : large_sizes(asked))
            both.scan(length, n);
    }
}

/// Reductions at a few sizes.
template <class K, class V>
void bench_reductions(report& out, const options& asked, const std::string& type)
{
    by_key_bench<K, V> reductions(out, asked, type, large(asked));
    const auto all_of = [&](const run_length& length) {
        reductions.fill_keys(length);
        for (const std::size_t n : large_sizes(asked))
            reductions.reduce(length, n);
    };
    all_of(runs_of_2);
    for (const run_length& length : other_lengths)
        all_of(length);
}

}  // namespace

void by_key(report& out, const options& asked)
{
    bench_types<std::int8_t, std::int8_t>(out, asked, "i8/i8");
    bench_types<std::int32_t, float>(out, asked, "i32/f32");
    bench_types<std::int64_t, float>(out, asked, "i64/f32");
    bench_reductions<std::int32_t, std::int32_t>(out, asked, "i32/i32");
    bench_reductions<std::uint8_t, std::int16_t>(out, asked, "u8/i16");
}

}  // namespace bench
