// Searches and copies by several blocks, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>

#include <cstddef>
#include <cstdint>

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

void check_extremes(std::uint64_t seed, std::size_t n)
{
    memory<std::uint32_t> values(n, 4);
    fill(values);
    values[n / 3] = 0;
    values[n / 2] = 0;
    memory<std::uint64_t> found(1);
    using search = extreme_search<extreme::minimum, parprims::less>;
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_extremes(on, static_cast<const std::uint32_t*>(values.data()), n,
                             device::stored_positions<1, device::pointer_output<std::uint64_t>>{{found.data()}},
                             search{});
    mutants::require(found[0] == n / 3, "extremes");
}

void check_copy(std::uint64_t seed, std::size_t n)
{
    memory<std::uint32_t> out(n);
    memory<std::size_t> count(1);
    two_warps on(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_copy_if(
        on, parprims::counting_iterator<std::uint32_t>(0), n, out.data(), [](std::uint32_t x) { return x % 3 != 0; },
        device::converted_output<std::size_t*>{count.data()});
    mutants::require(count[0] == n - (n + 2) / 3, "copy_if: count");
    for (std::size_t i = 0; i < count[0]; ++i)
        mutants::require(out[i] == i + i / 2 + 1, "copy_if");
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_extremes(seed, 5000);
        check_copy(seed, 3000);
        check_copy(seed, 6000);  // so many tiles that blocks draw them
    });
}
