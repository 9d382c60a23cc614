// inclusive_scan beside CUB, over every size. Values of one and two bytes are summed in a type of four, as people do.
#pragma once

#include "device_support.cuh"

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

#include <cstddef>
#include <type_traits>

namespace bench {

/// CUB's sums of values of type T in type A.
template <class T, class A, class Op>
void cub_scan(void* place, std::size_t& bytes, const T* in, A* to, std::size_t n, Op op, cudaStream_t stream)
{
    const auto count = static_cast<long long>(n);
    if constexpr (!std::is_same_v<T, A>)
        check(cub::DeviceScan::InclusiveScanInit(place, bytes, in, to, ::cuda::std::plus<A>{}, A{}, count, stream));
    else if constexpr (std::is_same_v<Op, pp::plus>)
        check(cub::DeviceScan::InclusiveSum(place, bytes, in, to, count, stream));
    else
        check(cub::DeviceScan::InclusiveScan(place, bytes, in, to, op, count, stream));
}

/// @tparam A  what values are converted to and combined in
template <class T, class A = T, class Op = pp::plus, class Config = pp::scan_config>
void bench_scan(report& out, const options& asked, const std::string& type, Op op = {}, Config config = {},
                const std::string& variant = {})
{
    const auto all = sizes(asked);
    const std::size_t room = slices<T>::capacity(all.back());
    const auto x = filled<T>(room, random_value<T>{{2}});
    pp::device_buffer<A> ours(room), cubs(room);
    for (const std::size_t n : all) {
        const slices<const T> in{x.data(), n};
        const slices<A> our_out{ours.data(), n}, cub_out{cubs.data(), n};
        const auto bytes = static_cast<double>(n * (sizeof(T) + sizeof(A)));
        const pace how = pace_of(n, static_cast<double>(n * sizeof(T)));
        const auto cub_call = [&](void* place, std::size_t& place_bytes, std::size_t slice, cudaStream_t stream) {
            cub_scan(place, place_bytes, in[slice], cub_out[slice], n, op, stream);
        };
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        row next{
            .work = "inclusive_scan", .type = type, .variant = variant, .n = n, .bytes = bytes, .reference = "CUB"};
        next.floor = type == "f32" && variant.empty() && n == std::size_t{1} << 28 ? 0.9 : 0;
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                our_scan<T>(pp::device.on(stream).with(config), in[slice], n, our_out[slice], op);
            },
            [&](cudaStream_t stream, std::size_t slice) { cub_call(scratch.data(), scratch_bytes, slice, stream); },
            [&] { return agree(our_out[how.slices - 1], cub_out[how.slices - 1], n); });
    }
}

}  // namespace bench
