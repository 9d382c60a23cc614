/// @file
/// @brief  The fault loop over what owns something of the runtime's: buffers, streams, events, timers, resources.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/memory_resource.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>
#include <parprims/timer.hpp>

#include "support/loop.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <memory>
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
