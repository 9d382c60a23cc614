// Scans and reductions by key by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/host/by_key.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace kernel_test;
using parprims::equal_to;
namespace order = parprims::detail::order;

using short_value = std::uint64_t;  // whose tiles have two rows here, so that a block has two warps
template <>
inline constexpr unsigned order::tile_rows<parprims::detail::keyed<short_value, std::size_t, true>> = 2;
template <>
inline constexpr std::size_t order::short_input<short_value> = 100 * 128;

namespace {

namespace host = parprims::detail::host;
using long_value = checked<256>;  // a block has two warps, too

template <class T>
void require_same(memory<T>& a, memory<T>& b, std::size_t n, const char* name)
{
    mutants::require(std::memcmp(static_cast<void*>(a.data()), static_cast<void*>(b.data()), n * sizeof(T)) == 0, name);
}

template <class value>
void check(std::uint64_t seed, std::size_t n)
{
    memory<std::uint8_t> keys(n);
    memory<value> values(n);
    fill(values);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::uint8_t>(mix(i / (1 + seed % 50)));
    const std::uint8_t* const key = keys.data();
    const value* const first = values.data();

    memory<value> out(n), expected(n);
    launcher on(schedule_of(seed), device::gpu_properties{1});  // few blocks, which have several tiles each
    device::enqueue_scan_by_key<scan_kind::inclusive, value>(on, key, n, first, out.data(),
                                                             static_cast<const value*>(nullptr), equal_to{}, hash{});
    host::scan_by_key<scan_kind::inclusive, value>(1, host::key_heads<const std::uint8_t*, equal_to>{key, {}}, first, n,
                                                   expected.data(), static_cast<const value*>(nullptr), hash{});
    require_same(out, expected, n, "scan by key");

    memory<std::uint8_t> run_keys(n), expected_keys(n);
    memory<std::size_t> count(1);
    device::enqueue_reduce_by_key<value>(on, key, n, first, run_keys.data(), out.data(),
                                         device::converted_output<std::size_t*>{count.data()}, equal_to{}, hash{});
    const std::size_t runs =
        host::reduce_by_key<value>(1, key, n, first, expected_keys.data(), expected.data(), equal_to{}, hash{});
    mutants::require(count[0] == runs, "runs");
    require_same(run_keys, expected_keys, runs, "keys of the runs");
    require_same(out, expected, runs, "totals of the runs");
}

void check_segments(std::uint64_t seed, std::size_t n)
{
    memory<short_value> values(n);
    fill(values);
    const std::size_t count = n / 20;
    memory<std::uint32_t> offsets(count + 1);
    for (std::size_t s = 0; s <= count; ++s)
        offsets[s] = static_cast<std::uint32_t>(n * s / count);
    const parprims::detail::offset_segments<const std::uint32_t*> segments{offsets.data(), n, count};
    const short_value* const first = values.data();

    memory<short_value> out(n), expected(n);
    launcher on(schedule_of(seed), device::gpu_properties{3});
    const short_value* const none = nullptr;
    device::enqueue_segmented_scan<scan_kind::inclusive, short_value>(on, segments, n, first, out.data(), none, hash{});
    host::segmented_scan<scan_kind::inclusive, short_value>(1, segments, first, expected.data(), none, hash{});
    require_same(out, expected, n, "segmented scan");
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check<long_value>(seed, 64 * (3 + seed % 9) + 7);
        check<short_value>(seed, 128 * (2 + seed % 5) + 7);
        check_segments(seed, 128 * (2 + seed % 5) + 7);
    });
}
