// Every kernel of the library by its own dispatch, for AMD's GPUs. check.py compiles it and reads what became of them. Kernels that
// another call has with other values or operators are compiled for warps of 64 lanes alone.
#include <parprims/axis.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/detail/device/exact/segments_dispatch.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include "hip_launcher.hpp"

#include <cstddef>
#include <cstdint>

/// All memory is the GPU's.
struct arrays {
    std::size_t n;
    const float* in;
    const std::uint32_t* keys;  // or offsets, in ascending order
    float* out;
    std::uint32_t* keys_out;
    std::size_t* count;
};

namespace {

namespace pp = parprims;
namespace device = parprims::detail::device;
namespace exact = parprims::detail::exact;
using parprims::detail::scan_kind;
using launcher = samples::hip_launcher;
using segments = parprims::detail::offset_segments<const std::uint32_t*>;

struct is_positive {
    __host__ __device__ bool operator()(float x) const { return x > 0; }
};
struct twice {
    __host__ __device__ float operator()(float x) const { return x + x; }
};

void reduce(launcher& on, const arrays& a)
{
    device::enqueue_reduce<float>(on, {}, a.in, a.n, a.out, 0.0f, pp::plus{}, pp::identity{});
    device::enqueue_exact_sum<exact::numbers<float>>(on, a.in, a.n, a.out, 0.0f, pp::identity{});
    using search = parprims::detail::extreme_search<parprims::detail::extreme::both, pp::less>;
    device::enqueue_extremes(on, a.in, a.n, device::stored_positions<2, device::pointer_output<std::size_t>>{{a.count}},
                             search{});
}

void scan(launcher& on, const arrays& a)
{
    const float init = 0;
    const auto enqueue = [&](const auto& config) {
        device::enqueue_scan<scan_kind::exclusive>(on, config, a.in, a.n, a.out, &init, pp::plus{}, pp::identity{});
    };
    enqueue(parprims::detail::optional_config(pp::scan_config{}));
    enqueue(parprims::detail::optional_config(pp::three_phase_scan{}));
}

void scan_by_key(launcher& on, const arrays& a)
{
    const float init = 0;
    device::enqueue_scan_by_key<scan_kind::inclusive, float>(on, a.keys, a.n, a.in, a.out, &init, pp::equal_to{},
                                                             pp::plus{});
    device::enqueue_segmented_scan<scan_kind::inclusive, float>(on, segments{a.keys, a.n, a.n - 1}, a.n, a.in, a.out,
                                                                &init, pp::plus{});
}

void reduce_by_key(launcher& on, const arrays& a)
{
    device::enqueue_reduce_by_key<float>(on, a.keys, a.n, a.in, a.keys_out, a.out,
                                         device::converted_output<std::size_t*>{a.count}, pp::equal_to{}, pp::plus{});
}

void segmented_reduce(launcher& on, const arrays& a)
{
    const segments all{a.keys, a.n, a.n - 1};
    device::enqueue_segmented_reduce<float>(on, all, a.in, a.out, 0.0f, pp::plus{});
    device::enqueue_exact_segments<exact::sum_terms<float, float>>(on, all, a.in, device::make_output(a.out), 0.0f);
}

void along(launcher& on, const arrays& a)
{
    const device::placed_lines<const float*, float*> lines{{}, a.in, 0, a.out, 0};
    device::enqueue_reduce_along(on, lines, 0.0f, pp::plus{}, pp::identity{});
}

void copy(launcher& on, const arrays& a)
{
    device::enqueue_copy_if(on, a.in, a.n, a.out, is_positive{}, device::converted_output<std::size_t*>{a.count});
    device::enqueue_transform<float>(on, a.in, a.n, a.out, twice{});
}

void histogram(launcher& on, const arrays& a)
{
    const pp::regular_axis axis(10, 0.0f, 1.0f);
    device::enqueue_histogram(on, {}, a.in, a.n, axis, a.keys_out);
    device::enqueue_weighted(on, {}, a.in, a.n, a.in, axis, a.out);
}

#if defined(__GFX9__)
void segmented_extremes(launcher& on, const arrays& a)
{
    device::enqueue_segmented_extremes(on, segments{a.keys, a.n, a.n - 1}, a.in, a.count,
                                       parprims::detail::extreme_search<parprims::detail::extreme::minimum, pp::less>{});
}

void selections(launcher& on, const arrays& a)
{
    namespace detail = pp::detail;
    device::enqueue_copy_if(
        on, a.keys, a.n, detail::kept_outputs<unsigned*, detail::long_run_lengths, float*>{a.keys_out, {}, a.out, {}},
        detail::starts_run<pp::equal_to>{}, device::converted_output<std::size_t*>{a.count});
    device::enqueue_copy_if(
        on, a.in, a.n,
        detail::kept_outputs<float*, detail::no_iterator, detail::no_iterator, float*>{a.out, {}, {}, a.out},
        is_positive{}, device::converted_output<std::size_t*>{a.count});
}
#endif

}  // namespace

/// Keeps the calls; check.py never runs it.
void enqueue_all(launcher& on, const arrays& a)
{
    reduce(on, a);
    scan(on, a);
    scan_by_key(on, a);
    reduce_by_key(on, a);
    segmented_reduce(on, a);
    along(on, a);
    copy(on, a);
    histogram(on, a);
#if defined(__GFX9__)
    segmented_extremes(on, a);
    selections(on, a);
#endif
}
