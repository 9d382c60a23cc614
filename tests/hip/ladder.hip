// The ladder on an AMD GPU, timed: a program of its own, which needs nothing but HIP.
//
//   hipcc -O3 -std=c++20 -DPARPRIMS_HEADER_ONLY -I include -I samples -o ladder tests/hip/ladder.hip
//   ./ladder [log2 of the number of values] [threads of a block]          2^30 values, blocks of 512 threads
//
// It was compiled for gfx90a and gfx1030, and has not run yet.
#include "hip_launcher.hpp"

#include "reduction_ladder/ladder.hpp"
#include "support/make_input.hpp"

#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/functional.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace reduction_ladder;

/// Prints a line of the table. Returns whether the sum is right.
bool climb(samples::hip_launcher& gpu, const float* in, const request& what, double& first_seconds)
{
    const auto room = make_scratch<samples::hip_launcher, float>(gpu, what);
    remaining<float> left{room.one, 1};
    const double seconds = gpu.median_seconds([&] {
        if (what.step == parprims_step)
            parprims::detail::device::enqueue_reduce<float>(gpu, {}, in, what.n, room.one, 0.0f, parprims::plus{},
                                                            parprims::identity{});
        else
            left = reduce_down_to(gpu, what, in, enough_for(what), room);
    });
    const bool is_right = finish_on_cpu(gpu, left) == expected_sum<float>(what.n);
    first_seconds = what.step == 1 ? seconds : first_seconds;
    std::printf("%d %-28s %10.3f ms %8.0f GB/s", what.step, names[what.step], 1e3 * seconds,
                static_cast<double>(what.n) * sizeof(float) / seconds / 1e9);
    if (first_seconds != 0)
        std::printf("  %6.2f of step 1", first_seconds / seconds);
    std::printf("  %s\n", is_right ? "ok" : "wrong");
    return is_right;
}

}  // namespace

int main(int count, char** arguments)
{
    int cards = 0;
    if (hipGetDeviceCount(&cards) != hipSuccess || cards == 0) {
        std::printf("skipped: no AMD GPU\n");
        return 77;
    }
    const int bits = count > 1 ? std::atoi(arguments[1]) : 30;
    const int block = count > 2 ? std::atoi(arguments[2]) : 512;
    try {
        samples::hip_launcher gpu;
        request what;
        what.n = std::size_t{1} << bits;
        what.block = static_cast<unsigned>(block);
        what.grid = 8 * gpu.gpu().multiprocessors;
        const float* const in = samples::make_input<float>(gpu, what.n, input_value<float>{});
        bool all_right = true;
        double first_seconds = 0;
        std::printf("2^%d values, blocks of %d threads; the card's memory moves at most %.0f GB/s\n", bits, block,
                    samples::hip_launcher::peak_bytes_per_second() / 1e9);
        for (what.step = 0; what.step <= parprims_step; ++what.step)
            all_right = climb(gpu, in, what, first_seconds) && all_right;
        return all_right ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
