// Runs of equal elements: unique_copy and run_length_encode beside CUB.
#include "device_support.cuh"
#include "groups.hpp"

#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

namespace {

/// Neighbouring runs of `length` elements are different.
template <class T>
struct element_of_run {
    std::size_t length;

    __host__ __device__ T operator()(std::size_t i) const { return static_cast<T>(i / length % 101); }
};

/// An input of one type and its outputs, for every size up to the largest.
template <class T>
struct runs_bench {
    report& out;
    const options& asked;
    std::string type;
    pp::device_buffer<T> x, ours, cubs;
    pp::device_buffer<std::uint32_t> our_lengths, cub_lengths;
    pp::device_buffer<std::int64_t> our_counts, cub_counts;

    runs_bench(report& to, const options& how, std::string name, std::size_t largest)
        : out(to), asked(how), type(std::move(name)), x(slices<T>::capacity(largest)), ours(x.size()), cubs(x.size()),
          our_lengths(x.size()), cub_lengths(x.size()), our_counts(most_calls), cub_counts(most_calls)
    {
    }

    template <class Ours, class Cubs, class IsRight>
    void beside_cub(const char* work, std::size_t length, std::size_t n, double bytes, Ours our_call, Cubs cub_call,
                    IsRight is_right)
    {
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{.work = work,
                 .type = type,
                 .variant = "runs of " + std::to_string(length),
                 .n = n,
                 .bytes = bytes,
                 .reference = "CUB"};
        measure(
            out, asked, next, pace_of(n, static_cast<double>(n * sizeof(T))), our_call,
            [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
            is_right);
    }

    void run(std::size_t length, std::size_t n)
    {
        const slices<const T> in{x.data(), n};
        const slices<T> to{ours.data(), n}, cub_to{cubs.data(), n};
        const slices<std::uint32_t> lengths{our_lengths.data(), n}, cub_to_lengths{cub_lengths.data(), n};
        const double kept = static_cast<double>(n) / static_cast<double>(length);
        const std::size_t count = pace_of(n, static_cast<double>(n * sizeof(T))).slices, last = count - 1;
        const auto values_agree = [&] {
            return agree(our_counts.data(), cub_counts.data(), count) &&
                   agree(to[last], cub_to[last], static_cast<std::size_t>(our_counts.to_host()[last]));
        };
        beside_cub(
            "unique_copy", length, n, (static_cast<double>(n) + kept) * sizeof(T),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::unique_copy_into(pp::device.on(stream), in[slice], in[slice] + n, to[slice],
                                     our_counts.data() + slice);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceSelect::Unique(place, bytes, in[slice], cub_to[slice], cub_counts.data() + slice,
                                                static_cast<std::int64_t>(n), stream));
            },
            values_agree);
        beside_cub(
            "run_length_encode", length, n, static_cast<double>(n * sizeof(T)) + kept * (sizeof(T) + 4),
            [&](cudaStream_t stream, std::size_t slice) {
                pp::run_length_encode_into(pp::device.on(stream), in[slice], in[slice] + n, to[slice], lengths[slice],
                                           our_counts.data() + slice);
            },
            [&](void* place, std::size_t& bytes, std::size_t slice, cudaStream_t stream) {
                check(cub::DeviceRunLengthEncode::Encode(place, bytes, in[slice], cub_to[slice], cub_to_lengths[slice],
                                                         cub_counts.data() + slice, static_cast<int>(n), stream));
            },
            [&] {
                return values_agree() &&
                       agree(lengths[last], cub_to_lengths[last], static_cast<std::size_t>(our_counts.to_host()[last]));
            });
    }
};

template <class T>
void bench_runs(report& out, const options& asked, const std::string& type)
{
    runs_bench<T> both(out, asked, type, large(asked));
    for (const std::size_t length : {1, 3, 100}) {
        fill<<<2048, 256>>>(both.x.data(), both.x.size(), element_of_run<T>{length});
        check(cudaGetLastError());
        for (const std::size_t n : {std::size_t{1} << 12, std::size_t{3'000'000}, large(asked)})
            if (n <= large(asked))
                both.run(length, n);
    }
}

}  // namespace

void runs(report& out, const options& asked)
{
    bench_runs<std::uint8_t>(out, asked, "u8");
    bench_runs<std::int32_t>(out, asked, "i32");
    bench_runs<double>(out, asked, "f64");
}

}  // namespace bench
