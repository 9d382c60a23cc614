/// @file
/// @brief  What a call says after an earlier kernel has lost the context. One program, because nothing works after it.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/pinned_buffer.hpp>
#include <parprims/stream.hpp>

#include <string>
#include <vector>

namespace pp = parprims;

#if PARPRIMS_CUDA_COMPILER

namespace {

__global__ void write_nowhere(int* nowhere)
{
    *nowhere = 1;
}

template <class Call>
void check_says_lost(const std::string& function, Call call)
{
    try {
        call();
        FAIL("no error");
    } catch (const pp::cuda_error& error) {
        CHECK(error.call() == function + ": context lost before this call");
        CHECK(error.status() == cudaErrorIllegalAddress);
    }
}

}  // namespace

TEST_CASE("[device] after a lost context every call says that it was lost before, and destructors stay quiet")
{
    const std::vector<int> values(100, 1);
    const pp::stream work;
    pp::device_buffer<int> buffer(values, work);
    const pp::pinned_buffer<int> pinned(values);
    pp::event moment;
    {
        const pp::detail::runtime::result_slot slot(4);
        const pp::detail::runtime::workspace_lease own(work, false);
    }
    write_nowhere<<<1, 1, 0, work.get()>>>(reinterpret_cast<int*>(0x10));
    CHECK_THROWS_AS(work.synchronize(), pp::cuda_error);

    check_says_lost("parprims::reduce",
                    [&] { pp::detail::runtime::call_scope("parprims::reduce", work, buffer.data()); });
    check_says_lost("parprims::reduce",
                    [&] { pp::detail::runtime::call_scope("parprims::reduce", {}, buffer.data()); });
    check_says_lost("parprims::reduce", [&] { pp::detail::runtime::call_scope("parprims::reduce", {}, nullptr); });
    check_says_lost("parprims::device_buffer", [&] { pp::device_buffer<int>(10); });
    check_says_lost("parprims::device_buffer::to_host", [&] { (void)buffer.to_host(); });
    check_says_lost("parprims::device_buffer::copy_from", [&] { buffer.copy_from(values); });
}

#endif
