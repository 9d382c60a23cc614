// Each call, of arguments that no form of it has: the number of elements for `last`, another order, one too many or too few.
//
// every wrong_arguments 47: parprims: the arguments of
// expect endless_range: parprims: the arguments of reduce are
// expect no_equality: parprims: equal must be callable with two keys
// expect no_order: parprims: compare must be callable with two values of the range
// expect no_sum: parprims: op must be callable with two values
// expect offsets_of_float: parprims: the arguments of segmented_reduce are
// expect offsets_of_float_of_scan: parprims: the arguments of segmented_inclusive_scan are
// expect elements_that_do_not_convert: parprims: an element, or what transform_op makes of it, must convert
// expect results_that_do_not_convert: parprims: a result cannot be assigned to an element of out
// expect transform_of_another_type: parprims: the arguments of transform are
// expect transform_before_op: parprims: the arguments of transform_inclusive_scan are
// expect lambda_for_out: parprims: out must be an iterator or a pointer
// expect narrow_positions: parprims: positions and counts are integers of 32 or 64 bits
// expect narrow_count: parprims: positions and counts are integers of 32 or 64 bits
// expect narrow_number_of_runs: parprims: positions and counts are integers of 32 or 64 bits
// expect no_equality_of_runs: parprims: equal must be callable with two keys
// expect no_predicate_of_stencil: parprims: predicate must be callable with a value of the range
// expect rejected_that_do_not_convert: parprims: a result cannot be assigned to an element of out
// expect no_order_of_segments: parprims: compare must be callable with two values of the range
// expect narrow_positions_of_segments: parprims: positions and counts are integers of 32 or 64 bits
// expect narrow_counters_of_segments: parprims: counters are integers of 32 or 64 bits
// expect integer_sums_of_segments: parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>
// expect sums_of_profiles_of_segments: parprims: bins of a profile are profile_bin<float> or profile_bin<double>
// expect samples_of_no_axis: parprims: this axis takes no such samples
// expect counters_before_axis_of_lines: parprims: along goes with a view: policy, view, along(...), then out, or axis and counts
// expect axis_before_weights_of_lines: or weights, axis and sums; the host knows
// expect weights_of_another_rank: parprims: weights must be a view of as many dimensions as the samples
// expect weights_of_no_array: parprims: weights must be a view of as many dimensions as the samples
// expect integer_sums_of_lines: parprims: sums are float, double, weighted_sum<float> or weighted_sum<double>
// expect narrow_lengths: parprims: positions and counts are integers of 32 or 64 bits
// expect narrow_offsets: parprims: positions and counts are integers of 32 or 64 bits
// expect narrow_number_of_unique: parprims: positions and counts are integers of 32 or 64 bits
// compiles
#include <parprims/parprims.hpp>

#include <cstddef>
#include <ranges>
#include <string>
#include <vector>

namespace pp = parprims;

struct plain {
    int number;
};

void calls(const std::vector<float>& x, std::vector<float>& out, std::vector<plain>& plains,
           [[maybe_unused]] std::vector<std::string*>& texts)
{
    const pp::regular_axis axis(4, 0.0f, 1.0f);
    const auto same = [](const auto& element) { return element; };
    const auto is_zero = [](float element) { return element == 0; };
    std::size_t place = 0;
    pp::transform(pp::host, plains, plains.begin(), same);
    pp::min_element_into(pp::host, x, &place);
    pp::max_element_into(pp::host, x, &place);
    pp::copy_if_into(pp::host, x, out.begin(), &place, is_zero);

#if defined(wrong_arguments)
    const float* const first = x.data();
    (void)pp::reduce(pp::host, first, 4, 0.0f);
    (void)pp::transform_reduce(pp::host, x, 0.0f);
    pp::reduce_into(pp::host, x, out.begin());
    pp::transform_reduce_into(pp::host, x, out.begin(), 0.0f);
    pp::inclusive_scan(pp::host, first, 4, out.data());
    pp::exclusive_scan(pp::host, x, out.begin(), 0.0f, pp::plus{}, 3);
    pp::transform_inclusive_scan(pp::host, x, out.begin(), pp::plus{});
    pp::transform_exclusive_scan(pp::host, x, out.begin(), pp::plus{}, same);
    pp::inclusive_scan_by_key(pp::host, first, 4, first, out.data());
    pp::exclusive_scan_by_key(pp::host, first, 4, first, out.data(), 0.0f);
    (void)pp::reduce_by_key(pp::host, first, 4, first, out.data(), out.data());
    pp::reduce_by_key_into(pp::host, x, x, out.data(), out.data());
    pp::segmented_reduce(pp::host, first, 4, 2, out.data());
    pp::segmented_inclusive_scan(pp::host, first, 4, out.data());
    pp::segmented_exclusive_scan(pp::host, first, 4, out.data(), 0.0f);
    (void)pp::min_element(pp::host, first, 4);
    (void)pp::max_element(pp::host, first, 4);
    (void)pp::minmax_element(pp::host, first, 4);
    pp::min_element_into(pp::host, x);
    pp::max_element_into(pp::host, x);
    pp::minmax_element_into(pp::host, x);
    pp::copy_if(pp::host, first, 4, out.data(), is_zero);
    pp::copy_if_into(pp::host, x, out.begin(), is_zero);
    pp::copy_if(pp::host, first, 4, first, out.data(), is_zero);
    pp::copy_if_into(pp::host, first, 4, first, out.data(), &place, is_zero);
    (void)pp::unique_copy(pp::host, first, 4, out.data());
    pp::unique_copy_into(pp::host, x, out.begin());
    (void)pp::unique_by_key_copy(pp::host, first, 4, first, out.data(), out.data());
    pp::unique_by_key_copy_into(pp::host, x, x, out.begin(), out.begin());
    (void)pp::run_length_encode(pp::host, first, 4, out.data(), &place);
    pp::run_length_encode_into(pp::host, x, out.data(), &place);
    (void)pp::run_length_encode_non_trivial(pp::host, first, 4, &place, &place);
    pp::run_length_encode_non_trivial_into(pp::host, x, &place, &place);
    (void)pp::partition_copy(pp::host, first, 4, out.data(), out.data(), is_zero);
    pp::partition_copy_into(pp::host, x, out.begin(), out.begin(), is_zero);
    pp::segmented_min_element(pp::host, first, 4, 2, &place);
    pp::segmented_max_element(pp::host, x, 2);
    pp::segmented_minmax_element(pp::host, x, x, &place);
    pp::transform(pp::host, x, x, out.begin(), pp::plus{});
    pp::histogram(pp::host, x, 4, 0.0f, 1.0f, &place);
    pp::segmented_histogram(pp::host, first, 4, 2, axis, &place);
    pp::segmented_histogram(pp::host, x, 2, &place, axis);
    pp::channel_histograms(pp::host, pp::matrix(first, 2, 2), &place, axis);
    pp::weighted_histogram(pp::host, x, axis, out.begin());
    pp::segmented_weighted_histogram(pp::host, first, 4, 2, first, axis, out.data());
    pp::segmented_weighted_histogram(pp::host, x, x.begin(), 2, axis, out.begin());
    pp::segmented_profile(pp::host, x, x.begin(), 2, axis, out.begin());
#elif defined(endless_range)
    (void)pp::reduce(pp::host, std::views::iota(0), 0);
#elif defined(no_equality)
    (void)pp::reduce_by_key(pp::host, plains, x, plains.begin(), out.begin());
#elif defined(no_order)
    (void)pp::minmax_element(pp::host, plains);
#elif defined(no_sum)
    (void)pp::reduce(pp::host, plains, plain{});
#elif defined(offsets_of_float)
    pp::segmented_reduce(pp::host, x, x, out.begin(), 0.0f);
#elif defined(offsets_of_float_of_scan)
    pp::segmented_inclusive_scan(pp::host, x, x, out.begin());
#elif defined(elements_that_do_not_convert)
    (void)pp::reduce(pp::host, x, std::string());
#elif defined(results_that_do_not_convert)
    pp::inclusive_scan(pp::host, x, texts.begin());
#elif defined(transform_of_another_type)
    pp::transform(pp::host, x, out.begin(), [](const std::string& text) { return text; });
#elif defined(transform_before_op)
    pp::transform_inclusive_scan(pp::host, x, out.begin(), same, pp::plus{});
#elif defined(lambda_for_out)
    pp::copy_if(pp::host, x, is_zero, out.begin());
#elif defined(narrow_positions)
    signed char places[2];
    pp::minmax_element_into(pp::host, x, places);
#elif defined(narrow_count)
    short count = 0;
    pp::copy_if_into(pp::host, x, out.begin(), &count, is_zero);
#elif defined(narrow_number_of_runs)
    std::vector<bool> count(1);
    pp::reduce_by_key_into(pp::host, x, x, out.begin(), out.begin(), count.begin());
#elif defined(no_equality_of_runs)
    (void)pp::unique_copy(pp::host, plains, plains.begin());
#elif defined(no_predicate_of_stencil)
    (void)pp::copy_if(pp::host, x, plains, out.begin(), pp::identity{});
#elif defined(rejected_that_do_not_convert)
    (void)pp::partition_copy(pp::host, x, out.begin(), texts.begin(), is_zero);
#elif defined(no_order_of_segments)
    pp::segmented_min_element(pp::host, plains, 2, &place);
#elif defined(narrow_positions_of_segments)
    short places[2];
    pp::segmented_min_element(pp::host, x, 2, places);
#elif defined(narrow_counters_of_segments)
    short counts[2];
    pp::segmented_histogram(pp::host, x, 2, axis, counts);
#elif defined(integer_sums_of_segments)
    pp::segmented_weighted_histogram(pp::host, x, 2, x.begin(), axis, &place);
#elif defined(sums_of_profiles_of_segments)
    pp::segmented_profile(pp::host, x, 2, x.begin(), axis, out.begin());
#elif defined(samples_of_no_axis)
    pp::segmented_histogram(pp::host, plains, 2, axis, &place);
#elif defined(counters_before_axis_of_lines)
    pp::histogram(pp::host, pp::matrix(x.data(), 2, 2), pp::along(0), &place, axis);
#elif defined(axis_before_weights_of_lines)
    pp::weighted_histogram(pp::host, pp::matrix(x.data(), 2, 2), pp::along(0), axis, pp::matrix(x.data(), 2, 2),
                           out.begin());
#elif defined(weights_of_another_rank)
    pp::weighted_histogram(pp::host, pp::matrix(x.data(), 2, 2), pp::along(0), pp::strided_view(x.data(), {4}, {1}),
                           axis, out.begin());
#elif defined(weights_of_no_array)
    pp::weighted_histogram(pp::host, pp::matrix(x.data(), 2, 2), pp::along(0), x.begin(), axis, out.begin());
#elif defined(integer_sums_of_lines)
    pp::weighted_histogram(pp::host, pp::matrix(x.data(), 2, 2), pp::along(0), pp::matrix(x.data(), 2, 2), axis,
                           &place);
#elif defined(narrow_lengths)
    std::vector<short> lengths(x.size());
    (void)pp::run_length_encode(pp::host, x, out.begin(), lengths.begin());
#elif defined(narrow_offsets)
    std::vector<short> offsets(x.size());
    (void)pp::run_length_encode_non_trivial(pp::host, x, offsets.begin(), &place);
#elif defined(narrow_number_of_unique)
    short count = 0;
    pp::unique_copy_into(pp::host, x, out.begin(), &count);
#endif
    (void)axis;
}
