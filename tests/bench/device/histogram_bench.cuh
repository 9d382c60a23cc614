// histogram beside CUB, over every size, and at one size over bins and skew.
#pragma once

#include "device_support.cuh"

#include <cub/device/device_histogram.cuh>

#include <type_traits>

namespace bench {

/// How the samples of a histogram are distributed over its bins.
enum class spread { uniform, ninety, constant, zipf, sorted, bell };

constexpr spread some_spreads[] = {spread::uniform, spread::ninety, spread::constant, spread::zipf};
constexpr spread all_spreads[] = {spread::uniform, spread::ninety, spread::constant,
                                  spread::zipf,    spread::sorted, spread::bell};
constexpr const char* spread_names[] = {"uniform", "90 % in one", "constant", "Zipf", "sorted", "bell"};

struct key_of {
    unsigned bins;
    spread how;
    std::size_t n;  // samples of a call

    __device__ std::uint32_t operator()(std::size_t i) const
    {
        const std::uint32_t word = random_word{3}(i);
        switch (how) {
        case spread::constant: return bins / 3;
        case spread::ninety: return random_word{4}(i) % 10 != 0 ? bins / 3 : word % bins;
        case spread::zipf: {  // bin k with a probability like 1 / k
            const float at = exp2f(log2f(static_cast<float>(bins)) * (static_cast<float>(word) * 0x1p-32f));
            return min(bins - 1, static_cast<unsigned>(at) - 1);
        }
        case spread::sorted: return static_cast<std::uint32_t>(i % n * bins / n);
        case spread::bell: {  // the mean of four
            float sum = 0;
            for (unsigned seed = 4; seed < 8; ++seed)
                sum += static_cast<float>(random_word{seed}(i)) * 0x1p-34f;
            return min(bins - 1, static_cast<unsigned>(sum * static_cast<float>(bins)));
        }
        default: return word % bins;
        }
    }
};

/// The keys from a place on.
struct later_key {
    key_of key;
    std::ptrdiff_t from;

    __device__ std::uint32_t operator()(std::size_t i) const { return key(i + static_cast<std::size_t>(from)); }
};

/// What a key becomes: integers as they are, floating-point numbers inside [0, 1).
template <class Sample>
struct sample_of {
    key_of key;

    __device__ Sample operator()(std::size_t i) const
    {
        if constexpr (is_floating<Sample>)
            return static_cast<Sample>(static_cast<float>((key(i) + 0.5) / key.bins));
        else
            return static_cast<Sample>(key(i));
    }
};

/// Bounds of the axis: integers count as int where they are short, so that 256 bins of a byte can be named.
template <class Sample>
using bound = std::conditional_t<(sizeof(Sample) < 4), std::conditional_t<is_floating<Sample>, float, int>, Sample>;

template <class Sample>
void bench_histogram_sizes(report& out, const options& asked, const std::string& type, unsigned bins, spread how_spread,
                           const std::vector<std::size_t>& all, pp::histogram_config config = {},
                           const std::string& variant = {})
{
    const auto x =
        filled<Sample>(slices<Sample>::capacity(all.back()), sample_of<Sample>{{bins, how_spread, all.back()}});
    const auto upper = is_floating<Sample> ? bound<Sample>(1) : static_cast<bound<Sample>>(bins);
    const auto axis = pp::regular_axis(bins, bound<Sample>(0), upper);
    pp::device_buffer<std::uint32_t> ours(bins), others(bins);
    // CUB makes no histogram of __half, and computes bins of floats with an error that so many bins show.
    constexpr bool is_half = std::is_same_v<Sample, __half>;
    const bool counts_keys = is_half || bins > 1u << 20;
    for (const std::size_t n : all) {
        const slices<const Sample> in{x.data(), n};
        const auto bytes = static_cast<double>(n * sizeof(Sample));
        const pace how = pace_of(n, bytes);
        const auto cub_call = [&](void* place, std::size_t& place_bytes, std::size_t slice, cudaStream_t stream) {
            if constexpr (!std::is_same_v<Sample, __half>)
                check(cub::DeviceHistogram::HistogramEven(place, place_bytes, in[slice], others.data(),
                                                          static_cast<int>(bins) + 1, bound<Sample>(0), upper,
                                                          static_cast<long long>(n), stream));
        };
        auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, 0, nullptr); });
        std::size_t scratch_bytes = scratch.size();
        call reference;
        if constexpr (!std::is_same_v<Sample, __half>)
            reference = [&](cudaStream_t stream, std::size_t slice) {
                cub_call(scratch.data(), scratch_bytes, slice, stream);
            };
        row next{.work = "histogram", .type = type, .variant = variant, .n = n, .bytes = bytes, .reference = "CUB"};
        next.bins = bins;
        next.spread = spread_names[static_cast<int>(how_spread)];
        next.floor = n == std::size_t{1} << 28 && bins == 2048 && how_spread == spread::uniform ? 5 : 0;
        measure(
            out, asked, next, how,
            [&](cudaStream_t stream, std::size_t slice) {
                pp::histogram(pp::device.on(stream).with(config), in[slice], in[slice] + n, axis, ours.data());
            },
            reference,
            [&] {
                if constexpr (is_half || std::is_same_v<Sample, float>) {  // the same keys as integers
                    if (!counts_keys)
                        return agree(ours.data(), others.data(), bins);
                    const std::size_t last = static_cast<std::size_t>(how.calls - 1) % how.slices;
                    const auto keys =
                        filled<std::uint32_t>(n, later_key{{bins, how_spread, all.back()}, in[last] - in[0]});
                    pp::histogram(pp::device, keys, pp::regular_axis(bins, 0u, bins), others.data());
                }
                return agree(ours.data(), others.data(), bins);
            });
    }
}

/// Over bins and skew at one size.
template <class Sample>
void bench_histogram_bins(report& out, const options& asked, const std::string& type, const std::vector<unsigned>& bins)
{
    for (const spread how : some_spreads)
        for (const unsigned each : bins)
            bench_histogram_sizes<Sample>(out, asked, type, each, how, {large(asked)});
}

/// Numbers of bins and of samples that no number was tuned for, over all skews.
template <class Sample>
void bench_histogram_odd(report& out, const options& asked, const std::string& type)
{
    for (const spread how : all_spreads)
        for (const unsigned bins : {1000u, 5000u, 100'000u, 3'000'000u})
            bench_histogram_sizes<Sample>(out, asked, type, bins, how, {odd_sizes(asked).back()});
}

}  // namespace bench
