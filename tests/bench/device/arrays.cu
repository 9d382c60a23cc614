// Sums, places of maxima and scans along the dimensions of a matrix, beside one call over all of its elements.
#include "device_support.cuh"
#include "groups.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

namespace {

/// A matrix whose rows begin `pitch` elements apart, and the dimension of its lines.
struct matrix_lines {
    std::size_t rows, columns, pitch;
    unsigned along;

    std::size_t lines() const { return along == 0 ? columns : rows; }
    std::ptrdiff_t length() const { return static_cast<std::ptrdiff_t>(along == 0 ? rows : columns); }
    template <class T>
    auto line(T* first, std::size_t l) const
    {
        const auto stride = static_cast<std::ptrdiff_t>(along == 0 ? pitch : 1);
        return pp::strided_iterator(first + l * (along == 0 ? 1 : pitch), stride);
    }
    std::string name() const
    {
        const std::string gap = pitch == columns ? "" : " of " + std::to_string(pitch) + " in memory";
        return std::to_string(rows) + " x " + std::to_string(columns) + gap + (along == 0 ? ", columns" : ", rows");
    }
    /// Whether `is_right(line)` of a few lines.
    template <class IsRight>
    bool agree(IsRight is_right) const
    {
        const std::size_t some[] = {0, lines() / 3, lines() / 2, lines() - 1};
        return std::all_of(some, some + 4, is_right);
    }
};

template <class T>
T read_back(const T* place)
{
    T value;
    check(cudaMemcpy(&value, place, sizeof(T), cudaMemcpyDeviceToHost));
    return value;
}

struct arrays_bench {
    report& out;
    const options& asked;
    pp::device_buffer<float> x, results, lines;
    pp::device_buffer<std::uint32_t> places;

    arrays_bench(report& to, const options& how)
        : out(to), asked(how), x(filled<float>(large(how), random_value<float>{{14}})), results(x.size()),
          lines(2 * x.size()), places(x.size())
    {
    }

    template <class Ours, class Theirs, class IsRight>
    void beside_one_call(const char* work, const matrix_lines& matrix, std::size_t moved, const char* reference,
                         Ours ours, Theirs theirs, IsRight is_right)
    {
        row next{.work = work,
                 .type = "f32",
                 .variant = matrix.name(),
                 .n = matrix.rows * matrix.columns,
                 .bytes = static_cast<double>(moved * sizeof(float)),
                 .reference = reference};
        measure(
            out, asked, next, pace{false, 4, 1}, [&](cudaStream_t stream, std::size_t) { ours(pp::device.on(stream)); },
            [&](cudaStream_t stream, std::size_t) { theirs(pp::device.on(stream)); },
            [&] {
                ours(pp::device);
                return matrix.agree(is_right);
            });
    }

    void reduce(const matrix_lines& matrix)
    {
        const auto view = pp::matrix(x.data(), matrix.rows, matrix.columns, matrix.pitch);
        const std::size_t n = matrix.rows * matrix.columns;
        const auto reduce_all = [&](const auto& policy) {
            pp::reduce_into(policy, x.data(), x.data() + n, lines.data(), 0.0f);
        };
        beside_one_call(
            "reduce along a dimension", matrix, n + matrix.lines(), "reduce",
            [&](const auto& policy) { pp::reduce(policy, view, pp::along(matrix.along), results.data(), 0.0f); },
            reduce_all,
            [&](std::size_t l) {
                const auto line = matrix.line(x.data(), l);
                return read_back(results.data() + l) == pp::reduce(pp::device, line, line + matrix.length(), 0.0f);
            });
        beside_one_call(
            "max_element along a dimension", matrix, n + matrix.lines(), "reduce",
            [&](const auto& policy) { pp::max_element(policy, view, pp::along(matrix.along), places.data()); },
            reduce_all,
            [&](std::size_t l) {
                const auto line = matrix.line(x.data(), l);
                const auto found = pp::max_element(pp::device, line, line + matrix.length()) - line;
                return read_back(places.data() + l) == static_cast<std::uint32_t>(found);
            });
    }

    /// Beside the exact sum of all elements.
    void exact_sums(const matrix_lines& matrix)
    {
        const std::size_t n = matrix.rows * matrix.columns;
        beside_one_call(
            "exact sums along a dimension", matrix, n + matrix.lines(), "exact reduce",
            [&](const auto& policy) {
                pp::reduce(policy, pp::matrix(x.data(), matrix.rows, matrix.columns, matrix.pitch),
                           pp::along(matrix.along), results.data(), 0.0f, pp::exact_plus{});
            },
            [&](const auto& policy) {
                pp::reduce_into(policy, x.data(), x.data() + n, lines.data(), 0.0f, pp::exact_plus{});
            },
            [&](std::size_t l) {
                const auto line = matrix.line(x.data(), l);
                return read_back(results.data() + l) ==
                       pp::reduce(pp::device, line, line + matrix.length(), 0.0f, pp::exact_plus{});
            });
    }

    void scan(const matrix_lines& matrix)
    {
        const std::size_t n = matrix.rows * matrix.columns;
        const auto target = pp::matrix(results.data(), matrix.rows, matrix.columns, matrix.pitch);
        float* const other = lines.data() + x.size();
        beside_one_call(
            "inclusive_scan along a dimension", matrix, 2 * n, "inclusive_scan",
            [&](const auto& policy) {
                pp::inclusive_scan(policy, pp::matrix(x.data(), matrix.rows, matrix.columns, matrix.pitch),
                                   pp::along(matrix.along), target);
            },
            [&](const auto& policy) { pp::inclusive_scan(policy, x.data(), x.data() + n, lines.data()); },
            [&](std::size_t l) {
                const auto line = matrix.line(x.data(), l), scanned = matrix.line(results.data(), l);
                pp::inclusive_scan(pp::device, line, line + matrix.length(), lines.data());
                pp::transform(pp::device, scanned, scanned + matrix.length(), other, pp::identity{});
                return agree(lines.data(), other, static_cast<std::size_t>(matrix.length()));
            });
    }
};

}  // namespace

void arrays(report& out, const options& asked)
{
    const std::size_t n = large(asked);
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    arrays_bench bench(out, asked);
    for (const unsigned along : {0u, 1u}) {
        for (const std::size_t columns : {std::size_t{3}, std::size_t{8}, std::size_t{33}, std::size_t{100},
                                          std::size_t{1000}, side, side + 1, n / 1000, n / 100, n / 8, n / 3})
            bench.reduce({n / columns, columns, columns, along});
        for (const std::size_t pitch : {4, 65, 1024})
            bench.reduce({n / pitch, pitch - 1, pitch, along});
        for (const std::size_t columns : {std::size_t{3}, std::size_t{100}, side, side + 1, n / 100})
            bench.scan({n / columns, columns, columns, along});
        for (const std::size_t columns : {std::size_t{3}, std::size_t{100}, side, n / 100})
            bench.exact_sums({n / columns, columns, columns, along});
    }
    for (const std::size_t pitch : {256, 1024, 2000})  // half of each row: the gaps are not read
        bench.reduce({n / pitch, pitch / 2, pitch, 1});
}

}  // namespace bench
