// Results of several elements into a vector<bool>, whose elements share words. One value in one is right, and so are inputs.
//
// expect into_scan: parprims: out must not be of a vector<bool>
// expect scan_from_init: parprims: out must not be of a vector<bool>
// expect transform_scan: parprims: out must not be of a vector<bool>
// expect into_scan_by_key: parprims: out must not be of a vector<bool>
// expect keys_of_runs: parprims: out must not be of a vector<bool>
// expect totals_of_runs: parprims: out must not be of a vector<bool>
// expect reduction_of_segments: parprims: out must not be of a vector<bool>
// expect scan_of_segments: parprims: out must not be of a vector<bool>
// expect into_copy: parprims: out must not be of a vector<bool>
// expect into_transform: parprims: out must not be of a vector<bool>
// expect into_converted: parprims: out must not be of a vector<bool>
// expect into_zipped: parprims: out must not be of a vector<bool>
// expect into_scattered: parprims: out must not be of a vector<bool>
// compiles
#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/transform.hpp>

#include <vector>

namespace pp = parprims;

void calls(const std::vector<bool>& x, std::vector<bool>& bits, std::vector<char>& bytes)
{
    [[maybe_unused]] const auto out = bits.begin();
    const auto is_set = [](bool element) { return element; };
    pp::reduce_into(pp::host, x, bits.begin(), false, pp::maximum{});
    pp::inclusive_scan(pp::host, x, bytes.begin(), pp::maximum{});
    pp::copy_if(pp::host, x, bytes.begin(), is_set);

#if defined(into_scan)
    pp::inclusive_scan(pp::host, x, out, pp::maximum{});
#elif defined(scan_from_init)
    pp::exclusive_scan(pp::host, bytes, out, false, pp::maximum{});
#elif defined(transform_scan)
    pp::transform_inclusive_scan(pp::host, bytes, out, pp::maximum{}, is_set);
#elif defined(into_scan_by_key)
    pp::inclusive_scan_by_key(pp::host, bytes, x, out, pp::equal_to{}, pp::maximum{});
#elif defined(keys_of_runs)
    (void)pp::reduce_by_key(pp::host, x, bytes, out, bytes.begin());
#elif defined(totals_of_runs)
    (void)pp::reduce_by_key(pp::host, bytes, x, bytes.begin(), out, pp::equal_to{}, pp::maximum{});
#elif defined(reduction_of_segments)
    pp::segmented_reduce(pp::host, bytes, 2, out, false, pp::maximum{});
#elif defined(scan_of_segments)
    pp::segmented_inclusive_scan(pp::host, x, 2, out, pp::maximum{});
#elif defined(into_copy)
    pp::copy_if(pp::host, x, out, is_set);
#elif defined(into_transform)
    pp::transform(pp::host, bytes, out, is_set);
#elif defined(into_converted)
    pp::transform(pp::host, x, pp::transform_output_iterator(out, is_set), is_set);
#elif defined(into_zipped)
    const auto twice = [](bool element) { return pp::tuple(element, element); };
    pp::transform(pp::host, x, pp::zip_iterator(bytes.begin(), out), twice);
#elif defined(into_scattered)
    pp::transform(pp::host, x, pp::permutation_iterator(out, pp::counting_iterator(0)), is_set);
#endif
}
