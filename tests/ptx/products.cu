/// @file
/// @brief  Kernels in which a product is made just before it is added: none may be fused. Compiled to PTX, never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

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

template <class T>
void sum_of_squares(const T* first, const T* last, T* out)
{
    pp::transform_reduce_into(pp::device, first, last, out, T(0.0f), add{}, square{});
    pp::transform_reduce_into(pp::device, first, last, out, T(0.0f), pp::plus{}, square{});
}
template void sum_of_squares(const float*, const float*, float*);
template void sum_of_squares(const double*, const double*, double*);
template void sum_of_squares(const __half*, const __half*, __half*);
template void sum_of_squares(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16*);

void other_forms(const float* first, const float* last, float* out, moments* moment)
{
    const pp::transform_iterator squares(first, square{});
    const pp::transform_iterator end(last, square{});
    pp::reduce_into(pp::device, squares, end, out, 0.0f, add{});
    pp::reduce_into(pp::device, first, last, moment, moments(0.0f));
    pp::transform_inclusive_scan(pp::device, first, last, out, add{}, square{});
    pp::inclusive_scan(pp::device, squares, end, out, add{});
}
