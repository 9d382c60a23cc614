// What cannot run on the GPU, given to a call on the device. Only nvcc knows what is marked for the GPU: then its error names a
// function of ours whose name is the sentence.
//
// expect host_operator: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_operator_of_scan: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect constexpr_operator: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_plus_of_struct: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_less_of_struct: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_unequal_of_struct: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect sum_of_complex: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_transform: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_transform_of_pairs: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_product_of_pairs: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_transform_iterator: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_transform_iterator_zipped: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_transform_iterator_strided: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_function_axis: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_conversion_of_element: conversions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_conversion_of_result: conversions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_iterator: iterators_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_half: axes_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect unmarked_lambda: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect unmarked_lambda_extended --extended-lambda: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect unmarked_lambda_in_iterator: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect unmarked_lambda_in_axis: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect mutable_operator: parprims: on the GPU op and transform_op must be callable as const objects
// expect mutable_operator_of_segments: parprims: on the GPU op and transform_op must be callable as const objects
// expect mutable_operator_by_key: parprims: on the GPU op and transform_op must be callable as const objects
// expect mutable_transform: parprims: on the GPU op and transform_op must be callable as const objects
// expect destructor: parprims: a value on the device must be trivially copyable
// expect std_pair: parprims: a value on the device must be trivially copyable
// expect std_tuple: parprims: a value on the device must be trivially copyable
// expect scattered_counters: parprims: the counters of a histogram on the device are contiguous in memory
// compiles --extended-lambda
#include <parprims/by_key.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>

#include <complex>
#include <tuple>
#include <utility>

namespace pp = parprims;

struct host_add {
    float operator()(float a, float b) const { return a + b; }
};
struct constexpr_add {
    constexpr float operator()(float a, float b) const { return a + b; }
};
struct host_square {
    float operator()(float x) const { return x * x; }
};
struct host_bin {
    int operator()(float x) const { return static_cast<int>(x); }
};
struct marked_add {
    PARPRIMS_HOST_DEVICE float operator()(float a, float b) const { return a + b; }
};
struct marked_square {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x * x; }
};
struct marked_bin {
    PARPRIMS_HOST_DEVICE int operator()(float x) const { return static_cast<int>(x); }
};

struct counted_add {
    int calls = 0;
    PARPRIMS_HOST_DEVICE float operator()(float a, float b) { return ++calls, a + b; }
    PARPRIMS_HOST_DEVICE float operator()(float x) { return ++calls, x; }
};

struct host_number {
    float value;
    host_number operator+(const host_number& other) const { return {value + other.value}; }
    host_number operator*(const host_number& other) const { return {value * other.value}; }
    bool operator<(const host_number& other) const { return value < other.value; }
};
struct marked_number {
    float value;
    PARPRIMS_HOST_DEVICE marked_number operator+(const marked_number& other) const { return {value + other.value}; }
    PARPRIMS_HOST_DEVICE marked_number operator*(const marked_number& other) const { return {value * other.value}; }
    PARPRIMS_HOST_DEVICE bool operator<(const marked_number& other) const { return value < other.value; }
    PARPRIMS_HOST_DEVICE bool operator!=(const marked_number& other) const { return value != other.value; }
};
struct half_marked_number {
    float value;
    PARPRIMS_HOST_DEVICE bool operator<(const half_marked_number& other) const { return value < other.value; }
    bool operator!=(const half_marked_number& other) const { return value != other.value; }
};
struct host_half_number {
    unsigned short bits;
    explicit operator float() const { return static_cast<float>(bits); }
};
struct host_converted {
    float value;
    host_converted() = default;
    host_converted(float x) : value(x) {}
};
struct plain_number {
    float value;
};
struct host_convertible {
    float value;
    operator plain_number() const { return {value}; }
};
struct add_values {
    PARPRIMS_HOST_DEVICE host_convertible operator()(const plain_number& a, const plain_number& b) const
    {
        return {a.value + b.value};
    }
};
struct with_destructor {
    float value;
    PARPRIMS_HOST_DEVICE ~with_destructor() {}
};
template <class T>
struct take_left {
    PARPRIMS_HOST_DEVICE T operator()(const T& a, const T&) const { return a; }
};
struct swap_both {
    PARPRIMS_HOST_DEVICE pp::tuple<float, float> operator()(const pp::tuple<const float&, float>& pair) const
    {
        return {pp::get<1>(pair), pp::get<0>(pair)};
    }
};
struct host_iota {
    using value_type = float;
    std::ptrdiff_t index;
    float operator*() const { return static_cast<float>(index); }
    friend host_iota operator+(host_iota it, std::ptrdiff_t n) { return {it.index + n}; }
    friend std::ptrdiff_t operator-(host_iota a, host_iota b) { return a.index - b.index; }
};

#if defined(host_operator)
float call(const float* x)
{
    return pp::reduce(pp::device, x, x + 4, 0.0f, host_add{});
}
#elif defined(host_operator_of_scan)
void call(float* x)
{
    pp::inclusive_scan(pp::device, x, x + 4, x, host_add{});
}
#elif defined(mutable_operator)
float call(const float* x)
{
    return pp::reduce(pp::device, x, x + 4, 0.0f, counted_add{});
}
#elif defined(mutable_operator_of_segments)
void call(const float* x, float* out)
{
    pp::segmented_reduce(pp::device, x, x + 4, 2, out, 0.0f, counted_add{});
}
#elif defined(mutable_operator_by_key)
void call(const float* x, float* out)
{
    pp::inclusive_scan_by_key(pp::device, x, x + 4, x, out, pp::equal_to{}, counted_add{});
}
#elif defined(mutable_transform)
void call(const float* x, float* out)
{
    pp::transform_inclusive_scan(pp::device, x, x + 4, out, pp::plus{}, counted_add{});
}
#elif defined(constexpr_operator)
float call(const float* x)
{
    return pp::reduce(pp::device, x, x + 4, 0.0f, constexpr_add{});
}
#elif defined(host_plus_of_struct)
host_number call(const host_number* x)
{
    return pp::reduce(pp::device, x, x + 4);
}
#elif defined(host_less_of_struct)
host_number call(const host_number* x)
{
    return pp::reduce(pp::device, x, x + 4, host_number{}, pp::minimum{});
}
#elif defined(host_unequal_of_struct)
using value = half_marked_number;
value call(const value* x)
{
    return pp::reduce(pp::device, x, x + 4, value{}, pp::minimum{});
}
#elif defined(sum_of_complex)
void call(std::complex<float>* z)
{
    pp::inclusive_scan(pp::device, z, z + 4, z);
}
#elif defined(host_transform)
float call(const float* x)
{
    return pp::transform_reduce(pp::device, x, x + 4, 0.0f, pp::plus{}, host_square{});
}
#elif defined(host_transform_of_pairs)
float call(const float* x)
{
    return pp::transform_reduce(pp::device, x, x + 4, x, 0.0f, pp::plus{}, host_add{});
}
#elif defined(host_product_of_pairs)
host_number call(const host_number* x)
{
    return pp::transform_reduce(pp::device, x, x + 4, x, host_number{}, take_left<host_number>{}, pp::multiplies{});
}
#elif defined(host_transform_iterator)
void call(const float* x, float* out)
{
    const pp::transform_iterator squares(x, host_square{});
    pp::inclusive_scan(pp::device, squares, squares + 4, out);
}
#elif defined(host_transform_iterator_zipped)
void call(const float* x, pp::tuple<float, float>* out)
{
    const pp::zip_iterator both(x, pp::transform_iterator(x, host_square{}));
    const pp::transform_iterator swapped(both, swap_both{});
    pp::inclusive_scan(pp::device, swapped, swapped + 4, out, take_left<pp::tuple<float, float>>{});
}
#elif defined(host_transform_iterator_strided)
float call(const float* x)
{
    const pp::strided_iterator each_second(pp::transform_iterator(x, host_square{}), 2);
    return pp::reduce(pp::device, each_second, each_second + 4);
}
#elif defined(host_function_axis)
void call(const float* x, unsigned* counts)
{
    pp::histogram(pp::device, x, x + 4, pp::function_axis(4, host_bin{}), counts);
}
#elif defined(host_conversion_of_element)
using value = host_converted;
value call(const float* x)
{
    return pp::reduce(pp::device, x, x + 4, value{}, take_left<value>{});
}
#elif defined(host_conversion_of_result)
void call(plain_number* x)
{
    pp::inclusive_scan(pp::device, x, x + 4, x, add_values{});
}
#elif defined(host_iterator)
float call()
{
    return pp::reduce(pp::device, host_iota{0}, host_iota{4}, 0.0f);
}
#elif defined(host_half)
void call(const host_half_number* x, unsigned* counts)
{
    pp::histogram(pp::device, x, x + 4, pp::regular_axis(4, 0.0f, 1.0f), counts);
}
#elif defined(unmarked_lambda)
float call(const float* x)
{
    return pp::reduce(pp::device, x, x + 4, 0.0f, [](float a, float b) { return a + b; });
}
#elif defined(unmarked_lambda_extended)
void call(float* x)
{
    pp::inclusive_scan(pp::device, x, x + 4, x, [](float a, float b) { return a + b; });
}
#elif defined(unmarked_lambda_in_iterator)
float call(const float* x)
{
    const pp::transform_iterator squares(x, [](float value) { return value * value; });
    return pp::reduce(pp::device, squares, squares + 4);
}
#elif defined(unmarked_lambda_in_axis)
void call(const float* x, unsigned* counts)
{
    pp::histogram(pp::device, x, x + 4, pp::function_axis(4, [](float value) { return static_cast<int>(value); }),
                  counts);
}
#elif defined(destructor)
void call(with_destructor* x)
{
    pp::inclusive_scan(pp::device, x, x + 4, x, take_left<with_destructor>{});
}
#elif defined(std_pair)
using value = std::pair<float, int>;
value call(const value* x)
{
    return pp::reduce(pp::device, x, x + 4, value{}, take_left<value>{});
}
#elif defined(std_tuple)
using value = std::tuple<float, int>;
value call(const value* x)
{
    return pp::reduce(pp::device, x, x + 4, value{}, take_left<value>{});
}
#elif defined(scattered_counters)
void call(const float* x, unsigned* counts)
{
    pp::histogram(pp::device, x, x + 4, pp::regular_axis(4, 0.0f, 1.0f), pp::strided_iterator(counts, 2));
}
#elif defined(__CUDACC_EXTENDED_LAMBDA__)
/// What runs on the host alone is taken there, in the same file.
void calls_on_host(const float* first, const float* last, unsigned* counts, const std::complex<float>* z,
                   const host_number* number)
{
    (void)pp::reduce(pp::host, first, last, 0.0f, host_add{});
    (void)pp::reduce(pp::host, first, last, 0.0f, counted_add{});
    (void)pp::reduce(pp::host, first, last, 0.0f, [](float a, float b) { return a + b; });
    (void)pp::transform_reduce(pp::host, first, last, 0.0f, pp::plus{}, host_square{});
    (void)pp::reduce(pp::host, z, z + 4);
    (void)pp::reduce(pp::host, number, number + 4, host_number{}, pp::minimum{});
    (void)pp::transform_reduce(pp::host, number, number + 4, number, host_number{});
    (void)pp::reduce(pp::host, pp::transform_iterator(first, host_square{}),
                     pp::transform_iterator(last, host_square{}));
    pp::histogram(pp::host, first, last, pp::function_axis(4, host_bin{}), counts);
}

float call(const float* x, float* out, unsigned* counts, const marked_number* number)
{
    (void)pp::reduce(pp::device, x, x + 4, 0.0f, marked_add{});
    (void)pp::reduce(pp::device, number, number + 4);
    (void)pp::reduce(pp::device, number, number + 4, marked_number{}, pp::minimum{});
    (void)pp::transform_reduce(pp::device, number, number + 4, number, marked_number{});
    (void)pp::transform_reduce(pp::device, x, x + 4, 0.0f, pp::plus{}, marked_square{});
    (void)pp::transform_reduce(pp::device, x, x + 4, x, 0.0f, pp::plus{}, marked_add{});
    const float factor = 2.0f;
    const pp::transform_iterator scaled(x, [=] PARPRIMS_HOST_DEVICE(float value) { return factor * value; });
    pp::inclusive_scan(pp::device, scaled, scaled + 4, out,
                       [] PARPRIMS_HOST_DEVICE(float a, float b) { return a + b; });
    pp::inclusive_scan(pp::device, x, x + 4, out, [] __device__(float a, float b) { return a + b; });
    pp::histogram(pp::device, x, x + 4, pp::function_axis(4, marked_bin{}), counts);
    return pp::reduce(pp::device, pp::strided_iterator(scaled, 2), pp::strided_iterator(scaled, 2, 4));
}
#endif
