// What the executor counts of lanes that part and meet, against cases that are counted by hand.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/counted.hpp"

#include <cstddef>
#include <cstdint>

using namespace kernel_test;
using simt::load, simt::store;

TEST_CASE("lanes that loop longer are counted alone")
{
    executor::buffer<std::uint32_t> in(32);
    const auto done = counted(1, 32, [in = in.data()](simt::block block, words&) {
        for (unsigned i = 0; simt::branch(i <= block.lane()); ++i)
            load(in + i);
    });
    CHECK(done.global_loads.requests == 32);
    CHECK(done.global_loads.lanes == 32 * 33 / 2);
    CHECK(done.global_loads.sectors == 32);
    CHECK(done.branches == 33);
    CHECK(done.divergent_branches == 31);
}

TEST_CASE("both sides of a divergent branch are counted, and what follows it is done together")
{
    executor::buffer<std::uint32_t> in(32);
    const auto done = counted(1, 32, [in = in.data()](simt::block block, words&) {
        std::uint32_t sum = 0;
        if (simt::branch(block.lane() < 12))
            sum += load(in + block.lane());
        else
            sum -= load(in + block.lane());
        store(in + block.lane(), sum);
    });
    CHECK(done.global_loads.requests == 2);
    CHECK(done.global_loads.sectors == 2 + 3);  // 12 words, and 20 from the middle of a sector on
    CHECK(done.global_stores.requests == 1);
    CHECK(done.global_stores.sectors == 4);
}

TEST_CASE("lanes of a warp that meet start anew")
{
    // Odd lanes load the first sector; then all of them load the second, at the same line.
    executor::buffer<std::uint32_t> in(16);
    enum meeting { nowhere, at_barrier, in_collective };
    const auto sectors = [in = in.data()](meeting where) {
        const auto done = counted(1, 64, [=](simt::block block, words&) {
            for (unsigned i = block.lane() % 2 == 0 ? 1 : 0; i < 2; ++i) {
                if (i == 1 && where == at_barrier)
                    block.sync();
                if (i == 1 && where == in_collective)
                    simt::ballot(true);
                load(in + 8 * i);
            }
        });
        CHECK(done.global_loads.requests == 2 * 2);
        CHECK(done.global_loads.lanes == 2 * (16 + 32));
        return done.global_loads.sectors;
    };
    CHECK(sectors(at_barrier) == 2 * 2);
    CHECK(sectors(in_collective) == 2 * 2);
    CHECK(sectors(nowhere) == 2 * 3);  // by visits: even lanes' first and odd lanes' first, and odd lanes' second
}

TEST_CASE("lanes that have returned are not waited for")
{
    executor::buffer<std::uint32_t> in(32);
    const auto done = counted(1, 32, [in = in.data()](simt::block block, words&) {
        load(in + block.lane());
        if (block.lane() >= 8)
            return;
        load(in + block.lane());
    });
    CHECK(done.global_loads.requests == 2);
    CHECK(done.global_loads.sectors == 4 + 1);
}

TEST_CASE("collectives of some lanes count these, and do not end what all have begun")
{
    executor::buffer<std::uint32_t> in(32);
    const auto done = counted(1, 32, [in = in.data()](simt::block block, words&) {
        if (block.lane() < 8)
            simt::shuffle(1u, 0, 0xffu);
        load(in + block.lane());
        simt::sync_warp();
    });
    CHECK(done.collectives == 2);
    CHECK(done.warp_operations == 3);
    CHECK(done.lane_operations == 8 + 32 + 32);
    CHECK(done.global_loads.requests == 1);
}

TEST_CASE("barriers are counted once for each block")
{
    const auto done = counted(5, 96, [](simt::block block, words&) {
        for (int i = 0; i < 3; ++i)
            block.sync();
    });
    CHECK(done.barriers == 15);
    CHECK(done.warp_operations == 0);
    CHECK(done.mean_active_lanes() == 0);
}

TEST_CASE("warps of 64 lanes are counted as one")
{
    executor::options how;
    how.warp_threads = 64;
    executor::buffer<std::uint32_t> in(64);
    const auto done = count(how, 1, 64, [in = in.data()](simt::block block, words& shared) {
        load(in + block.lane());
        shared[block.lane()] = 1;
    });
    CHECK(done.global_loads.requests == 1);
    CHECK(done.global_loads.sectors == 8);
    CHECK(done.shared_stores.passes == 2);
    CHECK(done.shared_stores.extra_passes == 0);
}

TEST_CASE("counting changes nothing, and a launch that does not count has only zeros")
{
    const auto order_of = [](bool count) {
        executor::options how = schedule_of(5);
        how.count = count;
        executor::buffer<std::uint32_t> order(2 * 4 * 64 + 1);
        const auto body = [out = order.data()](simt::block block, words& shared) {
            const std::size_t i = block.index() * 64 + block.thread();
            store(out + 1 + i, simt::atomic_add(out, 1u));
            shared[block.thread()] = 1;
            block.sync();
            store(out + 1 + 4 * 64 + i, simt::atomic_add(out, shared[63 - block.thread()]));
        };
        const auto done = launch(how, 4, 64, shared_words * 4, counted_kernel<decltype(body)>{body});
        CHECK((done.warp_operations != 0) == count);
        CHECK((done.global_stores.sectors != 0) == count);
        CHECK(order[0] == 2 * 4 * 64);
        order[0] = static_cast<std::uint32_t>(done.switches);
        return order;
    };
    CHECK((order_of(true) == order_of(false)));
}
