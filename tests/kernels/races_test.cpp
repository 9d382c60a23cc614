// Which races TSan sees in launches that go on with the fibers of others. What sees them in kernels: tests/kernels/mutants.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/small_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;

namespace {

unsigned reports = 0;

}  // namespace

// TSan's hook: reports are counted, not printed. A report of what it does itself would wait for this one.
namespace __tsan {

class ReportDesc;
bool OnReport(const ReportDesc*, bool);
[[gnu::no_sanitize_thread]] bool OnReport(const ReportDesc*, bool)
{
    ++reports;
    return true;
}

}  // namespace __tsan

extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options()
{
    return "suppress_equal_stacks=0:suppress_equal_addresses=0:atexit_sleep_ms=0";  // each test has its own
}

namespace {

constexpr unsigned most_threads = 192;
constexpr std::size_t many_blocks = 9;  // of so many threads: more than the executor keeps fibers for
constexpr unsigned launches = 4;

executor::options schedule_with(std::uint64_t seed, unsigned resident_blocks)
{
    executor::options how = schedule_of(seed);
    how.resident_blocks = resident_blocks;
    return how;
}

/// For how many of 20 seeds `body` races, where `word` is in global memory.
template <class Body>
unsigned races_of(std::size_t blocks, unsigned threads, Body body, unsigned cluster_blocks = 1)
{
    unsigned races = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        reports = 0;
        std::uint32_t word = 0;
        run(
            schedule_of(seed), blocks, threads, 1, [&](simt::block block, std::uint32_t*) { body(block, word); },
            cluster_blocks);
        races += reports > 0;
    }
    return races;
}

/// Races when two blocks add to a word.
unsigned reports_of_blocks(std::size_t one, std::size_t other, std::size_t blocks, unsigned threads,
                           unsigned resident_blocks, std::uint64_t seed)
{
    reports = 0;
    std::uint32_t word = 0;
    run(schedule_with(seed, resident_blocks), blocks, threads, 1, [&](simt::block block, std::uint32_t*) {
        if (block.thread() == 0 && (block.index() == one || block.index() == other))
            ++word;
    });
    return reports;
}

/// Races when a thread of each block writes what that of another block has written in the launch before.
unsigned reports_of_launches(std::size_t blocks, unsigned threads, unsigned resident_blocks)
{
    reports = 0;
    std::vector<std::uint32_t> words(blocks);
    for (unsigned shift = 0; shift < launches; ++shift)
        run(schedule_with(shift, resident_blocks), blocks, threads, 1, [&](simt::block block, std::uint32_t*) {
            if (block.thread() == shift)
                ++words[(block.index() + shift) % blocks];
        });
    return reports;
}

}  // namespace

TEST_CASE("threads of a block that write one word race in every launch")
{
    for (std::uint64_t seed = 0; seed < launches; ++seed) {
        CAPTURE(seed);
        reports = 0;
        run(schedule_with(seed, 1), 1, 64, 1, [](simt::block block, std::uint32_t* words) {
            if (block.thread() % 63 == 0)
                words[0] = block.thread();
        });
        CHECK(reports > 0);
    }
}

TEST_CASE("blocks that write one word race in every launch, also where one follows the other in its slot")
{
    for (std::uint64_t seed = 0; seed < launches; ++seed)
        for (const unsigned resident_blocks : {1u, 2u}) {
            CAPTURE(seed);
            CAPTURE(resident_blocks);
            CHECK(reports_of_blocks(0, 1, 2, 32, resident_blocks, seed) > 0);
        }
}

TEST_CASE("blocks that write one word race where there are more than fibers are kept for")
{
    for (std::size_t one = 0; one + 1 < many_blocks; ++one) {
        CAPTURE(one);
        CHECK(reports_of_blocks(one, one + 1, many_blocks, most_threads, 1, 0) > 0);
        CHECK(reports_of_blocks(one, many_blocks - 1, many_blocks, most_threads, 1, 0) > 0);
    }
}

TEST_CASE("a barrier orders what is before it with what is after it, and not what threads do after it")
{
    const auto barrier = [](bool before) {
        return [=](simt::block block, std::uint32_t& word) {
            if (before && block.thread() == 0)
                word = 1;
            block.sync();
            if (!before && block.thread() == 0)
                word = 1;
            if (block.thread() == 63)
                word = 2;
            block.sync();  // which the slower of the two reaches later
        };
    };
    CHECK(races_of(1, 64, barrier(true)) == 0);
    CHECK(races_of(1, 64, barrier(false)) == 20);
}

TEST_CASE("sync_warp orders what is before it with what is after it, and not what lanes do after it")
{
    const auto barrier = [](bool before) {
        return [=](simt::block block, std::uint32_t& word) {
            if (before && block.lane() == 0)
                word = 1;
            simt::sync_warp();
            if (!before && block.lane() == 0)
                word = 1;
            if (block.lane() == 31)
                word = 2;
            simt::sync_warp();
        };
    };
    CHECK(races_of(1, 32, barrier(true)) == 0);
    CHECK(races_of(1, 32, barrier(false)) == 20);
}

TEST_CASE("shuffles and ballots order nothing")
{
    const auto exchange = [](auto collective) {
        return [=](simt::block block, std::uint32_t& word) {
            if (block.lane() == 0)
                word = 1;
            collective(block.lane());
            if (block.lane() == 31)
                word = 2;
        };
    };
    CHECK(races_of(1, 32, exchange([](unsigned lane) { simt::shuffle(lane, 0); })) == 20);
    CHECK(races_of(1, 32, exchange([](unsigned lane) { simt::shuffle_up(lane, 1); })) == 20);
    CHECK(races_of(1, 32, exchange([](unsigned lane) { simt::ballot(lane == 0); })) == 20);
}

TEST_CASE("a cluster's barrier orders what is before it with what is after it, its start nothing")
{
    const auto meeting = [](auto arrive) {
        return [=](simt::block block, std::uint32_t& word) {
            if (block.index() == 0 && block.thread() == 0)
                word = 1;
            arrive(block);
            block.cluster_wait();
            if (block.index() == 1 && block.thread() == 0)
                word = 2;
        };
    };
    CHECK(races_of(2, 32, meeting([](simt::block block) { block.cluster_arrive(); }), 2) == 0);
    CHECK(races_of(2, 32, meeting([](simt::block block) { block.cluster_start(); }), 2) == 20);
}

TEST_CASE("launches are in order")
{
    CHECK(reports_of_launches(1, 64, 1) == 0);
    CHECK(reports_of_launches(6, 32, 3) == 0);
    CHECK(reports_of_launches(many_blocks, most_threads, 1) == 0);
}

TEST_CASE("after a launch that failed, launches are in order and races are seen")
{
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        CAPTURE(seed);
        const auto divergent = [](simt::block block, std::uint32_t*) {
            if (block.thread() < 32)
                block.sync();
            else
                block.sync();
        };
        CHECK(says(error_of(schedule_with(seed, 2), 3, 64, divergent), "divergence"));
        CHECK(reports_of_launches(6, 32, 3) == 0);
        CHECK(reports_of_blocks(0, 1, 2, 64, 1, seed) > 0);
    }
}
