// reduce beside CUB, over every size. Values of one and two bytes are summed in a type of four, as people do.
#pragma once

#include "device_support.cuh"

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include <type_traits>

namespace bench {

/// Sums of integers agree exactly, and those of halves into float, which stay below 2^24; of other floating-point numbers to
/// what another order may give.
template <class T>
double sum_tolerance(std::size_t n)
{
    return std::is_same_v<T, __half> ? 0 : 1 + 1e-2 * std::sqrt(static_cast<double>(n));
}

/// @tparam A     what values are converted to and combined in
/// @param  from  elements between an aligned address and the input
template <class T, class A = T, class Op = pp::plus>
void bench_reduce_sizes(report& out, const options& asked, const std::string& type, Op op, const std::string& variant,
                        const std::vector<std::size_t>& all, std::size_t from = 0)
{
    const auto x = filled<T>(slices<T>::capacity(all.back()) + from, random_value<T>{{1}});
    pp::device_buffer<A> ours(most_calls), cubs(most_calls);
    for (const std::size_t n : all) {
        const slices<const T> in{x.data() + from, n};
        const auto bytes = static_cast<double>(n * sizeof(T));
        const pace how = pace_of(n, bytes);
        const auto cub_call = [&](void* place, std::size_t& place_bytes, std::size_t slice, cudaStream_t stream) {
            if constexpr (!std::is_same_v<T, A>)
                check(cub::DeviceReduce::Reduce(place, place_bytes, in[slice], cubs.data() + slice,
                                                static_cast<long long>(n), ::cuda::std::plus<A>{}, A{}, stream));
            else if constexpr (std::is_same_v<Op, pp::plus>)
                check(cub::DeviceReduce::Sum(place, place_bytes, in[slice], cubs.data() + slice,
                                             static_cast<long long>(n), stream));
            else
                check(cub::DeviceReduce::Reduce(place, place_bytes, in[slice], cubs.data() + slice,
                                                static_cast<long long>(n), op, A{}, stream));
        };
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{.work = "reduce", .type = type, .variant = variant, .n = n, .bytes = bytes, .reference = "CUB"};
        next.floor = type == "f32" && n == std::size_t{1} << 28 ? 0.9 : 0;
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::reduce_into(pp::device.on(stream), in[slice], in[slice] + n, ours.data() + slice, A{}, op);
            },
            [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
            [&] { return agree(ours.data(), cubs.data(), how.slices, sum_tolerance<T>(n)); });
    }
}

template <class T, class A = T, class Op = pp::plus>
void bench_reduce(report& out, const options& asked, const std::string& type, Op op = {},
                  const std::string& variant = {})
{
    bench_reduce_sizes<T, A>(out, asked, type, op, variant, sizes(asked));
}

/// Sizes and addresses that no number was tuned for.
template <class T, class A = T>
void bench_reduce_odd(report& out, const options& asked, const std::string& type)
{
    for (const std::size_t from : {0, 1, 3})
        bench_reduce_sizes<T, A>(out, asked, type, pp::plus{}, "from " + std::to_string(from), odd_sizes(asked), from);
}

}  // namespace bench
