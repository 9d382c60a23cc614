/// @file
/// @brief  What the library keeps for the next call, workspaces and result slots: no call gets what another still uses, or what
///         another has left in it.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>
#include <parprims/error.hpp>
#include <parprims/stream.hpp>

#include "stand_in/stand_in.hpp"
#include "support/raw.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pp = parprims;
namespace runtime = parprims::detail::runtime;
using runtime::workspace;
using runtime::workspace_lease;

namespace {

constexpr std::size_t many = 400;  // streams, enough that workspaces of idle ones are taken back

using streams = std::vector<std::shared_ptr<CUstream_st>>;

streams new_streams(std::size_t count, int device = 0)
{
    streams all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(raw_stream(device));
    return all;
}

/// A call in a stream, and the workspace that it has had.
std::byte* call_in(CUstream_st* stream)
{
    return workspace_lease(stream, false)->zeroed;
}

/// The workspaces of many calls, each in a stream of its own.
std::set<std::byte*> calls_in_new_streams(int device = 0)
{
    std::set<std::byte*> seen;
    for (const auto& stream : new_streams(many, device))
        seen.insert(call_in(stream.get()));
    return seen;
}

}  // namespace

TEST_CASE("streams that have nothing left to do give their workspaces to others")
{
    std::set<std::byte*> seen;
    for (int i = 0; i < 10; ++i)
        seen.merge(calls_in_new_streams());
    CHECK(seen.size() < 2 * many);
}

TEST_CASE("a stream that is late keeps its workspace, however many others come")
{
    calls_in_new_streams();
    const auto late = raw_stream();
    stand_in::set_late(late.get(), true);
    std::byte* const own = call_in(late.get());
    CHECK(calls_in_new_streams().count(own) == 0);
    CHECK(call_in(late.get()) == own);
    stand_in::set_late(late.get(), false);
    CHECK(calls_in_new_streams().count(own) == 1);
}

TEST_CASE("a stream that is late again keeps its workspace, though few streams have one")
{
    // On a GPU that no other case uses. All streams call twice, so that each leaves an event.
    const auto late = raw_stream(1);
    stand_in::set_late(late.get(), true);
    std::set<std::byte*> seen;
    const auto others = new_streams(200, 1);
    for (int i = 0; i < 2; ++i)
        for (const auto& other : others)
            seen.insert(call_in(other.get()));
    std::byte* const own = call_in(late.get());
    auto next = raw_stream(1);
    while (seen.insert(call_in(next.get())).second)  // until the workspaces of all others are taken back
        next = raw_stream(1);
    stand_in::set_late(late.get(), false);
    stand_in::set_late(late.get(), true);
    CHECK(call_in(late.get()) == own);
    CHECK(calls_in_new_streams(1).count(own) == 0);
}

TEST_CASE("a call keeps its workspace until it has enqueued all its kernels")
{
    calls_in_new_streams();
    const auto stream = raw_stream();
    std::byte* const own = call_in(stream.get());
    std::optional<workspace_lease> call(std::in_place, stream.get(), false);
    CHECK((*call)->zeroed == own);
    call_in(stream.get());  // a call of another thread ends
    CHECK(calls_in_new_streams().count(own) == 0);
    call.reset();
    CHECK(calls_in_new_streams().count(own) == 1);
}

TEST_CASE("the parts of workspaces are zero at first, aligned, and places of their own")
{
    struct part {
        std::byte* first;
        std::size_t bytes;
    };
    std::vector<part> parts;
    const auto is_zero = [](const std::byte* first, std::size_t bytes) {
        return std::count(first, first + bytes, std::byte{0}) == static_cast<std::ptrdiff_t>(bytes);
    };
    const auto add = [&](const workspace_lease& own) {
        CHECK(is_zero(own->zeroed, workspace::zeroed_bytes));
        CHECK(is_zero(own->small_scan, workspace::small_scan_bytes));
        parts.push_back({own->zeroed, workspace::zeroed_bytes});
        parts.push_back({own->small_scan, workspace::small_scan_bytes});
    };
    const auto captured = raw_stream();
    const capture_of capture(captured.get());
    for (const auto& stream : new_streams(3))
        add(workspace_lease(stream.get(), false));
    add(workspace_lease(captured.get(), true));
    add(workspace_lease(captured.get(), true));
    for (const part& each : parts) {
        REQUIRE(stand_in::is_allocated(each.first, each.bytes));
        CHECK(reinterpret_cast<std::uintptr_t>(each.first) % 256 == 0);
        for (const part& other : parts)
            CHECK(
                (&each == &other || each.first + each.bytes <= other.first || other.first + other.bytes <= each.first));
    }
}

TEST_CASE("workspaces are of the GPU of their stream, captured or not")
{
    const pp::device_guard on_1(1);
    const auto stream = raw_stream(1);
    CHECK(runtime::device_of(call_in(stream.get())) == 1);
    const capture_of capture(stream.get());
    CHECK(runtime::device_of(workspace_lease(stream.get(), true)->zeroed) == 1);
}

TEST_CASE("a graph that is destroyed gives its workspaces to others")
{
    std::set<std::byte*> seen;
    const auto stream = raw_stream();
    for (std::size_t i = 0; i < many; ++i) {
        const capture_of capture(stream.get());
        seen.insert(workspace_lease(stream.get(), true)->zeroed);
        seen.insert(workspace_lease(stream.get(), true)->zeroed);
    }
    CHECK(seen.size() < 10);
}

TEST_CASE("workspaces of idle streams are taken back while another stream is captured, whose capture goes on")
{
    const auto captured = raw_stream();
    const capture_of capture(captured.get());
    std::set<std::byte*> seen;
    for (int i = 0; i < 10; ++i)
        seen.merge(calls_in_new_streams());
    CHECK(seen.size() < 2 * many);
    CHECK(stand_in::misuse() == "");
}

TEST_CASE("result slots that are in use at a time are places of their own")
{
    constexpr std::size_t words = runtime::result_slot::words_of(runtime::result_slot::max_bytes);
    std::vector<std::unique_ptr<runtime::result_slot>> slots;
    for (std::uint64_t i = 0; i < 20; ++i) {
        slots.push_back(std::make_unique<runtime::result_slot>(runtime::result_slot::max_bytes));
        std::fill_n(slots.back()->words(), words, i);
    }
    for (std::uint64_t i = 0; i < slots.size(); ++i)
        CHECK(std::count(slots[i]->words(), slots[i]->words() + words, i) == static_cast<std::ptrdiff_t>(words));
}

TEST_CASE("a result slot says nothing before it has been written")
{
    for (const std::size_t bytes : {std::size_t{4}, std::size_t{24}, runtime::result_slot::max_bytes}) {
        CAPTURE(bytes);
        const std::size_t words = (bytes + 3) / 4;
        for (int i = 0; i < 2; ++i) {
            const runtime::result_slot slot(bytes);
            CHECK(std::count(slot.words(), slot.words() + words, std::uint64_t{0}) ==
                  static_cast<std::ptrdiff_t>(words));
            std::fill_n(slot.words(), words, runtime::result_slot::ready | 77);
        }
    }
}

TEST_CASE("who takes a result waits for its stream unless all words are there")
{
    const auto work = raw_stream();
    for (const bool is_there : {false, true}) {
        const runtime::result_slot slot(8);
        slot.words()[0] = runtime::result_slot::ready | 1;
        slot.words()[1] = is_there ? runtime::result_slot::ready | 2 : 2;
        std::uint32_t value[2] = {};
        stand_in::arm({1});
        bool waited = false;
        try {
            slot.take(value, work.get());
        } catch (const pp::cuda_error&) {
            waited = true;
        }
        stand_in::disarm();
        must(cudaGetLastError());
        CHECK(stand_in::failed_calls() ==
              (is_there ? std::vector<std::string>{} : std::vector<std::string>{"cudaStreamSynchronize"}));
        CHECK(waited == !is_there);
        if (!is_there)
            slot.take(value, work.get());
        CHECK(value[0] == 1);
        CHECK(value[1] == 2);
    }
}
