// The golden hashes on a GPU: the kernels of the compiled library, called from plain C++, with sizes from the host and with sizes in the
// memory of the GPU.
#include "device_calls.hpp"
#include "program.hpp"

#include <cstdint>

namespace {

using namespace contract;

template <template <class, class, class> class Calls>
codes<Calls> all_codes()
{
    using pp::maximum;
    using pp::minimum;
    using pp::plus;
    codes<Calls> all;
    all.template reduction<plus, float>().template reduction<minimum, float>().template reduction<maximum, float>();
    all.template reduction<plus, double>().template reduction<minimum, double>().template reduction<maximum, double>();
    all.template reduction<plus, std::int32_t>().template reduction<plus, std::uint32_t>();
    all.template reduction<plus, std::int64_t>().template reduction<plus, std::uint64_t>();
    all.template reduction<maximum, std::int32_t>().template reduction<minimum, std::uint64_t>();
    all.template exact_sums<float>().template exact_sums<double>();
    all.template weights<float>()
        .template weights<double>()
        .template weights<float, double>()
        .template weights<double, float>();
    all.template scans<plus, float>()
        .template scans<plus, double>()
        .template scans<maximum, float>()
        .template scans<minimum, double>();
    all.template scans<plus, std::int32_t>().template scans<plus, std::uint64_t>();
    all.template by_key<plus, float>().template by_key<plus, double>();
    all.template segmented_reduction<plus, float>().template segmented_reduction<plus, double>();
    all.template segmented_scans<plus, float>().template segmented_scans<plus, double>();
    return all;
}

}  // namespace

int main(int count, char** arguments)
{
    if (!has_gpu())
        return skipped;
    const auto is_any = [](const row&) { return true; };
    auto of_host_sizes = all_codes<device_calls>();
    of_host_sizes.reduction_and_inclusive_scan_along<pp::plus, float>()
        .reduction_and_inclusive_scan_along<pp::plus, double>();
    const int plain = check_rows(count, arguments, of_host_sizes, false, is_any);
    return plain != 0 ? plain : check_rows(count, arguments, all_codes<sized_calls>(), false, is_any);
}
