// Searches, copies and transforms by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/transform/kernel.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using parprims::detail::extreme;
using parprims::detail::extreme_search;

namespace {

class two_warps : public launcher {
public:
    using launcher::launcher;

    template <class Plan>
    void change(Plan& plan) const
    {
        plan.block_threads = 64;
    }
};

/// So many tiles, which blocks draw, that there are several groups of them.
class one_warp : public launcher {
public:
    using launcher::launcher;

    void change(device::copy_if_plan& plan) const { plan = {device::large_tile::rows, 32, 0}; }
};

void check_extremes(std::uint64_t seed, std::size_t n)
{
    memory<std::uint32_t> values(n, 4);
    fill(values);
    const std::size_t place = seed % 2 == 0 ? n / 3 : 1;  // 1 lies before the first packet
    values[place] = 0;
    values[n / 2] = 0;
    memory<std::uint64_t> found(1);
    using search = extreme_search<extreme::minimum, parprims::less>;
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_extremes(on, static_cast<const std::uint32_t*>(values.data()), n,
                             device::stored_positions<1, device::pointer_output<std::uint64_t>>{{found.data()}},
                             search{});
    mutants::require(found[0] == place, "extremes");
}

/// In segments that begin anywhere in a packet.
void check_segments(std::uint64_t seed)
{
    constexpr std::size_t size = 30, count = 80;
    memory<std::uint32_t> values(size * count, 4);
    fill(values);
    const auto place_in = [&](std::size_t s) { return s * size + (s + seed) % size; };
    for (std::size_t s = 0; s < count; ++s)
        values[place_in(s)] = 0;
    memory<std::uint64_t> found(count);
    using search = extreme_search<extreme::minimum, parprims::less>;
    using best = device::segment_extremes<search, std::uint32_t, std::uint32_t>;
    using segments_type = parprims::detail::fixed_segments;
    const auto segments = segments_type::of(values.size(), size);
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_segment_tiles<best>(
        on, segments, 0, static_cast<const std::uint32_t*>(values.data()),
        device::segment_positions<search, segments_type, device::pointer_output<std::uint64_t>>{
            segments, {found.data()}, 0},
        best(), device::better_of<search>{});
    for (std::size_t s = 0; s < count; ++s)
        mutants::require(found[s] == place_in(s), "extremes of segments");
}

/// To an array, or to an output iterator.
template <bool IsArray>
void check_copy(std::uint64_t seed, std::size_t n)
{
    memory<std::uint32_t> out(n);
    memory<std::size_t> count(1);
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    const auto copy_to = [&](auto target) {
        device::enqueue_copy_if(
            on, parprims::counting_iterator<std::uint32_t>(0), n, target, [](std::uint32_t x) { return x % 3 != 0; },
            device::converted_output<std::size_t*>{count.data()});
    };
    if constexpr (IsArray)
        copy_to(out.data());
    else
        copy_to(parprims::transform_output_iterator(out.data(), parprims::identity{}));
    mutants::require(count[0] == n - (n + 2) / 3, "copy_if: count");
    for (std::size_t i = 0; i < count[0]; ++i)
        mutants::require(out[i] == i + i / 2 + 1, "copy_if");
}

/// The first elements of runs of three, with their places.
void check_runs(std::uint64_t seed, std::size_t n)
{
    memory<std::uint32_t> keys(n, 4);
    memory<std::uint32_t> out(n);
    memory<std::uint32_t> places(n);
    memory<std::size_t> count(1);
    for (std::size_t i = 0; i < n; ++i)
        keys[i] = static_cast<std::uint32_t>(i / 3);
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    using positions = parprims::counting_iterator<std::uint32_t>;
    const parprims::detail::kept_outputs<std::uint32_t*, positions, std::uint32_t*> outputs{
        out.data(), positions(0), places.data(), {}};
    device::enqueue_copy_if(on, static_cast<const std::uint32_t*>(keys.data()), n, outputs,
                            parprims::detail::starts_run<parprims::equal_to>{}, count.data());
    mutants::require(count[0] == n / 3, "runs: count");
    for (std::size_t i = 0; i < n / 3; ++i)
        mutants::require(out[i] == i && places[i] == 3 * i, "runs");
}

/// Short runs, and long ones, which reach over tiles in which none begins.
template <class Key, class Launcher>
void check_lengths(std::uint64_t seed, std::size_t n)
{
    memory<Key> keys(n, 4);
    memory<Key> out(n);
    memory<std::uint32_t> lengths(n);
    memory<std::size_t> count(1);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < n; i += begins.size() % 4 == 0 ? n / 3 : 7 + seed)
        begins.push_back(i);
    for (std::size_t i = 0, r = 0; i < n; ++i) {
        r += r + 1 < begins.size() && begins[r + 1] == i;
        keys[i] = static_cast<Key>(r);
    }
    Launcher on(schedule_of(seed), device::gpu_properties{2});
    const parprims::detail::kept_outputs<Key*, parprims::detail::run_lengths, std::uint32_t*> outputs{
        out.data(), {}, lengths.data(), {}};
    device::enqueue_copy_if(on, static_cast<const Key*>(keys.data()), n, outputs,
                            parprims::detail::starts_run<parprims::equal_to>{}, count.data());
    mutants::require(count[0] == begins.size(), "lengths: count");
    begins.push_back(n);
    for (std::size_t r = 0; r < count[0]; ++r)
        mutants::require(out[r] == r && lengths[r] == begins[r + 1] - begins[r], "lengths");
}

/// Of two arrays that begin anywhere in a packet, to one that does so, too.
void check_transform(std::uint64_t seed, std::size_t n)
{
    memory<std::uint8_t> bytes(n, 1 + seed % 5);
    memory<float> numbers(n, 4 * (seed % 3));
    memory<float> out(n, 4 + 4 * (seed % 2));
    for (std::size_t i = 0; i < n; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i % 251);
        numbers[i] = static_cast<float>(i % 1000);
    }
    const parprims::zip_iterator pairs(static_cast<const std::uint8_t*>(bytes.data()),
                                       static_cast<const float*>(numbers.data()));
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_transform<float>(on, pairs, n, out.data(),
                                     [](const auto& pair) { return parprims::get<0>(pair) + parprims::get<1>(pair); });
    for (std::size_t i = 0; i < n; ++i)
        mutants::require(out[i] == static_cast<float>(i % 251 + i % 1000), "transform");
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_extremes(seed, 5000);
        check_segments(seed);
        check_copy<true>(seed, 3000);
        check_copy<false>(seed, 3000);
        check_copy<true>(seed, 6000);  // so many tiles that blocks draw them
        check_runs(seed, 6000);
        check_lengths<std::uint32_t, two_warps>(seed, 6000);
        check_lengths<std::uint32_t, one_warp>(seed, 45000);
        check_lengths<std::uint8_t, two_warps>(seed, 12000);  // their numbers take the place of bytes
        check_transform(seed, 3000);
    });
}
