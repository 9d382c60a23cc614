// Exact sums in one block and in several, with windows and without, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/exact/dispatch.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include "../../unit/support/exact_oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using exact_oracle::kind;

namespace {

struct grid {
    unsigned count;
    bool is_cluster;
};
constexpr grid one_block{1, false}, cluster{3, true}, three_blocks{3, false};

class exact_launcher : public launcher {
public:
    exact_launcher(const executor::options& how, const device::gpu_properties& gpu, grid blocks, unsigned most_threads)
        : launcher(how, gpu), blocks_(blocks), most_threads_(most_threads)
    {
    }
    void change(device::exact_plan& plan) const
    {
        plan.blocks = blocks_.count;
        plan.cluster_blocks = blocks_.is_cluster ? blocks_.count : 1;
        plan.block_threads = std::min(plan.block_threads, most_threads_);
    }

private:
    grid blocks_;
    unsigned most_threads_;
};

template <class T, class Iterator>
T sum(Iterator first, std::size_t n, std::uint64_t seed, grid blocks, unsigned most_threads, bool has_windows)
{
    using terms = parprims::detail::exact::numbers<parprims::detail::iter_value_t<Iterator>>;
    device::gpu_properties gpu;
    gpu.architecture = has_windows ? 90 : 89;
    exact_launcher on(schedule_of(seed), gpu, blocks, most_threads);
    stored<T> result;
    device::enqueue_exact_sum<terms>(on, first, n, result.output(), T{1}, parprims::identity{});
    return result.value();
}

template <class T>
void check(kind which, std::size_t n, std::uint64_t seed, grid blocks, bool has_windows, const char* name)
{
    const auto x = exact_oracle::inputs<T>(which, n, seed);
    memory<T> input(n);
    std::copy(x.begin(), x.end(), input.data());
    const T result = sum<T>(static_cast<const T*>(input.data()), n, seed, blocks, 64, has_windows);
    mutants::require(same_bits(result, exact_oracle::sum(x, T{1})), name);
}

/// Two warps of one block, of which one has no terms that fit a window.
void check_one_wide_batch(std::uint64_t seed, const char* name)
{
    auto x = exact_oracle::inputs<double>(kind::uniform, 1024, seed);
    const auto wide = exact_oracle::inputs<double>(kind::whole_range, 512, seed);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i / 128 % 2 == 0)
            x[i] = wide[i / 256 * 128 + i % 128];
    memory<double> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    const double result = sum<double>(static_cast<const double*>(input.data()), x.size(), seed, one_block, 64, true);
    mutants::require(same_bits(result, exact_oracle::sum(x, 1.0)), name);
}

/// Numbers whose last digits are far below those of numbers i and j, which cancel.
void check_beside_large(std::size_t n, std::size_t i, std::size_t j, float large, std::uint64_t seed, const char* name)
{
    auto x = exact_oracle::inputs<float>(kind::uniform, n, seed);
    x[i] = large;
    x[j] = -large;
    memory<float> input(x.size());
    std::copy(x.begin(), x.end(), input.data());
    const float result = sum<float>(static_cast<const float*>(input.data()), x.size(), seed, one_block, 32, true);
    mutants::require(same_bits(result, exact_oracle::sum(x, 1.0f)), name);
}

/// So many times the same number for each lane of one warp.
template <class T>
void check_constant(T x, std::size_t times, std::uint64_t seed, bool has_windows, const char* name)
{
    const std::size_t n = 32 * times;
    const double result = sum<double>(parprims::constant_iterator(x), n, seed, one_block, 32, has_windows);
    exact_oracle::big_sum expected;
    expected.add(1);
    for (std::size_t i = 0; i < n; ++i)
        expected.add(x);
    mutants::require(same_bits(result, expected.rounded<double>()), name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check<float>(kind::wide, 3000, seed, cluster, true, "wide floats in a cluster");
        check<float>(kind::infinite, 1500, seed, cluster, true, "an infinity in a cluster");
        check<float>(kind::wide, 3000, seed, three_blocks, true, "wide floats in several blocks");
        check<double>(kind::wide, 1500, seed, one_block, true, "wide doubles in one block");
        check<float>(kind::drifting, 3000, seed, one_block, true, "floats from small to large");
        check<double>(kind::cancelling, 1500, seed, cluster, false, "doubles that cancel, as integers");
        check_beside_large(8, 0, 5, 0x1p60f, seed, "floats beside large ones that cancel");
        check_beside_large(2048, 1000, 2047, 0x1p126f, seed, "floats beside large ones outside of their window");
        check_one_wide_batch(seed, "one warp of a block with integers");
        if (!mutants::has_tsan) {
            check_constant(1 - 0x1p-24f, 6000, seed, true, "many floats in a window");
            check_constant(1 - 0x1p-53, 3000, seed, false, "many doubles as integers");
        }
    });
}
