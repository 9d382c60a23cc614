// A segmented reduction by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/segments.hpp>

#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

class two_warps : public launcher {
public:
    using launcher::launcher;

    void change(device::segmented_plan& plan) const
    {
        plan.block_threads = 64;
        plan.finish_threads = 64;
    }
};

/// Four tiles, each with short segments, two of more than a row and two of several chunks.
void check_segments(std::uint64_t seed)
{
    using value = std::uint64_t;
    constexpr std::size_t chunk = order::chunk<value>;
    memory<std::size_t> offsets(4 * 64);
    std::size_t end = 0;
    for (std::size_t s = 0; s < offsets.size(); ++s) {
        offsets[s] = end;
        const std::size_t place = s % 64;
        end += place == 20 || place == 30   ? chunk + 300
               : place == 24 || place == 33 ? order::row<value> + 70
                                            : place % 9;
    }
    memory<value> values(end);
    fill(values);
    memory<value> sums(offsets.size() - 1);
    two_warps on(schedule_of(seed), device::gpu_properties{1});
    const parprims::detail::offset_segments<const std::size_t*> segments{offsets.data(), end, sums.size()};
    device::enqueue_segmented_reduce<value>(on, segments, static_cast<const value*>(values.data()), sums.data(),
                                            value{5}, parprims::plus{});
    for (std::size_t s = 0; s < sums.size(); ++s) {
        value sum = 5;
        for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i)
            sum += values[i];
        mutants::require(sums[s] == sum, "segments");
    }
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, check_segments);
}
