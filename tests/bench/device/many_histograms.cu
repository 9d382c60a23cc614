// Many histograms in one call: of segments, rows and columns, also of weights, beside one histogram of all samples, and of the channels
// of images, beside CUB.
#include "groups.hpp"
#include "histogram_bench.cuh"
#include "segment_offsets.cuh"

#include <parprims/segmented_weighted_histogram.hpp>
#include <parprims/weighted_histogram_along.hpp>

#include <cuda/std/array>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench {

namespace {

/// Floats whose lines of `line` samples are spread so, and one histogram of them all.
struct lines_bench {
    report& out;
    const options& asked;
    unsigned bins;
    spread how;
    std::size_t n;
    pp::regular_axis<float> axis;
    pp::device_buffer<float> x;
    pp::device_buffer<std::uint32_t> ours, expected;

    lines_bench(report& to, const options& all, unsigned bins_of_line, spread of_samples, std::size_t line)
        : out(to), asked(all), bins(bins_of_line), how(of_samples), n(large(all)), axis(bins, 0.0f, 1.0f),
          x(filled<float>(n, sample_of<float>{{bins, how, line}})), ours(2 * n), expected(bins)
    {
    }

    /// `call(policy)` makes `histograms` of them. `line(l)`: where samples of line l begin, and how many there are.
    template <class Call, class Line>
    void run(const char* work, const std::string& variant, std::size_t histograms, Call call, Line line)
    {
        if (histograms * bins > ours.size())
            throw std::length_error("more counters than there is room for");
        row next{.work = work,
                 .type = "f32",
                 .variant = variant,
                 .n = n,
                 .bytes = 4.0 * static_cast<double>(n + histograms * bins),
                 .reference = "histogram"};
        next.bins = bins;
        next.spread = spread_names[static_cast<int>(how)];
        measure(
            out, asked, next, pace{false, 4, 1}, [&](cudaStream_t stream, std::size_t) { call(pp::device.on(stream)); },
            [&](cudaStream_t stream, std::size_t) {
                pp::histogram(pp::device.on(stream), x.data(), x.data() + n, axis, expected.data());
            },
            [&] {
                call(pp::device);
                bool are_right = true;
                for (const std::size_t l : {std::size_t{0}, histograms / 3, histograms / 2, histograms - 1}) {
                    const auto [first, size] = line(l);
                    pp::histogram(pp::device, first, first + size, axis, expected.data());
                    are_right = are_right && agree(ours.data() + l * bins, expected.data(), bins);
                }
                return are_right;
            });
    }

    void segments(std::size_t size)
    {
        run(
            "segmented_histogram", std::to_string(size) + " each", n / size,
            [&](const auto& policy) {
                pp::segmented_histogram(policy, x.data(), x.data() + n / size * size, size, axis, ours.data());
            },
            [&](std::size_t l) { return std::pair(x.data() + l * size, static_cast<std::ptrdiff_t>(size)); });
    }

    void segments(const std::string& lengths, const std::vector<std::int64_t>& host_offsets)
    {
        const auto offsets = pp::to_device(host_offsets);
        run(
            "segmented_histogram", lengths, host_offsets.size() - 1,
            [&](const auto& policy) { pp::segmented_histogram(policy, x, offsets, axis, ours.data()); },
            [&](std::size_t l) {
                return std::pair(x.data() + host_offsets[l], host_offsets[l + 1] - host_offsets[l]);
            });
    }

    void along(unsigned dimension, std::size_t columns)
    {
        const std::size_t rows = n / columns;
        const bool of_columns = dimension == 0;
        run(
            "histogram along a dimension",
            std::to_string(rows) + " x " + std::to_string(columns) + (of_columns ? ", columns" : ", rows"),
            of_columns ? columns : rows,
            [&](const auto& policy) {
                pp::histogram(policy, pp::matrix(x.data(), rows, columns), pp::along(dimension), axis, ours.data());
            },
            [&](std::size_t l) {
                const auto stride = static_cast<std::ptrdiff_t>(of_columns ? columns : 1);
                return std::pair(pp::strided_iterator(x.data() + l * (of_columns ? 1 : columns), stride),
                                 static_cast<std::ptrdiff_t>(of_columns ? rows : columns));
            });
    }
};

/// Weights in `bins` bins for each segment of `size` samples, beside one histogram of all weights.
void weighted_segments(report& out, const options& asked, unsigned bins, std::size_t size)
{
    const std::size_t n = large(asked) / size * size;
    const auto x = filled<float>(n, sample_of<float>{{bins, spread::uniform, n}});
    const auto weights = filled<float>(n, random_value<float>{{9}});
    const pp::regular_axis axis(bins, 0.0f, 1.0f);
    pp::device_buffer<float> ours(n / size * bins), one(bins);
    row next{.work = "segmented_weighted_histogram",
             .type = "f32",
             .variant = std::to_string(size) + " each",
             .n = n,
             .bytes = 4.0 * static_cast<double>(2 * n + ours.size()),
             .reference = "weighted_histogram"};
    next.bins = bins;
    next.spread = spread_names[static_cast<int>(spread::uniform)];
    const auto call = [&](const auto& policy) {
        pp::segmented_weighted_histogram(policy, x, size, weights.data(), axis, ours.data());
    };
    measure(
        out, asked, next, pace{false, 4, 1}, [&](cudaStream_t stream, std::size_t) { call(pp::device.on(stream)); },
        [&](cudaStream_t stream, std::size_t) {
            pp::weighted_histogram(pp::device.on(stream), x, weights.data(), axis, one.data());
        },
        [&] {
            call(pp::device);
            bool are_right = true;
            for (const std::size_t s : {std::size_t{0}, n / size / 3, n / size - 1}) {
                const std::size_t first = s * size;
                pp::weighted_histogram(pp::device, x.data() + first, x.data() + first + size, weights.data() + first,
                                       axis, one.data());
                are_right = are_right && agree(ours.data() + s * bins, one.data(), bins);
            }
            return are_right;
        });
}

/// Weights in `bins` bins for each column of a matrix, or for each row, beside one histogram of all weights.
void weighted_lines(report& out, const options& asked, unsigned bins, std::size_t columns, unsigned dimension)
{
    const std::size_t rows = large(asked) / columns, n = rows * columns;
    const std::size_t lines = dimension == 0 ? columns : rows;
    const auto x = filled<float>(n, sample_of<float>{{bins, spread::uniform, n}});
    const auto weights = filled<float>(n, random_value<float>{{9}});
    const pp::regular_axis axis(bins, 0.0f, 1.0f);
    pp::device_buffer<float> ours(lines * bins), one(bins);
    row next{.work = "weighted_histogram along a dimension",
             .type = "f32",
             .variant =
                 std::to_string(rows) + " x " + std::to_string(columns) + (dimension == 0 ? ", columns" : ", rows"),
             .n = n,
             .bytes = 4.0 * static_cast<double>(2 * n + ours.size()),
             .reference = "weighted_histogram"};
    next.bins = bins;
    next.spread = spread_names[static_cast<int>(spread::uniform)];
    const auto matrix_of = [&](const auto& of) { return pp::matrix(of.data(), rows, columns); };
    const auto call = [&](const auto& policy) {
        pp::weighted_histogram(policy, matrix_of(x), pp::along(dimension), matrix_of(weights), axis, ours.data());
    };
    measure(
        out, asked, next, pace{false, 4, 1}, [&](cudaStream_t stream, std::size_t) { call(pp::device.on(stream)); },
        [&](cudaStream_t stream, std::size_t) {
            pp::weighted_histogram(pp::device.on(stream), x, weights.data(), axis, one.data());
        },
        [&] {
            call(pp::device);
            bool are_right = true;
            for (const std::size_t l : {std::size_t{0}, lines / 3, lines - 1}) {
                const auto stride = static_cast<std::ptrdiff_t>(dimension == 0 ? columns : 1);
                const std::size_t first = l * (dimension == 0 ? 1 : columns);
                const pp::strided_iterator samples(x.data() + first, stride);
                pp::weighted_histogram(pp::device, samples, samples + static_cast<std::ptrdiff_t>(n / lines),
                                       pp::strided_iterator(weights.data() + first, stride), axis, one.data());
                are_right = are_right && agree(ours.data() + l * bins, one.data(), bins);
            }
            return are_right;
        });
}

/// `Counted` of `Channels` channels of bytes, 256 bins each. Images lie above one another, their rows a gap apart.
template <int Channels, int Counted>
void channels(report& out, const options& asked, spread how_spread)
{
    const std::size_t columns = 7680, rows = asked.quick ? 135 : std::size_t{16} * 4320;
    const std::size_t pitch = (columns * Channels + 511) / 256 * 256;
    const auto x = filled<std::uint8_t>(rows * pitch, sample_of<std::uint8_t>{{256, how_spread, rows * pitch}});
    const pp::strided_view image(x.data(), {rows, columns, std::size_t{Counted}},
                                 {pitch, std::size_t{Channels}, std::size_t{1}});
    const pp::integer_axis values(0, 256);
    pp::device_buffer<std::uint32_t> ours(256 * Counted), cubs(256 * Counted);
    cuda::std::array<std::uint32_t*, Counted> counts;
    cuda::std::array<int, Counted> levels, lower, upper;
    for (int c = 0; c < Counted; ++c)
        counts[c] = cubs.data() + 256 * c;
    levels.fill(257);
    lower.fill(0);
    upper.fill(256);
    const auto cub_call = [&](void* place, std::size_t& needed, cudaStream_t stream) {
        check(cub::DeviceHistogram::MultiHistogramEven<Channels, Counted>(place, needed, x.data(), counts, levels,
                                                                          lower, upper, static_cast<int>(columns),
                                                                          static_cast<int>(rows), pitch, stream));
    };
    auto scratch = cub_scratch([&](void* place, std::size_t& needed) { cub_call(place, needed, nullptr); });
    std::size_t scratch_bytes = scratch.size();
    row next{.work = "channel_histograms",
             .type = "u8",
             .variant = std::to_string(Counted) + " of " + std::to_string(Channels) + " channels",
             .n = rows * columns * Counted,
             .bytes = static_cast<double>(rows * columns * Channels),
             .reference = "CUB"};
    next.bins = 256;
    next.spread = spread_names[static_cast<int>(how_spread)];
    measure(
        out, asked, next, pace{false, 4, 1},
        [&](cudaStream_t stream, std::size_t) {
            const auto policy = pp::device.on(stream);
            if constexpr (Counted == 4)
                pp::channel_histograms(policy, image, ours.data(), values, values, values, values);
            else
                pp::channel_histograms(policy, image, ours.data(), values, values, values);
        },
        [&](cudaStream_t stream, std::size_t) { cub_call(scratch.data(), scratch_bytes, stream); },
        [&] { return agree(ours.data(), cubs.data(), ours.size()); });
}

}  // namespace

void many_histograms(report& out, const options& asked)
{
    for (const spread each : all_spreads)
        lines_bench(out, asked, 256, each, 65536).segments(65536);
    {
        lines_bench lines(out, asked, 256, spread::uniform, 65536);
        for (const std::size_t size : {1000, 1 << 20})
            lines.segments(size);
        for (const std::size_t columns : {100, 16384})
            lines.along(0, columns);
        lines.along(1, 16384);
    }
    {
        lines_bench short_lines(out, asked, 16, spread::uniform, 65536);
        short_lines.segments(64);
        for (const auto& [lengths, offsets] : three_kinds(short_lines.n))
            short_lines.segments(lengths, offsets);
    }
    weighted_segments(out, asked, 64, 65536);
    weighted_segments(out, asked, 16, 256);
    weighted_lines(out, asked, 256, 16384, 0);
    weighted_lines(out, asked, 256, 16384, 1);
    for (const spread each : some_spreads) {
        channels<4, 4>(out, asked, each);
        channels<4, 3>(out, asked, each);
        channels<3, 3>(out, asked, each);
    }
}

}  // namespace bench
