/// @file
/// @brief  The fault loop finds what it is there to find: calls with one defect each.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/error.hpp>

#include "support/loop.hpp"
#include "support/raw.hpp"

#include <stdexcept>
#include <string>

namespace {

namespace runtime = parprims::detail::runtime;
using stand_in::failure;

/// What the loop says of `call` when its `k`-th call of the runtime fails.
template <class Call>
std::string complaint(unsigned k, Call call, bool is_warm = true, failure how = failure::unknown)
{
    return complaint_about({"planted", [=] { return prepared{call}; }}, {k, false, how}, is_warm);
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

void allocate_and_fill(bool frees)
{
    void* memory = nullptr;
    runtime::check(cudaMalloc(&memory, 100), "cudaMalloc");
    const int status = cudaMemsetAsync(memory, 0, 100, cudaStreamLegacy);
    if (frees || status == cudaSuccess)
        runtime::clear_error(cudaFree(memory));
    runtime::check(status, "cudaMemsetAsync");
}

}  // namespace

TEST_CASE("a call without a defect gets no complaint")
{
    for (const unsigned k : {0u, 1u, 2u, 3u}) {
        CAPTURE(k);
        CHECK(complaint(k, [] { allocate_and_fill(true); }) == "");
    }
}

TEST_CASE("memory that is lost on the way of an error is seen")
{
    CHECK(contains(complaint(2, [] { allocate_and_fill(false); }), "keeps "));
    CHECK(contains(complaint(2, [] { allocate_and_fill(false); }), "device_bytes=100"));
}

TEST_CASE("streams and events that are lost are seen")
{
    const auto leak = [] {
        cudaStream_t stream = nullptr;
        cudaEvent_t moment = nullptr;
        runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        const int status = cudaEventCreateWithFlags(&moment, cudaEventDisableTiming);
        if (status == cudaSuccess)
            cudaStreamDestroy(stream);
        runtime::check(status, "cudaEventCreateWithFlags");
        cudaEventDestroy(moment);
    };
    CHECK(contains(complaint(2, leak), "streams=1"));
    const auto leak_event = [] {
        cudaEvent_t moment = nullptr;
        runtime::check(cudaEventCreateWithFlags(&moment, cudaEventDisableTiming), "cudaEventCreateWithFlags");
        runtime::check(cudaEventRecord(moment, cudaStreamLegacy), "cudaEventRecord");
        cudaEventDestroy(moment);
    };
    CHECK(contains(complaint(2, leak_event), "events=1"));
}

TEST_CASE("what grows call by call is seen without any fault")
{
    const auto grow = [] {
        void* memory = nullptr;
        runtime::check(cudaMalloc(&memory, 100), "cudaMalloc");
    };
    CHECK(contains(complaint(0, grow, false), "grows call by call"));
}

TEST_CASE("a GPU that is not made current again is seen")
{
    const auto stay = [] {
        runtime::check(cudaSetDevice(1), "cudaSetDevice");
        int unused = 0;
        runtime::check(cudaGetDeviceCount(&unused), "cudaGetDeviceCount");
        runtime::check(cudaSetDevice(0), "cudaSetDevice");
    };
    CHECK(contains(complaint(1, stay), "not restored"));
    CHECK(contains(complaint(2, stay), "not restored"));
}

TEST_CASE("a capture mode that is not put back is seen")
{
    const auto relax = [] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        runtime::check(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
        int unused = 0;
        runtime::check(cudaGetDeviceCount(&unused), "cudaGetDeviceCount");
        cudaThreadExchangeStreamCaptureMode(&mode);
    };
    CHECK(contains(complaint(2, relax), "not restored"));
}

TEST_CASE("a failure that nobody hears of is seen")
{
    const auto ignore = [] {
        int unused = 0;
        if (cudaGetDeviceCount(&unused) != cudaSuccess)
            cudaGetLastError();
    };
    CHECK(contains(complaint(1, ignore), "success, as if nothing had failed"));
}

TEST_CASE("an error of the wrong type, name or status is seen")
{
    const auto fail_with = [](auto thrown) {
        return [=] {
            int unused = 0;
            const int status = cudaGetDeviceCount(&unused);
            cudaGetLastError();
            if (status != cudaSuccess)
                throw thrown;
        };
    };
    CHECK(contains(complaint(1, fail_with(std::runtime_error("oops"))), "an error of another type: oops"));
    CHECK(contains(complaint(1, fail_with(parprims::cuda_error(cudaErrorUnknown, "cudaMalloc"))), "names none"));
    CHECK(contains(complaint(1, fail_with(parprims::cuda_error(1, "cudaGetDeviceCount"))), "which no call returned"));
    CHECK(contains(complaint(1, fail_with(parprims::out_of_memory(1, "a GPU"))), "but there was memory"));
    CHECK(complaint(1, fail_with(parprims::cuda_error(cudaErrorUnknown, "cudaGetDeviceCount"))) == "");
}

TEST_CASE("an error that stays in the runtime is seen")
{
    const auto leave = [] {
        int unused = 0;
        const int status = cudaGetDeviceCount(&unused);
        if (status != cudaSuccess)
            throw parprims::cuda_error(status, "cudaGetDeviceCount");
    };
    CHECK(contains(complaint(1, leave), "left an error in the runtime"));
}

TEST_CASE("an error of the user's that is taken, or taken for the call's own, is seen")
{
    CHECK(contains(complaint(0, [] { cudaGetLastError(); }), "took an error of the user's"));
    const auto blame = [] { runtime::check(cudaGetLastError(), "cudaMalloc"); };
    CHECK(contains(complaint(0, blame), "which no call returned"));
}

TEST_CASE("an exception out of a destructor is seen, with the call that failed")
{
    struct thrower {
        ~thrower()
        {
            int unused = 0;
            runtime::check(cudaGetDeviceCount(&unused), "cudaGetDeviceCount");
        }
    };
    CHECK(contains(complaint(1, [] { const thrower local; }), "std::terminate"));
}

TEST_CASE("output that is written before the memory ran out is seen")
{
    const scenario early{"planted", [] {
                             const auto out = raw_memory<int>(10);
                             return prepared{[=] {
                                                 out[0] = 1;
                                                 parprims::detail::runtime::allocate_pinned(100);
                                             },
                                             [=] { return is_poisoned(out, 10); }};
                         }};
    CHECK(contains(complaint_about(early, {2, false, failure::no_memory}, false), "after the output was written"));
}

TEST_CASE("freeing twice, waiting for a captured stream and the like are seen")
{
    const auto free_twice = [] {
        void* memory = nullptr;
        cudaMalloc(&memory, 100);
        cudaFree(memory);
        cudaFree(memory);
        cudaGetLastError();
    };
    CHECK(contains(complaint(0, free_twice), "cudaFree: no such memory is live"));
    const auto work = raw_stream();
    const auto wait = [=] {
        const capture_of capture(work.get());
        cudaStreamSynchronize(work.get());
        cudaGetLastError();
    };
    CHECK(contains(complaint(0, wait), "cudaStreamSynchronize: the stream is being captured"));
}
