/// @file
/// @brief  The examples of docs/counting.md and docs/testing.md: kernels on the executor.
/// [reduce_include]
#include <parprims/detail/simt/simt.hpp>
#include <parprims/reduce.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"
/// [reduce_include]

namespace simt = parprims::detail::simt;
namespace executor = simt::executor;

namespace {

/// [transpose]
struct transpose_kernel {
    struct shared_storage {
        simt::shared_array<float, 32, 33> tile;  // as float tile[32][33]
    };
    simt::global<const float> in;  // as const float*
    simt::global<float> out;
    unsigned n;  // a multiple of 32

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned row = static_cast<unsigned>(block.index()) * 32;
        shared.tile[block.warp()][block.lane()] = in[(row + block.warp()) * n + block.lane()];
        block.sync();
        out[block.warp() * n + row + block.lane()] = shared.tile[block.lane()][block.warp()];
    }
};
/// [transpose]

}  // namespace

TEST_CASE("guide: counting what a transposition does")
{
    /// [transpose_launch]
    executor::buffer<float> in(32 * 32);  // begins at a multiple of 256 bytes, as GPU memory does
    executor::buffer<float> out(32 * 32);
    executor::options options;
    options.count = true;
    const executor::statistics done = executor::launch(options, 1, 1024, sizeof(transpose_kernel::shared_storage),
                                                       transpose_kernel{in.data(), out.data(), 32});
    const auto sectors = done.global_loads.sectors;         // 128: 32 warps, 4 sectors each
    const auto conflicts = done.shared_loads.extra_passes;  // 0; without the 33rd column 32 * 31
    /// [transpose_launch]
    CHECK(sectors == 128);
    CHECK(conflicts == 0);
}

/// [reduce]
TEST_CASE("reduce keeps the order contract in one block")
{
    kernel_test::memory<float> input(1000);  // exactly 1000 values: accesses beyond them are refused
    kernel_test::fill(input);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        const float total = kernel_test::reduce(kernel_test::schedule_of(seed), {64, 1, 0}, {4}, input.data(), 1000,
                                                0.0f, parprims::plus{}, parprims::identity{});
        CHECK(total == parprims::reduce(parprims::host, input.begin(), input.end(), 0.0f));
    }
}
/// [reduce]
