// Calls whose size lies on the device, beside the same calls with that size from the host: planned for the size itself, and for up
// to 1000 times as much.
#include "device_support.cuh"
#include "groups.hpp"

#include <parprims/sized_on_device.hpp>
#include <parprims/weighted_histogram.hpp>

#include <algorithm>
#include <vector>

namespace bench {

namespace {

constexpr std::size_t far = 1000;

/// @param  call  gets a policy, the begin and the end of a range, where its results go, and a counter for each slice
template <class Call>
void bench_call(report& out, const options& asked, const char* work, double bytes_of_element, Call call)
{
    const auto all = sizes(asked);
    const std::size_t room = slices<float>::capacity(all.back());
    const auto x = filled<float>(room, random_value<float>{{21}});
    auto sized_results = filled<float>(room, random_value<float>{{22}});  // what a call does not write is the same
    auto plain_results = filled<float>(room, random_value<float>{{22}});
    pp::device_buffer<std::uint32_t> sized_counts(std::vector<std::uint32_t>(100 * most_calls));
    pp::device_buffer<std::uint32_t> plain_counts(std::vector<std::uint32_t>(100 * most_calls));
    pp::device_buffer<std::uint64_t> count(1);
    for (const std::size_t n : all)
        for (const std::size_t bound : {n, std::min(far * n, std::size_t{1} << 30)}) {
            const slices<const float> in{x.data(), n};
            const slices<float> sized_out{sized_results.data(), n}, plain_out{plain_results.data(), n};
            count.copy_from(std::vector<std::uint64_t>{n});
            const double bytes = bytes_of_element * static_cast<double>(n);
            const pace how = pace_of(n, static_cast<double>(n * sizeof(float)));
            row next{.work = work,
                     .type = "f32",
                     .variant =
                         bound == n ? "size on the device" : "size on the device, of a bound of up to 1000 times it",
                     .n = n,
                     .bytes = bytes,
                     .reference = "size from the host"};
            measure(
                out, asked, next, how,
                [&](cudaStream_t stream, std::size_t slice) {
                    const std::size_t rest = room - static_cast<std::size_t>(in[slice] - x.data());
                    const auto sized = pp::sized_on_device(in[slice], count.data(), std::min(bound, rest));
                    call(pp::device.on(stream), sized.begin(), sized.end(), sized_out[slice],
                         sized_counts.data() + 100 * slice);
                },
                [&](cudaStream_t stream, std::size_t slice) {
                    call(pp::device.on(stream), in[slice], in[slice] + n, plain_out[slice],
                         plain_counts.data() + 100 * slice);
                },
                [&] {
                    return agree(sized_out[how.slices - 1], plain_out[how.slices - 1], n) &&
                           agree(sized_counts.data(), plain_counts.data(), 100 * how.slices);
                });
        }
}

struct is_above_zero {
    __host__ __device__ bool operator()(float x) const { return x > 0; }
};

}  // namespace

void sizes_on_device(report& out, const options& asked)
{
    bench_call(out, asked, "reduce", 4, [](auto on, auto first, auto last, float* to, std::uint32_t*) {
        pp::reduce_into(on, first, last, to, 0.0f);
    });
    bench_call(out, asked, "scan", 8, [](auto on, auto first, auto last, float* to, std::uint32_t*) {
        pp::inclusive_scan(on, first, last, to);
    });
    bench_call(out, asked, "exact sum", 4, [](auto on, auto first, auto last, float* to, std::uint32_t*) {
        pp::reduce_into(on, first, last, to, 0.0f, pp::exact_plus{});
    });
    bench_call(out, asked, "minmax_element", 4, [](auto on, auto first, auto last, float*, std::uint32_t* places) {
        pp::minmax_element_into(on, first, last, places);
    });
    bench_call(out, asked, "reduce_by_key", 8, [](auto on, auto first, auto last, float* to, std::uint32_t* count) {
        pp::reduce_by_key_into(on, first, last, first, pp::discard_iterator{}, to, count);
    });
    bench_call(out, asked, "copy_if", 6, [](auto on, auto first, auto last, float* to, std::uint32_t* count) {
        pp::copy_if_into(on, first, last, to, count, is_above_zero{});
    });
    bench_call(out, asked, "transform", 8, [](auto on, auto first, auto last, float* to, std::uint32_t*) {
        pp::transform(on, first, last, to, pp::identity{});
    });
    bench_call(out, asked, "histogram", 4, [](auto on, auto first, auto last, float*, std::uint32_t* counts) {
        pp::histogram(on, first, last, pp::regular_axis(100, -1.0f, 1.0f), counts);
    });
    bench_call(out, asked, "weighted histogram", 4, [](auto on, auto first, auto last, float*, std::uint32_t* sums) {
        pp::weighted_histogram(on, first, last, first, pp::regular_axis(100, -1.0f, 1.0f),
                               reinterpret_cast<float*>(sums));
    });
    bench_call(out, asked, "profile", 4, [](auto on, auto first, auto last, float*, std::uint32_t* bins) {
        constexpr std::size_t most = 100 * sizeof(std::uint32_t) / sizeof(pp::profile_bin<float>);
        pp::profile(on, first, last, first, pp::regular_axis(most, -1.0f, 1.0f),
                    reinterpret_cast<pp::profile_bin<float>*>(bins));
    });
}

}  // namespace bench
