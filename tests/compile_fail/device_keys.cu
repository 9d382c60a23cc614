// What cannot run on the GPU, in calls by key, of segments, of weights and of several dimensions.
//
// expect host_equal: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_equal_of_struct: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_operator: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_values: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect unmarked_lambda: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect text_keys: parprims: a value on the device must be trivially copyable
// expect host_operator_of_segments: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_weights: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_axis: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect samples_of_one_dimension: parprims: this axis takes no such samples
// compiles
#include <parprims/by_key.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/weighted_histogram.hpp>

#include <string>

namespace pp = parprims;

struct host_add {
    float operator()(float a, float b) const { return a + b; }
};
struct host_near {
    bool operator()(int a, int b) const { return a / 2 == b / 2; }
};
struct marked_near {
    PARPRIMS_HOST_DEVICE bool operator()(int a, int b) const { return a / 2 == b / 2; }
};
struct host_square {
    float operator()(float x) const { return x * x; }
};
struct host_bin {
    int operator()(float x) const { return static_cast<int>(x); }
};
struct city {
    int id;
    bool operator==(const city& other) const { return id == other.id; }
};

void calls(const int* keys, const float* x, float* out, int* keys_out, [[maybe_unused]] const city* cities,
           [[maybe_unused]] const std::string* names, unsigned* counts)
{
    const pp::regular_axis axis(4, 0.0f, 1.0f);
    const pp::product_axis grid(axis, axis);
    const pp::zip_iterator pairs(x, x);
    [[maybe_unused]] const pp::transform_iterator squares(x, host_square{});

#if defined(host_equal)
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, x, out, host_near{});
#elif defined(host_equal_of_struct)
    pp::inclusive_scan_by_key(pp::device, cities, cities + 4, x, out);
#elif defined(host_operator)
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, x, keys_out, out, pp::equal_to{}, host_add{});
#elif defined(host_values)
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, squares, keys_out, out);
#elif defined(unmarked_lambda)
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, x, out, [](int a, int b) { return a == b; });
#elif defined(text_keys)
    pp::inclusive_scan_by_key(pp::device, names, names + 4, x, out);
#elif defined(host_operator_of_segments)
    pp::segmented_inclusive_scan(pp::device, x, x + 4, 2, out, host_add{});
#elif defined(host_weights)
    pp::weighted_histogram(pp::device, x, x + 4, squares, axis, out);
#elif defined(host_axis)
    const pp::product_axis half(axis, pp::function_axis(4, host_bin{}));
    pp::histogram(pp::device, pairs, pairs + 4, half, counts);
#elif defined(samples_of_one_dimension)
    pp::histogram(pp::device, x, x + 4, grid, counts);
#else
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, x, out, marked_near{});
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, x, keys_out, out);
    pp::segmented_inclusive_scan(pp::device, x, x + 4, 2, out);
    pp::weighted_histogram(pp::device, x, x + 4, x, axis, out);
    pp::histogram(pp::device, pairs, pairs + 4, grid, counts);
#endif
}
