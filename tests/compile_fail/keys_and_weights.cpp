// Arguments of calls by key, of segments, of weights and of several dimensions: in the wrong place, of the wrong type.
//
// expect op_for_equal: parprims: equal must be callable with two keys and return a bool
// expect equal_for_init: parprims: equal must be callable with two keys and return a bool
// expect op_for_equal_of_reduction: parprims: equal must be callable with two keys and return a bool
// expect container_for_values_out: parprims: out must be an iterator or a pointer
// expect const_out_by_key: parprims: out must be writable
// expect order_of_cub_scan: parprims: the arguments of inclusive_scan_by_key are
// expect order_of_cub_reduction: parprims: the arguments of reduce_by_key_into are
// expect no_keys_out: parprims: the arguments of reduce_by_key are
// expect init_before_out: parprims: the arguments of exclusive_scan_by_key are
// expect no_init_by_key: parprims: exclusive_scan_by_key needs init
// expect no_init_by_key_of_iterators: parprims: exclusive_scan_by_key needs init
// expect buffer_by_key_on_host: parprims: parprims::host cannot read a device_buffer
// expect out_for_size: parprims: the arguments of segmented_inclusive_scan are
// expect size_of_float: parprims: the arguments of segmented_inclusive_scan are
// expect no_init_of_segments: parprims: the arguments of segmented_reduce are
// expect no_init_of_segmented_scan: parprims: the arguments of segmented_exclusive_scan are
// expect init_and_op_of_segments: parprims: op must be callable with two values
// expect late_init_of_segments: parprims: this call takes no init on the device
// expect const_out_of_segments: parprims: out must be writable
// expect buffer_of_segments_on_host: parprims: parprims::host cannot read a device_buffer
// expect axis_for_weights: parprims: the arguments of weighted_histogram are
// expect container_for_weights: parprims: weights and sums, or values and bins, must be iterators or pointers
// expect integer_sums: parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>
// expect bins_for_sums: parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>
// expect buffer_of_weighted_samples_on_host: parprims: parprims::host cannot read a device_buffer
// expect samples_of_one_dimension: parprims: this axis takes no such samples
// expect weighted_samples_of_one_dimension: parprims: this axis takes no such samples
// expect pairs_for_one_axis: parprims: this axis takes no such samples
// compiles
#include <parprims/by_key.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/weighted_histogram.hpp>

#include <vector>

namespace pp = parprims;

void calls(const std::vector<int>& keys, const std::vector<float>& x, std::vector<int>& keys_out,
           std::vector<float>& out, [[maybe_unused]] const float* constant, std::vector<unsigned>& counts,
           [[maybe_unused]] const pp::device_buffer<float>& on_device)
{
    const pp::regular_axis axis(4, 0.0f, 1.0f);
    const pp::product_axis grid(axis, axis);
    const pp::zip_iterator pairs(x.begin(), x.begin());
    const float some[4] = {1, 2, 3, 4};
    const int rows[3] = {0, 2, 4};
    float sums[4];

    pp::inclusive_scan_by_key(pp::host, keys, x, out.begin(), pp::equal_to{}, pp::plus{});
    pp::exclusive_scan_by_key(pp::host, keys, x, out.begin(), 0.0f);
    pp::exclusive_scan_by_key(pp::host, keys.begin(), keys.end(), x.begin(), out.begin(), 0.0f);
    (void)pp::reduce_by_key(pp::host, keys, x, keys_out.begin(), out.begin());
    pp::segmented_reduce(pp::host, some, some + 4, rows, rows + 3, sums, 0.0f);
    pp::segmented_reduce(pp::host, some, rows, sums, 0.0f, pp::maximum{});
    pp::segmented_inclusive_scan(pp::host, some, 2, sums);
    pp::segmented_exclusive_scan(pp::host, some, some + 4, 2u, sums, 0.0f);
    pp::weighted_histogram(pp::host, some, x.begin(), axis, sums);
    pp::weighted_histogram(pp::host, pairs, pairs + 4, x.begin(), grid, sums);
    pp::histogram(pp::host, pairs, pairs + 4, grid, counts.begin());

#if defined(op_for_equal)
    pp::inclusive_scan_by_key(pp::host, keys, x, out.begin(), pp::plus{}, pp::equal_to{});
#elif defined(equal_for_init)
    pp::exclusive_scan_by_key(pp::host, keys, x, out.begin(), pp::equal_to{}, 0.0f);
#elif defined(op_for_equal_of_reduction)
    (void)pp::reduce_by_key(pp::host, keys, x, keys_out.begin(), out.begin(), pp::plus{});
#elif defined(container_for_values_out)
    (void)pp::reduce_by_key(pp::host, keys, x, keys_out.begin(), out);
#elif defined(const_out_by_key)
    pp::inclusive_scan_by_key(pp::host, keys, x, constant);
#elif defined(order_of_cub_scan)
    pp::inclusive_scan_by_key(pp::host, keys.data(), x.data(), out.data(), pp::plus{}, 4);
#elif defined(order_of_cub_reduction)
    pp::reduce_by_key_into(pp::host, keys.data(), keys_out.data(), x.data(), out.data(), counts.data(), pp::plus{}, 4);
#elif defined(no_keys_out)
    (void)pp::reduce_by_key(pp::host, keys, x, out.begin());
#elif defined(init_before_out)
    pp::exclusive_scan_by_key(pp::host, keys.data(), 4, x.data(), 0.0f, out.data());
#elif defined(no_init_by_key)
    pp::exclusive_scan_by_key(pp::host, keys, x, out.begin());
#elif defined(no_init_by_key_of_iterators)
    pp::exclusive_scan_by_key(pp::host, keys.begin(), keys.end(), x.begin(), out.begin());
#elif defined(buffer_by_key_on_host)
    pp::inclusive_scan_by_key(pp::host, keys, on_device, out.begin());
#elif defined(out_for_size)
    pp::segmented_inclusive_scan(pp::host, x, out.begin(), 2);
#elif defined(size_of_float)
    pp::segmented_inclusive_scan(pp::host, x, 2.0f, out.begin());
#elif defined(no_init_of_segments)
    pp::segmented_reduce(pp::host, x, keys, out.begin());
#elif defined(no_init_of_segmented_scan)
    pp::segmented_exclusive_scan(pp::host, x.begin(), x.end(), 2, out.begin());
#elif defined(late_init_of_segments)
    pp::segmented_exclusive_scan(pp::host, x, 2, out.begin(), pp::value_at(x.data()));
#elif defined(init_and_op_of_segments)
    pp::segmented_reduce(pp::host, x, 2, out.begin(), pp::plus{}, 0.0f);
#elif defined(const_out_of_segments)
    pp::segmented_inclusive_scan(pp::host, x, keys, constant);
#elif defined(buffer_of_segments_on_host)
    pp::segmented_inclusive_scan(pp::host, on_device, 2, out.begin());
#elif defined(axis_for_weights)
    pp::weighted_histogram(pp::host, x, axis, x.begin(), out.begin());
#elif defined(container_for_weights)
    pp::weighted_histogram(pp::host, x, x, axis, out.begin());
#elif defined(integer_sums)
    pp::weighted_histogram(pp::host, x, x.begin(), axis, counts.begin());
#elif defined(bins_for_sums)
    pp::weighted_histogram(pp::host, x, x.begin(), axis, static_cast<pp::profile_bin<float>*>(nullptr));
#elif defined(buffer_of_weighted_samples_on_host)
    pp::weighted_histogram(pp::host, on_device, x.begin(), axis, out.begin());
#elif defined(samples_of_one_dimension)
    pp::histogram(pp::host, x, grid, counts.begin());
#elif defined(weighted_samples_of_one_dimension)
    pp::weighted_histogram(pp::host, x, x.begin(), grid, out.begin());
#elif defined(pairs_for_one_axis)
    pp::histogram(pp::host, pairs, pairs + 4, axis, counts.begin());
#endif
}
