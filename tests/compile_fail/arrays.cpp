// Calls along dimensions of arrays.
//
// expect too_many_dimensions: along names more dimensions than the view has
// expect wrong_rank: out must be a view of the dimensions that are left
// expect wrong_rank_of_scan: that of a scan has all
// expect const_output: out must be writable; this one is const
// expect exact_scan: scans take plus
// expect five_dimensions: an array may have at most four dimensions
// expect scaling_accessor: the accessor of a view must read its elements as they are
// expect late_init: parprims: this call takes no init on the device
// expect size_of_view: along goes with a view: policy, view, along(...), then out, or axis and counts, or weights, axis and sums; the host knows its extents
// expect size_of_scan: along goes with a view
// expect size_of_places: along goes with a view
// expect size_of_results: so no argument has its size on the device
// expect small_places: positions and counts are integers of 32 or 64 bits
// expect on_a_gpu: this call is not in the compiled library
// expect other_init_on_a_gpu: parprims: init and out must have the type of the elements, as 0.0f has for float
// expect integers_on_a_gpu: this call is not in the compiled library
// expect no_tag: the arguments of reduce are
// compiles -Werror -Wall -Wextra -Wconversion
#include <parprims/exact_plus.hpp>
#include <parprims/extremes_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/view.hpp>

#include <cstddef>

namespace pp = parprims;

/// What std::mdspan is with an accessor that scales.
struct scaled_view {
    using reference = float;
    static constexpr std::size_t rank() { return 1; }
    std::size_t extent(std::size_t) const { return 1; }
    std::size_t stride(std::size_t) const { return 1; }
    const float* data_handle() const { return first; }

    const float* first;
};

void calls(const float* x, float* y, signed char* places, [[maybe_unused]] const unsigned* x_count)
{
    const auto matrix = pp::matrix(x, 2, 3);
    pp::reduce(pp::host, matrix, pp::along(0), y, 0.0f);
    pp::inclusive_scan(pp::host, matrix, pp::along(0), pp::matrix(y, 2, 3));
    pp::reduce(pp::device, matrix, pp::along(0), y, 0.0f);
    pp::inclusive_scan(pp::device, pp::strided_view(y, {2, 3}, {1, 2}), pp::along(1), pp::matrix(y, 2, 3), pp::plus{},
                       0.0f);
#if defined(too_many_dimensions)
    pp::reduce(pp::host, matrix, pp::along(0, 1, 1), y, 0.0f);
#elif defined(wrong_rank)
    pp::reduce(pp::host, matrix, pp::along(0), pp::matrix(y, 2, 3), 0.0f);
#elif defined(wrong_rank_of_scan)
    pp::inclusive_scan(pp::host, matrix, pp::along(0), pp::strided_view(y, {6}, {1}));
#elif defined(const_output)
    pp::reduce(pp::host, matrix, pp::along(0), x, 0.0f);
#elif defined(exact_scan)
    pp::inclusive_scan(pp::host, matrix, pp::along(0), y, pp::exact_plus{});
#elif defined(five_dimensions)
    pp::reduce(pp::host, pp::strided_view(x, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}), pp::along(0), y, 0.0f);
#elif defined(scaling_accessor)
    pp::reduce(pp::host, scaled_view{x}, pp::along(0), y, 0.0f);
#elif defined(late_init)
    pp::reduce(pp::host, matrix, pp::along(0), y, pp::value_at(x));
#elif defined(size_of_view)
    pp::reduce(pp::host, pp::sized_on_device(x, x_count, 6), pp::along(0), y, 0.0f);
#elif defined(size_of_scan)
    pp::inclusive_scan(pp::host, pp::sized_on_device(x, x_count, 6), pp::along(0), y);
#elif defined(size_of_places)
    pp::max_element(pp::host, pp::sized_on_device(x, x_count, 6), pp::along(0), places);
#elif defined(size_of_results)
    pp::inclusive_scan(pp::host, matrix, pp::along(0), pp::sized_on_device(y, x_count, 6));
#elif defined(small_places)
    pp::max_element(pp::host, matrix, pp::along(0), places);
#elif defined(on_a_gpu)
    pp::reduce(pp::device, matrix, pp::along(0), y, 0.0f, pp::maximum{});
#elif defined(other_init_on_a_gpu)
    pp::reduce(pp::device, matrix, pp::along(0), y, 0.0);
#elif defined(integers_on_a_gpu)
    pp::inclusive_scan(pp::device, pp::matrix(x_count, 2, 3), pp::along(0), reinterpret_cast<unsigned*>(y));
#elif defined(no_tag)
    pp::reduce(pp::host, matrix, 0, y, 0.0f);
#endif
    (void)places;
}
