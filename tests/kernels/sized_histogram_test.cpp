// Histograms, extremes and transforms whose size lies in device memory, by the kernels that their bound selects.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/histogram/accumulate.hpp>
#include <parprims/detail/device/transform/kernel.hpp>

#include "support/sized.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/contract/extreme.hpp>

#include <cstddef>
#include <cstdint>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

template <class T>
void check_histogram(std::size_t bins, histogram_config::placement_kind placement, std::size_t bound,
                     bool is_accumulated)
{
    CAPTURE(bins);
    CAPTURE(is_accumulated);
    std::uint64_t seed = bins + bound;
    memory<T> input(bound, seed % 3 * sizeof(T));
    for (std::size_t i = 0; i < bound; ++i)
        input[i] = static_cast<T>(mix(i + seed) % bins);
    const parprims::integer_axis<std::int64_t> axis(0, static_cast<std::int64_t>(bins));
    histogram_config config{};
    config.block_threads = 128;
    config.placement = placement;
    check_sizes<std::uint32_t, std::uint32_t>(
        bound, sizes_up_to(bound, {32, 4096}, seed), seed, bins,
        [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
            if (is_accumulated)
                device::enqueue_accumulation(on, config, static_cast<const T*>(input.data()), n, axis,
                                             out.values.data(), ~0u);
            else
                device::enqueue_histogram(on, config, static_cast<const T*>(input.data()), n, axis, out.values.data());
        },
        is_accumulated);
}

}  // namespace

TEST_CASE("a histogram of a size in device memory")
{
    using enum histogram_config::placement_kind;
    for (const bool is_accumulated : {false, true})
        for (const std::size_t bound : {std::size_t{5}, std::size_t{3000}, std::size_t{40000}}) {
            check_histogram<std::uint8_t>(100, shared, bound, is_accumulated);
            check_histogram<std::uint32_t>(10, shared, bound, is_accumulated);
            check_histogram<std::uint32_t>(5000, shared, bound, is_accumulated);
            check_histogram<std::uint32_t>(300, passes, bound, is_accumulated);
            check_histogram<std::uint32_t>(300, global, bound, is_accumulated);
            check_histogram<std::uint32_t>(100000, partitioned, bound, is_accumulated);
        }
}

TEST_CASE_TEMPLATE("extremes of a size in device memory", T, std::uint8_t, float, std::int64_t)
{
    std::uint64_t seed = sizeof(T);
    for (const std::size_t bound : {std::size_t{1}, std::size_t{900}, std::size_t{50000}}) {
        memory<T> input(bound, seed % 3 * sizeof(T));
        for (std::size_t i = 0; i < bound; ++i)
            input[i] = static_cast<T>(mix(i) % 1000);
        using search = parprims::detail::extreme_search<parprims::detail::extreme::both, parprims::less>;
        using output = device::stored_positions<search::count, device::pointer_output<std::uint64_t>>;
        check_sizes<std::int32_t, std::uint32_t>(bound, sizes_up_to(bound, {32, 1024}, seed), seed, 2,
                                                 [&](auto& on, std::size_t n, results<std::uint32_t>& out) {
                                                     device::enqueue_extremes(on, static_cast<const T*>(input.data()),
                                                                              n, output{{out.numbers.data()}},
                                                                              search{});
                                                 });
    }
}

TEST_CASE_TEMPLATE("a transform of a size in device memory", T, std::uint8_t, float, std::int64_t)
{
    const auto negated = [](const T& x) { return static_cast<T>(-x); };
    std::uint64_t seed = sizeof(T);
    for (const std::size_t bound : {std::size_t{1}, std::size_t{900}, std::size_t{50000}, std::size_t{200000}}) {
        memory<T> input(bound, seed % 3 * sizeof(T));
        fill(input);
        check_sizes<std::int32_t, T>(bound, sizes_up_to(bound, {32, 1024}, seed), seed, bound,
                                     [&](auto& on, std::size_t n, results<T>& out) {
                                         if (n != 0)
                                             device::enqueue_transform<T>(on, static_cast<const T*>(input.data()), n,
                                                                          out.values.data(), negated);
                                     });
    }
}
