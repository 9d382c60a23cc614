// Histograms of pairs beside atomic operations on counters in device memory, which is what a first kernel of one's own does.
#include "groups.hpp"
#include "histogram_bench.cuh"

#include <parprims/product_axis.hpp>

namespace bench {

namespace {

/// The second of two samples: independent of the first, next to it, or both the same everywhere.
enum class relation { independent, near, constant };
constexpr const char* relation_names[] = {"uniform", "near the diagonal", "constant"};

template <class Sample>
struct second_of {
    relation how;
    bool is_second;

    __device__ Sample operator()(std::size_t i) const
    {
        const std::uint32_t first = random_word{3}(i) >> 24;
        const std::uint32_t other = random_word{4}(i) >> 24;
        const std::uint32_t second = how == relation::near ? min(first + other % 8, 255u) : other;
        return static_cast<Sample>(how == relation::constant ? 77u : is_second ? second : first);
    }
};

template <class Sample, class Axis>
__global__ void count_in_device_memory(const Sample* x, const Sample* y, std::size_t n, Axis axis,
                                       std::uint32_t* counts)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        if (const std::size_t slot = axis.slot(pp::tuple<Sample, Sample>(x[i], y[i])); slot < axis.extent())
            atomicAdd(counts + slot, 1u);
}

template <class Sample>
void bench_pairs(report& out, const options& asked, const std::string& type)
{
    const std::size_t n = large(asked);
    const std::size_t room = slices<Sample>::capacity(n);
    for (const relation how_related : {relation::independent, relation::near, relation::constant}) {
        const auto x = filled<Sample>(room, second_of<Sample>{how_related, false});
        const auto y = filled<Sample>(room, second_of<Sample>{how_related, true});
        for (const unsigned bins : {64u, 128u, 256u}) {
            const pp::regular_axis side(bins, bound<Sample>(0), bound<Sample>(256));
            const pp::product_axis axis(side, side);
            pp::device_buffer<std::uint32_t> ours(axis.extent()), others(axis.extent());
            const slices<const Sample> in_x{x.data(), n}, in_y{y.data(), n};
            const auto bytes = static_cast<double>(2 * n * sizeof(Sample));
            row next{.work = "histogram of pairs", .type = type, .n = n, .bytes = bytes, .reference = "global atomics"};
            next.bins = axis.extent();
            next.spread = relation_names[static_cast<int>(how_related)];
            measure(
                out, asked, next, pace_of(n, bytes),
                [&](cudaStream_t stream, std::size_t slice) {
                    const pp::zip_iterator first(in_x[slice], in_y[slice]);
                    pp::histogram(pp::device.on(stream), first, first + static_cast<std::ptrdiff_t>(n), axis,
                                  ours.data());
                },
                [&](cudaStream_t stream, std::size_t slice) {
                    check(cudaMemsetAsync(others.data(), 0, axis.extent() * sizeof(std::uint32_t), stream));
                    count_in_device_memory<<<1056, 256, 0, stream>>>(in_x[slice], in_y[slice], n, axis, others.data());
                },
                [&] { return agree(ours.data(), others.data(), axis.extent()); });
        }
    }
}

}  // namespace

void histogram_dimensions(report& out, const options& asked)
{
    bench_pairs<std::uint8_t>(out, asked, "u8");
    bench_pairs<float>(out, asked, "f32");
}

}  // namespace bench
