// Exact sums over ranks on the executor, against long addition: any division of the input gives the same bits.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/ranks/device_exact.hpp>
#include <parprims/iterator.hpp>

#include "../unit/support/borders.hpp"
#include "../unit/support/exact_oracle.hpp"
#include "support/ranks.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace kernel_test;
using exact_oracle::kind;
namespace exact = parprims::detail::exact;
namespace ranks = parprims::detail::ranks;

namespace {

/// The result of each rank; `slice(r)` is the begin of its input.
template <class Terms, class T, bool Waits, class Slice, class Transform>
std::vector<T> run(group_of_ranks& group, Slice slice, T init, bool is_empty, Transform transform, std::uint64_t seed)
{
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        if (r == group.failed_)
            device::enqueue_rank_failure(cpu, group.call(r));
        else
            ranks::enqueue_exact_fold<Terms>(cpu, group.call(r), slice(r), transform);
    }
    group.exchange();
    std::vector<T> results(group.size(), T{5});
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        memory<T> output(1);
        output[0] = results[r];
        if (r == group.failed_)
            device::enqueue_rank_check(cpu, group.call(r));
        else
            ranks::enqueue_exact_finish<Terms, Waits>(cpu, group.call(r), output.data(), init, is_empty);
        results[r] = output[0];
    }
    return results;
}

template <class T>
bool same_number(T a, T b)
{
    return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

template <class Value, class T>
void check(kind which, std::size_t n, std::size_t rank_count, std::uint64_t seed)
{
    CAPTURE(static_cast<int>(which));
    CAPTURE(n);
    CAPTURE(rank_count);
    CAPTURE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto borders = random_borders(n, rank_count, 64, random);
    const auto x = exact_oracle::inputs<Value>(which, n, seed);
    memory<Value> input(n);
    std::copy(x.begin(), x.end(), input.data());
    const T init = seed % 3 == 0 ? T{0} : seed % 3 == 1 ? -T{0} : T{1} / 3;

    using sum_terms = exact::numbers<Value>;
    group_of_ranks sums(borders, ranks::sent_limbs<sum_terms>.limbs() + 1, ranks::exact_message_bytes<sum_terms>());
    const slices_of<Value> slices(sums, input, seed);
    const T expected = n == 0 ? init : exact_oracle::sum(x, init);
    for (const T result : run<sum_terms, T, true>(
             sums, [&](std::size_t r) { return slices[r]; }, init, n == 0, parprims::identity{}, seed))
        CHECK(same_number(result, expected));

    using product = parprims::detail::of_pair<parprims::multiplies>;
    using product_terms = exact::terms<parprims::tuple<Value, Value>, product>;
    group_of_ranks products(borders, ranks::sent_limbs<product_terms>.limbs() + 1,
                            ranks::exact_message_bytes<product_terms>());
    const T squares = n == 0 ? init : exact_oracle::inner_product(x, x, init);
    for (const T result : run<product_terms, T, false>(
             products, [&](std::size_t r) { return parprims::zip_iterator(slices[r], slices[r]); }, init, n == 0,
             product{}, seed))
        CHECK(same_number(result, squares));
}

}  // namespace

TEST_CASE("exact sums over ranks have the bits of one process, for every kind of input")
{
    std::uint64_t seed = 0;
    for (int which = 0; which < exact_oracle::kinds; ++which)
        for (const std::size_t n : {0u, 1u, 500u, 3001u})
            for (const std::size_t rank_count : {1u, 3u, 8u}) {
                check<float, float>(static_cast<kind>(which), n, rank_count, seed++);
                check<double, double>(static_cast<kind>(which), n, rank_count, seed++);
            }
    check<float, double>(kind::whole_range, 2000, 5, 3);
    check<double, float>(kind::wide, 2000, 5, 4);
}

TEST_CASE("an exact sum over ranks is not written if a rank failed, or made another call")
{
    using terms = exact::numbers<float>;
    memory<float> input(900);
    std::fill(input.begin(), input.end(), 1.0f);
    const auto run_with = [&](std::size_t failed, std::size_t other) {
        group_of_ranks group({0, 300, 600, 900}, ranks::sent_limbs<terms>.limbs() + 1,
                             ranks::exact_message_bytes<terms>());
        group.failed_ = failed;
        group.other_ = other;
        const slices_of<float> slices(group, input, 1);
        const auto results = run<terms, float, true>(
            group, [&](std::size_t r) { return slices[r]; }, 0.0f, false, parprims::identity{}, 1);
        for (std::size_t r = 0; r < group.size(); ++r)
            CHECK((group.failure(r) != 0) == (failed < 3 || other < 3));
        return results;
    };
    constexpr std::size_t none = ~std::size_t{};
    CHECK(run_with(none, none) == std::vector<float>{900, 900, 900});
    CHECK(run_with(1, none) == std::vector<float>{5, 5, 5});
    CHECK(run_with(none, 2) == std::vector<float>{5, 5, 5});
}
