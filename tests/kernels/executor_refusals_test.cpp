// What the executor must not let pass, and what it says of it.
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/small_kernel.hpp"

#include <cstdint>
#include <string>

using namespace kernel_test;

namespace {

/// A block of `threads` that does `body` ends with an error that gives the reason.
template <class Body>
void check_refused(const char* reason, unsigned threads, Body body, const executor::options& how = {})
{
    const std::string report = error_of(how, 1, threads, body);
    CAPTURE(report);
    CHECK(says(report, reason));
}

}  // namespace

TEST_CASE("divergent barriers are refused")
{
    const auto other_site = [](simt::block block, std::uint32_t*) {
        if (block.thread() < 32)
            block.sync();
        else
            block.sync();
    };
    check_refused("divergence", 64, other_site);
    check_refused("executor_refusals_test.cpp:", 64, other_site);
    check_refused("returned", 64, [](simt::block block, std::uint32_t*) {
        if (block.thread() != 40)
            block.sync();
    });
    check_refused("deadlock", 64, [](simt::block block, std::uint32_t*) {
        if (block.thread() >= 32 && block.lane() < 31)
            simt::sync_warp();
        else
            block.sync();
    });
}

TEST_CASE("wrong masks are refused")
{
    check_refused("not in its own mask", 32, [](simt::block, std::uint32_t*) { simt::sync_warp(0xffffu); });
    check_refused("reads lane 20, which is not in the mask", 32, [](simt::block block, std::uint32_t*) {
        if (block.lane() < 16)
            simt::shuffle(1, 20, 0xffffu);
    });
    executor::options in_order;
    in_order.order = executor::schedule::in_order;
    for (const bool first : {true, false}) {
        CAPTURE(first);
        const auto some_lanes = [=](simt::block block, std::uint32_t*) {
            if (first ? block.lane() >= 16 : block.lane() < 16)
                simt::sync_warp();
        };
        check_refused(first ? "names lanes that have returned" : "has returned, and its warp waits for it", 32,
                      some_lanes, in_order);
    }
    check_refused("divergence", 32, [](simt::block block, std::uint32_t*) {
        if (block.lane() < 16)
            simt::sync_warp();
        else
            simt::ballot(true);
    });
    check_refused("lanes that no warp has", 32,
                  [](simt::block, std::uint32_t*) { simt::sync_warp(~std::uint64_t{0}); });
    check_refused("divergence", 32, [](simt::block block, std::uint32_t*) {
        if (block.lane() < 16)
            simt::sync_warp();
        else
            simt::sync_warp();
    });
}

TEST_CASE("a livelock is reported with the threads that wait, and where")
{
    zeros flag;
    const auto wait = [&](simt::block block, std::uint32_t*) {
        if (block.index() == 0)
            simt::atomic_store(flag.data(), 1u);
        else if (block.thread() == 5)
            while (simt::atomic_load(flag.data()) == 0)
                simt::pause();
        block.sync();
    };
    executor::options how;
    how.resident_blocks = 2;
    how.blocks = executor::block_order::descending;
    const std::string report = error_of(how, 3, 64, wait);
    CAPTURE(report);
    CHECK(says(report, "livelock"));
    CHECK(says(report, "1 of 3 blocks have not started"));
    CHECK(says(report, "block 2, thread 5: in pause() at executor_refusals_test.cpp:"));
    CHECK(says(report, "block 1, threads 6 to 63: at the barrier at executor_refusals_test.cpp:"));
    how.resident_blocks = 3;
    CHECK(error_of(how, 3, 64, wait).empty());
}

TEST_CASE("threads that poll without a pause are reported too, whatever the schedule")
{
    for (const auto order : {executor::schedule::in_order, executor::schedule::random, executor::schedule::warps,
                             executor::schedule::threads}) {
        CAPTURE(static_cast<int>(order));
        executor::options how;
        how.order = order;
        how.blocks = executor::block_order::ascending;
        how.resident_blocks = 2;
        zeros flags(2);
        const auto wait = [&](simt::block block, std::uint32_t*) {
            if (block.index() == 2)
                simt::atomic_store(&flags[block.thread() % 2], 1u);
            else if (block.thread() == 5)
                while (simt::atomic_load(&flags[0]) == 0 || simt::atomic_load(&flags[1]) == 0) {}
            block.sync();
        };
        const std::string report = error_of(how, 3, 64, wait);
        CAPTURE(report);
        CHECK(says(report, "livelock"));
        CHECK(says(report, "1 of 3 blocks have not started"));
        CHECK(says(report, "block 0, thread 5: keeps polling at executor_refusals_test.cpp:"));
        CHECK(says(report, "block 1, thread 5: keeps polling at executor_refusals_test.cpp:"));
        CHECK(says(report, ", waits for the word at 0x"));
        CHECK(says(report, "block 1, threads 6 to 63: at the barrier at executor_refusals_test.cpp:"));
        how.resident_blocks = 3;
        CHECK(error_of(how, 3, 64, wait).empty());
    }
}

TEST_CASE("misaligned accesses are refused, whatever the sanitizer")
{
    memory<simt::packet<16>> packets(3, 4);
    simt::packet<16>* const there = packets.data();
    check_refused("misaligned access of 16 bytes", 32,
                  [=](simt::block, std::uint32_t*) { simt::load_streaming(there); });
    check_refused("misaligned access of 16 bytes", 32,
                  [=](simt::block, std::uint32_t*) { simt::load_part(there, 4, 8); });
    check_refused("misaligned access of 16 bytes", 32,
                  [=](simt::block, std::uint32_t*) { simt::store_streaming(there, {}); });
    check_refused("misaligned access of 16 bytes", 32, [=](simt::block block, std::uint32_t* words) {
        if (block.lane() == 0)
            simt::copy_async(reinterpret_cast<simt::packet<16>*>(words), there);
    });
    check_refused("misaligned access of 8 bytes", 32, [](simt::block, std::uint32_t* words) {
        simt::load(reinterpret_cast<const std::uint64_t*>(words + 1));
    });
    check_refused("misaligned access of 8 bytes", 32, [](simt::block, std::uint32_t* words) {
        simt::store(reinterpret_cast<std::uint64_t*>(words + 1), 5);
    });
    check_refused("misaligned", 32, [](simt::block, std::uint32_t* words) {
        simt::atomic_add(reinterpret_cast<std::uint64_t*>(words + 1), std::uint64_t{1});
    });
}

TEST_CASE("accesses outside of the memory of kernels are refused")
{
    memory<std::uint32_t> words(10);
    std::uint32_t* const first = words.data();
    check_refused("accesses 4 bytes outside of its memory: byte 40 of 40 bytes of global memory", 32,
                  [=](simt::block, std::uint32_t*) { simt::load(first, 10); });
    check_refused("thread 3 (lane 3) accesses 4 bytes outside of its memory: byte -4 of 40", 32,
                  [=](simt::block block, std::uint32_t*) {
                      if (block.thread() == 3)
                          simt::store(first - 1, 1u);
                  });
    check_refused("accesses 16 bytes outside of its memory: byte 32 of 40", 32, [=](simt::block, std::uint32_t*) {
        simt::load_part(reinterpret_cast<const simt::packet<16>*>(first) + 2, 0, 8);
    });
    check_refused("accesses 16 bytes outside of its memory: byte 32 of 40", 32,
                  [=](simt::block, std::uint32_t* shared) {
                      simt::copy_async(reinterpret_cast<simt::packet<16>*>(shared),
                                       reinterpret_cast<const simt::packet<16>*>(first) + 2, 0, 8);
                  });
    check_refused("accesses 44 bytes outside of its memory: byte 0 of 40", 32,
                  [=](simt::block, std::uint32_t*) { simt::prefetch(first, 44); });
    check_refused("accesses 16 bytes outside of its memory: byte 256 of 256 bytes of shared memory", 32,
                  [=](simt::block, std::uint32_t* shared) {
                      simt::copy_async(reinterpret_cast<simt::packet<16>*>(shared) + 16,
                                       reinterpret_cast<const simt::packet<16>*>(first));
                  });
    check_refused("byte 256 of 256 bytes of shared memory", 32,
                  [](simt::block, std::uint32_t* shared) { simt::atomic_add(shared + 64, 1u); });
    check_refused("accesses 48 bytes outside of its memory: byte 0 of 40", 32,
                  [=](simt::block, std::uint32_t* shared) { simt::add_words(first, shared, 12); });
    check_refused("accesses 272 bytes outside of its memory: byte 0 of 256 bytes of shared memory", 32,
                  [](simt::block, std::uint32_t* shared) {
                      memory<std::uint32_t> many(68);
                      simt::add_words(many.data(), shared, 68);
                  });
    check_refused("accesses 8 bytes outside of its memory: byte 256 of 256", 32,
                  [](simt::block, std::uint32_t* shared) {
                      simt::open_inbox(reinterpret_cast<std::uint64_t*>(shared) + 32);
                  });
    std::uint32_t of_the_host = 0;
    check_refused("accesses 4 bytes outside of its memory", 32,
                  [&](simt::block, std::uint32_t*) { simt::load(&of_the_host); });
    const std::uint32_t* freed = nullptr;
    {
        const memory<std::uint32_t> gone(10);
        freed = gone.data();
        CHECK(error_of({}, 1, 32, [=](simt::block, std::uint32_t*) { simt::load(freed, 9); }).empty());
    }
    check_refused("outside of its memory", 32, [=](simt::block, std::uint32_t*) { simt::load(freed, 9); });
}

TEST_CASE("what lies outside of an array in shared memory is refused")
{
    struct kernel {
        struct shared_storage {
            simt::shared_array<float, 3, 32> rows;
            simt::shared_array<float, 32> next;
        };
        unsigned row;
        unsigned column;
        void operator()(simt::block block, shared_storage& shared) const
        {
            shared.rows[row][block.lane() + column] = 1.0f;
        }
    };
    const auto error_at = [](unsigned row, unsigned column) {
        return error_of([=] { launch({}, 1, 32, sizeof(kernel::shared_storage), kernel{row, column}); });
    };
    CHECK(error_at(2, 0).empty());
    CHECK(says(error_at(3, 0), "executor_refusals_test.cpp:"));
    CHECK(says(error_at(3, 0), "element 3 of an array of 3"));
    CHECK(says(error_at(0, 1), "element 32 of an array of 32"));
}

TEST_CASE("launches that no machine could run are refused")
{
    const auto nothing = [](simt::block, std::uint32_t*) {};
    check_refused("33 threads", 33, nothing);
    check_refused("2048 threads", 2048, nothing);
    executor::options how;
    how.resident_blocks = 0;
    check_refused("resident", 32, nothing, how);
    CHECK(says(error_of([] { executor::pause({"", 0}); }), "outside of a kernel"));
}
