// Functions that are not marked for the GPU, in the iterators of a device call that say where to read and to write.
//
// expect host_offsets: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_indices: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_output: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_output_in_output: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect host_output_of_positions: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect unmarked_lambda_in_offsets: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect unmarked_lambda_in_output: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// compiles
#include <parprims/copy_if.hpp>
#include <parprims/extremes.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/transform.hpp>

namespace pp = parprims;

struct host_square {
    float operator()(float x) const { return x * x; }
};
struct host_bin {
    int operator()(float x) const { return static_cast<int>(x); }
};
struct marked_square {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x * x; }
};
struct marked_bin {
    PARPRIMS_HOST_DEVICE int operator()(float x) const { return static_cast<int>(x); }
};
struct host_converted {
    float value;
    host_converted() = default;
    host_converted(float x) : value(x) {}
};
struct less_converted {
    PARPRIMS_HOST_DEVICE bool operator()(const host_converted& a, const host_converted& b) const
    {
        return a.value < b.value;
    }
};
struct plain_number {
    float value;
};
struct is_positive {
    PARPRIMS_HOST_DEVICE bool operator()(const plain_number& x) const { return x.value > 0; }
};
struct value_of {
    PARPRIMS_HOST_DEVICE float operator()(const plain_number& x) const { return x.value; }
};

#if defined(host_offsets)
void call(const float* x, float* out)
{
    const pp::transform_iterator offsets(x, host_bin{});
    pp::segmented_reduce(pp::device, x, x + 4, offsets, offsets + 3, out, 0.0f);
}
#elif defined(host_indices)
void call(const float* x, float* out)
{
    const pp::transform_iterator indices(pp::counting_iterator<int>(0), host_bin{});
    const pp::permutation_iterator gathered(x, indices);
    pp::transform(pp::device, gathered, gathered + 4, out, pp::identity{});
}
#elif defined(host_output)
void call(const float* x, float* out)
{
    pp::inclusive_scan(pp::device, x, x + 4, pp::transform_output_iterator(out, host_square{}));
}
#elif defined(host_output_in_output)
void call(const float* x, float* out)
{
    const pp::transform_output_iterator squares(out, host_square{});
    pp::transform(pp::device, x, x + 4, pp::transform_output_iterator(squares, marked_square{}), marked_square{});
}
#elif defined(host_output_of_positions)
void call(const float* x, int* out)
{
    pp::min_element_into(pp::device, x, x + 4, pp::transform_output_iterator(out, host_bin{}));
}
#elif defined(unmarked_lambda_in_offsets)
void call(const float* x, float* out)
{
    const pp::transform_iterator offsets(x, [](float value) { return static_cast<int>(value); });
    pp::segmented_reduce(pp::device, x, x + 4, offsets, offsets + 3, out, 0.0f);
}
#elif defined(unmarked_lambda_in_output)
void call(const float* x, float* out)
{
    const pp::transform_output_iterator squares(out, [](float value) { return value * value; });
    pp::reduce_into(pp::device, x, x + 4, squares, 0.0f);
}
#else
void call(const plain_number* x, const host_converted* converted, float* out, std::size_t* position)
{
    const pp::transform_iterator bins(pp::counting_iterator<int>(0), marked_bin{});
    const pp::permutation_iterator scattered(out, bins);
    const pp::transform_output_iterator squares(pp::transform_output_iterator(scattered, marked_square{}),
                                                marked_square{});
    pp::copy_if_into(pp::device, x, x + 4, pp::transform_output_iterator(squares, value_of{}), position, is_positive{});
    pp::transform(pp::device, x, x + 4, squares, value_of{});
    pp::min_element_into(pp::device, converted, converted + 4, position, less_converted{});
    pp::min_element_into(pp::device, out, out + 4, pp::discard_iterator());
    pp::inclusive_scan(pp::device, out, out + 4, squares);
    const pp::transform_iterator offsets(out, marked_bin{});
    pp::segmented_reduce(pp::device, out, out + 4, offsets, offsets + 3, out + 4, 0.0f);
}
#endif
