// Calls over several ranks on the executor: the kernels of each rank in turn, and messages that are copied between them.
#include <parprims/detail/simt/simt.hpp>

#include <parprims/detail/device/ranks/dispatch.hpp>

#include <doctest/doctest.h>

#include "../unit/support/borders.hpp"
#include "../unit/support/order_oracle.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <vector>

using namespace kernel_test;
namespace ranks = parprims::detail::ranks;

namespace {

/// What all ranks of a group have in memory.
class group_of_ranks {
public:
    explicit group_of_ranks(const std::vector<std::size_t>& borders, std::size_t totals, std::size_t message_bytes)
        : borders_(borders), totals_(totals), bytes_(device::aligned_bytes(message_bytes)), begins_(borders.size())
    {
        std::copy(borders.begin(), borders.end(), begins_.begin());
        for (std::size_t r = 0; r < size(); ++r) {
            sent_.emplace_back(bytes_, 0);
            received_.emplace_back(bytes_ * size(), 0);
            scratch_.emplace_back(512, 0);  // large enough for some calls only
            tickets_.emplace_back(1);
            tickets_.back()[0] = 0;
            failures_.emplace_back(2);
            std::fill(failures_.back().begin(), failures_.back().end(), 0);
        }
    }

    std::size_t size() const { return borders_.size() - 1; }
    std::size_t begin(std::size_t rank) const { return borders_[rank]; }

    device::rank_call call(std::size_t rank)
    {
        return {{begins_.data(), size(), rank, sent_[rank].data(), received_[rank].data(), bytes_,
                 failures_[rank].data(), tickets_[rank].data(), scratch_[rank].data(), scratch_[rank].size()},
                borders_[rank],
                borders_[rank + 1] - borders_[rank],
                totals_,
                rank == other_ ? 78u : 77u,
                borders_[rank + 1] != borders_.back()};
    }

    void exchange()
    {
        for (std::size_t to = 0; to < size(); ++to)
            for (std::size_t from = 0; from < size(); ++from)
                std::memcpy(received_[to].data() + from * bytes_, sent_[from].data(), bytes_);
    }

    std::uint64_t failure(std::size_t rank) { return failures_[rank][0]; }

    std::size_t failed_ = ~std::size_t{};  // this rank takes part without input
    std::size_t other_ = ~std::size_t{};   // this rank makes another call

private:
    std::vector<std::size_t> borders_;
    std::size_t totals_;
    std::size_t bytes_;
    memory<std::size_t> begins_;
    std::deque<memory<std::byte>> sent_;
    std::deque<memory<std::byte>> received_;
    std::deque<memory<std::byte>> scratch_;
    std::deque<memory<unsigned>> tickets_;
    std::deque<memory<std::uint64_t>> failures_;
};

template <class T, class E, std::size_t Block>
group_of_ranks make_group(const std::vector<std::size_t>& borders, std::size_t totals)
{
    return group_of_ranks(borders, totals, device::rank_messages<T, E, Block>::bytes_of(totals, 2 * Block));
}

/// Few multiprocessors, so that units have several chunks, and blocks of any number of warps.
class ranks_launcher : public launcher {
public:
    explicit ranks_launcher(std::uint64_t seed)
        : launcher(schedule_of(seed), {.multiprocessors = 1 + static_cast<unsigned>(seed % 3)}),
          most_threads_(has_tsan ? 64u : 64u << mix(seed) % 4)
    {
    }

    template <class Kernel>
    void launch(device::launch_shape shape, const Kernel& kernel)
    {
        shape.block_threads = std::min(shape.block_threads, most_threads_);
        launcher::launch(shape, kernel);
    }

private:
    unsigned most_threads_;
};

/// The slices of an input, each in memory of its own that begins anywhere.
template <class T>
class slices_of {
public:
    slices_of(group_of_ranks& group, const memory<T>& input, std::uint64_t seed)
    {
        for (std::size_t r = 0; r < group.size(); ++r) {
            const std::size_t n = group.call(r).n;
            slices_.emplace_back(n, (seed + r) % 4 * sizeof(T));
            std::uninitialized_copy_n(input.data() + group.begin(r), n, slices_.back().data());
        }
    }
    const T* operator[](std::size_t rank) const { return slices_[rank].data(); }

private:
    std::deque<memory<T>> slices_;
};

template <class T>
std::vector<T> run_reduce(group_of_ranks& group, const memory<T>& input, T init, std::uint64_t seed)
{
    const slices_of<T> slices(group, input, seed);
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        if (r == group.failed_)
            device::enqueue_rank_failure(cpu, group.call(r));
        else
            device::enqueue_rank_fold<T>(cpu, group.call(r), slices[r], hash{}, parprims::identity{});
    }
    group.exchange();
    std::vector<T> results(group.size(), element<T>(5));
    for (std::size_t r = 0; r < group.size(); ++r) {
        ranks_launcher cpu(seed + r);
        memory<T> output(1);
        std::construct_at(output.data(), results[r]);
        if (r == group.failed_)
            device::enqueue_rank_check(cpu, group.call(r));
        else
            device::enqueue_rank_finish<T, T, false>(cpu, group.call(r), output.data(), init, hash{},
                                                     parprims::identity{});
        results[r] = output[0];
    }
    return results;
}

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
    auto group = make_group<T, T, chunk>(borders, 128);
    for (const T& result : run_reduce(group, input, init, seed))
        CHECK(same_bits(result, expected));
}

template <scan_kind Kind, class T>
std::vector<T> run_scan(group_of_ranks& group, const memory<T>& input, const T* init, std::uint64_t seed)
{
    using scan_type = device::rank_scan<Kind, T, ranks_launcher, const T*, T*, hash, parprims::identity>;
    memory<T> output(input.size());
    std::uninitialized_fill(output.begin(), output.end(), element<T>(5));
    const slices_of<T> slices(group, input, seed);
    std::deque<ranks_launcher> cpus;
    std::deque<scan_type> scans;
    for (std::size_t r = 0; r < group.size(); ++r) {
        cpus.emplace_back(seed + r);
        scans.emplace_back(cpus.back(), group.call(r));
        if (r == group.failed_)
            device::enqueue_rank_failure(cpus.back(), group.call(r));
        else
            scans.back().enqueue_fold(slices[r], hash{}, {});
    }
    group.exchange();
    for (std::size_t r = 0; r < group.size(); ++r)
        if (r == group.failed_)
            device::enqueue_rank_check(cpus[r], group.call(r));
        else
            scans[r].enqueue_scan({}, true, slices[r], output.data() + group.begin(r), init, hash{}, {});
    return {output.begin(), output.end()};
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
    auto group = make_group<T, T, tile>(borders, 64 + n / tile / 32 + 1);
    const auto results = run_scan<Kind>(group, input, has_init ? &init : nullptr, seed);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
        wrong += same_bits(results[i], expected[i]) ? 0 : 1;
    CHECK(wrong == 0);
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
    if (has_tsan)
        return;
    for (const std::size_t ranks : {1, 2, 3})  // several levels of units
        check_reduce<checked<256>>(700 * order::chunk<checked<256>> + 3, ranks, seed++);
    for (const std::size_t ranks : {1, 2})  // units of more chunks than a block has warps, on one multiprocessor
        check_reduce<double>(ranks * 300 * order::chunk<double> + 3, ranks, 3);
}

TEST_CASE("a scan over ranks keeps the order contract")
{
    using T = checked<256>;
    constexpr std::size_t tile = order::tile<T>;
    std::uint64_t seed = 1;
    for (const std::size_t ranks : {1, 2, 3, 7, 40})
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile, 3 * tile + 5, 75 * tile + 1, 33 * tile}) {
            if (has_tsan && ranks > 3)
                continue;
            check_scan<scan_kind::inclusive, T>(n, ranks, false, seed++);
            check_scan<scan_kind::exclusive, T>(n, ranks, true, seed++);
        }
    for (const std::size_t ranks : {2, 3, 5}) {
        check_scan<scan_kind::inclusive, float>(7 * order::tile<float> + 77, ranks, true, seed++);
        check_scan<scan_kind::inclusive, std::uint8_t>(2 * order::tile<std::uint8_t> + 77, ranks, false, seed++);
    }
}

TEST_CASE("a rank that fails, or makes another call, leaves the output of all ranks as it was")
{
    using T = std::uint32_t;
    const std::vector<std::size_t> borders{0, 3000, 9000, 10000};
    memory<T> input(10000);
    fill(input);
    for (const bool is_failed : {false, true}) {
        auto reduces = make_group<T, T, order::chunk<T>>(borders, 128);
        auto scans = make_group<T, T, order::tile<T>>(borders, 128);
        (is_failed ? reduces.failed_ : reduces.other_) = 1;
        (is_failed ? scans.failed_ : scans.other_) = 1;
        for (const T result : run_reduce<T>(reduces, input, 1, 1))
            CHECK(result == element<T>(5));
        const auto results = run_scan<scan_kind::inclusive, T>(scans, input, nullptr, 1);
        CHECK(std::count(results.begin(), results.end(), element<T>(5)) == 10000);
        for (std::size_t r = 0; r < 3; ++r) {
            CHECK(reduces.failure(r) == 1);
            CHECK(scans.failure(r) == 1);
        }
    }
}
