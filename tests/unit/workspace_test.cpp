/// @file
/// @brief  Workspaces: one a stream, one a captured call, and how streams that end give theirs away.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>

#include "support/hold_up.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pp = parprims;
namespace runtime = parprims::detail::runtime;

namespace {

/// Reads what a ticket is. The stream must be idle.
const std::byte* zeroed_of(pp::stream_view where)
{
    return runtime::workspace_lease(where, false)->zeroed;
}

std::vector<unsigned char> bytes_at(const void* device, std::size_t count)
{
    std::vector<unsigned char> bytes(count, 77);
    runtime::copy_async(bytes.data(), device, count, {});
    pp::stream_view().synchronize();
    return bytes;
}

}  // namespace

TEST_CASE("[device] a stream has one workspace, and its zeroed part is zero")
{
    const pp::stream a;
    const pp::stream b;
    const std::byte* const zeroed = zeroed_of(a);
    CHECK(zeroed_of(a) == zeroed);
    CHECK(zeroed_of(b) != zeroed);
    CHECK(zeroed_of({}) != zeroed);
    CHECK(zeroed_of({}) == zeroed_of({}));
    CHECK(reinterpret_cast<std::uintptr_t>(zeroed) % 256 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(runtime::workspace_lease(a, false)->small_scan) % 256 == 0);
    CHECK(bytes_at(zeroed, runtime::workspace::zeroed_bytes) ==
          std::vector<unsigned char>(runtime::workspace::zeroed_bytes, 0));
}

TEST_CASE("[device] every GPU has workspaces of its own")
{
    std::set<const std::byte*> seen;
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        const pp::device_guard guard(id);
        const std::byte* const zeroed = zeroed_of({});
        CHECK(seen.insert(zeroed).second);
        CHECK(runtime::device_of(zeroed) == id);
    }
}

TEST_CASE("[device] any number of streams can have had a workspace")
{
    std::set<const std::byte*> seen;
    for (int i = 0; i < 10000; ++i) {
        const pp::stream brief;
        seen.insert(zeroed_of(brief));
    }
    CHECK(seen.size() < 2000);
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a captured call has a workspace of its own for as long as its graph exists")
{
    const pp::stream captured;
    const std::byte* const of_stream = zeroed_of(captured);
    const auto capture = [&](std::set<const std::byte*>& seen) {
        cudaGraph_t graph = nullptr;
        REQUIRE(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
        for (int i = 0; i < 300; ++i) {  // more than a slab
            const std::byte* const zeroed = runtime::workspace_lease(captured, true)->zeroed;
            CHECK(zeroed != of_stream);
            CHECK(seen.insert(zeroed).second);
        }
        REQUIRE(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
        return graph;
    };
    std::set<const std::byte*> seen;
    const cudaGraph_t first = capture(seen);
    const cudaGraph_t second = capture(seen);
    cudaGraphDestroy(first);
    cudaGraphDestroy(second);
    const std::set<const std::byte*> before = seen;
    bool is_reused = false;
    for (int tries = 0; tries < 1000 && !is_reused; ++tries) {  // graphs end when the driver gets round to it
        std::set<const std::byte*> again;
        cudaGraphDestroy(capture(again));
        for (const std::byte* zeroed : again)
            is_reused = is_reused || before.contains(zeroed);
    }
    CHECK(is_reused);
}

TEST_CASE("[device] a stream that is late keeps its workspace, however many others come")
{
    std::vector<pp::stream> others(400);  // from some number on, events tell which one is late
    for (const pp::stream& other : others)
        zeroed_of(other);
    const pp::stream late;
    std::optional<hold_up> slow;
    const std::byte* const zeroed = [&] {
        const runtime::workspace_lease own(late, false);
        slow.emplace(late, std::chrono::milliseconds(1500));
        return own->zeroed;
    }();
    std::set<const std::byte*> seen;
    for (int i = 0; i < 1000; ++i) {
        const pp::stream brief;
        seen.insert(zeroed_of(brief));
    }
    const bool is_kept = zeroed_of(late) == zeroed;
    REQUIRE(cudaStreamQuery(late.get()) == cudaErrorNotReady);
    (void)cudaGetLastError();
    CHECK(is_kept);
    CHECK_FALSE(seen.contains(zeroed));
    CHECK(seen.size() < 1000);  // others gave theirs away
}

TEST_CASE("[device] any number of streams can have a workspace while another is captured, whose capture goes on")
{
    const pp::stream captured;
    REQUIRE(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    for (int i = 0; i < 6000; ++i) {
        const pp::stream brief;
        CHECK_NOTHROW(zeroed_of(brief));
    }
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
    cudaGraphDestroy(graph);
}

#endif
