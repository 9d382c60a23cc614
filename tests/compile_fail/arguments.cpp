// Arguments in the wrong place, read as C++ and as CUDA.
//
// expect op_for_out: parprims: out must be an iterator or a pointer
// expect op_for_out_of_range: parprims: out must be an iterator or a pointer
// expect container_for_out: parprims: out must be an iterator or a pointer
// expect op_for_out_of_reduce: parprims: out must be an iterator or a pointer
// expect container_for_counts: parprims: counts must be an iterator or a pointer
// expect narrow_counters: parprims: counters are integers of 32 or 64 bits, float or double
// expect init_and_op_of_reduce: parprims: op must be callable with two values
// expect init_and_op_of_inclusive_scan: parprims: op must be callable with two values
// expect init_and_op_of_exclusive_scan: parprims: op must be callable with two values
// expect exclusive_scan_without_init: parprims: exclusive_scan needs init
// expect exclusive_scan_of_range_without_init: parprims: exclusive_scan needs init
// expect const_member_in_reduce: parprims: a value must be assignable: no const member, no reference
// expect const_member_in_scan: parprims: a value must be assignable: no const member, no reference
// expect reduce_device_buffer_on_host: parprims: parprims::host cannot read a device_buffer
// expect scan_device_buffer_on_host: parprims: parprims::host cannot read a device_buffer
// expect histogram_device_buffer_on_host: parprims: parprims::host cannot read a device_buffer
// expect sums_for_bins: parprims: bins of a profile are profile_bin<float> or profile_bin<double>
// expect axis_before_values: parprims: the arguments of profile are
// expect container_for_bins: parprims: weights and sums, or values and bins, must be iterators or pointers
// expect mutable_compare: parprims: compare must be callable with two values of the range
// expect mutable_predicate: parprims: predicate must be callable with a value of the range
// expect mutable_transform: parprims: transform_op must be callable as a const object
// expect mutable_transform_of_two: parprims: transform_op must be callable as a const object
// expect const_member_in_search: parprims: a value must be assignable: no const member, no reference
// compiles
#include <parprims/copy_if.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/extremes.hpp>
#include <parprims/histogram.hpp>
#include <parprims/profile.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/transform.hpp>

#include <vector>

namespace pp = parprims;

void calls(const std::vector<float>& x, std::vector<float>& out, std::vector<unsigned>& counts,
           const pp::device_buffer<float>& on_device)
{
    const float* const first = on_device.begin();
    const float* const last = on_device.end();
    [[maybe_unused]] const pp::regular_axis axis(4, 0.0f, 1.0f);

    pp::inclusive_scan(pp::host, x.begin(), x.end(), out.begin(), pp::plus{}, 1.0f);
    pp::exclusive_scan(pp::host, x, out.begin(), 0.0f);
    pp::exclusive_scan(pp::host, x.begin(), x.end(), out.begin(), 0.0f);
    pp::exclusive_scan(pp::host, x, out.begin(), 0.0f, pp::plus{});
    pp::histogram(pp::host, x, axis, counts.begin());
    (void)pp::reduce(pp::device, on_device);
    (void)pp::reduce(pp::device, first, last, 0.0f, pp::plus{});

#if defined(op_for_out)
    pp::inclusive_scan(pp::device, first, last, pp::plus{}, out.data());
#elif defined(op_for_out_of_range)
    pp::inclusive_scan(pp::host, x, pp::plus{}, out.begin());
#elif defined(container_for_out)
    pp::inclusive_scan(pp::host, x.begin(), x.end(), out);
#elif defined(op_for_out_of_reduce)
    pp::reduce_into(pp::device, first, last, pp::plus{}, 0.0f);
#elif defined(container_for_counts)
    pp::histogram(pp::host, x, axis, counts);
#elif defined(sums_for_bins)
    pp::profile(pp::host, x.begin(), x.end(), x.begin(), axis, out.begin());
#elif defined(axis_before_values)
    pp::profile(pp::host, x.begin(), x.end(), axis, x.begin(), out.begin());
#elif defined(container_for_bins)
    pp::profile(pp::host, x.begin(), x.end(), x.begin(), axis, out);
#elif defined(narrow_counters)
    std::vector<unsigned short> narrow(4);
    pp::histogram(pp::host, x, axis, narrow.begin());
#elif defined(init_and_op_of_reduce)
    (void)pp::reduce(pp::device, first, last, pp::plus{}, 0.0f);
#elif defined(init_and_op_of_inclusive_scan)
    pp::inclusive_scan(pp::host, x.begin(), x.end(), out.begin(), 0.0f, pp::plus{});
#elif defined(init_and_op_of_exclusive_scan)
    pp::exclusive_scan(pp::device, first, last, out.data(), pp::plus{}, 0.0f);
#elif defined(exclusive_scan_without_init)
    pp::exclusive_scan(pp::device, first, last, out.data());
#elif defined(exclusive_scan_of_range_without_init)
    pp::exclusive_scan(pp::host, x, out.begin());
#elif defined(reduce_device_buffer_on_host)
    (void)pp::reduce(pp::host, on_device);
#elif defined(scan_device_buffer_on_host)
    pp::inclusive_scan(pp::host, on_device, out.begin());
#elif defined(histogram_device_buffer_on_host)
    pp::histogram(pp::host, on_device, axis, counts.begin());
#elif defined(mutable_compare)
    (void)pp::min_element(pp::host, x, [calls = 0](float a, float b) mutable { return ++calls, a < b; });
#elif defined(mutable_predicate)
    pp::copy_if(pp::host, x, out.begin(), [calls = 0](float a) mutable { return ++calls, a > 0; });
#elif defined(mutable_transform)
    pp::transform(pp::device, first, last, out.data(), [calls = 0](float a) mutable { return ++calls, a; });
#elif defined(mutable_transform_of_two)
    pp::transform(pp::host, first, last, first, out.data(),
                  [calls = 0](float a, float b) mutable { return ++calls, a + b; });
#endif
}

struct reading {
    const int value;
};
struct less {
    bool operator()(const reading& a, const reading& b) const { return a.value < b.value; }
};
struct add {
    reading operator()(const reading& a, const reading& b) const { return {a.value + b.value}; }
};

void calls_of_readings([[maybe_unused]] const reading* first, [[maybe_unused]] const reading* last,
                       [[maybe_unused]] reading* out)
{
#if defined(const_member_in_reduce)
    (void)pp::reduce(pp::host, first, last, reading{0}, add{});
#elif defined(const_member_in_scan)
    pp::inclusive_scan(pp::host, first, last, out, add{});
#elif defined(const_member_in_search)
    (void)pp::min_element(pp::device, first, last, less{});
#endif
}
