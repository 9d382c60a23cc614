// Exact sums beside sums by plus, of parprims as well: of numbers, of products, of segments, and few of them in a graph.
#include "groups.hpp"
#include "reduce_bench.cuh"

#include <parprims/exact_plus.hpp>
#include <parprims/segmented.hpp>

namespace bench {

namespace {

/// Measures `sum(policy, first, other, out, op)` with exact_plus and with plus. The results agree as those of two orders do.
template <class T, class Sum>
void bench_exact(report& out, const options& asked, row next, std::size_t results, Sum sum)
{
    const pace how = pace_of(next.n, next.bytes);
    const std::size_t room = slices<T>::stride(next.n) * how.slices;
    const auto x = filled<T>(room, random_value<T>{{11}});
    const bool has_products = next.work == "exact inner product";
    const auto y = filled<T>(has_products ? room : 0, random_value<T>{{12}});
    // A product has up to 24 bits, a value 12.
    const double tolerance = (has_products ? 1 << 12 : 1) * sum_tolerance<T>(next.n);
    pp::device_buffer<T> exact(slices<T>::stride(results) * how.slices), plain(exact.size());
    const slices<const T> in{x.data(), next.n}, others{y.data(), next.n};
    const slices<T> to{exact.data(), results}, to_plain{plain.data(), results};
    next.reference = "plus";
    measure(
        out, asked, next, how,
        [&](cudaStream_t stream, std::size_t slice) {
            sum(pp::device.on(stream), in[slice], others[slice], to[slice], pp::exact_plus{});
        },
        [&](cudaStream_t stream, std::size_t slice) {
            sum(pp::device.on(stream), in[slice], others[slice], to_plain[slice], pp::plus{});
        },
        [&] { return agree(to[how.slices - 1], to_plain[how.slices - 1], results, tolerance); });
}

template <class T>
void bench_exact_type(report& out, const options& asked, const std::string& type)
{
    const auto row_of = [&](const char* work, std::size_t n, std::size_t inputs, const char* variant = "") {
        return row{.work = work,
                   .type = type,
                   .variant = variant,
                   .n = n,
                   .bytes = static_cast<double>(inputs * n * sizeof(T))};
    };
    const auto bench_sum = [&](std::size_t n) {
        bench_exact<T>(out, asked, row_of("exact sum", n, 1), 1,
                       [n](const auto& policy, const T* x, const T*, T* to, auto op) {
                           pp::reduce_into(policy, x, x + n, to, T{}, op);
                       });
    };
    for (const unsigned k : {10, 12, 14, 16, 20, 24})
        bench_sum(std::size_t{1} << k);
    const std::size_t n = large(asked);
    bench_sum(n);
    bench_exact<T>(out, asked, row_of("exact inner product", n / 2, 2), 1,
                   [n](const auto& policy, const T* x, const T* y, T* to, auto op) {
                       const pp::zip_iterator pairs(x, y);
                       pp::transform_reduce_into(policy, pairs, pairs + static_cast<std::ptrdiff_t>(n / 2), to, T{}, op,
                                                 pp::detail::of_pair<pp::multiplies>{});
                   });
    constexpr std::pair<std::size_t, const char*> lengths[] = {
        {16, "16 each"}, {100, "100 each"}, {1000, "1000 each"}, {65536, "65536 each"}};
    for (const auto& [size, variant] : lengths)
        bench_exact<T>(out, asked, row_of("exact segmented_reduce", n, 1, variant), (n + size - 1) / size,
                       [n, size = size](const auto& policy, const T* x, const T*, T* to, auto op) {
                           pp::segmented_reduce(policy, x, x + n, size, to, T{}, op);
                       });
}

}  // namespace

void exact_sums(report& out, const options& asked)
{
    bench_exact_type<float>(out, asked, "f32");
    bench_exact_type<double>(out, asked, "f64");
}

}  // namespace bench
