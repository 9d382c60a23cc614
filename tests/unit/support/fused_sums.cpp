/// @file
/// @brief  See fused_sums.hpp; CMake gives this file its options.
#include "fused_sums.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/host/copy_if.hpp>
#include <parprims/detail/host/histogram.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>

namespace {

namespace host = parprims::detail::host;
using parprims::detail::scan_kind;

template <class T, class Value, class Transform = parprims::identity>
T sum(const std::vector<Value>& values, Transform transform = {})
{
    return host::reduce(1, values.data(), values.size(), T(1), parprims::plus{}, transform);
}

template <scan_kind Kind, class T, class Value, class Transform = parprims::identity>
std::vector<T> scan(const std::vector<Value>& values, Transform transform = {})
{
    const T init(1);
    std::vector<T> answers(values.size(), init);
    host::scan<Kind, T>(1, values.data(), values.size(), answers.data(), &init, parprims::plus{}, transform);
    return answers;
}

}  // namespace

template <class T>
T sum_of_squares(const std::vector<T>& values)
{
    return sum<T>(values, square{});
}

template <class T>
std::vector<T> scan_of_squares(const std::vector<T>& values)
{
    return scan<scan_kind::inclusive, T>(values, square{});
}

template <class To, class T>
To sum_of_readings(const std::vector<reading<T>>& values)
{
    return sum<To>(values);
}

template <class To, class T>
std::vector<To> inclusive_scan_of_readings(const std::vector<reading<T>>& values)
{
    return scan<scan_kind::inclusive, To>(values);
}

template <class To, class T>
std::vector<To> exclusive_scan_of_readings(const std::vector<reading<T>>& values)
{
    return scan<scan_kind::exclusive, To>(values);
}

#define PARPRIMS_TEST_INSTANCES(To, T)                                                       \
    template To sum_of_readings<To>(const std::vector<reading<T>>&);                         \
    template std::vector<To> inclusive_scan_of_readings<To>(const std::vector<reading<T>>&); \
    template std::vector<To> exclusive_scan_of_readings<To>(const std::vector<reading<T>>&);
PARPRIMS_TEST_INSTANCES(float, float)
PARPRIMS_TEST_INSTANCES(reading<float>, float)
PARPRIMS_TEST_INSTANCES(double, double)
PARPRIMS_TEST_INSTANCES(reading<double>, double)
#undef PARPRIMS_TEST_INSTANCES

template float sum_of_squares(const std::vector<float>&);
template double sum_of_squares(const std::vector<double>&);
template std::vector<float> scan_of_squares(const std::vector<float>&);
template std::vector<double> scan_of_squares(const std::vector<double>&);

moments sum_of_moments(const std::vector<float>& values)
{
    return sum<moments>(values);
}

std::vector<moments> scan_of_moments(const std::vector<float>& values)
{
    return scan<scan_kind::inclusive, moments>(values);
}

template <class T>
std::vector<T> scan_of_products(const std::vector<reading<T>>& values)
{
    return scan<scan_kind::inclusive, T>(values, square_and_add{});
}
template std::vector<float> scan_of_products(const std::vector<reading<float>>&);
template std::vector<double> scan_of_products(const std::vector<reading<double>>&);

std::vector<converting_union> scan_of_unions(const std::vector<converting_union>& values)
{
    return scan<scan_kind::inclusive, converting_union>(values);
}

std::size_t squares_above(const std::vector<float>& values, float limit)
{
    const parprims::transform_iterator squares(values.data(), square{});
    return host::copy_if(1, squares, values.size(), parprims::discard_iterator(),
                         [=](float x) { return x - limit > 0; });
}

std::size_t squares_counted_above(const std::vector<float>& values, float limit)
{
    const parprims::transform_iterator squares(values.data(), square{});
    const parprims::function_axis is_above(2, [=](float x) { return x - limit > 0; });
    std::vector<std::uint64_t> counts(2);
    host::histogram(1, squares, values.size(), is_above, counts.data());
    return counts[1];
}

std::size_t pairs_counted_above(const std::vector<float>& values, float limit)
{
    const parprims::transform_iterator squares(values.data(), square{});
    const parprims::function_axis is_above(2, [=](float x) { return x - limit > 0; });
    std::vector<std::uint64_t> counts(4);
    host::histogram(1, parprims::zip_iterator(squares, squares), values.size(),
                    parprims::product_axis(is_above, is_above), counts.data());
    return counts[3];
}

std::vector<std::uint32_t> counts_of_raw(const std::vector<raw_number>& values, std::size_t bins)
{
    std::vector<std::uint32_t> counts(bins);
    host::histogram(1, values.data(), values.size(), parprims::regular_axis(bins, 0, 4096), counts.data());
    return counts;
}

float fused(float a, float b, float c)
{
    return a * b + c;
}
