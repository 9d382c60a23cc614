// Calls whose size lies in memory, small enough to be run with each planted bug. Elements behind the size do not exist.
#include "program.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/sized.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/functional.hpp>
#include <parprims/sized_on_device.hpp>

#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

using value = std::uint32_t;
constexpr std::size_t chunk = order::chunk<value>;
constexpr std::size_t tile = order::tile_rows<value> * order::row<value>;

/// Calls `enqueue(launcher, size that it is planned for, input, output)`; compares the results with the size from the host.
template <class Enqueue>
void check(std::size_t n, std::size_t bound, std::size_t results, std::uint64_t seed, const char* name,
           std::size_t elements, Enqueue enqueue)
{
    memory<value> input(elements), found(results), expected(results);
    memory<std::int32_t> count(1);
    fill(input);
    count[0] = static_cast<std::int32_t>(n);
    const device::gpu_properties gpu{.multiprocessors = 3, .architecture = 90};
    device::sized_launcher<launcher> sized(schedule_of(seed), gpu);
    sized.set(parprims::sized_on_device(input.data(), count.data(), bound).begin().size());
    enqueue(sized, bound, static_cast<const value*>(input.data()), found.data());
    if (n <= bound) {
        launcher plain(schedule_of(seed + 1), gpu);
        enqueue(plain, n, static_cast<const value*>(input.data()), expected.data());
    }
    mutants::require(sized.reported_size().has_value() == (n > bound), name);
    for (std::size_t i = 0; i < results; ++i)
        mutants::require(same_bits(found[i], expected[i]), name);
}
template <class Enqueue>
void check(std::size_t n, std::size_t bound, std::size_t results, std::uint64_t seed, const char* name, Enqueue enqueue)
{
    check(n, bound, results, seed, name, n, enqueue);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        const auto sum = [](auto& on, std::size_t n, const value* x, value* out) {
            device::enqueue_reduce(on, parprims::reduce_config{64, 1, 1}, x, n, out, value{5}, hash{},
                                   parprims::identity{});
        };
        check(chunk + 9, 40 * chunk, 1, seed, "a reduction of less than its bound", sum);
        check(20 * chunk - 7, 40 * chunk, 1, seed, "a reduction of half of its bound", sum);
        check(chunk, chunk - 1, 1, seed, "a reduction of more than its bound", sum);
        const auto scan = [](unsigned small_tiles) {
            return [=](auto& on, std::size_t n, const value* x, value* out) {
                device::enqueue_scan<scan_kind::inclusive>(on, parprims::scan_config{64, 1, 2, small_tiles}, x, n, out,
                                                           static_cast<const value*>(nullptr), hash{},
                                                           parprims::identity{});
            };
        };
        check(tile + 9, 3 * tile, tile + 9, seed, "a scan with a block for each tile", scan(4));
        check(tile + 9, 9 * tile, tile + 9, seed, "a scan by blocks that draw tiles", scan(0));
        check(38000, 200000, 38000, seed, "a transform that draws its tiles",
              [](auto& on, std::size_t n, const value* x, value* out) {
                  device::enqueue_transform<value>(on, x, n, out, [](value v) { return ~v; });
              });
        const auto of_segments = [&](std::size_t count, std::size_t length, const char* name) {
            memory<std::uint32_t> offsets(count + 1);
            for (std::size_t s = 0; s <= count; ++s)
                offsets[s] = static_cast<std::uint32_t>(s * length);
            const auto segments_of = [&](std::size_t n) {
                return parprims::detail::offset_segments<const std::uint32_t*>{offsets.data(), count * length, n};
            };
            check(count, 4 * count, 4 * count, seed, name, count * length,
                  [&](auto& on, std::size_t n, const value* x, value* out) {
                      device::enqueue_segmented_reduce<value>(on, segments_of(n), x, out, value{5}, hash{});
                  });
        };
        of_segments(20, 3, "few segments");
        of_segments(900, 20, "segments in tiles");
        of_segments(7, 40 * chunk, "long segments");
        constexpr unsigned bins = 300;
        check(1000, 5000, 2 * bins, seed, "weights that are sorted",
              [](auto& on, std::size_t n, const value* x, value* out) {
                  device::enqueue_weighted(
                      on, parprims::histogram_config{parprims::histogram_config::partitioned, 64, 1, 0}, x, n, x,
                      parprims::regular_axis(bins, value{0}, ~value{0}), reinterpret_cast<double*>(out));
              });
    });
}
