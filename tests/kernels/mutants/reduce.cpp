// A reduction in one block and in several, small enough to be run with each planted bug.
#include "program.hpp"

#include "../../unit/support/order_oracle.hpp"

#include <cstddef>
#include <cstdint>

using namespace kernel_test;

namespace {

template <class T>
void check(std::size_t n, const parprims::reduce_config& config, std::uint64_t seed, const char* name,
           std::size_t offset = 0, unsigned multiprocessors = 4)
{
    memory<T> input(n, offset);
    fill(input);
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<T>(input.data(), n, init, hash{}, parprims::identity{});
    const T result = reduce(schedule_of(seed), config, {multiprocessors}, static_cast<const T*>(input.data()), n, init,
                            hash{}, parprims::identity{});
    mutants::require(same_bits(result, expected), name);
}

/// The kernel for few elements.
template <class T>
void check_small(std::size_t n, unsigned max_threads, std::uint64_t seed, const char* name)
{
    memory<T> input(n);
    fill(input);
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<T>(input.data(), n, init, hash{}, parprims::identity{});
    const auto result = small_reduce(schedule_of(seed), max_threads, {}, static_cast<const T*>(input.data()), n, init,
                                     hash{}, parprims::identity{});
    mutants::require(result && same_bits(*result, expected), name);
}

/// A value that the host waits for, which comes in words.
template <class T>
void check_returned(std::size_t n, std::uint64_t seed, const char* name)
{
    memory<T> input(n);
    fill(input);
    const T* const first = input.data();
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<T>(first, n, init, hash{}, parprims::identity{});
    const T result =
        reduce<T, announced<T>>(schedule_of(seed), {64, 1, 1}, {4}, first, n, init, hash{}, parprims::identity{});
    mutants::require(same_bits(result, expected), name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check<checked<256>>(65 * order::chunk<checked<256>> - 7, {64, 1, 1}, seed, "branches of wide values", 0, 1);
        if (mutants::has_tsan)
            return;
        check<checked<16>>(2 * order::chunk<checked<16>> - 40, {128, 1, 1}, seed, "one block");
        check<checked<16>>(30 * order::chunk<checked<16>> - 70, {64, 1, 1}, seed, "several blocks");
        check<checked<32>>(40 * order::chunk<checked<32>>, {64, 1, 1}, seed, "partials of many words", 0, 1);
        check_small<std::uint32_t>(13 * order::chunk<std::uint32_t> - 40, 64, seed, "few elements, several blocks");
        check<checked<40>>(3 * order::chunk<checked<40>> - 7, {64, 1, 1}, seed, "wide values");
        check_returned<std::uint64_t>(order::chunk<std::uint64_t> + 5, seed, "a value that the host waits for");
        check<checked<32>>(70 * order::chunk<checked<32>>, {64, 1, 1}, seed, "several leaves of totals", 0, 40);
        check<checked<32>>(150 * order::chunk<checked<32>>, {64, 1, 1}, seed, "several branches between barriers");
        check<checked<16>>(40 * order::chunk<checked<16>>, {64, 1, 4}, seed, "subtrees of several chunks");
        check<std::uint32_t>(9 * order::chunk<std::uint32_t> - 3, {64, 1, 1}, seed, "packets");
        check<std::uint32_t>(9 * order::chunk<std::uint32_t>, {64, 1, 1}, seed, "misaligned", 12);
    });
}
