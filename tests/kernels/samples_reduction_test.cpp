// The kernels of samples/reduction_ladder on the executor, against a plain sum.
#include "reduction_ladder/ladder.hpp"
#include "support/executor_launcher.hpp"

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <cstdint>
#include <numeric>

using namespace kernel_test;
using reduction_ladder::finish;
using reduction_ladder::request;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr unsigned blocks[] = {32, 64, 128};  // TSan bears 192 threads
constexpr std::size_t stride = 373, most = 300, no_turns_to = 0;
#else
constexpr unsigned blocks[] = {32, 64, 128, 256, 512, 1024};
constexpr std::size_t stride = 1, most = 5000, no_turns_to = 2200;
#endif

/// The sum that a step leaves, from memory that ends with the last value.
template <class T>
T sum(const request& what, std::uint64_t seed)
{
    samples::executor_launcher launcher(schedule_of(seed));
    std::vector<T> values(what.n);
    for (std::size_t i = 0; i < what.n; ++i)
        values[i] = static_cast<T>(static_cast<int>(mix(i) % 201) - 100);  // exact in any order
    const T* const in = launcher.bring(values);
    const auto room = reduction_ladder::make_scratch<samples::executor_launcher, T>(launcher, what);
    const T result = reduction_ladder::finish_on_cpu(
        launcher, reduction_ladder::reduce_down_to(launcher, what, in, reduction_ladder::enough_for(what), room));
    CHECK(launcher.fetch(in, what.n) == values);  // the input stays
    return result - std::accumulate(values.begin(), values.end(), T{});
}

/// Block, grid, finish and schedule go round at their own paces, so that every pair of them comes up.
template <class T>
void check(int step, std::size_t n, std::uint64_t seed)
{
    constexpr finish finishes[] = {finish::gpu, finish::cpu, finish::hybrid};
    request what{step, n, blocks[seed % std::size(blocks)], 1 + seed % 7, finishes[seed / 2 % 3], 1 + seed % 200};
    CAPTURE(step);
    CAPTURE(n);
    CAPTURE(what.block);
    CAPTURE(what.grid);
    CAPTURE(static_cast<int>(what.how));
    CAPTURE(what.threshold);
    CAPTURE(seed);
    REQUIRE(sum<T>(what, seed) == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("each step of the ladder is right near every multiple of its units", T, int, float)
{
    std::uint64_t seed = sizeof(T);
    for (int step = 0; step < reduction_ladder::parprims_step; ++step)
        for (const std::size_t n : sizes(most, {32, 128, 256, 2048}, seed))
            if (n > 0)
                check<T>(step, n, ++seed);
}

// Up to the largest block's 2048 elements and some more, each step sees each odd n. For other n and under TSan the steps take
// turns.
TEST_CASE("every n up to 3000 is reduced right, by each step or by one in turn [sweep]")
{
    for (std::size_t n = 1; n <= 3000; n += stride)
        for (std::size_t step = 0; step < reduction_ladder::parprims_step; ++step)
            if ((n <= no_turns_to && n % 2 != 0) || n % reduction_ladder::parprims_step == step)
                check<int>(static_cast<int>(step), n, n / 2 * 7 + step);
}
