/// @file
/// @brief  What drives the kernels of the ladder, with either launcher: how many blocks, and what becomes of their sums.
#pragma once

#include "reduction_ladder/engine.hpp"
#include "reduction_ladder/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace reduction_ladder {

constexpr std::size_t ceil_div(std::size_t n, std::size_t unit)
{
    return (n + unit - 1) / unit;
}

/// Calls `run` with the block size as a constant of the program.
template <class Run>
void with_threads(unsigned threads, Run run)
{
    switch (threads) {
    case 32: return run.template operator()<32>();
    case 64: return run.template operator()<64>();
    case 128: return run.template operator()<128>();
    case 256: return run.template operator()<256>();
    case 512: return run.template operator()<512>();
    case 1024: return run.template operator()<1024>();
    default:
        throw std::invalid_argument("a block of " + std::to_string(threads) + ": take 32, 64, 128, 256, 512 or 1024");
    }
}

/// How many sums a launch leaves.
inline std::size_t sums_of(const request& what, std::size_t n)
{
    if (what.step == 0)
        return (n + 1) / 2;
    if (what.step <= 3)
        return ceil_div(n, what.block);
    if (what.step <= 6)
        return ceil_div(n, 2 * what.block);
    return std::min<std::size_t>(ceil_div(n, what.block), what.grid);
}

/// One launch: the `n` values at `in` become `sums_of(what, n)`. Only step 0 may do it in place.
template <class Launcher, class T>
void reduce_once(Launcher& launcher, const request& what, const T* in, std::size_t n, T* sums)
{
    const std::size_t blocks = sums_of(what, n);
    const std::size_t a_value_each = what.block * sizeof(T);
    switch (what.step) {
    case 0: return launcher.launch(ceil_div(blocks, what.block), what.block, pairwise_kernel<T>{in, sums, n});
    case 1: return launcher.launch(blocks, what.block, divergent_kernel<T>{in, sums, n}, a_value_each);
    case 2: return launcher.launch(blocks, what.block, bank_conflict_kernel<T>{in, sums, n}, a_value_each);
    case 3: return launcher.launch(blocks, what.block, sequential_kernel<T>{in, sums, n}, a_value_each);
    case 4: return launcher.launch(blocks, what.block, first_add_kernel<T>{in, sums, n}, a_value_each);
    case 5: return launcher.launch(blocks, what.block, last_warp_kernel<T>{in, sums, n}, a_value_each);
    default: break;
    }
    with_threads(what.block, [&]<unsigned Threads>() {
        if (what.step == 6)
            launcher.launch(blocks, Threads, unrolled_kernel<Threads, T>{in, sums, n});
        else if (what.step == 7)
            launcher.launch(blocks, Threads, grid_stride_kernel<Threads, T>{in, sums, n});
        else
            launcher.launch(blocks, Threads, shuffle_kernel<Threads, T>{in, sums, n});
    });
}

/// Values that one launch after the other makes fewer.
template <class T>
struct remaining {
    const T* values;
    std::size_t count;
};

/// Two places for sums, used in turn.
template <class T>
struct scratch {
    T* one;
    T* other;
};

template <class Launcher, class T>
scratch<T> make_scratch(Launcher& launcher, const request& what)
{
    T* const one = launcher.template allocate<T>(sums_of(what, what.n));
    return {one, launcher.template allocate<T>(sums_of(what, sums_of(what, what.n)))};
}

/// Launches until at most `enough` values are left: 1 for the GPU alone, a block's worth or more for a finish on the CPU.
template <class Launcher, class T>
remaining<T> reduce_down_to(Launcher& launcher, const request& what, const T* in, std::size_t enough, scratch<T> room)
{
    remaining<T> left{in, what.n};
    do {
        reduce_once(launcher, what, left.values, left.count, room.one);
        left = {room.one, sums_of(what, left.count)};
        std::swap(room.one, room.other);
    } while (left.count > enough);
    return left;
}

/// How many values the CPU is left with.
inline std::size_t enough_for(const request& what)
{
    switch (what.how) {
    case finish::gpu: return 1;
    case finish::cpu: return sums_of(what, what.n);  // one launch
    case finish::hybrid: return what.threshold;
    }
    return 1;
}

/// The second stage on the CPU: what is left comes over and is added up.
template <class Launcher, class T>
T finish_on_cpu(Launcher& launcher, const remaining<T>& left)
{
    T sum{};
    for (const T value : launcher.fetch(left.values, left.count))
        sum += value;
    return sum;
}

/// Value `i` of the input: whole numbers from -100 to 100, so that a float sum is exact in any order.
template <class T>
struct input_value {
    PARPRIMS_HOST_DEVICE T operator()(std::size_t i) const
    {
        return static_cast<T>(static_cast<int>((i % 201 * 7 + 3) % 201) - 100);
    }
};

/// The sum of the first `n`: a period of 201 values has every number from -100 to 100 once.
template <class T>
T expected_sum(std::size_t n)
{
    T sum{};
    for (std::size_t i = n - n % 201; i < n; ++i)
        sum += input_value<T>{}(i);
    return sum;
}

}  // namespace reduction_ladder
