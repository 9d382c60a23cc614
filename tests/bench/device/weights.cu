// Weighted histograms and profiles beside atomic additions of floats in shared or in device memory, which is what a first kernel of
// one's own does.
#include "groups.hpp"
#include "histogram_bench.cuh"

#include <parprims/profile.hpp>
#include <parprims/weighted_histogram.hpp>

namespace bench {

namespace {

constexpr unsigned max_shared_bins = 32768;

/// Multiples of 2^-24 between -1/4 and 3/4.
struct weight_of {
    __device__ float operator()(std::size_t i) const
    {
        return static_cast<float>(static_cast<int>(random_word{9}(i) >> 8) - (1 << 22)) * 0x1p-24f;
    }
};

template <class Axis>
__global__ void add_floats(const float* x, const float* weights, std::size_t n, Axis axis, float* sums)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        if (const std::size_t slot = axis.slot(x[i]); slot < axis.extent())
            atomicAdd(sums + slot, weights[i]);
}

/// `Values` atomic additions a sample: of the weight, and of its square. A profile needs a count, too.
template <unsigned Values, class Axis>
__global__ void add_floats_in_shared_memory(const float* x, const float* weights, std::size_t n, Axis axis, float* sums)
{
    extern __shared__ float own[];
    const std::size_t extent = axis.extent();
    for (std::size_t i = threadIdx.x; i < Values * extent; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        if (const std::size_t slot = axis.slot(x[i]); slot < extent) {
            atomicAdd(own + slot, weights[i]);
            if constexpr (Values == 2)
                atomicAdd(own + extent + slot, weights[i] * weights[i]);
        }
    __syncthreads();
    for (std::size_t i = threadIdx.x; i < Values * extent; i += blockDim.x)
        atomicAdd(sums + i, own[i]);
}

template <class Sum>
constexpr bool is_profile = std::is_same_v<Sum, pp::profile_bin<float>>;

template <class Sum>
void bench_weights(report& out, const options& asked, const std::string& variant, unsigned bins)
{
    constexpr unsigned values = is_profile<Sum> ? 2 : 1;  // of the reference
    const std::size_t n = large(asked);
    const auto weights = filled<float>(n, weight_of{});
    const pp::regular_axis axis(bins, 0.0f, 1.0f);
    pp::device_buffer<Sum> ours(bins), others(bins);
    pp::device_buffer<float> floats(values * bins);
    const auto add = [&](const auto& policy, const pp::device_buffer<float>& x, pp::device_buffer<Sum>& sums) {
        if constexpr (is_profile<Sum>)
            pp::profile(policy, x, weights.data(), axis, sums.data());
        else
            pp::weighted_histogram(policy, x, weights.data(), axis, sums.data());
    };
    for (const spread how_spread : all_spreads) {
        const auto x = filled<float>(n, sample_of<float>{{bins, how_spread, n}});
        const auto bytes = static_cast<double>(2 * n * sizeof(float));
        const bool is_shared = bins <= max_shared_bins;
        row next{.work = "weighted_histogram", .type = "f32", .variant = variant, .n = n, .bytes = bytes};
        next.reference = is_shared ? "float atomics in shared memory" : "float atomics in device memory";
        if (is_profile<Sum>) {
            next.work = "profile";
            next.reference = "two float atomics a sample in shared memory";
        }
        next.bins = bins;
        next.spread = spread_names[static_cast<int>(how_spread)];
        const auto reference = [&](cudaStream_t stream, std::size_t) {
            const std::size_t shared = values * bins * sizeof(float);
            check(cudaMemsetAsync(floats.data(), 0, shared, stream));
            if (is_shared) {
                const auto kernel = add_floats_in_shared_memory<values, pp::regular_axis<float>>;
                check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared)));
                kernel<<<264, 1024, shared, stream>>>(x.data(), weights.data(), n, axis, floats.data());
            } else {
                add_floats<<<1056, 256, 0, stream>>>(x.data(), weights.data(), n, axis, floats.data());
            }
        };
        // Equal samples take float atomics up to half a second.
        const bool has_reference = how_spread == spread::uniform || (how_spread == spread::constant && !is_shared);
        measure(
            out, asked, next, {false, 1, 1},
            [&](cudaStream_t stream, std::size_t) { add(pp::device.on(stream), x, ours); },
            has_reference ? call(reference) : call(),
            [&] {  // the same bits, also those of the NaN of an empty bin
                const pp::histogram_config in_memory{.placement = pp::histogram_config::global};
                add(pp::device.with(in_memory), x, others);
                const auto words = [](const Sum* sums) { return reinterpret_cast<const std::uint32_t*>(sums); };
                return agree(words(ours.data()), words(others.data()), bins * sizeof(Sum) / sizeof(std::uint32_t));
            });
    }
}

}  // namespace

void weights(report& out, const options& asked)
{
    for (const unsigned bins : {1024u, 4096u, 16384u, 65536u, 1u << 20})
        bench_weights<float>(out, asked, "", bins);
    bench_weights<pp::weighted_sum<float>>(out, asked, "weighted_sum", 1024);
    bench_weights<pp::profile_bin<float>>(out, asked, "", 256);
}

}  // namespace bench
