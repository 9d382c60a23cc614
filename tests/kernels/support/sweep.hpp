/// @file
/// @brief  The covering design of the sweeps: which sizes, and with which launch each of them is run.
///
/// Sizes come from the list alone; everything else is drawn for each run by a hash of its number, so that over thousands
/// of runs any two choices meet, and a run can be repeated by its number.
#pragma once

#include "run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernel_test {

/// Fibers that live at a time: more is gigabytes of stacks.
inline constexpr unsigned most_threads = 1 << 14;

inline constexpr unsigned all_block_threads[] = {32, 64, 96, 128, 160, 256, 288, 512, 768, 1024};
inline constexpr unsigned all_resident_blocks[] = {1, 2, 3, 4, 7, 8, 16, 31, 64};

/// One choice for each of a run's numbers.
class draw {
public:
    explicit draw(std::uint64_t run) : run_(run) {}

    template <class T, std::size_t N>
    T of(const T (&list)[N])
    {
        return list[next() % N];
    }
    std::uint64_t next() { return mix(run_ * 0x9e3779b97f4a7c15u + ++draws_) >> 20; }

    /// Large blocks less often than small ones: they take as much longer.
    unsigned block_threads()
    {
        const unsigned all = of(all_block_threads);
        return std::min(all, of(all_block_threads));
    }
    unsigned multiprocessors() { return of({1u, 2u, 3u, 5u, 16u, 64u}); }

    /// A schedule with 1 to 64 resident blocks, and not too many threads to be quick.
    executor::options schedule(unsigned block_threads)
    {
        executor::options how;
        how.seed = run_;
        how.order = of({executor::schedule::in_order, executor::schedule::random, executor::schedule::warps,
                        executor::schedule::threads});
        how.blocks =
            of({executor::block_order::ascending, executor::block_order::descending, executor::block_order::shuffled});
        how.preemption = of({0.02, 0.1, 0.5});
        how.resident_blocks = std::min(of(all_resident_blocks), most_threads / block_threads);
        return how;
    }

private:
    std::uint64_t run_;
    std::uint64_t draws_ = 0;
};

/// The kindest schedule there is: blocks and threads one after the other.
inline executor::options in_order()
{
    executor::options how;
    how.order = executor::schedule::in_order;
    how.blocks = executor::block_order::ascending;
    return how;
}

/// Sizes from 0 to 4 units + 1: every `stride`-th, all that are at most `near` from a multiple of the unit, and the last.
/// Strides are odd and not near a multiple of a row, so that all remainders come up.
inline std::vector<std::size_t> sizes_to_4_units(std::size_t unit, std::size_t stride, std::size_t near)
{
    std::vector<std::size_t> list;
    for (std::size_t n = 0; n <= 4 * unit + 1; ++n) {
        const std::size_t after = n % unit;
        if (n % stride == 0 || std::min(after, unit - after) <= near)
            list.push_back(n);
    }
    return list;
}

/// The powers of two up to `limit`, and their neighbours.
inline std::vector<std::size_t> sizes_near_powers(std::size_t limit)
{
    std::vector<std::size_t> list;
    for (std::size_t power = 1; power <= limit; power *= 2)
        for (const std::size_t n : {power - 1, power, power + 1})
            list.push_back(n);
    return list;
}

/// Calls `use(block_threads, resident_blocks)` for every pair of a machine that bears them.
template <class Use>
void for_each_shape(Use use)
{
    for (const unsigned threads : all_block_threads)
        for (const unsigned blocks : all_resident_blocks)
            if (threads * blocks <= most_threads)
                use(threads, blocks);
}

/// A sweep with few kinds of launches is not one. `has_plan(block_threads)`: whether a block may have so many.
template <class HasPlan>
void check_runs(HasPlan has_plan)
{
    CHECK(made.seeds.size() >= 20);
    for (const unsigned threads : all_block_threads) {
        CAPTURE(threads);
        CHECK(made.block_threads.count(threads) == (has_plan(threads) ? 1 : 0));
    }
    for (const unsigned blocks : all_resident_blocks)
        CHECK(made.resident_blocks.count(blocks) == 1);
}
inline void check_runs()
{
    check_runs([](unsigned) { return true; });
}

}  // namespace kernel_test
