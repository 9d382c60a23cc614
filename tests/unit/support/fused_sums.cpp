/// @file
/// @brief  See fused_sums.hpp; CMake gives this file its options.
#include "fused_sums.hpp"

#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>

namespace {

namespace host = parprims::detail::host;
using parprims::detail::scan_kind;

template <class T>
struct square {
    T operator()(T x) const { return x * x; }
};

template <class T>
T sum(const std::vector<T>& values)
{
    return host::reduce(1, values.data(), values.size(), T{1}, parprims::plus{}, square<T>{});
}

template <class T>
std::vector<T> scan(const std::vector<T>& values)
{
    std::vector<T> answers(values.size());
    const T init{1};
    host::scan<scan_kind::inclusive, T>(1, values.data(), values.size(), answers.data(), &init, parprims::plus{},
                                        square<T>{});
    return answers;
}

}  // namespace

float sum_of_squares(const std::vector<float>& values)
{
    return sum(values);
}

double sum_of_squares(const std::vector<double>& values)
{
    return sum(values);
}

std::vector<float> scan_of_squares(const std::vector<float>& values)
{
    return scan(values);
}

std::vector<double> scan_of_squares(const std::vector<double>& values)
{
    return scan(values);
}

float fused(float a, float b, float c)
{
    return a * b + c;
}
