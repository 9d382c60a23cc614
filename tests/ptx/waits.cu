/// @file
/// @brief  Calls whose size or init lies in device memory: each of their kernels waits for those before it, one of which writes the size.
///         A call of each kernel template, with the values that nvcc takes least time for. Compiled to PTX, never run.
#include <parprims/axis.hpp>
#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_extremes.hpp>
#include <parprims/segmented_histogram.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/segmented_weighted_histogram.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/transform.hpp>
#include <parprims/weighted_histogram.hpp>

#include <cstddef>

namespace pp = parprims;

constexpr std::size_t bound = 1 << 28;

struct square {
    __host__ __device__ double operator()(double x) const { return x * x; }
};
struct exceeds_one {
    __host__ __device__ bool operator()(double x) const { return x > 1; }
};

void elements(const double* first, const unsigned* count, double* out, unsigned* kept)
{
    const auto range = pp::sized_on_device(first, count, bound);
    pp::transform(pp::device, range, out, square{});
    pp::copy_if_into(pp::device, range, out, kept, exceeds_one{});
    pp::minmax_element_into(pp::device, range, kept);
    pp::transform_reduce_into(pp::device, range, out, pp::value_at(out), pp::plus{}, square{});
    pp::reduce_into(pp::device, range, out, pp::value_at(first), pp::exact_plus{});
    pp::exclusive_scan(pp::device, range, out, pp::value_at(first));
}

void runs(const unsigned* keys, const double* values, const unsigned* count, double* out, unsigned* number)
{
    const auto range = pp::sized_on_device(keys, count, bound);
    pp::reduce_by_key_into(pp::device, range.begin(), range.end(), values, number + 1, out, number);
    pp::exclusive_scan_by_key(pp::device, range.begin(), range.end(), values, out, pp::value_at(values));
}

void bins(const unsigned* first, const double* weights, const unsigned* count, unsigned* counts, double* sums)
{
    const auto range = pp::sized_on_device(first, count, bound);
    const pp::integer_axis axis(0u, 10u);
    pp::histogram(pp::device, range, axis, counts);
    pp::weighted_histogram(pp::device, range, weights, axis, sums);
}

void segments(const double* first, const unsigned* samples, const double* weights, const unsigned* offsets,
              const unsigned* count, double* out, unsigned* counts)
{
    const auto range = pp::sized_on_device(offsets, count, bound);
    pp::segmented_reduce(pp::device, first, first + bound, range.begin(), range.end(), out, 0.0);
    pp::segmented_reduce(pp::device, first, first + bound, range.begin(), range.end(), out, 0.0, pp::exact_plus{});
    pp::segmented_min_element(pp::device, samples, samples + bound, range.begin(), range.end(), counts);
    pp::segmented_inclusive_scan(pp::device, first, first + bound, range.begin(), range.end(), out);
    const pp::integer_axis axis(0u, 10u);
    pp::segmented_histogram(pp::device, samples, samples + bound, range.begin(), range.end(), axis, counts);
    pp::segmented_weighted_histogram(pp::device, samples, samples + bound, range.begin(), range.end(), weights, axis,
                                     out);
}
