/// @file
/// @brief  Copies of a device_buffer: to and from the host, between streams and between GPUs, and what waits for what.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include "support/buffers.hpp"
#include "support/hold_up.hpp"

#include <cstddef>
#include <vector>

namespace pp = parprims;

namespace {

/// A buffer of GPU `id`, in its default stream.
pp::device_buffer<int> buffer_of(int id, const std::vector<int>& values)
{
    const pp::device_guard guard(id);
    return pp::to_device(values);
}

}  // namespace

TEST_CASE("[device] a clone is a copy of its own")
{
    const std::vector<int> values = numbers(1000);
    pp::device_buffer<int> original = pp::to_device(values);
    const pp::device_buffer<int> copy = original.clone();
    CHECK(copy.data() != original.data());
    CHECK(copy.resource() == original.resource());
    original.copy_from(std::vector<int>(1000, 0));
    CHECK(copy.to_host() == values);
}

TEST_CASE("[device] copies between streams wait for each other")
{
    const std::vector<int> values = numbers(1 << 24);
    const std::vector<int> zeros(values.size());
    const pp::stream first;
    const pp::stream second;
    for (int repeat = 0; repeat < 5; ++repeat) {
        CAPTURE(repeat);
        pp::device_buffer<int> original(zeros, first);
        original.copy_from(pp::to_device(values, first));            // enqueued in `first`
        const pp::device_buffer<int> copy = original.clone(second);  // must see it
        original.copy_from(pp::to_device(zeros, first));             // must not be seen by the clone
        CHECK(copy.stream() == second.view());
        CHECK(copy.to_host() == values);
        CHECK(original.to_host() == zeros);
    }
}

TEST_CASE("[device] the source of a copy may be destroyed at once")
{
    const std::vector<int> values = numbers(1 << 24);
    const pp::stream first;
    const pp::stream second;
    pp::device_buffer<int> copy;
    {
        const pp::device_buffer<int> original(values, first);
        copy = original.clone(second);
    }
    const pp::device_buffer<int> other(std::vector<int>(values.size(), -1), first);  // likely in the same place
    CHECK(copy.to_host() == values);
}

TEST_CASE("[device] copy_from and copy_to copy every element, host to device and back")
{
    const std::vector<int> values = numbers(12345);
    pp::device_buffer<int> buffer(values.size());
    buffer.copy_from(values);
    std::vector<int> pageable(values.size());
    buffer.copy_to(pageable);
    CHECK(pageable == values);

    pp::pinned_buffer<int> pinned(values.size());
    buffer.copy_to(pinned);
    buffer.stream().synchronize();
    CHECK(pinned.to_host() == values);
}

TEST_CASE("[device] pageable values may be overwritten as soon as copy_from returns")
{
    const pp::stream work;
    std::vector<int> values = numbers(1 << 22);
    const std::vector<int> expected = values;
    pp::device_buffer<int> buffer(values.size(), work);
    buffer.copy_from(values);
    values.assign(values.size(), 0);
    CHECK(buffer.to_host() == expected);
}

TEST_CASE("[device] a copy of another size is refused and changes nothing")
{
    const std::vector<int> values = numbers(10);
    pp::device_buffer<int> buffer = pp::to_device(values);
    std::vector<int> nine(9, -1);
    CHECK_THROWS_AS(buffer.copy_from(nine), pp::invalid_argument);
    CHECK_THROWS_AS(buffer.copy_from(pp::to_device(nine)), pp::invalid_argument);
    CHECK_THROWS_AS(buffer.copy_to(nine), pp::invalid_argument);
    CHECK(nine == std::vector<int>(9, -1));
    CHECK(buffer.to_host() == values);
}

TEST_CASE("[device] a buffer keeps to its GPU, whichever is current")
{
    const std::vector<int> values = numbers(1000);
    for (int id = 0; id < pp::device_count(); ++id)
        for (int other = 0; other < pp::device_count(); ++other) {
            CAPTURE(id);
            CAPTURE(other);
            pp::device_buffer<int> buffer = buffer_of(id, values);
            const pp::device_guard guard(other);
            CHECK(buffer.device() == id);
            CHECK(buffer.to_host() == values);
            CHECK(buffer.clone().device() == id);
            const pp::stream there;
            const pp::device_buffer<int> moved = buffer.clone(there);
            CHECK(moved.device() == other);
            CHECK(moved.to_host() == values);
            buffer = pp::device_buffer<int>();
            CHECK(pp::current_device() == other);
        }
}

TEST_CASE("[device] [needs two GPUs] elements are copied from one GPU to the other, whichever is current")
{
    const std::vector<int> values = numbers(100000);
    for (const int from : {0, 1})
        for (const int current : {0, 1}) {
            CAPTURE(from);
            CAPTURE(current);
            const pp::device_buffer<int> source = buffer_of(from, values);
            pp::device_buffer<int> target = buffer_of(1 - from, std::vector<int>(values.size(), -1));
            const pp::device_guard guard(current);
            target.copy_from(source);
            CHECK(target.device() == 1 - from);
            CHECK(target.to_host() == values);
            CHECK(source.to_host() == values);
            CHECK(pp::current_device() == current);
        }
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a clone in another stream waits for what was enqueued before it")
{
    const std::vector<int> values = numbers(1000);
    const pp::stream first;
    const pp::stream second;
    const pp::device_buffer<int> wanted(values, first);
    pp::device_buffer<int> original(std::vector<int>(values.size(), -1), first);
    (void)original.clone(second);  // so that nothing has to be set up any more
    const hold_up slow(first);
    original.copy_from(wanted);
    const pp::device_buffer<int> copy = original.clone(second);
    CHECK(copy.to_host() == values);
}

TEST_CASE("[device] what is enqueued after a clone into another stream waits for the clone")
{
    const std::vector<int> values = numbers(1000);
    const pp::stream first;
    const pp::stream second;
    const pp::device_buffer<int> unwanted(std::vector<int>(values.size(), -1), first);
    pp::device_buffer<int> original(values, first);
    (void)original.clone(second);
    const hold_up slow(second);
    const pp::device_buffer<int> copy = original.clone(second);
    original.copy_from(unwanted);
    CHECK(copy.to_host() == values);
}

TEST_CASE("[device] a copy does not wait for the GPU")
{
    const pp::stream work;
    pp::device_buffer<int> target(1000, work);
    const pp::device_buffer<int> source(1000, work);
    pp::pinned_buffer<int> pinned(1000);
    (void)source.clone();
    const hold_up slow(work);
    target.copy_from(source);
    target.copy_to(pinned);
    const pp::device_buffer<int> copy = source.clone();
    CHECK(cudaStreamQuery(work.get()) == cudaErrorNotReady);
    (void)cudaGetLastError();
}

TEST_CASE("[device] what waits is refused while the stream is captured, and the capture goes on")
{
    const pp::stream work;
    const std::vector<int> values = numbers(100);
    pp::device_buffer<int> buffer(values, work);
    pp::device_buffer<int> target(values.size(), work);
    pp::pinned_buffer<int> pinned(values.size());
    std::vector<int> pageable(values.size());
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK_THROWS_WITH_AS((void)buffer.to_host(),
                         "parprims::device_buffer::to_host: stream: it is being captured, and this call waits for it",
                         pp::invalid_argument);
    CHECK_THROWS_AS(buffer.copy_from(values), pp::invalid_argument);
    CHECK_THROWS_AS(buffer.copy_to(pageable), pp::invalid_argument);
    CHECK_NOTHROW(target.copy_from(buffer));
    CHECK_NOTHROW(target.copy_to(pinned));
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);
    cudaGraphExec_t replay = nullptr;
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, work.get()) == cudaSuccess);
    work.synchronize();
    CHECK(pinned.to_host() == values);
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
}

TEST_CASE("[device] [needs two GPUs] copies between GPUs wait for what was enqueued on both, and are waited for")
{
    const std::vector<int> values = numbers(100000);
    const std::vector<int> others(values.size(), -1);
    const pp::stream here;
    pp::device_buffer<int> source(others, here);
    const pp::device_buffer<int> wanted(values, here);
    const pp::device_buffer<int> unwanted(others, here);
    const pp::device_guard guard(1);
    const pp::stream there;
    pp::device_buffer<int> target(others, there);
    target.copy_from(source);  // so that nothing has to be set up any more
    there.synchronize();
    SUBCASE("the source is late")
    {
        const hold_up slow(here);
        source.copy_from(wanted);
        target.copy_from(source);
        CHECK(target.to_host() == values);
    }
    SUBCASE("the target is late")
    {
        source.copy_from(wanted);
        const hold_up slow(there);
        target.copy_from(source);
        source.copy_from(unwanted);
        CHECK(target.to_host() == values);
    }
}

#endif
