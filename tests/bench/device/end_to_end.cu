// A call as a program sees it, from the call until its result can be used: beside Thrust.
#include "end_to_end.cuh"
#include "groups.hpp"

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

namespace bench {

namespace {

template <class T>
void bench_reduce_end_to_end(report& out, const options& asked, const std::string& type)
{
    const auto all = even_sizes(asked);
    const auto x = filled<T>(all.back(), random_value<T>{{1}});
    for (const std::size_t n : all) {
        T ours{}, other{1};
        const auto our_call = [&] { ours = pp::reduce(pp::device, x.data(), x.data() + n, T{}); };
        const auto thrust_call = [&] { other = thrust::reduce(thrust::device, x.data(), x.data() + n, T{}); };
        row next{.work = "reduce", .type = type, .n = n, .bytes = static_cast<double>(n * sizeof(T))};
        our_call();
        thrust_call();
        const double tolerance = is_floating<T> ? 1 + 1e-2 * std::sqrt(static_cast<double>(n)) : 0;
        next.is_right = std::abs(static_cast<double>(ours) - static_cast<double>(other)) <= tolerance;
        take_turns(out, asked, next, "Thrust", our_call, thrust_call);
    }
}

template <class T>
void bench_scan_end_to_end(report& out, const options& asked, const std::string& type)
{
    const auto all = even_sizes(asked);
    const auto x = filled<T>(all.back(), random_value<T>{{2}});
    pp::device_buffer<T> ours(all.back()), others(all.back());
    for (const std::size_t n : all) {
        const auto our_call = [&] {
            pp::inclusive_scan(pp::device, x.data(), x.data() + n, ours.data());
            pp::stream_view().synchronize();
        };
        const auto thrust_call = [&] {
            thrust::inclusive_scan(thrust::device, x.data(), x.data() + n, others.data());
            pp::stream_view().synchronize();
        };
        row next{.work = "inclusive_scan", .type = type, .n = n, .bytes = static_cast<double>(2 * n * sizeof(T))};
        our_call();
        thrust_call();
        next.is_right = agree(ours.data(), others.data(), n);
        take_turns(out, asked, next, "Thrust", our_call, thrust_call);
    }
}

}  // namespace

void end_to_end(report& out, const options& asked)
{
    bench_reduce_end_to_end<std::int32_t>(out, asked, "i32");
    bench_reduce_end_to_end<float>(out, asked, "f32");
    bench_scan_end_to_end<std::int32_t>(out, asked, "i32");
}

}  // namespace bench
