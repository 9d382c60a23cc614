/// @file
/// @brief  What every algorithm says after an earlier kernel has lost the context. One program: nothing works after it.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/refusal.hpp"

#include <string>
#include <vector>

namespace pp = parprims;

#if PARPRIMS_CUDA_COMPILER

namespace {

__global__ void fall_into_a_trap()
{
    __trap();
}

}  // namespace

TEST_CASE("[device] after a lost context every algorithm says that it was lost before, and the host goes on")
{
    check_works<device_backend>();
    const pp::device_buffer<number> x = pp::to_device(std::vector<number>(1000, 1));
    pp::device_buffer<number> out(1000);
    fall_into_a_trap<<<1, 1>>>();
    CHECK_THROWS_AS(pp::stream_view().synchronize(), pp::cuda_error);

    each_function(pp::device, x.begin(), x.end(), out.begin(), [](const std::string& function, auto call) {
        CAPTURE(function);
        try {
            call();
            FAIL_CHECK("no error");
        } catch (const pp::cuda_error& error) {
            CHECK(error.call() == function + ": context lost before this call");
            CHECK(pp::detail::runtime::is_sticky(error.status()));
        }
    });
    check_works<host_backend>();
}

#endif
