// Plain C++ calls by key and segmented scans: those that the library has, and some that only nvcc can compile.
//
// expect unlisted_operator: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_equality: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_keys: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_count: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_equality_of_runs: parprims: this call is not in the compiled library; compile this file as CUDA
// expect unlisted_lengths: parprims: this call is not in the compiled library; compile this file as CUDA
// expect values_of_another_type: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect unlisted_segmented_scan: parprims: this call is not in the compiled library; compile this file as CUDA
// expect init_of_double: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect init_of_int_in_segmented_scan: parprims: init and out must have the type of the elements, as 0.0f has for float
// compiles -Werror=useless-cast
#include <parprims/by_key.hpp>
#include <parprims/run_length_encode.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/unique_copy.hpp>

namespace pp = parprims;

template <class Key, class T>
void calls(const Key* keys, const T* values, Key* keys_out, T* out)
{
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, values, keys_out, out);
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, values, out);
    pp::exclusive_scan_by_key(pp::device, keys, keys + 4, values, out, T{});
    pp::reduce_by_key_into(pp::device, keys, keys + 4, values, keys_out, out, keys_out + 4);
    (void)pp::unique_copy(pp::device, values, values + 4, out);
    pp::unique_copy_into(pp::device, pp::sized_on_device(values, keys, 4), out, keys_out);
    (void)pp::run_length_encode(pp::device, keys, keys + 4, keys_out, reinterpret_cast<int*>(out));
    pp::segmented_inclusive_scan(pp::device, values, values + 4, 2, out);
    pp::segmented_exclusive_scan(pp::device, values, values + 4, keys, keys + 3, out, T{});
}
template void calls(const int*, const float*, int*, float*);
template void calls(const unsigned*, const unsigned*, unsigned*, unsigned*);
template void calls(const long*, const long long*, long*, long long*);
template void calls(const unsigned long long*, const double*, unsigned long long*, double*);

void wrong_calls([[maybe_unused]] const int* keys, [[maybe_unused]] const float* values, [[maybe_unused]] int* keys_out,
                 [[maybe_unused]] float* out)
{
#if defined(unlisted_operator)
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, values, keys_out, out, pp::equal_to{}, pp::maximum{});
#elif defined(unlisted_equality)
    const auto near = [](int a, int b) { return a / 2 == b / 2; };
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, values, out, near);
#elif defined(unlisted_keys)
    (void)pp::reduce_by_key(pp::device, values, values + 4, values, out, out + 4);
#elif defined(unlisted_count)
    pp::reduce_by_key_into(pp::device, keys, keys + 4, values, keys_out, out, out + 4);
#elif defined(unlisted_equality_of_runs)
    const auto near = [](int a, int b) { return a / 2 == b / 2; };
    (void)pp::unique_copy(pp::device, keys, keys + 4, keys_out, near);
#elif defined(unlisted_lengths)
    (void)pp::run_length_encode(pp::device, keys, keys + 4, keys_out, out);
#elif defined(values_of_another_type)
    (void)pp::unique_copy(pp::device, keys, keys + 4, out);
#elif defined(unlisted_segmented_scan)
    pp::segmented_inclusive_scan(pp::device, values, values + 4, 2, out, pp::maximum{});
#elif defined(init_of_double)
    pp::exclusive_scan_by_key(pp::device, keys, keys + 4, values, out, 0.0);
#elif defined(init_of_int_in_segmented_scan)
    pp::segmented_exclusive_scan(pp::device, values, values + 4, 2, out, 0);
#endif
}
