// Plain C++ calls of what only nvcc can compile.
//
// expect unlisted_operator: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_type: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_type_in_scan: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_segments: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_equality: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_keys: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_count: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_segmented_scan: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_axis: parprims: this histogram is not in the compiled library; compile this file as CUDA
// expect init_of_int: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_double: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_double_in_scan: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_double_by_key: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_int_in_segmented_scan: parprims: init and out must have the type of the elements, as 0.0f has for float
// compiles -Werror=useless-cast
#include <parprims/by_key.hpp>
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>

namespace pp = parprims;

template <class T>
void calls(const T* first, const T* last, T* out, unsigned long long* counts, const int* first_key, int* keys_out)
{
    (void)pp::reduce(pp::device, first, last, T{});
    pp::reduce_into(pp::device, first, last, out, T{}, pp::maximum{});
    pp::inclusive_scan(pp::device, first, last, out);
    pp::exclusive_scan(pp::device.with(pp::three_phase_scan{}), first, last, out, T{});
    pp::histogram(pp::device, first, last, pp::regular_axis<T>(4, 0, 8).with_flow(), counts);
    pp::segmented_reduce(pp::device, first, last, 2, out, T{});
    pp::segmented_reduce(pp::device, first, last, counts, counts + 3, out, T{});
    pp::minmax_element_into(pp::device, first, last, counts);
    (void)pp::reduce_by_key(pp::device, counts, counts + 4, first, counts + 8, out);
    (void)pp::reduce_by_key(pp::device, first_key, first_key + 4, first, keys_out, out);
    pp::inclusive_scan_by_key(pp::device, first_key, first_key + 4, first, out);
    pp::exclusive_scan_by_key(pp::device, counts, counts + 4, first, out, T{});
    pp::segmented_inclusive_scan(pp::device, first, last, 2, out);
    pp::segmented_exclusive_scan(pp::device, first, last, counts, counts + 3, out, T{});
}
template void calls(const float*, const float*, float*, unsigned long long*, const int*, int*);
template void calls(const long*, const long*, long*, unsigned long long*, const int*, int*);
template void calls(const long long*, const long long*, long long*, unsigned long long*, const int*, int*);
template void calls(const unsigned long long*, const unsigned long long*, unsigned long long*, unsigned long long*,
                    const int*, int*);

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
#elif defined(unlisted_equality)
    const auto near = [](unsigned a, unsigned b) { return a / 2 == b / 2; };
    pp::inclusive_scan_by_key(pp::device, counts, counts + 4, first, out, near);
#elif defined(unlisted_keys)
    (void)pp::reduce_by_key(pp::device, first, last, first, out, out + 4);
#elif defined(unlisted_count)
    pp::reduce_by_key_into(pp::device, counts, counts + 4, first, counts + 8, out, counts + 16);
#elif defined(unlisted_segmented_scan)
    pp::segmented_inclusive_scan(pp::device, first, last, 2, out, pp::maximum{});
#elif defined(unlisted_axis)
    const auto residue = pp::function_axis(7, [](float x) { return static_cast<int>(x) % 7; });
    pp::histogram(pp::device, first, last, residue, counts);
#elif defined(init_of_int)
    (void)pp::reduce(pp::device, first, last, 0);
#elif defined(init_of_double)
    pp::reduce_into(pp::device, first, last, out, 0.0);
#elif defined(init_of_double_in_scan)
    pp::exclusive_scan(pp::device, first, last, out, 0.0);
#elif defined(init_of_double_by_key)
    pp::exclusive_scan_by_key(pp::device, counts, counts + 4, first, out, 0.0);
#elif defined(init_of_int_in_segmented_scan)
    pp::segmented_exclusive_scan(pp::device, first, last, 2, out, 0);
#endif
}
