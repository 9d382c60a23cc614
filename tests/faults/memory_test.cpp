/// @file
/// @brief  The fault loop over what owns something of the runtime's: buffers, streams, events, timers, resources.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>
#include <parprims/timer.hpp>

#include "support/loop.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

/// ~device_buffer asks which GPU is current and makes its own current, and can tell nobody where that fails.
constexpr const char* in_destructor = "cudaGetDevice cudaSetDevice";

/// Tries `call()`, which needs nothing.
template <class Call>
void check(const std::string& function, Call call)
{
    check_every_fault({function, [=] { return prepared{call}; }, in_destructor});
}

/// Tries `call(*state)`, with what `make()` gives.
template <class Make, class Call>
void check_with(const std::string& function, Make make, Call call)
{
    check_every_fault({function,
                       [=] {
                           const auto state = std::make_shared<decltype(make())>(make());
                           return prepared{[=] { call(*state); }};
                       },
                       in_destructor});
}

/// The calls of the runtime that `call` makes and that `names` has, in their order.
template <class Call>
std::vector<std::string> calls_of(const std::set<std::string>& names, Call call)
{
    std::vector<std::string> all;
    for (unsigned k = 1;; ++k) {
        stand_in::arm({k});
        try {
            call();
        } catch (const pp::cuda_error&) {
        }
        stand_in::disarm();
        cudaGetLastError();
        if (stand_in::failed_calls().empty())
            return all;
        if (names.count(stand_in::failed_calls().front()) != 0)
            all.push_back(stand_in::failed_calls().front());
    }
}

const std::vector<int> values(1000, 7);

pp::device_buffer<int> on_gpu(int device)
{
    const stand_in::aside own;
    const pp::device_guard guard(device);
    return pp::to_device(values);
}

}  // namespace

TEST_CASE("device_buffer survives every fault")
{
    const auto work = raw_stream();
    const auto elsewhere = raw_stream(1);
    check("device_buffer(n)", [] { const pp::device_buffer<int> buffer(1000); });
    check("device_buffer(n, stream)", [=] { const pp::device_buffer<int> buffer(1000, work.get()); });
    check("device_buffer(n, stream of another GPU)",
          [=] { const pp::device_buffer<int> buffer(1000, elsewhere.get()); });
    check("to_device", [] { (void)pp::to_device(values); });
    check("to_device in a stream", [=] { (void)pp::to_device(values, work.get()); });
    for (const int device : {0, 1}) {
        const std::string where = " on GPU " + std::to_string(device);
        const auto make = [=] { return on_gpu(device); };
        check_with("to_host" + where, make, [](const auto& buffer) { (void)buffer.to_host(); });
        check_with("copy_to" + where, make, [](const auto& buffer) {
            std::vector<int> target(1000);
            buffer.copy_to(target);
        });
        check_with("copy_from the host" + where, make, [](auto& buffer) { buffer.copy_from(values); });
        check_with("clone()" + where, make, [](const auto& buffer) { (void)buffer.clone(); });
        check_with("clone(stream)" + where, make, [=](const auto& buffer) { (void)buffer.clone(work.get()); });
        check_with("clone(stream of GPU 1)" + where, make,
                   [=](const auto& buffer) { (void)buffer.clone(elsewhere.get()); });
        check_with("move and destruction" + where, make, [=](auto& buffer) {
            pp::device_buffer<int> moved = buffer.clone();
            moved = pp::device_buffer<int>(10);
        });
        const auto make_two = [=] { return std::pair(on_gpu(device), on_gpu(0)); };
        check_with("copy_from a buffer" + where, make_two, [](auto& two) { two.first.copy_from(two.second); });
    }
}

TEST_CASE("a copy between streams waits for what was enqueued in both, and is waited for in both")
{
    using calls = std::vector<std::string>;
    const std::set<std::string> names{"cudaEventRecord", "cudaStreamWaitEvent", "cudaMemcpyAsync",
                                      "cudaMemcpyPeerAsync", "cudaStreamSynchronize"};
    const auto work = raw_stream();
    const auto other = raw_stream();
    const auto elsewhere = raw_stream(1);
    const pp::device_buffer<int> source(values, work.get());
    const auto clone = [&](auto stream) { return calls_of(names, [&] { (void)source.clone(stream.get()); }); };
    CHECK(clone(work) == calls{"cudaMemcpyAsync"});
    CHECK(clone(other) ==
          calls{"cudaEventRecord", "cudaStreamWaitEvent", "cudaMemcpyAsync", "cudaEventRecord", "cudaStreamWaitEvent"});
    CHECK(clone(elsewhere) == calls{"cudaEventRecord", "cudaStreamWaitEvent", "cudaMemcpyPeerAsync", "cudaEventRecord",
                                    "cudaStreamWaitEvent"});
    // Pageable memory of the host may be used as soon as a copy returns, page-locked memory in stream order.
    std::vector<int> pageable(values);
    pp::pinned_buffer<int> pinned(values);
    pp::device_buffer<int> target(values, work.get());
    CHECK(calls_of(names, [&] { target.copy_from(pageable); }) == calls{"cudaMemcpyAsync", "cudaStreamSynchronize"});
    CHECK(calls_of(names, [&] { target.copy_from(pinned); }) == calls{"cudaMemcpyAsync"});
    CHECK(calls_of(names, [&] { target.copy_to(pageable); }) == calls{"cudaMemcpyAsync", "cudaStreamSynchronize"});
    const capture_of capture(work.get());
    CHECK_THROWS_AS(target.copy_from(pageable), pp::invalid_argument);
    CHECK_NOTHROW(target.copy_from(pinned));
}

TEST_CASE("a device_buffer is made and freed in one stream while another is captured, whose capture goes on")
{
    const auto captured = raw_stream();
    const auto work = raw_stream();
    const capture_of capture(captured.get());
    check("device_buffer(n) beside a capture", [&] { const pp::device_buffer<int> buffer(1000, work.get()); });
}

TEST_CASE("pinned_buffer survives every fault")
{
    check("pinned_buffer(n)", [] { const pp::pinned_buffer<int> buffer(1000); });
    check("pinned_buffer(range)", [] { const pp::pinned_buffer<int> buffer(values); });
    check("pinned_buffer::clone", [] { (void)pp::pinned_buffer<int>(values).clone(); });
    check_with(
        "copies between a GPU and a pinned_buffer",
        [] {
            const stand_in::aside own;
            return std::pair(pp::to_device(values), pp::pinned_buffer<int>(1000));
        },
        [](auto& two) {
            two.first.copy_to(two.second);
            two.first.copy_from(two.second);
        });
}

TEST_CASE("stream, event and timer survive every fault")
{
    const auto work = raw_stream();
    const auto elsewhere = raw_stream(1);
    check("stream", [] {
        const pp::stream own;
        own.synchronize();
        (void)own.view().device();
        (void)own.view().is_capturing();
    });
    check("stream, moved", [] {
        pp::stream one, other;
        one = std::move(other);
    });
    check("event", [=] {
        pp::event moment;
        moment.record(work.get());
        (void)moment.is_ready();
        pp::stream_view(work.get()).wait(moment);
        moment.synchronize();
        pp::event other(pp::event::timing::on);
        other = std::move(moment);
    });
    for (const auto& where : {work, elsewhere})
        check("timer", [=] {
            pp::timer watch(where.get());
            watch.start();
            watch.stop();
            (void)watch.elapsed();
        });
}

TEST_CASE("what is asked of GPUs and resources survives every fault")
{
    check_every_fault(
        {"device_count", [] { return prepared{[] { (void)pp::device_count(); }}; }, "cudaGetDeviceCount"});
    check("current_device", [] { (void)pp::current_device(); });
    check("get_device_info, device_guard", [] {
        (void)pp::get_device_info(1);
        const pp::device_guard guard(1);
    });
    check("default_memory_resource", [] {
        pp::memory_resource& resource = pp::default_memory_resource();
        resource.deallocate(resource.allocate(1000, {}), 1000, {});
    });
}

TEST_CASE("more bytes than a GPU has are no call of the driver, which would round them up")
{
    pp::memory_resource& resource = pp::default_memory_resource();
    for (const std::size_t bytes : {pp::get_device_info(0).memory_bytes + 1, ~std::size_t{1000}}) {
        CAPTURE(bytes);
        CHECK_THROWS_AS((void)resource.allocate(bytes, {}), pp::out_of_memory);
    }
    CHECK(stand_in::misuse() == "");
}

TEST_CASE("a GPU reaches its own memory, managed memory of any, and what the host has mapped at the same address")
{
    const auto own = raw_memory<int>(10), of_other = raw_memory<int>(10, 1);
    int host[3] = {};
    stand_in::pretend(&host[0], cudaMemoryTypeManaged, 1, &host[0]);
    stand_in::pretend(&host[1], cudaMemoryTypeHost, 0, &host[1]);
    stand_in::pretend(&host[2], cudaMemoryTypeHost, 0, &host[0]);
    const auto is_reachable = [](const void* pointer) { return pp::detail::runtime::is_reachable(pointer, 0); };
    CHECK(is_reachable(own.get()));
    CHECK_FALSE(is_reachable(of_other.get()));
    CHECK(is_reachable(&host[0]));
    CHECK(is_reachable(&host[1]));
    CHECK_FALSE(is_reachable(&host[2]));
    CHECK_FALSE(is_reachable(nullptr));
}

TEST_CASE("the workspace of a stream survives every fault, also when all are in use")
{
    constexpr std::size_t workspaces = 240;  // of a GPU's streams; one more, and those of idle ones are taken back
    check("workspace_lease", [] { (void)pp::detail::runtime::workspace_lease({}, false); });
    check_every_fault({"workspace_lease, all in use",
                       [] {
                           const stand_in::aside own;
                           const auto streams = std::make_shared<std::vector<std::shared_ptr<CUstream_st>>>();
                           for (std::size_t i = 0; i <= workspaces; ++i)
                               streams->push_back(raw_stream());
                           for (std::size_t i = 0; i < workspaces; ++i)
                               (void)pp::detail::runtime::workspace_lease((*streams)[i].get(), false);
                           return prepared{
                               [=] { (void)pp::detail::runtime::workspace_lease(streams->back().get(), false); }};
                       },
                       "cudaEventRecord cudaEventQuery"});  // then one stays where it is
}
