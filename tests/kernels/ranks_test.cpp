// Calls over several ranks on the executor: the kernels of each rank in turn, and messages that are copied between them.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/ranks/dispatch.hpp>
#include <parprims/detail/device/ranks/weighted_kernels.hpp>
#include <parprims/weights.hpp>

#include <doctest/doctest.h>

#include "../unit/support/borders.hpp"
#include "../unit/support/order_oracle.hpp"
#include "support/ranks.hpp"
#include "support/run.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

using namespace kernel_test;
namespace ranks = parprims::detail::ranks;

namespace {

template <class T>
void check_reduce(std::size_t n, std::size_t rank_count, std::uint64_t seed)
{
    constexpr std::size_t chunk = order::chunk<T>;
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto borders = random_borders(n, rank_count, chunk, random);
    CAPTURE(n);
    CAPTURE(borders);
    memory<T> input(n);
    fill(input);
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<T>(input.data(), n, init, hash{}, parprims::identity{});
    auto group = make_reduce_group<T>(borders);
    for (const T& result : run_reduce(group, input, init, seed))
        CHECK(same_bits(result, expected));
}

template <scan_kind Kind, class T>
void check_scan(std::size_t n, std::size_t rank_count, bool has_init, std::uint64_t seed)
{
    constexpr std::size_t tile = order::tile<T>;
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto borders = random_borders(n, rank_count, tile, random);
    CAPTURE(n);
    CAPTURE(borders);
    memory<T> input(n);
    fill(input);
    const T init = element<T>(1000003);
    const auto expected = order_oracle::scan<Kind, T>(input.data(), n, has_init ? std::optional(init) : std::nullopt,
                                                      hash{}, parprims::identity{});
    auto group = make_scan_group<T>(borders);
    const auto results = run_scan<Kind>(group, input, has_init ? std::addressof(init) : nullptr, seed);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
        wrong += same_bits(results[i], expected[i]) ? 0 : 1;
    CHECK(wrong == 0);
}

/// Sums over ranks, beside those of one process. Float samples and weights `W`.
template <class Sum, class W>
void check_weighted(const std::vector<std::size_t>& borders, const memory<float>& samples, const memory<W>& weights,
                    std::uint64_t seed, std::size_t failed = ~std::size_t{})
{
    const auto axis = parprims::regular_axis(20, 0.0f, 20.0f).with_flow();
    using work_type =
        device::weighted_work<ranks_launcher, const float*, const W*, std::remove_const_t<decltype(axis)>, Sum>;
    constexpr unsigned slot_words = device::rank_sum<W, work_type::values>::words;
    const std::size_t extent = axis.extent(), words_at = extent * slot_words;
    CAPTURE(borders);
    group_of_ranks group(borders, 0, 256);
    std::deque<ranks_launcher> cpus;
    memory<std::uint64_t> sums(words_at + device::count_words);
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t r = 0; r < group.size(); ++r) {
        cpus.emplace_back(seed + r);
        const auto of_rank = group.call(r);
        memory<std::uint64_t> words(sums.size());
        const work_type work(cpus[r], parprims::detail::optional_config<parprims::histogram_config>(),
                             samples.data() + of_rank.begin, of_rank.n, weights.data() + of_rank.begin, axis);
        work.enqueue_adding();
        work.enqueue_finish(device::rank_sum_writer<W, work_type::values>{words.data()});
        cpus[r].launch({1, 32, 0}, device::rank_count_words_kernel{words.data() + words_at, 77, r == failed ? 1u : 0u});
        for (std::size_t w = 0; w < sums.size(); ++w)
            sums[w] += words[w];
    }
    std::vector<Sum> expected = exact_bins<Sum>(samples.data(), weights.size(), weights.data(), axis);
    if (failed != ~std::size_t{})
        std::memset(static_cast<void*>(expected.data()), 5, extent * sizeof(Sum));
    for (std::size_t r = 0; r < group.size(); ++r) {
        memory<Sum> output(extent);
        std::memset(static_cast<void*>(output.data()), 5, extent * sizeof(Sum));
        device::enqueue_rank_sums<W>(cpus[r], group.call(r).group, sums.data(), extent, sums.data() + words_at,
                                     output.data(), 77);
        CHECK(group.failure(r) == (failed == ~std::size_t{} ? 0 : 1));
        CHECK(std::equal(output.begin(), output.end(), expected.begin(),
                         [](const Sum& a, const Sum& b) { return same_sums(a, b); }));
    }
}

}  // namespace

TEST_CASE("subtrees divide any blocks into aligned powers of two")
{
    for (std::size_t begin = 0; begin < 70; ++begin)
        for (std::size_t end = begin; end < 70; ++end)
            for (const std::size_t unit : {1u, 2u, 8u, 16u, 1u << 20}) {
                const ranks::subtrees trees(begin, end, unit);
                std::size_t at = begin;
                for (std::size_t i = 0; i < trees.all(); ++i) {
                    REQUIRE(trees[i].begin == at);
                    REQUIRE(trees[i].blocks == order::subtree_leaves(at, end, unit));
                    at += trees[i].blocks;
                }
                REQUIRE(at == end);
            }
}

TEST_CASE("a reduction over ranks keeps the order contract")
{
    std::uint64_t seed = 1;
    for (const std::size_t ranks : {1, 2, 3, 7, 40})
        for (const std::size_t n : {0, 1, 4095, 4096, 12288 + 5, 37 * 4096 + 1365})
            check_reduce<float>(n / 2, ranks, seed++);
    for (const std::size_t ranks : {1, 2, 5})
        check_reduce<checked<24>>(40 * order::chunk<checked<24>> + 100, ranks, seed++);
    if constexpr (!has_tsan) {
        for (const std::size_t ranks : {1, 2, 3})  // several levels of units
            check_reduce<checked<256>>(700 * order::chunk<checked<256>> + 3, ranks, seed++);
        for (const std::size_t ranks : {1, 2})  // units of more chunks than a block has warps, on one multiprocessor
            check_reduce<double>(ranks * 300 * order::chunk<double> + 3, ranks, 3);
    }
}

TEST_CASE("a scan over ranks keeps the order contract")
{
    using T = checked<256>;
    constexpr std::size_t tile = order::tile<T>;
    std::uint64_t seed = 1;
    for (const std::size_t ranks : {1, 2, 3, 7, 40})
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile, 3 * tile + 5, 33 * tile, 75 * tile + 1}) {
            if (has_tsan && (ranks > 3 || n > 33 * tile))
                continue;
            check_scan<scan_kind::inclusive, T>(n, ranks, false, seed++);
            check_scan<scan_kind::exclusive, T>(n, ranks, true, seed++);
        }
    for (const std::size_t ranks : {2, 3, 5}) {
        check_scan<scan_kind::inclusive, float>(7 * order::tile<float> + 77, ranks, true, seed++);
        if constexpr (!has_tsan)
            check_scan<scan_kind::inclusive, std::uint8_t>(2 * order::tile<std::uint8_t> + 77, ranks, false, seed++);
    }
}

TEST_CASE("a rank that fails, or makes another call, leaves the output of all ranks as it was")
{
    using T = std::uint32_t;
    constexpr std::size_t count = has_tsan ? 3 : 40;  // more ranks than a warp has lanes
    constexpr std::size_t bad = count - 2;
    std::mt19937 random(1);
    auto borders = random_borders(10000, count, 1000, random);
    borders.back() += 3 * order::tile<T>;  // the tiles of the last rank are drawn
    const std::size_t n = borders.back();
    memory<T> input(n);
    fill(input);
    for (const bool is_failed : {false, true}) {
        auto reduces = make_reduce_group<T>(borders);
        auto scans = make_scan_group<T>(borders);
        (is_failed ? reduces.failed_ : reduces.other_) = bad;
        (is_failed ? scans.failed_ : scans.other_) = bad;
        const auto check_untouched = [&](const std::vector<T>& results) {
            CHECK(std::count(results.begin(), results.end(), element<T>(5)) ==
                  static_cast<std::ptrdiff_t>(results.size()));
        };
        for (const std::uint64_t id : {77, 90}) {  // the first call that failed is kept
            reduces.id_ = scans.id_ = id;
            check_untouched(run_reduce<T>(reduces, input, 1, 1));
            check_untouched(run_scan<scan_kind::inclusive, T>(scans, input, nullptr, 1));
            for (std::size_t r = 0; r < count; ++r)
                for (group_of_ranks* const group : {&reduces, &scans}) {
                    CHECK(group->failure(r) == 1);
                    CHECK(group->failed_call(r) == (!is_failed && r == bad ? 78 : 77));
                }
        }
        // A later call that is good writes, unless the host waits for the value.
        reduces.failed_ = reduces.other_ = count;
        check_untouched(run_reduce<T, true>(reduces, input, 1, 1));
        const T expected = order_oracle::reduce<T>(input.data(), n, T{1}, hash{}, parprims::identity{});
        CHECK(run_reduce<T>(reduces, input, 1, 1) == std::vector<T>(count, expected));
    }
}

TEST_CASE("a scan over ranks passes over any number of groups of tiles, which an earlier rank has folded")
{
    using T = std::uint64_t;
    constexpr std::size_t groups = 300;  // several batches of 32, loaded ahead, and a part of one
    const std::size_t begin = groups * order::group_tiles * order::tile<T>;
    auto group = make_scan_group<T>({0, begin, begin + 1});
    auto* const sent = reinterpret_cast<std::uint64_t*>(group.call(0).group.sent);  // the message of the rank before
    sent[0] = group.id_;
    sent[1] = 0;
    auto* const totals = device::rank_messages<T, T, order::tile<T>>::totals(group.call(0).group.sent);
    T expected = element<T>(0);
    for (std::size_t i = 0; i < groups; ++i) {
        totals[i].value = element<T>(i);
        expected = i == 0 ? expected : hash{}(expected, element<T>(i));
    }
    memory<T> input(1), output(1);
    input[0] = element<T>(groups);
    ranks_launcher cpu(1);
    device::rank_scan<scan_kind::inclusive, T, ranks_launcher, const T*, T*, hash, parprims::identity> scan(
        cpu, group.call(1));
    scan.enqueue_fold(input.data(), hash{}, {});
    group.exchange();
    scan.enqueue_scan({}, false, input.data(), output.data(), nullptr, hash{}, {});
    CHECK(output[0] == hash{}(expected, input[0]));
}

TEST_CASE("counters over ranks are written if all ranks made the same call and none failed")
{
    constexpr std::size_t n = 1000;
    memory<std::uint64_t> sums(n), words(2), failure(2);
    memory<std::uint32_t> counts(n);
    for (std::size_t i = 0; i < n; ++i)
        sums[i] = i * i;
    for (const bool has_failed : {false, true})
        for (const bool is_other : {false, true}) {
            std::fill(counts.begin(), counts.end(), 5);
            std::fill(failure.begin(), failure.end(), 0);
            words[0] = has_failed ? 1 : 0;
            words[1] = 3 * 77 + (is_other ? 1 : 0);
            launcher cpu(schedule_of(1), {.multiprocessors = 2});
            cpu.launch({2, 64, 0}, device::rank_counts_kernel<std::uint32_t>{sums.data(), n, words.data(),
                                                                             counts.data(), 77, 3, failure.data()});
            const bool is_good = !has_failed && !is_other;
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                wrong += counts[i] == (is_good ? i * i : 5) ? 0 : 1;
            CHECK(wrong == 0);
            CHECK(failure[0] == (is_good ? 0 : 1));
            CHECK(failure[1] == (is_good ? 0 : 77));
        }
}

TEST_CASE("the messages of a group have room for calls with values of any size up to the group's")
{
    std::mt19937 random(3);
    const auto check = [&]<class T, class Value>(T, Value, std::size_t n) {
        for (const std::size_t count : {1, 2, 7}) {
            const auto begins = begins_of(random_borders(n, count, order::chunk<Value>, random));
            const auto folded = ranks::largest_message(begins, order::chunk<Value>, ranks::totals_of_reduce);
            const auto scanned = ranks::largest_message(begins, order::tile<T>, ranks::totals_of_scan);
            for (const std::size_t value_bytes : {sizeof(T), sizeof(T) + 3}) {
                const std::size_t bytes = ranks::message_bytes(begins, value_bytes);
                CHECK(bytes >=
                      device::rank_messages<T, Value, order::chunk<Value>>::bytes_of(folded.totals, folded.elements));
                CHECK(bytes >= device::rank_messages<T, T, order::tile<T>>::bytes_of(scanned.totals, scanned.elements));
            }
        }
    };
    for (const std::size_t n : {1000, 100'000, 70'000'000}) {
        check(float{}, float{}, n);
        check(double{}, std::uint8_t{}, n);
        check(std::uint8_t{}, std::uint8_t{}, n);
        check(element<checked<24>>(0), element<checked<24>>(0), n);
        check(element<checked<256>>(0), float{}, n);
    }
}

TEST_CASE("weights over ranks have the bits of one process, wherever outliers are")
{
    std::uint64_t seed = 1;
    for (const std::size_t n : {0u, 1u, 900u, has_tsan ? 9001u : 19001u}) {
        memory<float> samples(n), narrow(n);
        memory<double> wide(n);
        for (std::size_t i = 0; i < n; ++i) {
            samples[i] = static_cast<float>(mix(i) % 22) - 1;
            wide[i] = static_cast<double>(mix(i * 31 + 7) >> 11) * 0x1p-53 - 0.25;
            if (i == n - n / 3)  // only one rank has it; it is an outlier
                wide[i] = -1e30;
            narrow[i] = static_cast<float>(wide[i]);
        }
        if (n > 800)
            narrow[n / 2] = narrow[n / 7] = std::numeric_limits<float>::infinity();
        std::mt19937 random(static_cast<unsigned>(n));
        for (const std::size_t ranks : {1, 2, 3, 7}) {
            const auto borders = random_borders(n, ranks, 64, random);
            check_weighted<float>(borders, samples, narrow, seed++);
            check_weighted<parprims::weighted_sum<double>>(borders, samples, wide, seed++);
            check_weighted<double>(borders, samples, narrow, seed++);
        }
    }
    memory<float> samples(100), weights(100);
    std::fill(samples.begin(), samples.end(), 1);
    std::fill(weights.begin(), weights.end(), 1);
    check_weighted<float>({0, 30, 30, 100}, samples, weights, seed, 1);
}
