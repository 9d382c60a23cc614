/// @file
/// @brief  The seam to the CUDA runtime: which memory a GPU reaches, result slots, the start of a call.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/free_list.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;
namespace runtime = parprims::detail::runtime;

TEST_CASE("null with elements to read is refused, with their number")
{
    CHECK_THROWS_WITH_AS(runtime::check_reachable("parprims::reduce", "first", nullptr, 12, 0),
                         "parprims::reduce: first: null pointer with n = 12", pp::invalid_argument);
}

TEST_CASE("null with nothing to read is fine")
{
    CHECK_NOTHROW(runtime::check_reachable("parprims::reduce", "first", nullptr, 0, 0));
}

TEST_CASE("without a GPU a call is refused in its own name")
{
    if (pp::device_count() != 0)
        return;
    try {
        const runtime::call_scope scope("parprims::reduce", {}, nullptr);
        FAIL("no error");
    } catch (const pp::cuda_error& error) {
        CAPTURE(error.what());
        CHECK(std::string(error.what()).starts_with("parprims::reduce: "));
    }
}

TEST_CASE("without a GPU there are no slots and no workspaces")
{
    if (pp::device_count() != 0)
        return;
    CHECK_THROWS_AS(runtime::result_slot(4), pp::cuda_error);
    CHECK_THROWS_AS(runtime::workspace_lease({}, false), pp::cuda_error);
}

TEST_CASE("items are given back to a free_list without an allocation, however many were added while others were in use")
{
    static int copies;
    struct item {
        explicit item(int i) : id(i) {}
        item(const item& other) : id(other.id) { ++copies; }
        item& operator=(const item&) = default;
        int id;
    };
    runtime::free_list<item> list;
    std::vector<item> taken;
    taken.reserve(24);
    const auto take = [&] {
        return list.take([&] { list.add(std::vector<item>(8, item(static_cast<int>(taken.size())))); });
    };
    while (taken.size() < 24)
        taken.push_back(take());
    for (const item& each : taken) {
        copies = 0;
        list.give_back(each);
        CHECK(copies == 1);  // a vector that grows copies all
    }
    CHECK(list.take([] { FAIL("24 items are free"); }).id == 16);  // the last one
}

TEST_CASE("[device] memory of the GPU is reached by that GPU alone")
{
    const pp::device_buffer<int> buffer(1);
    CHECK(runtime::device_of(buffer.data()) == buffer.device());
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        CHECK(runtime::is_reachable(buffer.data(), id) == (id == buffer.device()));
        if (id != buffer.device())
            CHECK_THROWS_WITH_AS(runtime::check_reachable("f", "first", buffer.data(), 1, id),
                                 ("f: first: memory of device " + std::to_string(buffer.device()) +
                                  " given to a call on device " + std::to_string(id))
                                     .c_str(),
                                 pp::invalid_argument);
    }
}

TEST_CASE("[device] memory of the host is refused unless the GPU reaches it")
{
    const std::vector<int> values(12);
    const int id = pp::current_device();
    CHECK(runtime::is_pageable(values.data()));
    CHECK_FALSE(runtime::device_of(values.data()).has_value());
    if (pp::get_device_info(id).reaches_pageable_memory)
        CHECK_NOTHROW(runtime::check_reachable("parprims::reduce", "first", values.data(), 12, id));
    else
        CHECK_THROWS_WITH_AS(runtime::check_reachable("parprims::reduce", "first", values.data(), 12, id),
                             "parprims::reduce: first: host memory given to a device policy; copy it with to_device() "
                             "or use parprims::host",
                             pp::invalid_argument);
}

TEST_CASE("[device] a call runs on the GPU of its stream, else of its memory, else on the current one")
{
    const int current = pp::current_device();
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        std::optional<pp::stream> stream;
        std::optional<pp::device_buffer<int>> buffer;
        {
            const pp::device_guard guard(id);
            stream.emplace();
            buffer.emplace(1);
        }
        const pp::pinned_buffer<int> pinned(1);
        {
            const runtime::call_scope scope("f", *stream, pinned.data());
            CHECK(scope.device() == id);
            CHECK(pp::current_device() == id);
            CHECK_FALSE(scope.is_capturing());
        }
        CHECK(runtime::call_scope("f", {}, buffer->data()).device() == id);
        CHECK(runtime::call_scope("f", {}, pinned.data()).device() == current);
        CHECK(runtime::call_scope("f", {}, nullptr).device() == current);
        CHECK(pp::current_device() == current);
    }
}

TEST_CASE("[device] a result slot is aligned, reached by the GPU, and its own while it lives")
{
    std::set<void*> seen;
    std::vector<std::unique_ptr<runtime::result_slot>> slots;
    for (int i = 0; i < 200; ++i) {
        CAPTURE(i);
        slots.push_back(std::make_unique<runtime::result_slot>(i % 2 == 0 ? 4 : 300));
        std::uint64_t* const memory = slots.back()->words();
        CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
        CHECK(runtime::is_reachable(memory, pp::current_device()));
        CHECK(std::all_of(memory, memory + (i % 2 == 0 ? 1 : 75), [](std::uint64_t word) { return word == 0; }));
        std::fill_n(memory, i % 2 == 0 ? 1 : 75, ~std::uint64_t{0});
        CHECK(seen.insert(memory).second);
    }
}

TEST_CASE("[device] a result slot is used again")
{
    void* before = nullptr;
    {
        const runtime::result_slot slot(4);
        before = slot.words();
    }
    const runtime::result_slot slot(100);
    CHECK(slot.words() == before);
}

TEST_CASE("[device] result slots of several threads are different")
{
    std::vector<std::vector<std::uintptr_t>> errors(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < errors.size(); ++t)
        threads.emplace_back([t, &errors] {
            for (std::uintptr_t i = 0; i < 1000; ++i) {
                const runtime::result_slot slot(8);
                volatile std::uint64_t* const word = slot.words();
                *word = t * 1000 + i;
                std::this_thread::yield();
                if (*word != t * 1000 + i)
                    errors[t].push_back(i);
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& failures : errors)
        CHECK(failures.empty());
}

TEST_CASE("[device] fill_async and copy_async do nothing for no bytes")
{
    CHECK_NOTHROW(runtime::fill_async(nullptr, 1, 0, {}));
    CHECK_NOTHROW(runtime::copy_async(nullptr, nullptr, 0, {}));
}

TEST_CASE("[device] fill_async sets every byte")
{
    pp::device_buffer<unsigned char> buffer(1001);
    runtime::fill_async(buffer.data(), 0xA5, buffer.size_bytes(), buffer.stream());
    CHECK(buffer.to_host() == std::vector<unsigned char>(1001, 0xA5));
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a copy that always waits has been made when it returns, to page-locked memory too")
{
    const pp::stream work;
    const std::size_t n = std::size_t{64} << 20;
    pp::device_buffer<unsigned char> source(n, work);
    pp::pinned_buffer<unsigned char> target(n);
    for (unsigned char round = 1; round < 20; ++round) {
        runtime::fill_async(source.data(), round, n, work);
        target[n - 1] = 0;
        runtime::copy_host("a test", target.data(), source.data(), n, target.data(), work, runtime::waiting::always);
        CAPTURE(round);
        CHECK(target[n - 1] == round);
    }
}

TEST_CASE("[device] managed and registered memory are reached")
{
    const int id = pp::current_device();
    int* managed = nullptr;
    REQUIRE(cudaMallocManaged(&managed, 4096) == cudaSuccess);
    CHECK(runtime::is_reachable(managed, id));
    CHECK_FALSE(runtime::device_of(managed).has_value());
    cudaFree(managed);

    std::vector<int> values(4096);
    REQUIRE(cudaHostRegister(values.data(), values.size() * sizeof(int), cudaHostRegisterMapped) == cudaSuccess);
    CHECK(runtime::is_reachable(values.data(), id));
    CHECK_FALSE(runtime::is_pageable(values.data()));
    cudaHostUnregister(values.data());
}

TEST_CASE("[device] who waits for a result goes on when all its words are there, or when the stream is done")
{
    const pp::stream work;
    const runtime::result_slot slot(7);
    slot.words()[0] = runtime::result_slot::ready | 0x04030201;
    slot.words()[1] = runtime::result_slot::ready | 0x070605;
    std::array<unsigned char, 8> value{};
    slot.take(value.data(), work);
    CHECK(value == std::array<unsigned char, 8>{1, 2, 3, 4, 5, 6, 7, 0});

    const runtime::result_slot late(8);
    late.words()[0] = runtime::result_slot::ready;
    runtime::fill_async(late.words() + 1, 9, 3, work);  // not said to be there
    late.take(value.data(), work);
    CHECK(value == std::array<unsigned char, 8>{0, 0, 0, 0, 9, 9, 9, 0});
}

TEST_CASE("[device] slots, workspaces and memory can be had while a stream is captured")
{
    const pp::stream captured;
    const pp::stream other;
    pp::device_buffer<int> before(100, other);
    REQUIRE(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    {
        CHECK(runtime::call_scope("f", captured, nullptr).is_capturing());
        CHECK_FALSE(runtime::call_scope("f", other, nullptr).is_capturing());
        std::vector<std::unique_ptr<runtime::result_slot>> slots;
        for (int i = 0; i < 300; ++i)  // more than a slab
            slots.push_back(std::make_unique<runtime::result_slot>(300));
        CHECK_NOTHROW(runtime::workspace_lease(other, false));
        CHECK_NOTHROW(pp::pinned_buffer<int>(10));
        CHECK_NOTHROW(pp::device_buffer<int>(10, other));
        CHECK(runtime::call_scope("f", captured, before.data()).device() == before.device());
    }
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
    cudaGraphDestroy(graph);
}

#endif
