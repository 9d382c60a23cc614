// The golden hashes on a GPU: the kernels of the compiled library, called from plain C++.
#include "device_calls.hpp"
#include "program.hpp"

#include <cstdint>

namespace {

using namespace contract;

codes<device_calls> all_codes()
{
    using pp::maximum;
    using pp::minimum;
    using pp::plus;
    codes<device_calls> all;
    all.reduction<plus, float>().reduction<minimum, float>().reduction<maximum, float>();
    all.reduction<plus, double>().reduction<minimum, double>().reduction<maximum, double>();
    all.reduction<plus, std::int32_t>().reduction<plus, std::uint32_t>();
    all.reduction<plus, std::int64_t>().reduction<plus, std::uint64_t>();
    all.reduction<maximum, std::int32_t>().reduction<minimum, std::uint64_t>();
    all.exact_sums<float>().exact_sums<double>();
    all.weights<float>().weights<double>().weights<float, double>().weights<double, float>();
    all.scans<plus, float>().scans<plus, double>().scans<maximum, float>().scans<minimum, double>();
    all.scans<plus, std::int32_t>().scans<plus, std::uint64_t>();
    all.by_key<plus, float>().by_key<plus, double>();
    all.segmented_reduction<plus, float>().segmented_reduction<plus, double>();
    all.segmented_scans<plus, float>().segmented_scans<plus, double>();
    return all;
}

}  // namespace

int main(int count, char** arguments)
{
    if (!has_gpu())
        return skipped;
    return check_rows(count, arguments, all_codes(), false, [](const row&) { return true; });
}
