// Clusters on the executor: what it runs, and what it must not let pass.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/small_kernel.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace kernel_test;

TEST_CASE("blocks of a cluster run together, whatever the schedule, and read what others have written for them")
{
    // Every block leaves a word with each other block of its cluster.
    const auto exchanged = [](bool waits, unsigned cluster, const executor::options& how) {
        std::vector<std::uint32_t> out(12 * cluster);
        run(
            how, 12, 64, 64,
            [&](simt::block block, std::uint32_t* words) {
                CHECK(block.cluster_blocks() == cluster);
                CHECK(block.cluster_rank() == block.index() % cluster);
                block.cluster_arrive();
                block.cluster_wait();
                for (unsigned rank = block.thread(); rank < cluster; rank += block.threads())
                    simt::store(block.of_block(words, rank), block.cluster_rank(),
                                static_cast<std::uint32_t>(block.index()));
                block.cluster_arrive();
                if (waits)
                    block.cluster_wait();
                if (block.thread() < cluster)
                    out[block.index() * cluster + block.thread()] = words[block.thread()];
                if (!waits)
                    block.cluster_wait();
                block.cluster_arrive();  // nobody returns before the others have written
                block.cluster_wait();
            },
            cluster);
        for (std::uint32_t i = 0; i < out.size(); ++i)
            if (out[i] != i / cluster / cluster * cluster + i % cluster)
                return false;
        return true;
    };
    for (const unsigned cluster : {1u, 2u, 3u, 4u, 12u}) {
        CAPTURE(cluster);
        CHECK(failures([&](const auto& how) { return exchanged(true, cluster, how); }) == 0);
        if (cluster > 1)
            CHECK(failures([&](const auto& how) { return exchanged(false, cluster, how); }) >= 19);
    }
}

TEST_CASE("who waits for its inbox sees all that was sent to it, and who does not wait may not")
{
    // Block r is sent four words by each block before it.
    const auto sent = [](bool waits, unsigned cluster, const executor::options& how) {
        std::vector<std::uint32_t> sums(2 * cluster);
        run(
            how, 2 * cluster, 64, 80,
            [&](simt::block block, std::uint32_t* words) {
                auto* const packets = reinterpret_cast<simt::packet<16>*>(words);
                auto* const inbox = reinterpret_cast<std::uint64_t*>(words + 76);
                const unsigned rank = block.cluster_rank();
                if (rank > 0 && block.thread() == 0)
                    simt::open_inbox(inbox);
                block.cluster_start();
                block.cluster_wait();
                if (rank > 0 && block.thread() == 0)
                    simt::expect_sent(inbox, 16 * rank);
                if (rank + 1 < cluster)
                    for (unsigned i = 0; i < 4; ++i)  // late
                        block.sync();
                const unsigned to = rank + 1 + block.thread();
                if (to < cluster)
                    simt::send(packets + rank, to, {{rank, to, 1, 2}}, inbox);
                if (rank > 0 && waits)
                    simt::wait_inbox(inbox);
                if (block.thread() == 0)
                    for (unsigned i = 0; i < 4 * rank; ++i)
                        sums[block.index()] += words[i];
                if (rank > 0 && !waits)
                    simt::wait_inbox(inbox);
            },
            cluster);
        for (std::uint32_t i = 0; i < sums.size(); ++i) {
            const std::uint32_t rank = i % cluster;
            if (sums[i] != rank * (rank - (rank > 0 ? 1 : 0)) / 2 + rank * rank + 3 * rank)
                return false;
        }
        return true;
    };
    for (const unsigned cluster : {1u, 2u, 3u, 4u, 16u}) {
        CAPTURE(cluster);
        CHECK(failures([&](const auto& how) { return sent(true, cluster, how); }) == 0);
        if (cluster > 1)
            CHECK(failures([&](const auto& how) { return sent(false, cluster, how); }) >= 10);
    }
}

TEST_CASE("more or less that is sent to a block than it expects is told")
{
    const auto error_of_inbox = [](unsigned expected) {
        return error_of(
            {}, 2, 32,
            [&](simt::block block, std::uint32_t* words) {
                auto* const inbox = reinterpret_cast<std::uint64_t*>(words + 8);
                const unsigned rank = block.cluster_rank();
                if (rank == 1 && block.thread() == 0)
                    simt::open_inbox(inbox);
                block.cluster_start();
                block.cluster_wait();
                if (rank == 1 && block.thread() == 0)
                    simt::expect_sent(inbox, expected);
                if (rank == 0 && block.thread() == 0)
                    simt::send(reinterpret_cast<simt::packet<8>*>(words), 1, {{1, 2}}, inbox);
                if (rank == 1)
                    simt::wait_inbox(inbox);
                block.cluster_arrive();  // nobody returns before all is sent
                block.cluster_wait();
            },
            2);
    };
    CHECK(error_of_inbox(8).empty());
    CHECK(says(error_of_inbox(0), "more is sent to a block than it expects"));
    CHECK(says(error_of_inbox(16), "livelock"));
}

TEST_CASE("who has arrived at a cluster's barrier may return, and the others still wait for it")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        zeros sum;
        const auto done = run(
            schedule_of(seed), 8, 64, 64,
            [&](simt::block block, std::uint32_t* words) {
                block.cluster_arrive();
                block.cluster_wait();
                if (block.thread() == 0)
                    simt::store(block.of_block(words, 0), block.cluster_rank(), block.cluster_rank() + 1);
                block.cluster_arrive();
                if (block.cluster_rank() != 0)
                    return;
                block.cluster_wait();
                if (block.thread() == 0)
                    simt::atomic_add(sum.data(), words[0] + words[1] + words[2] + words[3]);
            },
            4);
        CHECK(sum[0] == 20);
        CHECK(done.blocks == 8);
        CHECK(done.barriers == 4);
    }
}

TEST_CASE("a cluster's barrier does not wait for threads that have returned")
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        zeros waited;
        const auto done = run(
            schedule_of(seed), 4, 96, 1,
            [&](simt::block block, std::uint32_t*) {
                if (block.warp() == 1)
                    return;
                block.cluster_arrive();
                if (block.warp() == 2)
                    return;
                block.cluster_wait();
                block.cluster_arrive();
                block.cluster_wait();
                simt::atomic_add(waited.data(), 1u);
            },
            2);
        CHECK(waited[0] == 4 * 32);
        CHECK(done.barriers == 4);
    }
}

TEST_CASE("what a cluster may not do is refused")
{
    const auto error_in_cluster = [](auto body) { return error_of({}, 4, 32, body, 2); };
    const std::string other_site = error_in_cluster([](simt::block block, std::uint32_t*) {
        if (block.cluster_rank() == 0)
            block.cluster_arrive();
        else
            block.cluster_arrive();
    });
    CHECK(says(other_site, "other threads of its cluster at that of executor_cluster_test.cpp:"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t*) {
                   block.cluster_arrive();
                   block.cluster_arrive();
               }),
               "has not waited"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t*) { block.cluster_wait(); }), "has not arrived"));
    CHECK(says(error_in_cluster(
                   [](simt::block block, std::uint32_t* words) { block.of_block(words, 1 - block.cluster_rank()); }),
               "need not have started"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t* words) {
                   block.cluster_arrive();
                   block.of_block(words, 1 - block.cluster_rank());
               }),
               "need not have started"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t* words) { block.of_block(words, 2); }),
               "block 2 of a cluster of 2"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t* words) { block.of_block(words + 64, 1); }),
               "not in its shared memory"));
    CHECK(says(error_in_cluster([](simt::block block, std::uint32_t*) {
                   block.cluster_arrive();
                   if (block.cluster_rank() == 0)
                       block.sync();
                   else if (block.lane() > 0)
                       return;
                   else
                       block.sync();
               }),
               "returned"));
    CHECK(says(error_of(
                   {}, 3, 32, [](simt::block, std::uint32_t*) {}, 2),
               "clusters of 2"));
}

TEST_CASE("shared memory of a block that has returned is not used by its cluster")
{
    executor::options how;
    how.order = executor::schedule::in_order;
    how.blocks = executor::block_order::ascending;
    const auto touch = [&](bool asks_late) {
        return error_of(
            how, 2, 32,
            [=](simt::block block, std::uint32_t* words) {
                block.cluster_arrive();
                block.cluster_wait();
                std::uint32_t* other = asks_late ? nullptr : block.of_block(words, 0);
                block.cluster_arrive();
                block.cluster_wait();
                block.cluster_arrive();
                if (block.cluster_rank() == 0)
                    return;
                block.cluster_wait();
                block.sync();
                if (asks_late)
                    other = block.of_block(words, 0);
                if (block.lane() == 0)
                    simt::store(other, 1u);
            },
            2);
    };
    CHECK(says(touch(true), "asks for the shared memory of block 0, which has returned"));
    CHECK(says(touch(false), "accesses the shared memory of block 0, which has returned"));
}
