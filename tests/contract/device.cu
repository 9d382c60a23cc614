// The golden hashes on a GPU: kernels of types, operators and transforms that the compiled library does not have.
#include "device_calls.hpp"
#include "program.hpp"

#include <cstdint>

namespace {

using namespace contract;

codes<device_calls> all_codes()
{
    using pp::multiplies;
    using pp::plus;
    codes<device_calls> all;
    all.reduction<multiplies, float>().reduction<plus, std::int8_t>().reduction<plus, float, double>();
    all.reduction<plus, f32x3>().reduction<then, map8>();
    all.transform_reductions<float>().transform_reductions<float, double>();
    all.exact_sums<float, double>().exact_sums<double, float>();
    all.weights<std::int32_t, double>().weights<std::uint8_t, float>();
    all.scans<plus, std::int8_t>().scans<plus, float, double>().scans<then, map12>();
    all.transform_scans<float>();
    all.by_key<then, map12>().exclusive_by_key<plus, float, double>();
    all.segmented_reduction<plus, f32x3>().segmented_reduction<then, map8>().segmented_scans<then, map12>();
    all.reduction<skew, std::uint8_t>().scans<skew, std::uint8_t>().by_key<skew, u64x2>();
    all.along<plus, float>().along<then, map8>().weights_along<float>();
    return all;
}

}  // namespace

int main(int count, char** arguments)
{
    if (!has_gpu())
        return skipped;
    return check_rows(count, arguments, all_codes(), false, [](const row&) { return true; });
}
