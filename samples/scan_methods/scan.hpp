/// @file
/// @brief  What drives the kernels with either launcher: the sums of the blocks are scanned the same way, until one block is
///         enough.
#pragma once

#include "scan_methods/engine.hpp"
#include "scan_methods/kernels.hpp"

#include <cstddef>
#include <vector>

namespace scan_methods {

constexpr std::size_t ceil_div(std::size_t n, std::size_t unit)
{
    return (n + unit - 1) / unit;
}

/// Room for the sums of the blocks, of their blocks, and so on.
template <class Launcher, class T>
std::vector<T*> make_scratch(Launcher& launcher, const request& what)
{
    std::vector<T*> levels;
    for (std::size_t n = what.n; n > what.block;) {
        n = ceil_div(n, what.block);
        levels.push_back(launcher.template allocate<T>(n));
    }
    return levels;
}

/// Block scan -> block sums -> scan of the sums -> fixup. `level` says whose sums these are.
template <template <class> class Method, class Launcher, class T>
void scan_then_fixup(Launcher& launcher, unsigned block, const T* in, T* out, std::size_t n,
                     const std::vector<T*>& levels, std::size_t level = 0)
{
    const std::size_t blocks = ceil_div(n, block);
    T* const sums = blocks > 1 ? levels[level] : nullptr;
    launcher.launch(blocks, block, scan_kernel<Method<T>, T>{in, out, n, sums, nullptr},
                    Method<T>::shared_bytes(block));
    if (blocks == 1)
        return;
    scan_then_fixup<Method, Launcher, T>(launcher, block, sums, sums, blocks, levels, level + 1);
    launcher.launch(blocks, block, fixup_kernel<T>{out, n, sums});
}

/// Block sums -> scan of the sums -> block scan: the input is read twice, but the output is written once.
template <class Launcher, class T>
void reduce_and_scan(Launcher& launcher, unsigned block, const T* in, T* out, std::size_t n,
                     const std::vector<T*>& levels, std::size_t level = 0)
{
    const std::size_t blocks = ceil_div(n, block);
    T* const sums = blocks > 1 ? levels[level] : nullptr;
    if (blocks > 1) {
        launcher.launch(blocks, block, sums_kernel<T>{in, n, sums});
        reduce_and_scan<Launcher, T>(launcher, block, sums, sums, blocks, levels, level + 1);
    }
    launcher.launch(blocks, block, scan_kernel<shuffles<T>, T>{in, out, n, nullptr, sums},
                    shuffles<T>::shared_bytes(block));
}

/// The inclusive scan of `n` values; `in` may be `out`.
template <class Launcher, class T>
void scan(Launcher& launcher, method which, const request& what, const T* in, T* out, const std::vector<T*>& levels)
{
    switch (which) {
    case one_buffer:
        return scan_then_fixup<hillis_steele_one_buffer, Launcher, T>(launcher, what.block, in, out, what.n, levels);
    case two_buffers:
        return scan_then_fixup<hillis_steele_two_buffers, Launcher, T>(launcher, what.block, in, out, what.n, levels);
    case work_efficient: return scan_then_fixup<blelloch, Launcher, T>(launcher, what.block, in, out, what.n, levels);
    case by_shuffles: return scan_then_fixup<shuffles, Launcher, T>(launcher, what.block, in, out, what.n, levels);
    default: return reduce_and_scan<Launcher, T>(launcher, what.block, in, out, what.n, levels);
    }
}

inline constexpr std::size_t period = 201;

/// Value `i` of the input: whole numbers from -100 to 100, each once in a period, so that their sum is 0 and a scan of
/// floats is exact in any order.
template <class T>
struct input_value {
    PARPRIMS_HOST_DEVICE T operator()(std::size_t i) const
    {
        return static_cast<T>(static_cast<int>((i % period * 7 + 3) % period) - 100);
    }
};

/// The scan of a period, which is that of every period.
template <class T>
std::vector<T> expected_period()
{
    std::vector<T> sums(period);
    T sum{};
    for (std::size_t i = 0; i < period; ++i)
        sums[i] = sum += input_value<T>{}(i);
    return sums;
}

}  // namespace scan_methods
