/// @file
/// @brief  Kernels in which a product is made just before it is added: none may be fused. And one whose loads were lost. Compiled to PTX,
///         never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <parprims/axis.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include <cstddef>
#include <cstdint>

namespace pp = parprims;

struct square {
    template <class T>
    __host__ __device__ T operator()(T x) const
    {
        return x * x;
    }
};

struct add {
    template <class T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

/// Made of what it sums up: the product is in the conversion.
struct moments {
    float sum, squares;
    __host__ __device__ moments(float x) : sum(x), squares(x * x) {}
    __host__ __device__ moments(float s, float q) : sum(s), squares(q) {}
    __host__ __device__ friend moments operator+(const moments& a, const moments& b)
    {
        return {a.sum + b.sum, a.squares + b.squares};
    }
};

/// A product once it is converted; `plus` of two of them adds up two products.
template <class T>
struct reading {
    T raw, gain;
    __host__ __device__ reading(T x) : raw(x), gain(1) {}
    __host__ __device__ operator T() const { return raw * gain; }
};

template <class Op, class T>
void sum_of_squares(const T* first, const T* last, T* out)
{
    pp::transform_reduce_into(pp::device, first, last, out, T(0.0f), Op{}, square{});
}
template void sum_of_squares<add>(const float*, const float*, float*);
template void sum_of_squares<pp::plus>(const float*, const float*, float*);
template void sum_of_squares<pp::plus>(const double*, const double*, double*);
template void sum_of_squares<pp::plus>(const __half*, const __half*, __half*);
template void sum_of_squares<add>(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*);

struct exceeds_one {
    __host__ __device__ bool operator()(float x) const { return x - 1.0f > 0; }
};
struct is_nearer_to_one {
    __host__ __device__ bool operator()(float a, float b) const { return fabsf(a - 1.0f) < fabsf(b - 1.0f); }
};

void elements(const float* first, const float* last, float* out, std::size_t* count)
{
    const pp::transform_iterator squares(first, square{});
    const pp::transform_iterator end(last, square{});
    pp::copy_if_into(pp::device, squares, end, out, count, exceeds_one{});
    pp::copy_if_into(pp::device, pp::strided_iterator(squares, 2), pp::strided_iterator(squares, 2, 9), out, count,
                     exceeds_one{});
    pp::minmax_element_into(pp::device, squares, end, count, is_nearer_to_one{});
    pp::min_element_into(pp::device, pp::strided_iterator(squares, 2), pp::strided_iterator(squares, 2, 9), count,
                         is_nearer_to_one{});
}

void other_forms(const float* first, const float* last, float* out, moments* moment)
{
    const pp::transform_iterator squares(first, square{});
    const pp::transform_iterator end(last, square{});
    pp::reduce_into(pp::device, squares, end, out, 0.0f, add{});
    pp::reduce_into(pp::device, first, last, moment, moments(0.0f));
    pp::transform_inclusive_scan(pp::device, first, last, out, add{}, square{});
    pp::inclusive_scan(pp::device, squares, end, out, add{});
}

void sums_of_readings(const reading<float>* first, const reading<float>* last, float* out, reading<float>* readings)
{
    pp::reduce_into(pp::device, first, last, out, 0.0f);
    pp::exclusive_scan(pp::device, first, last, out, 0.0f);
    pp::exclusive_scan(pp::device.with(pp::three_phase_scan{}), first, last, out, 0.0f);
    pp::reduce_into(pp::device, first, last, readings, reading<float>(0));
    pp::inclusive_scan(pp::device, first, last, readings);
}

void sums_of_readings(const reading<double>* first, const reading<double>* last, double* out)
{
    pp::exclusive_scan(pp::device, first, last, out, 0.0);
}

/// A sample of 16 bits that is a product once it is converted.
struct tenths {
    short count;
    __host__ __device__ operator float() const { return static_cast<float>(count) * 0.1f; }
};

template <class T>
void count_tenths(const tenths* first, const tenths* last, unsigned* counts, const pp::regular_axis<T>& axis)
{
    pp::histogram(pp::device, first, last, axis, counts);
}
template void count_tenths(const tenths*, const tenths*, unsigned*, const pp::regular_axis<float>&);
template void count_tenths(const tenths*, const tenths*, unsigned*, const pp::regular_axis<int>&);

/// Floats beside bytes: the words of bytes are used.
void count_pairs(const float* x, const std::uint8_t* y, std::size_t n, unsigned* counts)
{
    const pp::product_axis axis(pp::regular_axis(3, 0.0f, 100.0f), pp::regular_axis(5, 0, 200));
    const pp::zip_iterator pairs(x, y);
    pp::histogram(pp::device, pairs, pairs + static_cast<std::ptrdiff_t>(n), axis, counts);
}
