/// @file
/// @brief  GPUs and sizes to make plans for, and a count of what is wrong with these.
#pragma once

#include <doctest/doctest.h>

#include <parprims/detail/runtime/gpu_properties.hpp>

#include <cstddef>
#include <vector>

namespace pp = parprims;
namespace device = parprims::detail::device;

/// An H200, an A100, consumers' GPUs of two generations, and one multiprocessor of some.
constexpr device::gpu_properties machines[] = {
    {132, 2048, 227 * 1024, 228 * 1024}, {108, 2048, 163 * 1024, 164 * 1024}, {84, 1536, 99 * 1024, 100 * 1024},
    {40, 1024, 64 * 1024, 64 * 1024},    {1, 2048, 227 * 1024, 228 * 1024},   {1, 1536, 99 * 1024, 100 * 1024},
};

constexpr unsigned block_sizes[] = {32, 64, 96, 256, 512, 992, 1024};
constexpr unsigned blocks_per_sm_choices[] = {1, 2, 3, 8, 32};

/// Around every power of two.
inline std::vector<std::size_t> many_sizes(unsigned bits)
{
    std::vector<std::size_t> sizes;
    for (unsigned bit = 0; bit < bits; ++bit)
        for (const std::size_t n : {(std::size_t{1} << bit) - 1, std::size_t{1} << bit, (std::size_t{1} << bit) + 1})
            if (n != 0)
                sizes.push_back(n);
    return sizes;
}

/// Counts broken invariants, so that millions of plans do not make millions of assertions.
struct tally {
    std::size_t plans = 0;
    std::size_t broken = 0;
    void expect(bool holds, const char* what, std::size_t n)
    {
        if (!holds && ++broken <= 10) {
            CAPTURE(what);
            CAPTURE(n);
            CHECK(holds);
        }
    }
    ~tally()
    {
        CHECK(broken == 0);
        CHECK(plans > 1000);
    }
};
