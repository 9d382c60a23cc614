// Which races the executor finds by itself, without TSan, and what it says of them and of named memory.
#include <parprims/simt/executor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace simt = parprims::simt;
namespace executor = parprims::executor;
using executor::fault;

namespace {

struct shared_words {
    struct shared_storage {
        simt::shared_array<std::uint32_t, 256> words;
    };
};

template <class Body>
struct shared_kernel : shared_words {
    Body body;
    explicit shared_kernel(Body b) : body(b) {}
    void operator()(simt::block block, shared_storage& shared) const { body(block, shared.words); }
};

struct report {
    fault kind = fault::other;
    std::string text;  // empty where nothing is wrong
};

template <class Kernel>
report report_of(std::size_t blocks, unsigned threads, const Kernel& kernel, std::uint64_t seed = 1)
{
    executor::options how;
    how.seed = seed;
    how.find_races = true;
    try {
        executor::launch(how, blocks, threads, kernel);
    } catch (const executor::error& error) {
        return {error.kind, error.what()};
    }
    return {};
}

/// Whether every one of ten schedules of the kernel has a race, or none.
template <class Kernel>
void check_races(bool expected, std::size_t blocks, unsigned threads, const Kernel& kernel)
{
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const report found = report_of(blocks, threads, kernel, seed);
        CAPTURE(seed);
        CAPTURE(found.text);
        CHECK((found.kind == fault::race) == expected);
        CHECK(found.text.empty() != expected);
    }
}

}  // namespace

TEST_CASE("a missing barrier is a race, in every schedule")
{
    for (const bool has_barrier : {false, true})
        check_races(!has_barrier, 2, 64, shared_kernel([=](simt::block block, auto& words) {
            words[block.thread()] = block.thread();
            if (has_barrier)
                block.sync();
            else
                simt::sync_warp();  // orders lanes, not warps
            const std::uint32_t other = words[63 - block.thread()];
            block.sync();
            words[block.thread()] = other;
        }));
}

TEST_CASE("a barrier that is missing at the end of a loop is a race")
{
    check_races(true, 1, 64, shared_kernel([](simt::block block, auto& words) {
                    for (unsigned i = 0; i < 2; ++i) {
                        words[block.thread()] = i;
                        block.sync();
                        const std::uint32_t other = words[63 - block.thread()];
                        (void)other;
                    }
                }));
}

TEST_CASE("lanes of a warp are ordered by sync_warp, not by shuffles")
{
    enum class between { nothing, shuffle, sync };
    for (const between what : {between::nothing, between::shuffle, between::sync})
        check_races(what != between::sync, 1, 32, shared_kernel([=](simt::block block, auto& words) {
                        words[block.lane()] = block.lane();
                        if (what == between::shuffle)
                            simt::shuffle(1, 0);
                        if (what == between::sync)
                            simt::sync_warp();
                        const std::uint32_t other = words[(block.lane() + 1) % 32];
                        (void)other;
                    }));
}

TEST_CASE("atomic operations do not race with each other, but with others")
{
    executor::buffer<std::uint32_t> count(1);
    for (const bool is_atomic : {true, false})
        check_races(!is_atomic, 4, 32, [=, count = count.data()](simt::block) {
            if (is_atomic)
                simt::atomic_add(count, 1u);
            else
                simt::store(count, 0, simt::load(count) + 1);
        });
    check_races(true, 2, 32, [count = count.data()](simt::block) {
        simt::atomic_add(count, 1u);
        simt::load(count);
    });
}

TEST_CASE("what a block writes is ordered by acquire and release, with all that its barrier ordered before")
{
    executor::buffer<std::uint32_t> words(4 * 32);
    for (const bool is_ordered : {true, false})
        for (const bool has_barrier : {true, false}) {
            executor::buffer<unsigned> arrived(1);
            executor::options how;
            how.find_races = true;
            std::string said;
            try {
                executor::launch(how, 4, 32, [=, words = words.data(), arrived = arrived.data()](simt::block block) {
                    simt::store(words, block.index() * 32 + block.thread(), 1u);
                    if (has_barrier)
                        block.sync();
                    if (block.thread() != 0)
                        return;
                    const unsigned before =
                        is_ordered ? simt::atomic_add_acq_rel(arrived, 1) : simt::atomic_add(arrived, 1u);
                    if (before == 3)
                        for (unsigned i = 0; i < 4 * 32; i += has_barrier || !is_ordered ? 1 : 32)
                            simt::load(words, i);  // without a barrier: what the threads 0 wrote
                });
            } catch (const executor::error& error) {
                said = error.what();
            }
            CAPTURE(said);
            CHECK(said.empty() == is_ordered);
            if (!is_ordered)
                CHECK(said.find("no barrier orders threads of different blocks") != std::string::npos);
        }
}

TEST_CASE("without a barrier, only the thread that releases is ordered")
{
    executor::buffer<std::uint32_t> words(64);
    executor::buffer<unsigned> arrived(1);
    const report found = report_of(2, 32, [words = words.data(), arrived = arrived.data()](simt::block block) {
        simt::store(words, block.index() * 32 + block.thread(), 1u);
        if (block.thread() == 0 && simt::atomic_add_acq_rel(arrived, 1) == 1)
            for (unsigned i = 0; i < 64; ++i)
                simt::load(words, i);
    });
    CHECK(found.kind == fault::race);
}

TEST_CASE("shared memory that no thread has written is not read")
{
    const report found = report_of(1, 32, shared_kernel([](simt::block block, auto& words) {
                                       words[block.thread()] = 0;
                                       block.sync();
                                       const std::uint32_t next = words[block.thread() + 1];
                                       (void)next;
                                   }));
    CHECK(found.kind == fault::not_written);
    CHECK(found.text.find("thread 31 of block 0 (lane 31 of warp 0) reads word 32 of shared memory") !=
          std::string::npos);
}

TEST_CASE("different bytes of a word do not race")
{
    executor::buffer<std::uint8_t> bytes(64);
    check_races(false, 2, 32, [bytes = bytes.data()](simt::block block) {
        simt::store(bytes, block.index() * 32 + block.thread(), std::uint8_t{1});
    });
}

TEST_CASE("elements of named memory are called by name")
{
    executor::buffer<float> in(100);
    executor::name_memory(in.data(), "in", sizeof(float));
    const auto read_from = [in = in.data()](unsigned first) {
        return report_of(1, 32, [=](simt::block block) { simt::load(in, first + block.lane()); });
    };
    CHECK(read_from(68).text == "");
    const report found = read_from(69);
    CHECK(found.kind == fault::out_of_bounds);
    CHECK(found.text.find("accesses in[100], and in has 100 elements") != std::string::npos);
}

TEST_CASE("an element beyond an array is refused where another array lies there")
{
    executor::buffer<float> in(64 * 1024);
    executor::buffer<float> out(64);
    executor::name_memory(out.data(), "out", sizeof(float));
    const std::size_t i = static_cast<std::size_t>(in.data() - out.data());  // in[0], reached from out
    const report found = report_of(1, 32, [=, out = simt::global<float>(out.data())](simt::block block) {
        if (block.thread() == 7)
            out[i] = 1;
    });
    CHECK(found.kind == fault::out_of_bounds);
    CHECK(found.text.find("out has 64 elements") != std::string::npos);
}

TEST_CASE("an observer sees requests with the offsets of shared memory")
{
    struct : executor::request_observer {
        void saw(const executor::request& what) override
        {
            if (!what.is_shared)
                return;
            for (unsigned lane = 0; lane < 32; ++lane)
                offsets.push_back(what.addresses[lane]);
            lanes = what.lanes;
            warp = what.warp;
        }
        std::vector<std::uint64_t> offsets;
        std::uint64_t lanes = 0;
        unsigned warp = 0;
    } seen;
    executor::options how;
    how.count = true;
    how.requests = &seen;
    executor::launch(how, 1, 64, shared_kernel([](simt::block block, auto& words) {
                         if (block.warp() == 1)
                             words[2 * block.lane()] = 0;
                     }));
    CHECK(seen.lanes == 0xffffffff);
    CHECK(seen.warp == 1);
    REQUIRE(seen.offsets.size() == 32);
    CHECK(seen.offsets[5] == 40);
}
