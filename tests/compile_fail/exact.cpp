// Exact sums where they have no meaning, or are not there.
//
// expect exact_scan: parprims: exact_plus is for reduce, transform_reduce, segmented_reduce, reduce_by_key and their _into forms
// expect exact_scan_by_key: parprims: exact_plus is for reduce, transform_reduce, segmented_reduce, reduce_by_key and their _into forms
// expect segmented_init -std=gnu++20: parprims: exact_plus needs an init of type float or double
// expect segmented_elements: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// expect segmented_ranks: parprims: several ranks have reduce
// expect other_segments: parprims: init and out must have the type of the elements
// expect exact_segmented_scan: parprims: exact_plus is for reduce, transform_reduce, segmented_reduce, reduce_by_key and their _into forms
// expect values_by_key: parprims: exact_plus needs an init of type float or double, or an integer of at most 64 bits; reduce_by_key needs such values
// expect other_keys: parprims: this call is not in the compiled library
// expect exact_extremes: parprims: compare must be callable with two values of the range
// expect wide_init -std=gnu++20: parprims: exact_plus needs an init of type float or double
// expect wide_elements -std=gnu++20: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// expect long_init: parprims: exact_plus needs an init of type float or double
// expect long_elements: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// expect long_integers: parprims: this call is not in the compiled library
// expect long_integer_products: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// expect long_products: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// expect other_init: parprims: init and out must have the type of the elements
// expect other_products: parprims: init and out must have the type of the elements
// expect other_transform: parprims: this call is not in the compiled library
// expect no_output: parprims: out must be an iterator or a pointer
// compiles
#include <parprims/by_key.hpp>
#include <parprims/distributed.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/extremes.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>

#include <cstdint>
#include <vector>

namespace pp = parprims;

__extension__ using int128 = __int128;

template <pp::communicator Communicator>
void calls(Communicator& group, const std::vector<float>& x, [[maybe_unused]] std::vector<float>& out)
{
    [[maybe_unused]] const pp::exact_plus exact;
    (void)pp::reduce(pp::host, x, 0.0, exact);
    (void)pp::reduce(pp::distributed(pp::host, group), x, 0.0f, exact);
    (void)pp::transform_reduce(pp::host, x.begin(), x.end(), x.begin(), 0.0f, exact, pp::multiplies{});
    const float* const first = x.data();
    (void)pp::reduce(pp::device, first, first + 1, 0.0f, exact);
    (void)pp::transform_reduce(pp::device, first, first + 1, out.data(), 0.0f, exact, pp::multiplies{});
    pp::reduce_into(pp::device, out.data(), out.data() + 1, out.data(), 0.0f, exact);
    (void)pp::reduce(pp::host, std::vector<std::int64_t>(), 0.0, exact);
    std::vector<int> keys(x.size());
    pp::segmented_reduce(pp::host, x, 100, out.begin(), 0.0, exact);
    pp::segmented_reduce(pp::device, first, first + 1, 1, out.data(), 0.0f, exact);
    pp::reduce_by_key(pp::host, keys, x, keys.begin(), out.begin(), pp::equal_to{}, exact);
    pp::reduce_by_key(pp::device, keys.data(), keys.data() + 1, first, keys.data(), out.data(), pp::equal_to{}, exact);

#if defined(exact_scan)
    pp::inclusive_scan(pp::host, x.begin(), x.end(), out.begin(), exact);
#elif defined(exact_scan_by_key)
    pp::inclusive_scan_by_key(pp::host, x.begin(), x.end(), x.begin(), out.begin(), pp::equal_to{}, exact);
#elif defined(segmented_init)
    pp::segmented_reduce(pp::host, x, 100, out.begin(), int128{0}, exact);
#elif defined(segmented_elements)
    pp::segmented_reduce(pp::host, std::vector<long double>(), 100, out.begin(), 0.0f, exact);
#elif defined(segmented_ranks)
    pp::segmented_reduce(pp::distributed(pp::host, group), x, 100, out.begin(), 0.0f, exact);
#elif defined(other_segments)
    pp::segmented_reduce(pp::device, first, first + 1, 1, out.data(), 0.0, exact);
#elif defined(exact_segmented_scan)
    pp::segmented_inclusive_scan(pp::host, x, 100, out.begin(), exact);
#elif defined(values_by_key)
    const std::vector<long double> values(x.size());
    pp::reduce_by_key(pp::host, x.begin(), x.end(), values.begin(), out.begin(), out.begin(), pp::equal_to{}, exact);
#elif defined(other_keys)
    pp::reduce_by_key(pp::device, first, first + 1, first, out.data(), out.data(), pp::equal_to{}, exact);
#elif defined(exact_extremes)
    (void)pp::min_element(pp::host, x.begin(), x.end(), exact);
#elif defined(wide_init)
    (void)pp::reduce(pp::host, x, int128{0}, exact);
#elif defined(wide_elements)
    (void)pp::reduce(pp::host, std::vector<int128>(), 0.0, exact);
#elif defined(long_init)
    (void)pp::reduce(pp::host, x, 0.0l, exact);
#elif defined(long_elements)
    (void)pp::reduce(pp::host, std::vector<long double>(), 0.0, exact);
#elif defined(long_integers)
    (void)pp::reduce(pp::device, static_cast<const std::int64_t*>(nullptr), static_cast<const std::int64_t*>(nullptr),
                     0.0, exact);
#elif defined(long_integer_products)
    const std::vector<std::int64_t> y(x.size());
    (void)pp::transform_reduce(pp::host, y.begin(), y.end(), y.begin(), 0.0, exact, pp::multiplies{});
#elif defined(long_products)
    const std::vector<long double> y(x.size());
    (void)pp::transform_reduce(pp::host, x.begin(), x.end(), y.begin(), 0.0, exact, pp::multiplies{});
#elif defined(other_init)
    (void)pp::reduce(pp::device, first, first + 1, 0.0, exact);
#elif defined(other_products)
    (void)pp::transform_reduce(pp::device, first, first + 1, out.data(), 0.0, exact, pp::multiplies{});
#elif defined(other_transform)
    (void)pp::transform_reduce(pp::device, first, first + 1, 0.0f, exact, [](float a) { return a; });
#elif defined(no_output)
    pp::reduce_into(pp::host, x, 5, 0.0f, exact);
#endif
}

struct alone {
    int rank() const { return 0; }
    int size() const { return 1; }
    void all_gather(const void*, void*, std::size_t, pp::stream_view) {}
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) {}
};

template void calls(alone&, const std::vector<float>&, std::vector<float>&);
