// Exact sums that cannot run on the GPU.
//
// expect unmarked_lambda: parprims: mark a lambda that runs on the GPU PARPRIMS_HOST_DEVICE
// expect host_transform: functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE
// expect long_integers: parprims: the elements of an exact sum, or what transform_op makes of them, are float
// compiles
#include <parprims/exact_plus.hpp>
#include <parprims/slices.hpp>

#include <cstddef>
#include <cstdint>

namespace pp = parprims;

struct half_of {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x / 2; }
};
struct host_half {
    float operator()(float x) const { return x / 2; }
};

struct alone {
    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void*, void*, std::size_t, pp::stream_view) const {}
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) const {}
};

void calls(const float* x, [[maybe_unused]] const std::int64_t* integers)
{
    const pp::exact_plus exact;
    (void)pp::transform_reduce(pp::device, x, x + 1, 0.0, exact, half_of{});
    (void)pp::reduce(pp::device, integers, integers + 1, 0.0, exact);
    alone group;
    pp::slices slices(pp::device, group, 4);
    (void)pp::reduce(pp::distributed(slices), x, x + 1, 0.0f, exact);
    (void)pp::reduce(pp::distributed(slices), integers, integers + 1, 0.0f, exact);
#if defined(unmarked_lambda)
    (void)pp::transform_reduce(pp::device, x, x + 1, 0.0, exact, [](float a) { return a; });
#elif defined(host_transform)
    (void)pp::transform_reduce(pp::device, x, x + 1, 0.0, exact, host_half{});
#elif defined(long_integers)
    (void)pp::transform_reduce(pp::device, integers, integers + 1, integers, 0.0, exact, pp::multiplies{});
#endif
}
