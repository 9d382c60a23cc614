// A segmented reduction by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/sized.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/sized_on_device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

class two_warps : public launcher {
public:
    using launcher::change;
    using launcher::launcher;

    void change(device::segmented_plan& plan) const
    {
        plan.block_threads = 64;
        const std::size_t positions = plan.tile * plan.tiles;
        plan.elements -= plan.tile / 2;
        plan.tile -= plan.tile / 2;
        plan.tiles = order::ceil_div(positions, plan.tile);
    }
    void change(device::small_segments_plan& plan) const
    {
        plan.blocks *= order::ceil_div(plan.block_segments, 2);
        plan.block_segments = std::min(plan.block_segments, 2u);
        plan.block_threads = 64;
    }
    void change(device::long_segments_plan& plan) const
    {
        plan.blocks = segments * subtrees;
        plan.block_threads = 64;
        plan.group_warps = 2;
        plan.subtree_chunks = 2;
        plan.boundaries = chunks / 2;
        plan.block_tasks = 2;
    }

    std::size_t chunks = 0;  // of the input, not rounded up
    std::size_t segments = 0;
    std::size_t subtrees = 1;  // of a segment, if all have one size
};

using value = std::uint64_t;
constexpr std::size_t chunk = order::chunk<value>;

template <class Segments>
void check_sums(std::uint64_t seed, const Segments& segments)
{
    memory<value> values(segments.n);
    fill(values);
    memory<value> sums(segments.count);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    on.chunks = (segments.n - 1) / chunk;
    on.segments = segments.count;
    if constexpr (!Segments::is_searched)
        on.subtrees = order::ceil_div(segments.size, 2 * chunk);
    device::enqueue_segmented_reduce<value>(on, segments, static_cast<const value*>(values.data()), sums.data(),
                                            value{5}, parprims::plus{});
    for (std::size_t s = 0; s < sums.size(); ++s) {
        value sum = 5;
        for (std::size_t i = segments.begin(s); i < segments.begin(s + 1); ++i)
            sum += values[i];
        mutants::require(sums[s] == sum, "segments");
    }
}

/// Segments of the lengths that `length(s)` returns.
template <class Length>
void check_offsets(std::uint64_t seed, std::size_t count, Length length)
{
    memory<std::size_t> offsets(count + 1);
    offsets[0] = 0;
    for (std::size_t s = 0; s < count; ++s)
        offsets[s + 1] = offsets[s] + length(s);
    check_sums(seed, parprims::detail::offset_segments<const std::size_t*>{offsets.data(), offsets[count], count});
}

/// Blocks that run as several, one after the other, as the number of segments lies in memory.
void check_sized(std::uint64_t seed)
{
    constexpr std::size_t count = 900, length = 20, bound = 2 * count;
    memory<std::size_t> offsets(count + 1);
    for (std::size_t s = 0; s <= count; ++s)
        offsets[s] = s * length;
    memory<value> values(count * length), sums(bound);
    memory<std::uint32_t> size(1);
    fill(values);
    size[0] = count;
    device::sized_launcher<two_warps> on(schedule_of(seed), device::gpu_properties{1});
    on.set(parprims::sized_on_device(values.data(), size.data(), bound).begin().size());
    device::enqueue_segmented_reduce<value>(
        on, parprims::detail::offset_segments<const std::size_t*>{offsets.data(), values.size(), bound},
        static_cast<const value*>(values.data()), sums.data(), value{5}, parprims::plus{});
    for (std::size_t s = 0; s < count; ++s) {
        value sum = 5;
        for (std::size_t i = 0; i < length; ++i)
            sum += values[s * length + i];
        mutants::require(sums[s] == sum, "segments of a number in memory");
    }
}

void check_segments(std::uint64_t seed)
{
    check_sized(seed);
    // Eight tiles, with short segments, some of more than a row and some of several chunks, also of chunks in two tiles.
    check_offsets(seed, 255, [](std::size_t s) {
        const std::size_t place = s % 64;
        return place == 20 || place == 30   ? chunk + 300
               : place == 24 || place == 33 ? order::row<value> + 70
                                            : place % 9;
    });
    // Tiles inside of a segment.
    check_offsets(seed, 40, [](std::size_t s) { return s == 20 ? 12 * chunk + 300 : s % 9; });
    // Segments that blocks share, some of which begin in the same subtree.
    check_offsets(seed, 3, [](std::size_t s) { return s == 1 ? chunk / 2 : 4 * chunk + 9; });
    // Few elements, and long segments of one size.
    check_offsets(seed, 3, [](std::size_t s) { return s * (chunk - 10); });
    check_sums(seed, parprims::detail::fixed_segments::of(6 * chunk + 5, 4 * chunk));
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, check_segments);
}
