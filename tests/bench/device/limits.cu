// What the card allows, measured in the same run: reading, copying, launching, transfers.
#include "device_support.cuh"
#include "groups.hpp"

#include <chrono>
#include <cstring>

namespace bench {

namespace {

__global__ void __launch_bounds__(1024) read_all(const uint4* data, std::size_t n, unsigned* never)
{
    unsigned all = 0;
    const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
    std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        uint4 words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            words[k] = __ldcs(data + i + k * stride);
#pragma unroll
        for (int k = 0; k < 4; ++k)
            all ^= words[k].x ^ words[k].y ^ words[k].z ^ words[k].w;
    }
    for (; i < n; i += stride) {
        const uint4 word = __ldcs(data + i);
        all ^= word.x ^ word.y ^ word.z ^ word.w;
    }
    if (all == 0x12345678)
        *never = 0;
}

__global__ void empty() {}

void reading_and_copying(report& out, const options& asked)
{
    const auto all = sizes(asked);
    const std::size_t room = slices<float>::capacity(all.back());
    const auto x = filled<float>(room, random_value<float>{{1}});
    pp::device_buffer<float> copies(room);
    pp::device_buffer<unsigned> never(1);
    const unsigned full = 2 * pp::get_device_info(pp::current_device()).multiprocessors;
    for (const std::size_t n : all) {
        const slices<const float> in{x.data(), n};
        const auto bytes = static_cast<double>(n * sizeof(float));
        const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(n / 4 / 1024, 1, full));
        measure(
            out, asked, {.work = "limit: read", .type = "f32", .n = n, .bytes = bytes}, pace_of(n, bytes),
            [&](cudaStream_t stream, std::size_t slice) {
                read_all<<<blocks, 1024, 0, stream>>>(reinterpret_cast<const uint4*>(in[slice]), n / 4, never.data());
            },
            {}, [] { return cudaGetLastError() == cudaSuccess; });
    }
    for (const std::size_t n : all) {
        const slices<const float> in{x.data(), n};
        const slices<float> to{copies.data(), n};
        const auto bytes = static_cast<double>(n * sizeof(float));
        const pace how = pace_of(n, bytes);
        measure(
            out, asked, {.work = "limit: copy", .type = "f32", .n = n, .bytes = 2 * bytes}, how,
            [&](cudaStream_t stream, std::size_t slice) {
                check(cudaMemcpyAsync(to[slice], in[slice], n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
            },
            {}, [&] { return agree(to[how.slices - 1], in[how.slices - 1], n); });
    }
}

template <class Call>
double median_wall_seconds(int turns, Call one)
{
    std::vector<double> seconds;
    one();
    for (int i = 0; i < turns; ++i) {
        const auto start = std::chrono::steady_clock::now();
        one();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return median(std::move(seconds));
}

void launching(report& out, const options& asked)
{
    measure(
        out, asked, {.work = "limit: empty kernel"}, {true, most_calls, 1},
        [](cudaStream_t stream, std::size_t) { empty<<<1, 32, 0, stream>>>(); }, {}, [] { return true; });
    row next{.work = "limit: launch and synchronise", .how = "end to end"};
    next.seconds = median_wall_seconds(asked.quick ? 11 : 501, [] {
        empty<<<1, 32>>>();
        check(cudaStreamSynchronize(nullptr));
    });
    out.add(next);
}

void transfers(report& out, const options& asked)
{
    const std::size_t n = std::size_t{1} << (asked.quick ? 20 : 28);
    const auto bytes = static_cast<double>(n);
    pp::device_buffer<unsigned char> device(n);
    pp::pinned_buffer<unsigned char> pinned(n);
    std::vector<unsigned char> pageable(n, 1);
    std::memset(pinned.data(), 1, n);
    const auto add = [&](const std::string& name, void* to, const void* from) {
        row next{.work = "limit: " + name, .type = "bytes", .how = "end to end", .n = n, .bytes = bytes};
        next.seconds = median_wall_seconds(5, [&] { check(cudaMemcpy(to, from, n, cudaMemcpyDefault)); });
        out.add(next);
    };
    add("pinned host to device", device.data(), pinned.data());
    add("device to pinned host", pinned.data(), device.data());
    add("pageable host to device", device.data(), pageable.data());
    add("device to pageable host", pageable.data(), device.data());
}

}  // namespace

void limits(report& out, const options& asked)
{
    reading_and_copying(out, asked);
    launching(out, asked);
    transfers(out, asked);
}

}  // namespace bench
