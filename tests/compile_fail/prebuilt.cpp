// Plain C++ calls of what only nvcc can compile.
//
// expect unlisted_operator: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_type: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_type_in_scan: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_segments: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_axis: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_weights: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_values: parprims: this call is not in the compiled library; compile this file as CUDA
// expect init_of_int: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_double: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_double_in_scan: parprims: init and out must have the type of the elements, as 0.0f has for float
// compiles -Werror=useless-cast
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/profile.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/weighted_histogram.hpp>

namespace pp = parprims;

template <class T>
void calls(const T* first, const T* last, T* out, unsigned long long* counts)
{
    (void)pp::reduce(pp::device, first, last, T{});
    pp::reduce_into(pp::device, first, last, out, T{}, pp::maximum{});
    pp::inclusive_scan(pp::device, first, last, out);
    pp::exclusive_scan(pp::device.with(pp::three_phase_scan{}), first, last, out, T{});
    pp::histogram(pp::device, first, last, pp::regular_axis<T>(4, 0, 8).with_flow(), counts);
    pp::segmented_reduce(pp::device, first, last, 2, out, T{});
    pp::segmented_reduce(pp::device, first, last, counts, counts + 3, out, T{});
    pp::minmax_element_into(pp::device, first, last, counts);
}
template <class T, class Sum>
void weighted_calls(const T* first, const T* last, Sum* sums, pp::weighted_sum<Sum>* pairs, pp::profile_bin<Sum>* bins)
{
    const pp::regular_axis<T> axis(4, 0, 8);
    pp::weighted_histogram(pp::device, first, last, first, axis, sums);
    pp::weighted_histogram(pp::device, first, last, first, axis, pairs);
    pp::profile(pp::device, first, last, first, axis, bins);
}
template void weighted_calls(const float*, const float*, float*, pp::weighted_sum<float>*, pp::profile_bin<float>*);
template void weighted_calls(const float*, const float*, double*, pp::weighted_sum<double>*, pp::profile_bin<double>*);
template void weighted_calls(const double*, const double*, float*, pp::weighted_sum<float>*, pp::profile_bin<float>*);
template void weighted_calls(const double*, const double*, double*, pp::weighted_sum<double>*,
                             pp::profile_bin<double>*);
template void calls(const float*, const float*, float*, unsigned long long*);
template void calls(const long*, const long*, long*, unsigned long long*);
template void calls(const long long*, const long long*, long long*, unsigned long long*);
template void calls(const unsigned long long*, const unsigned long long*, unsigned long long*, unsigned long long*);

void wrong_calls([[maybe_unused]] const float* first, [[maybe_unused]] const float* last, [[maybe_unused]] float* out,
                 [[maybe_unused]] const short* narrow, [[maybe_unused]] unsigned* counts)
{
#if defined(unlisted_operator)
    (void)pp::reduce(pp::device, first, last, 1.0f, [](float a, float b) { return a * b; });
#elif defined(unlisted_type)
    (void)pp::reduce(pp::device, narrow, narrow + 4, short{0});
#elif defined(unlisted_type_in_scan)
    pp::inclusive_scan(pp::device, narrow, narrow + 4, out);
#elif defined(unlisted_segments)
    pp::segmented_reduce(pp::device, first, last, 2, out, 0.0f, pp::minimum{});
#elif defined(unlisted_axis)
    const auto residue = pp::function_axis(7, [](float x) { return static_cast<int>(x) % 7; });
    pp::histogram(pp::device, first, last, residue, counts);
#elif defined(unlisted_weights)
    pp::weighted_histogram(pp::device, first, last, narrow, pp::regular_axis(4, 0.0f, 8.0f), out);
#elif defined(unlisted_values)
    pp::profile(pp::device, first, last, narrow, pp::regular_axis(4, 0.0f, 8.0f),
                static_cast<pp::profile_bin<float>*>(nullptr));
#elif defined(init_of_int)
    (void)pp::reduce(pp::device, first, last, 0);
#elif defined(init_of_double)
    pp::reduce_into(pp::device, first, last, out, 0.0);
#elif defined(init_of_double_in_scan)
    pp::exclusive_scan(pp::device, first, last, out, 0.0);
#endif
}
