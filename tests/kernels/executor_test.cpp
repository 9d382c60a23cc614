// The executor itself: what it runs, and what goes wrong in a run as it would on a GPU.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/small_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace kernel_test;

namespace {

executor::options wide(std::uint64_t seed)
{
    executor::options how = schedule_of(seed);
    how.warp_threads = 64;
    return how;
}

}  // namespace

TEST_CASE("every thread of every block runs once, whatever the schedule")
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        std::vector<std::uint32_t> counts(7 * 96);
        const auto done = run(schedule_of(seed), 7, 96, 1, [&](simt::block block, std::uint32_t*) {
            ++counts[block.index() * block.threads() + block.warp() * 32 + block.lane()];
            CHECK(block.warps() == 3);
        });
        CHECK(done.blocks == 7);
        CHECK(counts == std::vector<std::uint32_t>(7 * 96, 1));
    }
}

TEST_CASE("warps run in a random order that stays, threads in one that changes at atomic operations")
{
    for (const auto order : {executor::schedule::warps, executor::schedule::threads})
        for (std::uint64_t seed = 1; seed < 5; ++seed) {
            executor::options how;
            how.order = order;
            how.seed = seed;
            std::vector<unsigned> first;  // threads, in the order in which they have run
            std::vector<unsigned> second;
            std::vector<unsigned> third;
            zeros word;
            run(how, 1, 256, 1, [&](simt::block block, std::uint32_t*) {
                first.push_back(block.thread());
                block.sync();
                second.push_back(block.thread());
                block.sync();
                for (int i = 0; i < 10; ++i)
                    simt::atomic_add(word.data(), 1u);
                block.sync();
                third.push_back(block.thread());
            });
            bool are_whole = true;  // the warps
            for (unsigned i = 0; i < 256; ++i)
                are_whole = are_whole && first[i] / 32 == first[i / 32 * 32] / 32;
            CHECK(are_whole == (order == executor::schedule::warps));
            CHECK(first == second);
            CHECK((first == third) == (order == executor::schedule::warps));
            CHECK_FALSE(std::is_sorted(first.begin(), first.end()));
        }
}

TEST_CASE("shared memory is filled with a pattern, for each block")
{
    run({}, 5, 32, 64, [](simt::block block, std::uint32_t* words) {
        CHECK(words[block.lane()] == 0xA5A5A5A5);
        words[block.lane()] = 0;
    });
}

TEST_CASE("a missing barrier is seen")
{
    const auto reversed = [](bool with_barrier, const executor::options& how) {
        std::vector<std::uint32_t> out(128);
        run(how, 1, 128, 128, [&](simt::block block, std::uint32_t* words) {
            words[block.thread()] = block.thread();
            if (with_barrier)
                block.sync();
            out[block.thread()] = words[127 - block.thread()];
        });
        for (std::uint32_t i = 0; i < 128; ++i)
            if (out[i] != 127 - i)
                return false;
        return true;
    };
    CHECK(failures([&](const auto& how) { return reversed(true, how); }) == 0);
    CHECK(failures([&](const auto& how) { return reversed(false, how); }) == 20);
}

TEST_CASE("shuffles and ballots give what they should")
{
    for (std::uint64_t seed = 0; seed < 8; ++seed)
        run(schedule_of(seed), 2, 64, 1, [](simt::block block, std::uint32_t*) {
            const unsigned lane = block.lane();
            CHECK(simt::shuffle(lane * 3, 7) == 21);
            CHECK(simt::shuffle(lane, lane + 33) == (lane + 1) % 32);
            CHECK(simt::shuffle(static_cast<std::uint8_t>(lane), 9) == 9);
            CHECK(simt::shuffle(static_cast<std::uint16_t>(1000 + lane), 9) == 1009);
            CHECK(simt::shuffle_up(lane, 5) == (lane < 5 ? lane : lane - 5));
            CHECK(simt::shuffle_down(lane, 5) == (lane > 26 ? lane : lane + 5));
            CHECK(simt::ballot(lane % 3 == 0) == 0x49249249);
            const checked<256> value = simt::shuffle(checked<256>(lane, block.warp()), 31 - lane);
            CHECK(value == checked<256>(31 - lane, block.warp()));
            // Both halves of a warp at once, and then the odd lanes alone.
            const std::uint32_t half = lane < 16 ? 0xffff : 0xffff0000;
            CHECK(simt::ballot(true, half) == half);
            if (lane % 2 != 0)
                CHECK(simt::shuffle(lane, 9, 0xaaaaaaaau) == 9);
        });
}

TEST_CASE("warps may have 64 lanes")
{
    for (std::uint64_t seed = 0; seed < 8; ++seed)
        run(wide(seed), 2, 128, 1, [](simt::block block, std::uint32_t*) {
            constexpr std::uint64_t all = ~std::uint64_t{0};
            const unsigned lane = block.lane();
            CHECK(block.warps() == 2);
            CHECK(simt::shuffle(lane, 63, all) == 63);
            CHECK(simt::shuffle_up(lane, 40, all) == (lane < 40 ? lane : lane - 40));
            CHECK(simt::shuffle_down(lane, 40, all) == (lane > 23 ? lane : lane + 40));
            CHECK(simt::ballot(lane >= 32, all) == 0xffffffff00000000u);
            simt::sync_warp(all);
        });
}

TEST_CASE("an asynchronous copy is not there until it has been waited for")
{
    const auto copied = [](bool waits, bool synchronises, const executor::options& how) {
        memory<simt::packet<16>> in(64);
        std::vector<std::uint32_t> out(64);
        std::memset(static_cast<void*>(in.data()), 1, 64 * 16);
        run(how, 1, 64, 64 * 4, [&](simt::block block, std::uint32_t* words) {
            auto* const shared = reinterpret_cast<simt::packet<16>*>(words);
            simt::copy_async(shared + block.thread(), in.data() + block.thread());
            simt::commit_copies();
            if (waits)
                simt::wait_copies<0>();
            else
                simt::wait_copies<1>();
            if (synchronises)
                block.sync();
            out[block.thread()] = shared[63 - block.thread()].words[1];
        });
        return out == std::vector<std::uint32_t>(64, 0x01010101);
    };
    CHECK(failures([&](const auto& how) { return copied(true, true, how); }) == 0);
    CHECK(failures([&](const auto& how) { return copied(false, true, how); }) == 20);
    CHECK(failures([&](const auto& how) { return copied(true, false, how); }) == 20);
}

TEST_CASE("an update that is not atomic loses counts")
{
    const auto counted = [](bool atomic, const executor::options& how) {
        zeros count;
        run(how, 4, 64, 1, [&](simt::block, std::uint32_t*) {
            for (int i = 0; i < 10; ++i) {
                if (atomic) {
                    simt::atomic_add(count.data(), 1u);
                } else {
                    const std::uint32_t before = simt::atomic_load(count.data());
                    simt::atomic_store(count.data(), before + 1);
                }
            }
        });
        return count[0] == 2560;
    };
    CHECK(failures([&](const auto& how) { return counted(true, how); }) == 0);
    CHECK(failures([&](const auto& how) { return counted(false, how); }) >= 15);  // not where threads run in order
}

TEST_CASE("a wrapping counter wraps")
{
    zeros ticket;
    std::vector<unsigned> seen(6);
    run({}, 6, 32, 1, [&](simt::block block, std::uint32_t*) {
        if (block.thread() == 0)
            ++seen[simt::atomic_increment_wrapping(ticket.data(), 5)];
    });
    CHECK(ticket[0] == 0);
    CHECK(seen == std::vector<unsigned>(6, 1));
}

TEST_CASE("what a kernel throws reaches the caller, and the next launch is as good as ever")
{
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS_AS(run({}, 3, 64, 1,
                            [](simt::block block, std::uint32_t*) {
                                block.sync();
                                if (block.thread() == 33 && block.index() == 1)
                                    throw std::out_of_range("thread 33");
                                block.sync();
                            }),
                        std::out_of_range);
        zeros count;
        run({}, 3, 64, 1, [&](simt::block block, std::uint32_t*) {
            block.sync();
            simt::atomic_add(count.data(), 1u);
        });
        CHECK(count[0] == 192);
    }
}

TEST_CASE("the same seed runs the same, another does not")
{
    const auto order_of = [](std::uint64_t seed) {
        std::vector<std::size_t> order;
        executor::options how;
        how.seed = seed;
        run(how, 4, 32, 1, [&](simt::block block, std::uint32_t*) {
            order.push_back(block.index() * 32 + block.thread());
            block.sync();
            order.push_back(block.index() * 32 + block.thread());
        });
        return order;
    };
    CHECK(order_of(1) == order_of(1));
    CHECK(order_of(1) != order_of(2));
}
