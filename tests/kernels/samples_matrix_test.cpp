// The kernels of samples/matrix_multiply on the executor, against a product in double precision.
#include "matrix_multiply/multiply.hpp"
#include "support/executor_launcher.hpp"

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <cstdint>
#include <string>

using namespace kernel_test;
using namespace matrix_multiply;

namespace {

/// `shift` floats lie before each matrix, so that rows are not aligned.
void check(kernel which, const shape& size, std::uint64_t seed, std::size_t shift = 0)
{
    CAPTURE(std::string(names[which]));
    CAPTURE(size.m);
    CAPTURE(size.k);
    CAPTURE(size.n);
    CAPTURE(shift);
    CAPTURE(seed);
    const problem one(size);
    samples::executor_launcher launcher(schedule_of(seed));
    const auto bring = [&](const std::vector<float>& values) {
        float* const room = launcher.allocate<float>(shift + values.size());
        std::copy(values.begin(), values.end(), room + shift);
        return room + shift;
    };
    float* const c = launcher.allocate<float>(shift + size.m * size.n) + shift;
    multiply(launcher, which, {bring(one.a), bring(one.b), c, size.m, size.n, size.k});
    REQUIRE(one.is_product(launcher, c));
}

#if defined(__SANITIZE_THREAD__)
constexpr bool is_quick = true;  // and TSan bears blocks of 192 threads: small tiles alone
constexpr kernel kernels[] = {cublas};
#else
constexpr bool is_quick = false;
constexpr kernel kernels[] = {naive, tiled_16, tiled_32, blocked};
#endif

}  // namespace

TEST_CASE_TEMPLATE("small tiles are multiplied right, with one or more rows a thread", Kernel, tiled_kernel<8>,
                   tiled_kernel<8, 2>, tiled_kernel<16, 4>, tiled_kernel<16, 8>)
{
    std::uint64_t seed = 0;
    for (const std::size_t side : {1, 3, 5, 7, 8, 9, 20}) {
        const problem one({side, 19 - side % 3, side + 3});
        samples::executor_launcher launcher(schedule_of(++seed));
        float* const c = launcher.allocate<float>(one.size.m * one.size.n);
        const Kernel kernel{{launcher.bring(one.a), launcher.bring(one.b), c, one.size.m, one.size.n, one.size.k}};
        launcher.launch(kernel.blocks(), kernel.threads, kernel);
        CAPTURE(side);
        REQUIRE(one.is_product(launcher, c));
    }
}

TEST_CASE("matrices of sides around every tile are multiplied right" * doctest::skip(is_quick))
{
    const std::size_t sides[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 140};
    std::uint64_t seed = 0;
    for (const std::size_t m : sides)
        for (const std::size_t n : sides) {
            const std::size_t k = sides[(m + 3 * n + seed) % std::size(sides)];
            for (const kernel which : kernels)
                check(which, {m, k, n}, seed);
            check(blocked, {n, m, k}, seed, seed % 3);
            ++seed;
        }
}

TEST_CASE("every number of rows, of columns and of products is right" * doctest::skip(is_quick))
{
    for (std::size_t side = 1; side <= 200; ++side)
        for (const kernel which : kernels) {
            check(which, {5, side, 7}, side);
            check(which, {side, 3, 6}, side + 1, side % 2);
            check(which, {4, 8, side}, side + 2);
        }
}

TEST_CASE("whole tiles take the way of whole tiles" * doctest::skip(is_quick))
{
    for (const std::size_t k : {16, 32, 48, 64, 160})
        check(blocked, {256, k, 128}, k);
    check(blocked, {128, 64, 384}, 7);
    check(blocked, {1200, 16, 256}, 8);  // more than 8 tiles down
}
