// Measures parprims on one GPU beside CUB, Thrust and the limits of the card: on the same random data, in the same run,
// in turns, results checked.

#include "groups.hpp"

#include <parprims/device.hpp>

#include <cub/version.cuh>

#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>
#include <string>

namespace bench {

namespace {

struct group {
    const char* name;
    const char* what;
    void (*parts[4])(report&, const options&);
};

constexpr group groups[] = {
    {"limits", "what the card allows: reading, copying, launching, transfers", {limits}},
    {"reduce", "every type and size, beside CUB", {reduce_integers, reduce_floats, reduce_others}},
    {"exact", "exact sums, inner products and segments, beside plus", {exact_sums}},
    {"scan",
     "inclusive_scan: every type and size, and floats in three phases, beside CUB",
     {scan_integers, scan_floats, scan_others}},
    {"scan-places", "inclusive_scan from and to pointers that are not aligned, beside CUB", {scan_places}},
    {"scan-iterators", "inclusive_scan of iterators, beside pointers to the same values", {scan_iterators}},
    {"histogram",
     "sizes, types, bins and skew, beside CUB",
     {histogram_words, histogram_floats, histogram_others, histogram_dimensions}},
    {"weights", "weighted_histogram and profile: bins and skew, beside atomic additions of floats", {weights}},
    {"elements", "min_element, copy_if and transform, beside CUB", {elements}},
    {"segments",
     "segmented reductions, scans and extremes of one size and of offsets, beside CUB",
     {segments, segmented_scans, segment_extremes}},
    {"arrays", "sums, maxima and scans along dimensions, beside one call over all elements", {arrays}},
    {"many-histograms",
     "histograms of segments, rows and columns beside one of all samples, and of channels beside CUB",
     {many_histograms}},
    {"runs", "unique_copy and run_length_encode, beside CUB", {runs}},
    {"by-key", "reductions and scans by key, beside CUB", {by_key}},
    {"sizes", "calls whose size lies on the device, beside those with it from the host", {sizes_on_device}},
    {"access", "misaligned pointers and transform iterators, beside aligned pointers", {access}},
    {"end-to-end",
     "from the call until the result is there, beside Thrust and CUB",
     {end_to_end, end_to_end_histogram}},
    {"matrix", "the kernels of the sample matrix_multiply, beside cuBLAS", {matrix}},
};

/// A part that fails takes its rows with it, not those of the others.
void run(void (*part)(report&, const options&), report& out, const options& asked)
{
    try {
        part(out, asked);
    } catch (const std::exception& error) {
        out.fail(error.what());
    }
}

std::string version(int number, int major, int minor)
{
    return std::to_string(number / major) + "." + std::to_string(number / minor % (major / minor));
}

}  // namespace

}  // namespace bench

int main(int count, char** arguments)
{
    std::vector<bench::group_name> names;
    for (const bench::group& each : bench::groups)
        names.push_back({each.name, each.what});
    bench::options defaults;
    defaults.log2 = 30;
    const bench::options asked =
        bench::parse("parprims beside CUB, Thrust and the limits of one GPU", count, arguments, defaults, names);
    if (parprims::device_count() == 0) {
        std::puts("skipped: no GPU");
        return 77;
    }
    bench::report out("device", asked,
                      {parprims::get_device_info(parprims::current_device()).name,
                       bench::version(CUDART_VERSION, 1000, 10),
                       "CUB and Thrust " + bench::version(CUB_VERSION, 100000, 100)});
    for (const bench::group& each : bench::groups)
        for (const auto part : each.parts)
            if (part != nullptr && asked.wants(each.name))
                bench::run(part, out, asked);
    return out.finish();
}
