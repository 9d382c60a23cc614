// What kernels read and write by iterators that are no pointers, and where segments begin: in plain C++, which the executor does not
// check. Under ASan, with memory of exactly the elements, and sizes around the ends of rows, chunks and tiles.
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/variable_axis.hpp>

#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/extremes/dispatch.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/transform/kernel.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

using namespace kernel_test;
using parprims::identity;
using parprims::plus;

namespace {

using value = std::uint64_t;

struct widened {
    value operator()(std::uint32_t x) const { return x; }
};
struct is_odd {
    bool operator()(value x) const { return x % 2 != 0; }
};
struct as_float {
    float operator()(value x) const { return static_cast<float>(x); }
};

/// Memory of n results with a gap between any two, and none behind the last one.
class spaced_output {
public:
    explicit spaced_output(std::size_t n) : places_(n == 0 ? 0 : 2 * n - 1)
    {
        std::fill(places_.begin(), places_.end(), 0);
    }
    parprims::strided_iterator<value*> first() { return {places_.data(), 2}; }
    value at(std::size_t i) { return places_[2 * i]; }

private:
    memory<value> places_;
};

constexpr std::size_t tile = order::tile<value>;
constexpr std::size_t chunk = order::chunk<value>;

/// All calls that read `first`, whose elements are `x`.
template <class Iterator>
void check_calls(Iterator first, const std::vector<value>& x)
{
    const std::size_t n = x.size();
    const executor::options how = schedule_of(n);
    const device::gpu_properties gpu{1 + static_cast<unsigned>(n % 3)};
    launcher on(how, gpu);
    std::vector<value> sums(n);
    value sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sums[i] = sum += x[i];
    const auto is_right = [&](spaced_output& out, std::size_t count, const auto& expected) {
        for (std::size_t i = 0; i < count; ++i)
            if (out.at(i) != expected(i))
                return false;
        return true;
    };

    CHECK(reduce_by_size<value>(launcher(how, gpu), {.block_threads = 64}, first, n, value{3}, plus{}, identity{}) ==
          sum + 3);
    CHECK(reduce<value>(how, {64, 1, 1}, gpu, first, n, value{3}, plus{}, identity{}) == sum + 3);
    for (const unsigned small_tiles_per_sm : {0, 1000}) {
        spaced_output out(n);
        scan<scan_kind::inclusive, value>(how, parprims::scan_config{64, 1, 2, small_tiles_per_sm}, gpu, first, n,
                                          out.first(), std::nullopt, plus{}, identity{});
        CHECK(is_right(out, n, [&](std::size_t i) { return sums[i]; }));
    }

    std::vector<value> odd;
    std::copy_if(x.begin(), x.end(), std::back_inserter(odd), is_odd{});
    spaced_output kept(odd.size());
    memory<std::size_t> count(1);
    device::enqueue_copy_if(on, first, n, kept.first(), is_odd{}, device::converted_output<std::size_t*>{count.data()});
    CHECK(count[0] == odd.size());
    CHECK(is_right(kept, odd.size(), [&](std::size_t i) { return odd[i]; }));

    spaced_output same(n);
    device::enqueue_transform<value>(on, first, n, same.first(), identity{});
    CHECK(is_right(same, n, [&](std::size_t i) { return x[i]; }));

    using search = parprims::detail::extreme_search<parprims::detail::extreme::minimum, parprims::less>;
    memory<std::uint64_t> found(1);
    device::enqueue_extremes(
        on, first, n, device::stored_positions<1, device::pointer_output<std::uint64_t>>{{found.data()}}, search{});
    CHECK(found[0] == static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin()));

    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || x[i] != x[i - 1])
            heads.push_back(i);
    heads.push_back(n);
    const std::size_t runs = heads.size() - 1;
    spaced_output keys(runs), totals(runs);
    device::enqueue_reduce_by_key<value>(on, first, n, first, keys.first(), totals.first(),
                                         device::converted_output<std::size_t*>{count.data()}, parprims::equal_to{},
                                         plus{});
    CHECK(count[0] == runs);
    CHECK(is_right(keys, runs, [&](std::size_t r) { return x[heads[r]]; }));
    CHECK(is_right(totals, runs, [&](std::size_t r) { return x[heads[r]] * (heads[r + 1] - heads[r]); }));

    // These runs as segments.
    memory<std::size_t> offsets(runs + 1);
    std::copy(heads.begin(), heads.end(), offsets.begin());
    const parprims::detail::offset_segments<const std::size_t*> segments{offsets.data(), n, runs};
    spaced_output of_segments(runs), scanned(n);
    device::enqueue_segmented_reduce<value>(on, segments, first, of_segments.first(), value{0}, plus{});
    CHECK(is_right(of_segments, runs, [&](std::size_t r) { return totals.at(r); }));
    device::enqueue_segmented_scan<scan_kind::inclusive, value>(on, segments, n, first, scanned.first(), nullptr,
                                                                plus{});
    std::size_t run = 0;
    CHECK(is_right(scanned, n, [&](std::size_t i) {
        run += i == heads[run + 1] ? 1 : 0;
        return x[i] * (i - heads[run] + 1);
    }));

    // Counts in bins whose edges are in memory, too: found by a table, or by a search for edges that are too close.
    for (const std::vector<float>& edges :
         {std::vector<float>{0, 1, 5, 20, 100}, std::vector<float>{-1e30f, 1, 5, 20, 100}}) {
        const parprims::variable_axis<float> axis(edges);
        CHECK(parprims::detail::axis::rule_access::has_cells(axis.view()) == (edges[0] == 0));
        memory<std::uint32_t> counts(4);
        histogram(how, {parprims::histogram_config::shared, 64, 1, 0}, {2, 2048, 2048, 16384},
                  parprims::transform_iterator(first, as_float{}), n, axis, counts);
        for (std::size_t b = 0; b < 4; ++b)
            CHECK(counts[b] == static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [&](value each) {
                      return static_cast<float>(each) >= edges[b] && static_cast<float>(each) < edges[b + 1];
                  })));
    }
}

std::vector<value> values_of(std::size_t n)
{
    std::vector<value> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = mix(i / (1 + n % 40)) % 120;  // runs of equal ones
    return x;
}

constexpr std::size_t row = order::row<value>;
constexpr std::size_t sizes_of_calls[] = {1,         31,        33,       row - 1,  row + 1,
                                          chunk - 1, chunk + 1, tile - 1, tile + 1, 2 * tile + row + 7};

}  // namespace

TEST_CASE("calls read functions of arrays, and write by iterators")
{
    for (const std::size_t n : sizes_of_calls) {
        CAPTURE(n);
        const std::vector<value> x = values_of(n);
        memory<std::uint32_t> array(n, n % 4 * 4);
        std::copy(x.begin(), x.end(), array.begin());
        check_calls(parprims::transform_iterator(static_cast<const std::uint32_t*>(array.data()), widened{}), x);
    }
}

TEST_CASE("calls read every third element, and write by iterators")
{
    for (const std::size_t n : sizes_of_calls) {
        CAPTURE(n);
        const std::vector<value> x = values_of(n);
        memory<value> array(3 * n - 2);
        for (std::size_t i = 0; i < n; ++i)
            array[3 * i] = x[i];
        check_calls(parprims::strided_iterator(static_cast<const value*>(array.data()), 3), x);
    }
}

TEST_CASE("no element is read in the gaps between rows")
{
    using search = parprims::detail::extreme_search<parprims::detail::extreme::minimum, parprims::less>;
    for (const std::size_t length : {std::size_t{1}, std::size_t{3}, std::size_t{40}, chunk, chunk + 1})
        for (const std::size_t gap : {1u, 7u, 200u}) {
            const std::size_t rows = 2 * tile / (length + gap) + 5, n = rows * (length + gap) - gap;
            memory<value> x(n);
            memory<std::uint32_t> indices(n);
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = mix(i) % 50;
                indices[i] = i % (length + gap) < length ? static_cast<std::uint32_t>(n - 1 - i) : 0xffffffffu;
            }
            std::reverse(x.data(), x.data() + n);
            const parprims::permutation_iterator first(static_cast<const value*>(x.data()),
                                                       static_cast<const std::uint32_t*>(indices.data()));
            const auto segments = parprims::detail::fixed_segments::lines(rows, length, length + gap);
            CAPTURE(length);
            CAPTURE(gap);
            launcher on(schedule_of(gap), {2});
            memory<value> sums(rows);
            memory<std::uint32_t> places(rows);
            device::enqueue_segmented_reduce<value>(on, segments, first, sums.data(), value{0}, plus{});
            device::enqueue_segmented_extremes(on, segments, first, places.data(), search{});
            for (std::size_t r = 0; r < rows; ++r) {
                value sum = 0;
                std::size_t best = r * (length + gap);
                for (std::size_t i = best; i < r * (length + gap) + length; ++i) {
                    sum += first[static_cast<std::ptrdiff_t>(i)];
                    best = first[static_cast<std::ptrdiff_t>(i)] < first[static_cast<std::ptrdiff_t>(best)] ? i : best;
                }
                REQUIRE(sums[r] == sum);
                REQUIRE(places[r] == best);
            }
        }
}

TEST_CASE("offsets of any value lead to no access outside, whatever iterator reads the elements")
{
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const std::size_t n = 1 + mix(seed) % 9000, count = 1 + mix(seed + 1) % 300;
        memory<value> array(2 * n - 1);
        std::fill(array.begin(), array.end(), 1);
        memory<std::int64_t> offsets(count + 1);
        for (std::size_t s = 0; s <= count; ++s)
            offsets[s] = static_cast<std::int64_t>(mix(seed * 1000 + s)) >> (seed % 2 == 0 ? 50 : mix(s) % 64);
        memory<value> output(count);
        launcher on(schedule_of(seed));
        device::enqueue_segmented_reduce<value>(
            on, parprims::detail::offset_segments<const std::int64_t*>{offsets.data(), n, count},
            parprims::strided_iterator(static_cast<const value*>(array.data()), 2), output.data(), value{0}, plus{});
    }
}
