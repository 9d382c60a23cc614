/// @file
/// @brief  Streams, events and the timer.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>
#include <parprims/timer.hpp>

#include "support/hold_up.hpp"

#include <chrono>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;

static_assert(std::is_nothrow_move_constructible_v<pp::stream> && std::is_nothrow_move_assignable_v<pp::stream>);
static_assert(!std::is_copy_constructible_v<pp::stream> && !std::is_copy_assignable_v<pp::stream>);
static_assert(std::is_nothrow_move_constructible_v<pp::event> && std::is_nothrow_move_assignable_v<pp::event>);
static_assert(!std::is_copy_constructible_v<pp::event> && !std::is_copy_assignable_v<pp::event>);
static_assert(std::is_trivially_copyable_v<pp::stream_view>);

TEST_CASE("a stream_view is the default stream until it is given another")
{
    constexpr pp::stream_view view;
    static_assert(view.get() == nullptr);
    CHECK(view == pp::stream_view(nullptr));
}

TEST_CASE("a stream_view converts from and to the runtime's stream")
{
    auto* const handle = reinterpret_cast<CUstream_st*>(std::size_t{0x2});
    const pp::stream_view view = handle;
    CUstream_st* const back = view;
    CHECK(back == handle);
    CHECK(view != pp::stream_view());
}

TEST_CASE("without a GPU streams, events and timers are refused by a typed error")
{
    if (pp::device_count() != 0)
        return;
    CHECK_THROWS_AS(pp::stream{}, pp::cuda_error);
    CHECK_THROWS_AS(pp::event{}, pp::cuda_error);
    CHECK_THROWS_AS(pp::timer{}, pp::cuda_error);
    CHECK_THROWS_AS(pp::stream_view().synchronize(), pp::cuda_error);
    CHECK_THROWS_AS(pp::stream_view().is_capturing(), pp::cuda_error);
    CHECK_THROWS_AS(pp::stream_view().device(), pp::cuda_error);
}

TEST_CASE("[device] a stream is of the GPU that was current")
{
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        const pp::stream made = [&] {
            const pp::device_guard guard(id);
            return pp::stream();
        }();
        CHECK(made.get() != nullptr);
        CHECK(made.view().device() == id);
    }
}

TEST_CASE("[device] the default streams are of the current GPU")
{
    CHECK(pp::stream_view().device() == pp::current_device());
    for (const std::size_t handle : {1, 2})  // cudaStreamLegacy, cudaStreamPerThread
        CHECK(pp::stream_view(reinterpret_cast<CUstream_st*>(handle)).device() == pp::current_device());
}

TEST_CASE("[device] a moved stream is the other's, and the one before is destroyed")
{
    pp::stream a;
    pp::stream b;
    CUstream_st* const handle = b.get();
    a = std::move(b);
    CHECK(a.get() == handle);
    CHECK(b.get() == nullptr);
    CHECK_NOTHROW(a.synchronize());
}

TEST_CASE("[device] a stream survives being moved to itself")
{
    pp::stream a;
    CUstream_st* const handle = a.get();
    pp::stream& same = a;
    a = std::move(same);
    CHECK(a.get() == handle);
}

TEST_CASE("[device] an event is ready once its stream has been waited for")
{
    const pp::stream work;
    pp::event moment;
    moment.record(work);
    work.synchronize();
    CHECK(moment.is_ready());
    CHECK_NOTHROW(moment.synchronize());
}

TEST_CASE("[device] work behind an event of another stream sees what came before it")
{
    const pp::stream first;
    const pp::stream second;
    const std::vector<int> values(1 << 22, 7);
    pp::device_buffer<int> filled(values.size(), first);
    pp::device_buffer<int> copy(values.size(), second);
    filled.copy_from(values);
    pp::event moment;
    moment.record(first);
    second.wait(moment);
    copy.copy_from(filled);
    CHECK(copy.to_host() == values);
}

TEST_CASE("[device] a timer measures what is between start and stop")
{
    const pp::stream work;
    const pp::device_buffer<char> source(std::size_t{1} << 28, work);
    pp::device_buffer<char> target(source.size(), work);
    pp::timer watch(work);
    watch.start();
    watch.stop();
    const auto nothing = watch.elapsed();
    watch.start();
    target.copy_from(source);
    watch.stop();
    const auto copy = watch.elapsed();
    CHECK(nothing.count() >= 0);
    CHECK(copy > nothing);
    CHECK(copy > std::chrono::microseconds(10));  // 512 MiB of traffic
    CHECK(copy < std::chrono::seconds(10));
}

TEST_CASE("[device] a timer that was never started has no answer")
{
    const pp::timer watch;
    CHECK_THROWS_AS(watch.elapsed(), pp::cuda_error);
    CHECK_NOTHROW(pp::stream_view().synchronize());
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] an event is not ready while its stream works, and that is no error")
{
    const pp::stream work;
    pp::pinned_buffer<int> flag(1);
    flag[0] = 0;
    wait_for<<<1, 1, 0, work.get()>>>(flag.data());
    pp::event moment;
    moment.record(work);
    CHECK_FALSE(moment.is_ready());
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    *const_cast<volatile int*>(flag.data()) = 1;
    moment.synchronize();
    CHECK(moment.is_ready());
}

TEST_CASE("[device] a stream knows whether it is being captured")
{
    const pp::stream work;
    CHECK_FALSE(work.view().is_capturing());
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    CHECK(work.view().is_capturing());
    CHECK_THROWS_WITH_AS(work.view().device(), "parprims::stream_view::device: stream: it is being captured",
                         pp::invalid_argument);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);
    CHECK_FALSE(work.view().is_capturing());
    cudaGraphDestroy(graph);
}

#endif
