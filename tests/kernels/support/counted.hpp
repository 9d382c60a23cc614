/// @file
/// @brief  Kernels of a few lines whose operations are counted.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "run.hpp"

#include <cstddef>
#include <cstdint>

namespace kernel_test {

namespace simt = parprims::detail::simt;

/// A kernel from a lambda; its shared storage is an array of words.
template <class Body>
struct counted_kernel {
    using shared_storage = simt::shared_array<std::uint32_t>;
    Body body;
    void operator()(simt::block block, shared_storage& shared) const { body(block, shared); }
};

using words = simt::shared_array<std::uint32_t>;
constexpr std::size_t shared_words = 32 * 33;

template <class Body>
executor::statistics count(executor::options how, std::size_t blocks, unsigned threads, Body body)
{
    how.count = true;
    return launch(how, blocks, threads, shared_words * 4, counted_kernel<Body>{body});
}

/// The counts of one launch, which are the same for every schedule.
template <class Body>
executor::statistics counted(std::size_t blocks, unsigned threads, Body body)
{
    const executor::statistics first = count(schedule_of(0), blocks, threads, body);
    for (std::uint64_t seed = 1; seed < 12; ++seed) {
        const executor::statistics other = count(schedule_of(seed), blocks, threads, body);
        CAPTURE(seed);
        CHECK(other.global_loads.sectors == first.global_loads.sectors);
        CHECK(other.global_stores.sectors == first.global_stores.sectors);
        CHECK(other.shared_loads.passes == first.shared_loads.passes);
        CHECK(other.shared_stores.passes == first.shared_stores.passes);
        CHECK(other.shared_atomics.passes == first.shared_atomics.passes);
        CHECK(other.global_atomics.passes == first.global_atomics.passes);
        CHECK(other.divergent_branches == first.divergent_branches);
        CHECK(other.warp_operations == first.warp_operations);
        CHECK(other.lane_operations == first.lane_operations);
    }
    return first;
}

}  // namespace kernel_test
