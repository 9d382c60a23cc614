// Integers of 128 bits, which std::integral has in gnu++20.
//
// expect wide_sample -std=gnu++20: parprims: this axis takes no such samples
// expect wide_bound -std=gnu++20: parprims: the bounds of an axis are integers of at most 64 bits
// expect wide_bounds -std=gnu++20: the bounds of an axis are integers of at most 64 bits
// expect wide_bound_of_integers -std=gnu++20: parprims: the bounds of an axis are integers of at most 64 bits
// expect wide_edges -std=gnu++20: parprims: the bounds of an axis are integers of at most 64 bits
// expect wide_bins -std=gnu++20: deleted
// expect wide_slot -std=gnu++20: parprims: a slot is an integer of at most 64 bits
// expect wide_counters -std=gnu++20: parprims: counters are integers of 32 or 64 bits
// expect wide_weights -std=gnu++20: parprims: weights, and values of a profile, are
// expect wide_segments -std=gnu++20: parprims: the arguments of segmented_reduce are
// expect wide_offsets -std=gnu++20: parprims: the arguments of segmented_reduce are
// compiles -std=gnu++20 -Werror -Wall -Wextra -Wconversion
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/reduce.hpp>
#include <parprims/segmented.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>

#include <vector>

namespace pp = parprims;

__extension__ using int128 = __int128;
constexpr int128 wide = int128{1} << 64;

// Right, where it is not refused.
using wide_iterator = pp::counting_iterator<int128>;
static_assert(*(wide_iterator(wide - 3) + 5) == wide + 2 && *(wide_iterator(0) - 1) == -1);
static_assert(wide_iterator(wide + 5) - wide_iterator(wide - 2) == 7 && wide_iterator(0) != wide_iterator(wide / 2));
constexpr auto same = [](auto x) { return x; };
constexpr pp::function_axis three(3, same);
static_assert(three.slot(int128{2}) == 2 && three.slot(wide + 1) == 4 && three.slot(1 - wide) == 3);
static_assert(three.slot(static_cast<unsigned __int128>(wide) + 1) == 4);
#if defined(__SIZEOF_FLOAT128__)
static_assert(!pp::histogram_axis_for<pp::regular_axis<float>, __float128>);
#endif

void refused(const std::vector<int>& x, std::vector<int128>& wides, std::vector<int>& out)
{
    [[maybe_unused]] const pp::regular_axis axis(2, 0, 10);
#if defined(wide_sample)
    pp::histogram(pp::host, wides, axis, out.begin());
#elif defined(wide_bound)
    (void)pp::regular_axis<int>(2, 0, wide);
#elif defined(wide_bounds)
    (void)pp::regular_axis(2, wide, wide + 9);
#elif defined(wide_bound_of_integers)
    (void)pp::integer_axis<int>(0, wide);
#elif defined(wide_edges)
    (void)pp::variable_axis<int>(wides);
#elif defined(wide_bins)
    (void)pp::regular_axis(wide + 2, 0, 10);
#elif defined(wide_slot)
    (void)pp::product_axis(axis, axis).slot_at(0, wide + 1);
#elif defined(wide_counters)
    pp::histogram(pp::host, x, axis, wides.begin());
#elif defined(wide_weights)
    std::vector<double> sums(2);
    pp::weighted_histogram(pp::host, x, wides.begin(), axis, sums.begin());
#elif defined(wide_segments)
    pp::segmented_reduce(pp::host, x, wide, out.begin(), 0);
#elif defined(wide_offsets)
    pp::segmented_reduce(pp::host, x.begin(), x.end(), wides.begin(), wides.end(), out.begin(), 0);
#else
    pp::histogram(pp::host, x, axis, out.begin());
    wides.push_back(pp::reduce(pp::host, wide_iterator(wide), wide_iterator(wide + 100), int128{0}));
#endif
}
