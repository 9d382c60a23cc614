// Each call on the device that plain C++ may make, for all types. That it links says that lib/instances has what the headers list.
#include <parprims/parprims.hpp>

#include <cstdint>

namespace pp = parprims;

namespace {

template <class T, class Op>
void reduce_and_scan(const T* x, T* out, Op op)
{
    const auto three_phases = pp::device.with(pp::three_phase_scan{});
    (void)pp::reduce(pp::device, x, x + 4, T{}, op);
    pp::reduce_into(pp::device, x, x + 4, out, T{}, op);
    pp::inclusive_scan(pp::device, x, x + 4, out, op);
    pp::exclusive_scan(pp::device, x, x + 4, out, T{}, op);
    pp::inclusive_scan(three_phases, x, x + 4, out, op);
    pp::exclusive_scan(three_phases, x, x + 4, out, T{}, op);
}

template <class T, class Key>
void by_key(const T* x, T* out, const Key* keys, Key* keys_out)
{
    (void)pp::reduce_by_key(pp::device, keys, keys + 4, x, keys_out, out);
    pp::inclusive_scan_by_key(pp::device, keys, keys + 4, x, out);
    pp::exclusive_scan_by_key(pp::device, keys, keys + 4, x, out, T{});
    pp::segmented_reduce(pp::device, x, x + 4, keys, keys + 3, out, T{});
    pp::segmented_inclusive_scan(pp::device, x, x + 4, keys, keys + 3, out);
    pp::segmented_exclusive_scan(pp::device, x, x + 4, keys, keys + 3, out, T{});
}

template <class T>
void of_type(const T* x, T* out, std::int32_t* narrow, std::uint64_t* wide)
{
    const pp::regular_axis<T> axis(4, 0, 8);
    auto* const counters = reinterpret_cast<std::uint32_t*>(narrow);
    auto* const signed_wide = reinterpret_cast<std::int64_t*>(wide);
    reduce_and_scan(x, out, pp::plus{});
    reduce_and_scan(x, out, pp::minimum{});
    reduce_and_scan(x, out, pp::maximum{});
    pp::histogram(pp::device, x, x + 4, axis, counters);
    pp::histogram(pp::device, x, x + 4, axis.with_flow(), wide);
    (void)pp::min_element(pp::device, x, x + 4);
    (void)pp::max_element(pp::device, x, x + 4);
    (void)pp::minmax_element(pp::device, x, x + 4);
    pp::min_element_into(pp::device, x, x + 4, wide);
    pp::max_element_into(pp::device, x, x + 4, signed_wide);
    pp::minmax_element_into(pp::device, x, x + 4, wide);
    pp::segmented_reduce(pp::device, x, x + 4, 2, out, T{});
    pp::segmented_inclusive_scan(pp::device, x, x + 4, 2, out);
    pp::segmented_exclusive_scan(pp::device, x, x + 4, 2, out, T{});
    by_key(x, out, narrow, narrow);
    by_key(x, out, counters, counters);
    by_key(x, out, wide, wide);
    by_key(x, out, signed_wide, signed_wide);
}

template <class T, class Sum>
void weighted(const T* x, Sum* sums)
{
    const pp::regular_axis<T> axis(4, 0, 8);
    pp::weighted_histogram(pp::device, x, x + 4, x, axis, sums);
    pp::weighted_histogram(pp::device, x, x + 4, x, axis, static_cast<pp::weighted_sum<Sum>*>(nullptr));
    pp::profile(pp::device, x, x + 4, x, axis, static_cast<pp::profile_bin<Sum>*>(nullptr));
}

template <class... Ts>
void of_types(std::int32_t* narrow, std::uint64_t* wide)
{
    (of_type<Ts>(nullptr, nullptr, narrow, wide), ...);
}

}  // namespace

int main(int argc, char**)
{
    if (argc > 2) {  // only linked
        of_types<int, unsigned, long, unsigned long, long long, unsigned long long, float, double>(nullptr, nullptr);
        weighted<float, float>(nullptr, nullptr);
        weighted<float, double>(nullptr, nullptr);
        weighted<double, float>(nullptr, nullptr);
        weighted<double, double>(nullptr, nullptr);
    }
}
