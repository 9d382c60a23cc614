/// @file
/// @brief  Calls over several ranks give every rank the bits that one process gets, however the input is divided.
#include <doctest/doctest.h>

#include <parprims/distributed.hpp>

#include "support/divisions.hpp"
#include "support/host_values.hpp"
#include "support/same_sum.hpp"
#include "support/thread_group.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;

namespace {

/// [communicator]
/// The only rank of a group.
struct alone {
    std::size_t rank() const { return 0; }
    std::size_t size() const { return 1; }
    void all_gather(const void* send, void* recv, std::size_t bytes, pp::stream_view)
    {
        std::memcpy(recv, send, bytes);
    }
    void all_reduce(std::uint64_t*, std::size_t, pp::stream_view) {}
};
static_assert(pp::communicator<alone>);
/// [communicator]

}  // namespace

TEST_CASE_TEMPLATE("reduce over ranks has the bits of one process", T, float, double, std::int8_t, rgb, block_of<256>)
{
    const T init = random_values<T>(1, 7).front();
    for (const std::size_t n : sizes_around(order::chunk<T>))
        check_reduce<T>(n, init, pp::plus{});
}

TEST_CASE("reduce over ranks takes its geometry from the element, and fuses no product with the sum")
{
    for (const std::size_t n : sizes_around(order::chunk<float>))
        check_reduce<float>(n, 0.25, pp::plus{}, [](float x) { return static_cast<double>(x) * x; });
}

TEST_CASE_TEMPLATE("scans over ranks have the bits of one process", T, float, double, block_of<256>)
{
    const T init = random_values<T>(1, 7).front();
    for (const std::size_t n : sizes_around(order::tile<T>))
        check_scans(random_values<T>(n), init, pp::plus{});
}

TEST_CASE("scans over ranks anchor the groups of tiles from left to right")
{
    const std::size_t group = order::group_tiles * order::tile<block_of<256>>;
    check_scans(random_values<block_of<256>>(3 * group + 77), block_of<256>(0.5f), pp::plus{});
}

TEST_CASE("scans over ranks join every element to the one before it")
{
    std::vector<std::uint64_t> places(40 * order::tile<interval> + 99);
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = i + 10;
    check_scans(places, interval{0, 9}, join{}, [](std::uint64_t place) { return interval{place, place}; });
}

TEST_CASE("a scan over ranks may be in place and may have an init")
{
    const std::vector<double> values = random_values<double>(3 * order::tile<double> + 100);
    std::vector<double> expected(values.size()), results = values;
    pp::inclusive_scan(pp::host, values.begin(), values.end(), expected.begin(), pp::plus{}, 0.5);
    for_divisions(
        values, order::tile<double>,
        [&](const auto& policy, const double* first, const double* last, std::size_t begin, std::size_t) {
            double* const slice = results.data() + begin;
            double* const end = slice + (last - first);
            if (pp::inclusive_scan(policy, slice, end, slice, pp::plus{}, 0.5) != end)
                throw std::runtime_error("a scan returns the end of its results");
        },
        [&](std::size_t) {
            CHECK(first_difference(results, expected) == values.size());
            results = values;
        });
}

TEST_CASE_TEMPLATE("histogram over ranks counts the whole input on every rank", Counter, std::uint32_t, double)
{
    const std::vector<std::uint8_t> samples = random_values<std::uint8_t>(70'001);
    const auto axis = pp::integer_axis(10, 200).with_flow();
    std::vector<Counter> expected(axis.extent());
    pp::histogram(pp::host, samples, axis, expected.begin());
    std::vector<std::vector<Counter>> counts(std::ranges::max(rank_counts));
    for_divisions(
        samples, 1024,
        [&](const auto& policy, const std::uint8_t* first, const std::uint8_t* last, std::size_t, std::size_t rank) {
            counts[rank].assign(axis.extent(), 7);
            pp::histogram(policy, first, last, axis, counts[rank].begin());
        },
        [&](std::size_t ranks) {
            CHECK(std::count(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(ranks), expected) ==
                  static_cast<std::ptrdiff_t>(ranks));
        });
}

TEST_CASE("a histogram over ranks may give each rank its own part of the counters")
{
    const std::vector<float> all = random_values<float>(30'000);
    const auto axis = pp::regular_axis(41, -1.0f, 1.0f);
    std::vector<std::uint64_t> expected(axis.extent());
    pp::histogram(pp::host, all, axis, expected.begin());
    for (const std::size_t ranks : {1, 3, 64}) {
        std::vector<std::uint64_t> joined(axis.extent(), 99);
        thread_group group(ranks);
        const auto thrown = group.run([&](thread_group::member& self) {
            const std::size_t size = all.size() / ranks;
            const float* const first = all.data() + self.rank() * size;
            const float* const last = self.rank() + 1 == ranks ? all.data() + all.size() : first + size;
            const auto policy = pp::distributed(pp::host, self);
            /// [own_counters]
            const auto border = [&](std::size_t rank) {
                return pp::own_counters_t::begin(axis.extent(), rank, self.size());
            };
            std::vector<std::uint64_t> counts(border(self.rank() + 1) - border(self.rank()));
            pp::histogram(policy, first, last, axis, counts.begin(), pp::own_counters);  // of these counters alone
            /// [own_counters]
            std::copy(counts.begin(), counts.end(), joined.begin() + static_cast<std::ptrdiff_t>(border(self.rank())));
        });
        for (const auto& error : thrown)
            CHECK(text_of(error) == "");
        CHECK(joined == expected);
    }
}

TEST_CASE_TEMPLATE("weighted_histogram over ranks has the sums of one process on every rank", Sum, float, double,
                   pp::weighted_sum<float>, pp::weighted_sum<double>)
{
    const std::vector<std::uint8_t> samples = random_values<std::uint8_t>(40'001);
    const auto axis = pp::integer_axis(10, 240).with_flow();
    const auto check = [&]<class W>(const std::vector<W>& weights) {
        std::vector<Sum> expected(axis.extent());
        pp::weighted_histogram(pp::host, samples, weights.begin(), axis, expected.begin());
        std::vector<std::vector<Sum>> sums(std::ranges::max(rank_counts));
        for_divisions(
            samples, 1024,
            [&](const auto& policy, const std::uint8_t* first, const std::uint8_t* last, std::size_t begin,
                std::size_t rank) {
                sums[rank].assign(axis.extent(), Sum{});
                if (pp::weighted_histogram(policy, first, last, weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                           axis, sums[rank].begin()) != sums[rank].end())
                    throw std::runtime_error("returns the end of the sums");
            },
            [&](std::size_t ranks) {
                for (std::size_t rank = 0; rank < ranks; ++rank)
                    CHECK(std::memcmp(sums[rank].data(), expected.data(), expected.size() * sizeof(Sum)) == 0);
            });
    };
    check(random_weights<float>(samples.size()));
    check(random_weights<double>(samples.size()));
    check(random_weights<std::int16_t>(samples.size()));
}

TEST_CASE_TEMPLATE("weights over ranks are exact where one rank alone has very large ones, an infinity or a NaN", Sum,
                   float, pp::weighted_sum<double>)
{
    constexpr std::size_t ranks = 4, size = 5000;
    const std::vector<std::uint8_t> samples = random_values<std::uint8_t>(ranks * size);
    const auto axis = pp::integer_axis(0, 256);
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float large : {1e12f, 1e-40f, 9.969209968386869e36f, infinity, -infinity, std::nanf("")}) {
        CAPTURE(large);
        std::vector<float> weights = random_values<float>(ranks * size);
        weights[5001] = large;  // of rank 1
        weights[15001] = infinity;
        std::vector<Sum> expected(256);
        pp::weighted_histogram(pp::host, samples, weights.begin(), axis, expected.begin());
        thread_group group(ranks);
        std::vector<std::vector<Sum>> sums(ranks, std::vector<Sum>(256));
        const auto thrown = group.run([&](thread_group::member& self) {
            const std::size_t begin = self.rank() * size;
            pp::weighted_histogram(pp::distributed(pp::host, self), samples.data() + begin,
                                   samples.data() + begin + size, weights.data() + begin, axis,
                                   sums[self.rank()].data());
        });
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            CHECK(thrown[rank] == nullptr);
            bool are_same = true;
            for (std::size_t b = 0; b < 256; ++b)
                are_same = are_same && same_sum(sums[rank][b], expected[b]);
            CHECK(are_same);
        }
    }
}

TEST_CASE("weights that are refused on one rank are refused on every rank, and so are sums over them")
{
    for (const bool overlap : {false, true}) {
        thread_group group(3);
        const auto thrown = group.run([=](thread_group::member& self) {
            const bool is_bad = self.rank() == 1;
            std::vector<float> x(10, 0.5f), weights(10), sums(4);
            pp::weighted_histogram(pp::distributed(pp::host, self), x, is_bad && !overlap ? nullptr : weights.data(),
                                   pp::regular_axis(4, 0.0f, 1.0f), is_bad && overlap ? &weights[6] : sums.data());
        });
        const std::string reason = overlap
                                       ? "sums: overlaps the weights, or the values of a profile; use separate memory"
                                       : "weights: null pointer with n = 10";
        for (std::size_t rank = 0; rank < 3; ++rank)
            CHECK(text_of(thrown[rank]) ==
                  "parprims::weighted_histogram: " + std::string(rank == 1 ? "" : "rank 1: ") + reason);
    }
}

TEST_CASE("a group may have one rank")
{
    alone group;
    const std::vector<float> x = random_values<float>(10'000);
    CHECK(same_bits(pp::reduce(pp::distributed(pp::host, group), x), pp::reduce(pp::host, x)));
}

TEST_CASE("a group may have more ranks than have room for their reports on the stack")
{
    thread_group group(70);
    const auto thrown = group.run([](thread_group::member& self) {
        const std::vector<std::uint32_t> x(100 * self.rank(), 1);
        if (pp::reduce(pp::distributed(pp::host, self), x) != 100u * 69 * 70 / 2)
            throw std::runtime_error("another value");
    });
    for (const auto& error : thrown)
        CHECK(text_of(error) == "");
}

TEST_CASE("every form of a call takes slices")
{
    const std::vector<float> x = random_values<float>(1000), y = random_values<float>(1000, 2);
    const float sum = pp::reduce(pp::host, x);
    const float product = pp::transform_reduce(pp::host, x.begin(), x.end(), y.begin(), 1.0f);
    thread_group group(3);
    const auto thrown = group.run([&](thread_group::member& self) {
        const auto policy = pp::distributed(pp::host, self);
        const std::size_t cuts[] = {0, 300, 300, 1000};
        const auto slice = [&](const std::vector<float>& of) {
            return std::vector<float>(of.begin() + static_cast<std::ptrdiff_t>(cuts[self.rank()]),
                                      of.begin() + static_cast<std::ptrdiff_t>(cuts[self.rank() + 1]));
        };
        const std::vector<float> a = slice(x), b = slice(y);
        float into = 0;
        pp::reduce_into(policy, a, &into, 0.0f);
        if (pp::reduce(policy, a) != sum || into != sum ||
            pp::transform_reduce(policy, a.begin(), a.end(), b.begin(), 1.0f) != product)
            throw std::runtime_error("another value");
    });
    for (const auto& error : thrown)
        CHECK(text_of(error) == "");
}

TEST_CASE("a call over ranks sends what the guide says")
{
    constexpr std::size_t chunk = order::chunk<float>, tile = order::tile<float>, report = 256;
    const auto sent_by = [](std::size_t n, std::size_t border, auto call, std::size_t messages = 4) {
        const std::vector<float> x = random_values<float>(n);
        std::vector<thread_group::traffic> sent(2);
        thread_group(2).run([&](thread_group::member& self) {
            const auto cut = static_cast<std::ptrdiff_t>(border);
            call(pp::distributed(pp::host, self), self.rank() == 0 ? x.begin() : x.begin() + cut,
                 self.rank() == 0 ? x.begin() + cut : x.end());
            sent[self.rank()] = self.sent;
        });
        CHECK(sent[0].messages == sent[1].messages);
        CHECK(sent[0].bytes == sent[1].bytes);
        CHECK(sent[0].messages == messages);
        return sent[0].bytes;
    };
    const auto reduce = [](const auto& policy, auto first, auto last) { pp::reduce(policy, first, last); };
    const auto scan = [](const auto& policy, auto first, auto last) {
        std::vector<float> out(static_cast<std::size_t>(last - first));
        pp::inclusive_scan(policy, first, last, out.begin());
    };
    const auto histogram = [](const auto& policy, auto first, auto last) {
        std::vector<std::uint32_t> counts(100);
        pp::histogram(policy, first, last, pp::regular_axis(100, 0.0f, 1.0f), counts.begin());
    };
    const auto weighted = [](const auto& policy, auto first, auto last) {
        std::vector<float> sums(100);
        pp::weighted_histogram(policy, first, last, first, pp::regular_axis(100, 0.0f, 1.0f), sums.begin());
    };
    // The second rank sends all but 10 elements of chunk 1, and the total of chunk 2.
    CHECK(sent_by(3 * chunk, chunk + 10, reduce) == 3 * report + (chunk - 10 + 1) * sizeof(float));
    // The second rank sends the totals of chunks 7, 8 to 15, 16 to 18.
    CHECK(sent_by(19 * chunk, 7 * chunk, reduce) == 3 * report + 4 * sizeof(float));
    // The second rank sends the totals of tiles 31, 32 to 63, 64, 65.
    CHECK(sent_by(66 * tile, 31 * tile, scan) == 3 * report + 31 * sizeof(float));
    CHECK(sent_by(1000, 1, histogram) == 3 * report + 100 * sizeof(std::uint64_t));
    // Five limbs of a sum, a count and flags.
    CHECK(sent_by(1000, 1, weighted, 6) == 4 * report + 4 * sizeof(int) + 100 * 7 * sizeof(std::uint64_t));
}

TEST_CASE("the other ranks wait for one that comes late")
{
    constexpr std::size_t ranks = 5;
    constexpr std::size_t n = 100'000;
    thread_group group(ranks);
    const auto thrown = group.run([](thread_group::member& self) {
        if (self.rank() == 3)
            std::this_thread::sleep_for(std::chrono::seconds(1));
        const std::vector<std::uint32_t> x(n, 1);
        if (pp::reduce(pp::distributed(pp::host, self), x) != ranks * n)
            throw std::runtime_error("another value");
    });
    for (const auto& error : thrown)
        CHECK(error == nullptr);
}
