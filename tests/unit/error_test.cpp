/// @file
/// @brief  What the errors say and keep.
#include <doctest/doctest.h>

#include <parprims/detail/runtime/check.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/detail/runtime/texts.hpp>
#include <parprims/error.hpp>

#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

namespace pp = parprims;

namespace {

constexpr int invalid_value = 1;      // cudaErrorInvalidValue
constexpr int illegal_address = 700;  // cudaErrorIllegalAddress

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cuda_error keeps the status, the call and the place")
{
    const auto here = pp::detail::source_location::current();
    const pp::cuda_error error(invalid_value, "cudaMemcpyAsync", here);
    CHECK(error.status() == invalid_value);
    CHECK(error.code() == std::error_code(invalid_value, pp::cuda_category()));
    CHECK(error.call() == "cudaMemcpyAsync");
    CHECK(std::string(error.file()) == here.file_name());
    CHECK(error.line() == here.line());
}

TEST_CASE("cuda_error takes the place where it was made")
{
    const auto line = pp::detail::source_location::current().line() + 1;
    const pp::cuda_error error(invalid_value, "cudaMemcpyAsync");
    CHECK(error.line() == line);
    CHECK(contains(error.file(), "error_test.cpp"));
}

TEST_CASE("cuda_error says the call first, then the text of the status")
{
    const pp::cuda_error error(invalid_value, "cudaMemcpyAsync");
    CHECK(error.what() == "cudaMemcpyAsync: " + pp::cuda_category().message(invalid_value));
}

TEST_CASE("cuda_error is a system_error")
{
    static_assert(std::is_base_of_v<std::system_error, pp::cuda_error>);
    CHECK_THROWS_AS(throw pp::cuda_error(invalid_value, "call"), std::system_error);
}

TEST_CASE("the category is one object, called cuda")
{
    CHECK(std::string(pp::cuda_category().name()) == "cuda");
    CHECK(&pp::cuda_category() == &pp::cuda_category());
}

TEST_CASE("the category has a text for every status")
{
    for (const int status : {0, 1, 2, 35, 100, 700, 801, 999, 123456, -1}) {
        CAPTURE(status);
        CHECK_FALSE(pp::cuda_category().message(status).empty());
    }
}

TEST_CASE("a status that nobody knows is named by its number")
{
    CHECK(contains(pp::cuda_category().message(123456), "123456"));
}

#if PARPRIMS_HAS_CUDA
TEST_CASE("the category gives the runtime's text and name")
{
    CHECK(pp::cuda_category().message(illegal_address) ==
          "an illegal memory access was encountered (cudaErrorIllegalAddress)");
    CHECK(pp::cuda_category().message(100) == "no CUDA-capable device is detected (cudaErrorNoDevice)");
}

TEST_CASE("a driver that is missing or too old is told by the versions")
{
    const std::string text = pp::cuda_category().message(35);
    CAPTURE(text);
    CHECK((contains(text, "no CUDA driver is installed") || contains(text, "is older than the CUDA runtime (")));
    CHECK(contains(text, "(cudaErrorInsufficientDriver)"));
}
#else
TEST_CASE("a build without CUDA says so")
{
    CHECK(pp::cuda_category().message(801) == "no CUDA support in this build");
}
#endif

TEST_CASE("a driver that is too old is named with its version and the runtime's")
{
    namespace runtime = pp::detail::runtime;
    CHECK(runtime::describe_driver(12040, 13000) == "the CUDA driver (12.4) is older than the CUDA runtime (13.0)");
    CHECK(runtime::describe_driver(9000, 12080) == "the CUDA driver (9.0) is older than the CUDA runtime (12.8)");
    CHECK(runtime::describe_driver(0, 13000) == "no CUDA driver is installed");
}

TEST_CASE("a kernel that is missing for a GPU is told by what was built and what was found")
{
    namespace runtime = pp::detail::runtime;
    CHECK(runtime::name_architectures({900}) == "sm_90");
    CHECK(runtime::name_architectures({750, 900, 1200}) == "sm_75, sm_90, sm_120");
    CHECK(runtime::name_architectures({}) == "an unknown list");
    CHECK(runtime::describe_missing_kernel("sm_75, sm_90", 1, 61) == "built for sm_75, sm_90; device 1 is sm_61");
}

TEST_CASE("a copied cuda_error says the same")
{
    const pp::cuda_error error(invalid_value, "cudaMemcpyAsync");
    const pp::cuda_error copy = error;
    CHECK(std::string(copy.what()) == error.what());
    CHECK(copy.code() == error.code());
    CHECK(copy.call() == error.call());
    CHECK(copy.line() == error.line());
}

TEST_CASE("invalid_argument reads function, argument, reason")
{
    const pp::invalid_argument error("parprims::histogram", "axis", "upper (1) must be greater than lower (1)");
    CHECK(std::string(error.what()) == "parprims::histogram: axis: upper (1) must be greater than lower (1)");
    CHECK(error.function() == "parprims::histogram");
    CHECK(error.argument() == "axis");
    static_assert(std::is_base_of_v<std::invalid_argument, pp::invalid_argument>);
}

TEST_CASE("numbers in a text are those of the argument: the shortest decimals of their type")
{
    const auto text_of = [](pp::detail::runtime::text_number number) -> std::string {
        try {
            pp::detail::runtime::refuse("f", "x", "%", number);
        } catch (const pp::invalid_argument& error) {
            return error.what();
        }
    };
    CHECK(text_of(1 / 3.0) == "f: x: 0.3333333333333333");
    CHECK(text_of(1 / 3.0f) == "f: x: 0.33333334");
    CHECK(text_of(0.1f) == "f: x: 0.1");
    CHECK(text_of(1.0L / 3) == "f: x: 0.3333333333333333");
    CHECK(text_of(1e300) == "f: x: 1e+300");
    CHECK(text_of(-1) == "f: x: -1");
    CHECK(text_of(~0ull) == "f: x: 18446744073709551615");
}

TEST_CASE("a copied invalid_argument says the same")
{
    const pp::invalid_argument error("parprims::reduce", "first", "null pointer with n = 12");
    const pp::invalid_argument copy = error;
    CHECK(std::string(copy.what()) == error.what());
    CHECK(copy.function() == error.function());
    CHECK(copy.argument() == error.argument());
}

TEST_CASE("out_of_memory says how many bytes, and whose")
{
    const pp::out_of_memory error(1234567, "device 3");
    CHECK(std::string(error.what()) == "parprims: out of memory: 1234567 bytes of device 3");
    CHECK(error.bytes() == 1234567);
    static_assert(std::is_base_of_v<std::bad_alloc, pp::out_of_memory>);
}

TEST_CASE("out_of_memory is copied without allocating")
{
    static_assert(std::is_nothrow_copy_constructible_v<pp::out_of_memory>);
    const pp::out_of_memory error(1234567, "device 3");
    const pp::out_of_memory copy = error;
    CHECK(std::string(copy.what()) == error.what());
    CHECK(copy.bytes() == error.bytes());
}

TEST_CASE("check lets success pass")
{
    CHECK_NOTHROW(pp::detail::runtime::check(0, "cudaMalloc"));
}

TEST_CASE("check throws what failed and where it was called")
{
    const auto line = pp::detail::source_location::current().line() + 2;
    try {
        pp::detail::runtime::check(invalid_value, "cudaMemcpyAsync");
        FAIL("no error");
    } catch (const pp::cuda_error& error) {
        CHECK(error.status() == invalid_value);
        CHECK(error.call() == "cudaMemcpyAsync");
        CHECK(error.line() == line);
    }
}

TEST_CASE("check names a lost context")
{
    try {
        pp::detail::runtime::check(illegal_address, "cudaStreamSynchronize");
        FAIL("no error");
    } catch (const pp::cuda_error& error) {
        CHECK(error.status() == illegal_address);
        CHECK(error.call() == "cudaStreamSynchronize: context lost");
    }
}

TEST_CASE("the statuses that lose the context are known")
{
    // ECC, NVLink, contained, illegal address, timeout, destroyed, assert, stack, instruction, misaligned, address space,
    // program counter, launch failure, tensor memory leak, MPS client terminated
    for (const int status : {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810}) {
        CAPTURE(status);
        CHECK(pp::detail::runtime::is_sticky(status));
    }
}

TEST_CASE("a status that the library survives does not count as a lost context")
{
    // none, invalid value, out of memory, unloading, configuration, driver, no device, no kernel, not ready, resources,
    // peer access twice, not supported, capture
    for (const int status : {0, 1, 2, 4, 9, 35, 100, 209, 600, 701, 704, 801, 900}) {
        CAPTURE(status);
        CHECK_FALSE(pp::detail::runtime::is_sticky(status));
    }
}
