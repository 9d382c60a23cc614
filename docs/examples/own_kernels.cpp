/// @file
/// @brief  The examples of docs/own-kernels.md and of parprims/simt: kernels of a user's own, tested on a CPU.
/// [include]
#include <parprims/simt/executor.hpp>

#include <doctest/doctest.h>

#include <numeric>

namespace simt = parprims::simt;
namespace executor = parprims::executor;
/// [include]
#include <parprims/axis.hpp>
#include <parprims/simt/calls.hpp>

#include <string>
#include <vector>

namespace {

/// [block_sum]
/// The sum of each block's 256 values.
struct block_sum {
    struct shared_storage {
        simt::shared_array<float, 256> values;
    };
    simt::global<const float> in;  // as const float*
    simt::global<float> sums;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        shared.values[t] = in[block.index() * 256 + t];
        block.sync();
        for (unsigned distance = 128; distance > 0; distance /= 2) {
            if (simt::branch(t < distance))
                shared.values[t] += shared.values[t + distance];
            block.sync();
        }
        if (t == 0)
            sums[block.index()] = shared.values[0];
    }
};
/// [block_sum]

/// [transpose]
struct transpose_tile {
    struct shared_storage {
        simt::shared_array<float, 32, 33> tile;  // as float tile[32][33]
    };
    simt::global<const float> in;  // 32 x 32
    simt::global<float> out;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        shared.tile[block.warp()][block.lane()] = in[block.thread()];
        block.sync();
        out[block.thread()] = shared.tile[block.lane()][block.warp()];
    }
};
/// [transpose]

/// [last_block]
/// The last block to arrive adds what the others left.
struct sum_of_sums {
    float* sums;  // one a block
    unsigned* arrived;
    float* total;

    PARPRIMS_DEVICE void operator()(simt::block block) const
    {
        if (block.thread() != 0)
            return;
        simt::store(sums, block.index(), static_cast<float>(block.index()));
        if (simt::atomic_add_acq_rel(arrived, 1) + 1 < block.count())
            return;
        float sum = 0;
        for (std::size_t i = 0; i < block.count(); ++i)
            sum += simt::load(sums, i);
        simt::store(total, 0, sum);
    }
};
/// [last_block]

}  // namespace

/// [test]
TEST_CASE("a block adds 256 values")
{
    executor::buffer<float> in(4 * 256);  // accesses beyond its end are refused
    executor::buffer<float> sums(4);
    std::iota(in.begin(), in.end(), 0.0f);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        executor::options options;
        options.seed = seed;  // another order of warps and blocks
        options.find_races = true;
        executor::launch(options, 4, 256, block_sum{in.data(), sums.data()});
        for (int block = 0; block < 4; ++block)
            CHECK(sums[block] == std::accumulate(&in[256 * block], &in[256 * block] + 256, 0.0f));
    }
}
/// [test]

/// [counters]
TEST_CASE("a block's sum reads whole sectors and has no bank conflict")
{
    executor::buffer<float> in(4 * 256);
    executor::buffer<float> sums(4);
    executor::options options;
    options.count = true;
    const executor::statistics did = executor::launch(options, 4, 256, block_sum{in.data(), sums.data()});
    CHECK(did.global_loads.requests == 4 * 8);     // 8 warps a block
    CHECK(did.global_loads.sectors == 4 * 8 * 4);  // of 32 bytes: 4 a request is the least
    CHECK(did.shared_loads.extra_passes == 0);     // bank conflicts
    CHECK(did.barriers == 4 * 9);                  // log2(256) + 1 a block
    CHECK(did.divergent_branches == 4 * 5);        // the last 5 steps, in which a part of warp 0 works
    CHECK(did.shared_atomics.lanes + did.global_atomics.lanes == 0);
}
/// [counters]

TEST_CASE("own kernels: what is wrong is named")
{
    /// [race]
    executor::buffer<int> in(64, 1);
    executor::name_memory(in.data(), "in", sizeof(int));
    const auto neighbours = [values = in.data()](simt::block block) {
        const unsigned t = block.thread();
        simt::store(values, t,
                    simt::load(values, t) + simt::load(values, (t + 1) % 64));  // of a neighbour that writes, too
    };
    executor::options options;
    options.order = executor::schedule::in_order;  // so that the same threads are named each time
    options.find_races = true;
    std::string said;
    try {
        executor::launch(options, 1, 64, neighbours);
    } catch (const executor::error& error) {
        CHECK(error.kind == executor::fault::race);
        said = error.what();  // "own_kernels.cpp:124: race: thread 1 of block 0 (lane 1 of warp 0) writes in[1]; ..."
    }
    /// [race]
    INFO(said);
    CHECK(said.find("thread 1 of block 0 (lane 1 of warp 0) writes in[1]; thread 0 of block 0") != std::string::npos);
}

TEST_CASE("own kernels: a sum is right in every order of threads and blocks")
{
    executor::buffer<float> in(4 * 256, 0.5f);
    executor::buffer<float> sums(4);
    /// [orders]
    using executor::block_order, executor::schedule;
    executor::options options;
    for (const schedule order : {schedule::in_order, schedule::random, schedule::warps, schedule::threads})
        for (const block_order blocks : {block_order::ascending, block_order::descending, block_order::shuffled}) {
            options.order = order;
            options.blocks = blocks;
            executor::launch(options, 4, 256, block_sum{in.data(), sums.data()});
            CHECK(sums[3] == 128);
        }
    /// [orders]
}

TEST_CASE("own kernels: examples of the reference")
{
    executor::buffer<float> values(32 * 32);
    executor::buffer<float> out(32 * 32);
    std::iota(values.begin(), values.end(), 0.0f);
    executor::options options;
    options.count = true;
    const executor::statistics did = executor::launch(options, 1, 1024, transpose_tile{values.data(), out.data()});
    CHECK(out[1] == 32);
    CHECK(did.shared_loads.extra_passes == 0);

    executor::buffer<unsigned> arrived(1);
    executor::buffer<float> sum(1);
    options.find_races = true;
    executor::launch(options, 8, 32, sum_of_sums{out.data(), arrived.data(), sum.data()});

    CHECK(sum[0] == 28);

    executor::buffer<unsigned> counts(4);
    /// [histogram]
    const auto histogram = [counts = counts.data()](simt::block block) {
        simt::atomic_add(&counts[block.thread() % 4], 1u);
    };
    executor::launch(options, 2, 32, histogram);  // counts: 16 each
    /// [histogram]
    CHECK(counts[3] == 16);

    executor::buffer<std::uint64_t> flag(1);
    /// [wait]
    const auto wait = [flag = flag.data()](simt::block block) {
        if (block.thread() != 0)
            return;
        if (block.index() == 0)
            simt::atomic_store(flag, std::uint64_t{1} << 32 | 42);  // a flag and a value in one word
        else
            while (simt::atomic_load(flag) == 0)
                simt::pause();
    };
    executor::launch(options, 2, 32, wait);
    /// [wait]
    CHECK((flag[0] & 0xffffffff) == 42);

    executor::buffer<unsigned> results(32);
    /// [warps]
    const auto warps = [results = results.data()](simt::block block) {
        unsigned sum = block.lane();
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
            sum += simt::shuffle_down(sum, distance);
        const unsigned below = simt::shuffle_up(block.lane(), 1);               // lane 0 keeps its own
        const unsigned total = simt::shuffle(sum, 0, simt::all_lanes);          // of lane 0: 496
        const simt::lane_mask odd_lanes = simt::ballot(block.lane() % 2 == 1);  // 0xaaaaaaaa
        const unsigned odd = simt::count_lanes(odd_lanes);                      // 16
        simt::store(results, block.lane(), total + odd + below);
        simt::sync_warp();
        if (block.lane() == 0)
            simt::load(results, 31);  // after sync_warp a lane sees what others wrote
    };
    executor::launch(options, 1, 32, warps);
    /// [warps]
    CHECK(results[2] == 496 + 16 + 1);

    executor::buffer<float> copied(128);
    /// [packets]
    const auto copy = [in = values.data(), out = copied.data()](simt::block block) {
        using four = simt::packet<16>;  // four floats at a time
        four loaded = simt::load(reinterpret_cast<const four*>(in), block.thread());
        simt::set_element(loaded, 0, 2 * simt::element<float>(loaded, 0));
        simt::store(reinterpret_cast<four*>(out), block.thread(), loaded);
    };
    executor::launch(options, 1, 32, copy, 0);
    /// [packets]
    CHECK(copied[5] == values[5]);
}

namespace {

/// [copies]
struct copy_through_shared {
    struct shared_storage {
        simt::packet<16> packets[32];
    };
    const simt::packet<16>* in;
    simt::packet<16>* out;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        simt::copy_async(&shared.packets[t], &in[t]);
        simt::commit_copies();
        simt::wait_copies<0>();
        simt::store(out, t, simt::load(shared.packets, t));
    }
};
/// [copies]

}  // namespace

TEST_CASE("own kernels: copies and requests")
{
    executor::buffer<float> in(128, 3.0f);
    executor::buffer<float> out(128);
    const copy_through_shared kernel{reinterpret_cast<const simt::packet<16>*>(in.data()),
                                     reinterpret_cast<simt::packet<16>*>(out.data())};
    executor::options options;
    options.count = true;
    /// [requests]
    struct : executor::request_observer {
        void saw(const executor::request& what) override
        {
            lines.push_back(what.where.line);
            stores += what.what == executor::access::store;
        }
        std::vector<unsigned> lines;
        unsigned stores = 0;
    } seen;
    options.requests = &seen;
    executor::launch(options, 1, 32, kernel);
    CHECK(seen.lines.size() == 4);  // a copy: a load of global memory and a store of shared memory; a load; a store
    CHECK(seen.stores == 2);
    /// [requests]
    CHECK(out[127] == 3);
}

TEST_CASE("own kernels: the library's calls beside them")
{
    /// [calls]
    executor::buffer<float> in(1000, 0.5f);
    executor::buffer<float> out(1000);
    executor::buffer<std::uint32_t> counts(4);
    executor::options options;
    options.count = true;
    executor::launcher launcher(options);
    const float total = executor::reduce(launcher, in.data(), in.size(), 0.0f);
    const executor::statistics did = launcher.take_statistics();  // to be compared with those of your own sum
    executor::inclusive_scan(launcher, in.data(), in.size(), out.data());
    executor::histogram(launcher, in.data(), in.size(), parprims::regular_axis(4, 0.0f, 1.0f), counts.data());
    /// [calls]
    CHECK(total == 500);
    CHECK(did.global_loads.bytes >= 4000);
    CHECK(out[999] == 500);
    CHECK(counts[2] == 1000);
}
