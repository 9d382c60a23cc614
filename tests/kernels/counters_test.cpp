// What the executor counts of accesses to memory, against cases that are counted by hand.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/counted.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace kernel_test;
using simt::load, simt::store;

namespace {

/// One warp, of which lane l loads element `stride * l` of an array that begins `offset` elements after a boundary.
template <class T>
executor::global_counts loads(std::size_t stride, std::size_t offset = 0)
{
    executor::buffer<T> memory(32 * stride + offset + 1);
    const T* const in = memory.data() + offset;
    return counted(1, 32, [=](simt::block block, words&) { load(in + stride * block.lane()); }).global_loads;
}

/// One warp, of which lane l loads the T at word `word(l)` of shared memory.
template <class T, class Word>
executor::shared_counts shared_loads(Word word)
{
    const auto done = counted(1, 32, [=](simt::block block, words& shared) {
        load(reinterpret_cast<const T*>(shared.data() + word(block.lane())));
    });
    CHECK(done.shared_loads.requests == 1);
    CHECK(done.shared_loads.lanes == 32);
    CHECK(done.shared_loads.bytes == 32 * sizeof(T));
    CHECK(done.global_loads.requests == 0);
    return done.shared_loads;
}

struct three_words {
    std::uint64_t words[3];
};

}  // namespace

TEST_CASE("a warp that loads neighbours touches as many sectors as they fill")
{
    const auto of_words = loads<std::uint32_t>(1);
    CHECK(of_words.requests == 1);
    CHECK(of_words.lanes == 32);
    CHECK(of_words.bytes == 128);
    CHECK(of_words.sectors == 4);
    CHECK(loads<std::uint8_t>(1).sectors == 1);
    CHECK(loads<std::uint16_t>(1).sectors == 2);
    CHECK(loads<double>(1).sectors == 8);
    CHECK(loads<simt::packet<16>>(1).sectors == 16);
    CHECK(loads<simt::packet<16>>(1).requests == 1);
}

TEST_CASE("a warp that loads off a boundary touches one sector more")
{
    CHECK(loads<std::uint32_t>(1, 1).sectors == 5);
    CHECK(loads<std::uint32_t>(1, 7).sectors == 5);
    CHECK(loads<std::uint32_t>(1, 8).sectors == 4);
    CHECK(loads<simt::packet<16>>(1, 1).sectors == 17);
}

TEST_CASE("strides touch more sectors, and a common word touches one")
{
    CHECK(loads<std::uint32_t>(2).sectors == 8);
    CHECK(loads<std::uint32_t>(4).sectors == 16);
    CHECK(loads<std::uint32_t>(8).sectors == 32);
    CHECK(loads<std::uint32_t>(1000).sectors == 32);
    CHECK(loads<std::uint32_t>(0).sectors == 1);
}

TEST_CASE("a value that is larger than 16 bytes, or less aligned than large, is loaded in parts")
{
    const auto parts = loads<three_words>(1);
    CHECK(parts.requests == 3);
    CHECK(parts.lanes == 96);
    CHECK(parts.bytes == 32 * 24);
    CHECK(parts.sectors == 3 * 24);  // each part touches all of the 24 sectors
}

TEST_CASE("stores are counted as loads are, and apart from them")
{
    executor::buffer<std::uint32_t> memory(100);
    const auto done = counted(1, 32, [out = memory.data()](simt::block block, words& shared) {
        store(out + 1 + block.lane(), 1u);
        shared[2 * block.lane()] = 1;
    });
    CHECK(done.global_loads.requests == 0);
    CHECK(done.global_stores.requests == 1);
    CHECK(done.global_stores.lanes == 32);
    CHECK(done.global_stores.bytes == 128);
    CHECK(done.global_stores.sectors == 5);
    CHECK(done.shared_loads.requests == 0);
    CHECK(done.shared_stores.requests == 1);
    CHECK(done.shared_stores.lanes == 32);
    CHECK(done.shared_stores.passes == 2);
    CHECK(done.shared_stores.extra_passes == 1);
}

TEST_CASE("the tail of an array is counted with the lanes that it has")
{
    executor::buffer<std::uint32_t> in(100);
    executor::buffer<std::uint32_t> out(100);
    const auto done = counted(2, 64, [=, in = in.data(), out = out.data()](simt::block block, words&) {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (simt::branch(i < 100))
            store(out + i, load(in + i));
    });
    CHECK(done.global_loads.requests == 4);  // 32 + 32, 32 + 4
    CHECK(done.global_loads.lanes == 100);
    CHECK(done.global_loads.sectors == 13);
    CHECK(done.global_stores.sectors == 13);
    CHECK(done.branches == 4);
    CHECK(done.divergent_branches == 1);
    CHECK(done.warp_operations == 12);
    CHECK(done.lane_operations == 128 + 100 + 100);
    CHECK(done.mean_active_lanes() == doctest::Approx(328.0 / 12));
}

TEST_CASE("lanes that go to the same bank for different words conflict")
{
    const auto extra = [](auto word) { return shared_loads<std::uint32_t>(word).extra_passes; };
    CHECK(extra([](unsigned lane) { return lane; }) == 0);
    CHECK(extra([](unsigned lane) { return 2 * lane; }) == 1);
    CHECK(extra([](unsigned lane) { return 3 * lane; }) == 0);
    CHECK(extra([](unsigned lane) { return 8 * lane; }) == 7);
    CHECK(extra([](unsigned lane) { return 32 * lane; }) == 31);
    CHECK(extra([](unsigned lane) { return 33 * lane; }) == 0);
    CHECK(extra([](unsigned lane) { return 31 - lane; }) == 0);
    CHECK(shared_loads<std::uint32_t>([](unsigned lane) { return 32 * lane; }).passes == 32);
}

TEST_CASE("lanes that go to the same word do not conflict")
{
    const auto extra = [](auto word) { return shared_loads<std::uint32_t>(word).extra_passes; };
    CHECK(extra([](unsigned) { return 5u; }) == 0);
    CHECK(extra([](unsigned lane) { return lane / 4; }) == 0);
    CHECK(extra([](unsigned lane) { return lane % 2 * 32; }) == 1);
    const auto bytes = counted(1, 32, [](simt::block block, words& shared) {
        load(reinterpret_cast<const std::uint8_t*>(shared.data()) + block.lane());
    });
    CHECK(bytes.shared_loads.passes == 1);
}

TEST_CASE("wide accesses to shared memory are served in halves and quarters of a warp")
{
    using wide = simt::packet<8>;
    using wider = simt::packet<16>;
    const auto next = shared_loads<wide>([](unsigned lane) { return 2 * lane; });
    CHECK(next.passes == 2);
    CHECK(next.extra_passes == 0);
    const auto apart = shared_loads<wide>([](unsigned lane) { return 4 * lane; });  // lanes l and l + 8 of a half
    CHECK(apart.passes == 4);
    CHECK(apart.extra_passes == 2);
    CHECK(shared_loads<wider>([](unsigned lane) { return 4 * lane; }).passes == 4);
    CHECK(shared_loads<wider>([](unsigned lane) { return 4 * lane; }).extra_passes == 0);
    CHECK(shared_loads<wider>([](unsigned lane) { return 8 * lane; }).extra_passes == 4);  // l and l + 4 of a quarter
    CHECK(shared_loads<wider>([](unsigned lane) { return 32 * lane; }).extra_passes == 28);
    CHECK(shared_loads<wider>([](unsigned) { return 0u; }).extra_passes == 0);

    const auto half = counted(1, 32, [](simt::block block, words& shared) {
        if (block.lane() >= 16)
            load(reinterpret_cast<const wide*>(shared.data()) + block.lane());
    });
    CHECK(half.shared_loads.passes == 1);
}

TEST_CASE("a reduction with interleaved addressing has the active lanes that it is known for")
{
    const std::uint64_t lanes[] = {32, 16, 8, 4, 2, 1};
    const std::uint64_t divergent[] = {2, 2, 2, 2, 2, 1};
    for (unsigned step = 0; step < 6; ++step) {
        CAPTURE(step);
        const auto done = counted(1, 64, [=](simt::block block, words& shared) {
            const unsigned t = block.thread();
            const unsigned distance = 1u << step;
            if (simt::branch(t % (2 * distance) == 0))
                shared[t] += shared[t + distance];
            block.sync();
        });
        CHECK(done.branches == 2);
        CHECK(done.divergent_branches == divergent[step]);
        CHECK(done.shared_loads.lanes == 2 * lanes[step]);
        CHECK(done.shared_stores.lanes == lanes[step]);
        CHECK(done.shared_stores.requests == (step < 5 ? 2 : 1));
        CHECK(done.barriers == 1);
    }
}

TEST_CASE("a reduction with sequential addressing diverges in its last warp only")
{
    const auto done = counted(3, 128, [](simt::block block, words& shared) {
        const unsigned t = block.thread();
        for (unsigned distance = 64; distance > 0; distance /= 2) {
            if (simt::branch(t < distance))
                shared[t] += shared[t + distance];
            block.sync();
        }
    });
    CHECK(done.branches == 3 * 7 * 4);
    CHECK(done.divergent_branches == 3 * 5);  // 16, 8, 4, 2, 1
    CHECK(done.shared_stores.lanes == 3 * 127);
    CHECK(done.shared_stores.requests == 3 * (2 + 1 + 5));
    CHECK(done.shared_loads.extra_passes == 0);
    CHECK(done.barriers == 3 * 7);
}

TEST_CASE("strided addressing has the bank conflicts that it is known for")
{
    // Thread t works at 2 * distance * t: conflicts of 2, 4, 8 ... ways as the distance grows.
    for (unsigned distance : {1u, 2u, 4u, 8u, 16u}) {
        CAPTURE(distance);
        const auto done = counted(1, 32, [=](simt::block block, words& shared) {
            if (const unsigned at = 2 * distance * block.thread(); simt::branch(at < 1024))
                shared[at] += shared[at + distance];
        });
        CHECK(done.shared_stores.extra_passes == 2 * distance - 1);
        CHECK(done.shared_loads.extra_passes == 2 * (2 * distance - 1));
        CHECK(done.divergent_branches == 0);
    }
}

TEST_CASE("atomic operations take as many passes as lanes meet at an address")
{
    executor::buffer<std::uint32_t> memory(32);
    const auto passes = [&](unsigned addresses) {
        const auto done = counted(1, 32, [=, out = memory.data()](simt::block block, words& shared) {
            simt::atomic_add(out + block.lane() % addresses, 1u);
            simt::atomic_add(shared.data() + block.lane() % addresses, 1u);
        });
        CHECK(done.global_atomics.requests == 1);
        CHECK(done.global_atomics.lanes == 32);
        CHECK(done.shared_atomics.requests == 1);
        CHECK(done.shared_atomics.lanes == 32);
        CHECK(done.shared_atomics.passes == done.global_atomics.passes);
        CHECK(done.atomics == 64);
        return done.global_atomics.passes;
    };
    CHECK(passes(1) == 32);
    CHECK(passes(4) == 8);
    CHECK(passes(5) == 7);
    CHECK(passes(32) == 1);
}

TEST_CASE("atomic loads and stores are loads and stores")
{
    executor::buffer<std::uint64_t> memory(32);
    const auto done = counted(1, 32, [out = memory.data()](simt::block block, words&) {
        if (block.lane() < 16)
            simt::atomic_store(out + block.lane(), std::uint64_t{1});
        simt::atomic_load(out + block.lane());
    });
    CHECK(done.global_stores.sectors == 4);
    CHECK(done.global_loads.sectors == 8);
    CHECK(done.global_atomics.requests == 0);
}

TEST_CASE("an asynchronous copy is a load and a store, and one operation")
{
    executor::buffer<simt::packet<16>> in(64);
    const auto done = counted(1, 64, [in = in.data()](simt::block block, words& shared) {
        simt::copy_async(reinterpret_cast<simt::packet<16>*>(shared.data()) + block.thread(), in + block.thread());
        simt::commit_copies();
        simt::wait_copies<0>();
    });
    CHECK(done.copies == 2);
    CHECK(done.global_loads.sectors == 32);
    CHECK(done.shared_stores.passes == 8);
    CHECK(done.shared_stores.extra_passes == 0);
    CHECK(done.warp_operations == 2);
    CHECK(done.lane_operations == 64);
}

TEST_CASE("arrays in shared memory have rows and columns")
{
    struct tile_kernel {
        struct shared_storage {
            simt::shared_array<float, 32, 33> tile;
        };
        simt::global<const float> in;
        simt::global<float> out;
        void operator()(simt::block block, shared_storage& shared) const
        {
            const unsigned lane = block.lane();
            for (unsigned row = 0; row < 32; ++row)
                shared.tile[row][lane] = in[row * 32 + lane];
            simt::sync_warp();
            for (unsigned row = 0; row < 32; ++row)
                out[row * 32 + lane] = shared.tile[lane][row];
        }
    };
    executor::buffer<float> in(32 * 32);
    executor::buffer<float> out(32 * 32);
    for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<float>(i);
    executor::options how;
    how.count = true;
    const auto done = launch(how, 1, 32, sizeof(tile_kernel::shared_storage), tile_kernel{in.data(), out.data()});
    CHECK(out[5 * 32 + 7] == 7 * 32 + 5);
    CHECK(done.shared_loads.extra_passes == 0);
    CHECK(done.shared_stores.extra_passes == 0);
    CHECK(done.global_stores.sectors == 128);
}

TEST_CASE("statistics of two launches are added member by member")
{
    executor::statistics all;
    all.global_loads = {1, 2, 3, 4};
    all.shared_stores.extra_passes = 5;
    all.pauses = 6;
    executor::statistics more;
    more.global_loads = {10, 20, 30, 40};
    more.global_stores.requests = 50;
    more.pauses = 60;
    all += more;
    CHECK(all.global_loads.requests == 11);
    CHECK(all.global_loads.sectors == 44);
    CHECK(all.global_stores.requests == 50);
    CHECK(all.shared_stores.extra_passes == 5);
    CHECK(all.pauses == 66);
    CHECK((more.global_loads += all.global_loads).bytes == 63);
}
