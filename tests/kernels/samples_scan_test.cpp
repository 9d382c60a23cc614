// The kernels of samples/scan_methods on the executor, against a plain running sum.
#include "scan_methods/scan.hpp"
#include "support/executor_launcher.hpp"

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <cstdint>
#include <numeric>
#include <span>
#include <string>

using namespace kernel_test;
namespace methods = scan_methods;

namespace {

constexpr unsigned few_threads[] = {32, 64, 128};
#if defined(__SANITIZE_THREAD__)
constexpr std::span<const unsigned> blocks = few_threads;  // TSan bears 192 threads
constexpr std::size_t stride = 439, most = 100, most_in_sweep = 2200, no_turns_to = 0, levels = 32 * 32;
#else
constexpr unsigned all_blocks[] = {32, 64, 128, 256, 512, 1024};
constexpr std::span<const unsigned> blocks = all_blocks;
constexpr std::size_t stride = 1, most = 5000, most_in_sweep = 3000, no_turns_to = 2200, levels = 32 * 32 * 32;
#endif

/// Block and schedule go round at their own paces; every other scan is in place.
template <class T>
void check(methods::method which, std::size_t n, std::uint64_t seed, std::span<const unsigned> threads = blocks)
{
    const methods::request what{n, threads[seed % threads.size()]};
    const bool in_place = seed / 2 % 2 == 0;
    CAPTURE(std::string(methods::names[which]));
    CAPTURE(n);
    CAPTURE(what.block);
    CAPTURE(in_place);
    CAPTURE(seed);
    std::vector<T> values(n), expected(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = static_cast<T>(static_cast<int>(mix(i) % 201) - 100);  // exact in any order
    std::partial_sum(values.begin(), values.end(), expected.begin());
    samples::executor_launcher launcher(schedule_of(seed));
    T* const in = launcher.bring(values);
    T* const out = in_place ? in : launcher.allocate<T>(n);
    methods::scan<samples::executor_launcher, T>(launcher, which, what, in, out,
                                                 methods::make_scratch<samples::executor_launcher, T>(launcher, what));
    REQUIRE(launcher.fetch(out, n) == expected);
}

}  // namespace

TEST_CASE_TEMPLATE("every method scans right near every multiple of its units", T, int, float)
{
    std::uint64_t seed = sizeof(T);
    for (int which = 0; which < methods::library; ++which)
        for (const std::size_t n : sizes(most, {32, 256, 1024}, seed, 5))
            if (n > 0)
                check<T>(static_cast<methods::method>(which), n, ++seed);
}

// Each n is scanned by one of the five methods in turn, in blocks of every size; every fourth n up to the largest block's 2048 elements
// and some more by all of them, in blocks of few threads. Under TSan, few n.
TEST_CASE("every n up to 3000 is scanned right, by each method or by one in turn [sweep]")
{
    for (std::size_t n = 1; n <= most_in_sweep; n += stride)
        for (int number = 0; number < methods::library; ++number) {
            const auto which = static_cast<methods::method>(number);
            if (n % methods::library == which)
                check<int>(which, n, n);
            else if (n <= no_turns_to && n % 4 == 3)
                check<int>(which, n, n / 4 * methods::library + which, few_threads);
        }
}

TEST_CASE("the sums of many blocks are scanned in several levels")
{
    for (int which = 0; which < methods::library; ++which)
        for (const std::size_t n : {levels - 1, levels + 1})
            check<int>(static_cast<methods::method>(which), n, 6 * static_cast<std::uint64_t>(which));
}
