// The kernel of exact sums on the executor, against long addition: with doubles in windows, and with integers alone, as on GPUs that
// add doubles slowly.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include "../unit/support/exact_oracle.hpp"
#include "support/run.hpp"
#include "support/sized.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using exact_oracle::kind;
namespace exact = parprims::detail::exact;

namespace {

constexpr int architectures[] = {90, 89};

/// A GPU on which a block has some warps, and there are some blocks.
device::gpu_properties gpu_of(std::uint64_t seed)
{
    device::gpu_properties gpu{1 + static_cast<unsigned>(seed % 3)};
    gpu.architecture = architectures[seed / 6 % 2];
    gpu.shared_bytes_per_block = seed % 5 == 0 ? 48 * 1024 : 227 * 1024;
    return gpu;
}

/// Blocks of at most four warps: often several where the plan has one, in a cluster or so many that they add to one number.
class exact_launcher : public launcher {
public:
    exact_launcher(std::uint64_t seed) : launcher(schedule_of(seed), gpu_of(seed)), seed_(seed) {}
    void change(device::exact_plan& plan) const
    {
        plan.block_threads = std::min(plan.block_threads, 128u);
        if (seed_ % 4 == 0)
            return;
        plan.blocks = 1 + seed_ % 7;
        plan.cluster_blocks = seed_ % 4 == 1 ? static_cast<unsigned>(plan.blocks) : 1;
    }

private:
    std::uint64_t seed_;
};

template <class T, class Result = stored<T>, class Iterator, class Transform>
T sum(std::uint64_t seed, Iterator first, std::size_t n, T init, Transform transform)
{
    using terms = exact::terms<parprims::detail::iter_value_t<Iterator>, Transform>;
    exact_launcher on(seed);
    Result result;
    device::enqueue_exact_sum<terms>(on, first, n, result.output(), init, transform);
    return result.value();
}

template <class T>
bool same_number(T a, T b)
{
    return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

template <class T>
T init_of(std::uint64_t seed)
{
    return seed % 3 == 0 ? T{0} : seed % 3 == 1 ? -T{0} : T{1} / 3;
}

/// Copies of values in memory that the executor watches.
template <class T>
struct placed {
    placed(const std::vector<T>& values, std::size_t offset) : input(values.size(), offset * sizeof(T))
    {
        std::copy(values.begin(), values.end(), input.data());
    }
    const T* data() { return input.data(); }
    memory<T> input;
};

template <class T>
void check_sum(kind which, std::size_t n, std::uint64_t seed)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(seed);
    const auto x = exact_oracle::inputs<T>(which, n, seed);
    const T expected = exact_oracle::sum(x, init_of<T>(seed));
    placed<T> input(x, seed % 5);
    REQUIRE(same_number(sum(seed, input.data(), n, init_of<T>(seed), parprims::identity{}), expected));
}

template <class T>
void check_product(kind which, std::size_t n, std::uint64_t seed)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(seed);
    const auto x = exact_oracle::inputs<T>(which, n, seed);
    const auto y = exact_oracle::inputs<T>(seed % 2 == 0 ? which : kind::wide, n, seed + 1);
    placed<T> first(x, seed % 3), second(y, 0);
    const parprims::zip_iterator pairs(first.data(), second.data());
    const parprims::detail::of_pair<parprims::multiplies> product{};
    REQUIRE(same_number(sum(seed, pairs, n, init_of<T>(seed), product),
                        exact_oracle::inner_product(x, y, init_of<T>(seed))));
}

constexpr std::size_t lengths[] = {0, 1, 2, 5, 31, 33, 500, 511, 513, 1500, 4099};

}  // namespace

TEST_CASE_TEMPLATE("exact sums of every kind of input", T, float, double)
{
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t n : lengths) {
            check_sum<T>(static_cast<kind>(which), n, seed++);
            check_sum<T>(static_cast<kind>(which), n, seed++ + 3);
        }
}

TEST_CASE_TEMPLATE("exact inner products of every kind of input", T, float, double)
{
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t n : lengths) {
            check_product<T>(static_cast<kind>(which), n, seed++);
            check_product<T>(static_cast<kind>(which), n, seed++ + 3);
        }
}

TEST_CASE_TEMPLATE("exact sums whose size is in device memory", T, float, double)
{
    std::uint64_t seed = sizeof(T);
    for (const std::size_t bound : {700u, 5000u, 20000u}) {  // one block, and clusters
        placed<T> input(exact_oracle::inputs<T>(kind::wide, bound, seed), seed % 3);
        check_sizes<std::int32_t, T>(
            bound, sizes_up_to(bound, {512}, seed), seed, 1, [&](auto& on, std::size_t n, results<T>& out) {
                device::enqueue_exact_sum<exact::numbers<T>>(on, static_cast<const T*>(input.data()), n,
                                                             out.values.data(), T{1} / 3, parprims::identity{});
            });
    }
}
