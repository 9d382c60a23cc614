/// @file
/// @brief  Which GPUs there are, and the errors where there is none.
#include <doctest/doctest.h>

#include <parprims/device.hpp>

#include <string>

namespace pp = parprims;

namespace {

/// Whether `text` says why there is no GPU: no device, no driver, an old driver, no CUDA in the build.
bool says_why(const std::string& text)
{
    for (const char* reason : {"no CUDA-capable device is detected", "no CUDA driver is installed",
                               "is older than the CUDA runtime", "no CUDA support in this build"})
        if (text.find(reason) != std::string::npos)
            return true;
    return false;
}

template <class Call>
void check_says_why(Call call)
{
    try {
        call();
        FAIL("no error");
    } catch (const pp::cuda_error& error) {
        CAPTURE(error.what());
        CHECK(says_why(error.what()));
        CHECK(error.status() != 0);
    }
}

}  // namespace

TEST_CASE("device_count never throws")
{
    static_assert(noexcept(pp::device_count()));
    CHECK(pp::device_count() >= 0);
}

#if !PARPRIMS_HAS_CUDA
TEST_CASE("a build without CUDA has no GPU and says so")
{
    CHECK(pp::device_count() == 0);
    CHECK_THROWS_WITH_AS(pp::current_device(), "parprims::current_device: no CUDA support in this build",
                         pp::cuda_error);
}
#endif

TEST_CASE("[needs no GPU] without a GPU every question is answered by an error that says why")
{
    check_says_why([] { pp::current_device(); });
    check_says_why([] { pp::get_device_info(0); });
    check_says_why([] { const pp::device_guard guard(0); });
}

TEST_CASE("[needs no GPU] an error is met again at the next call")
{
    CHECK_THROWS_AS(pp::get_device_info(0), pp::cuda_error);
    CHECK_THROWS_AS(pp::get_device_info(0), pp::cuda_error);
}

TEST_CASE("[device] what is known of a GPU makes sense")
{
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        const pp::device_info& info = pp::get_device_info(id);
        CHECK(info.id == id);
        CHECK_FALSE(info.name.empty());
        CHECK(info.architecture >= 50);
        CHECK(info.multiprocessors >= 1);
        CHECK(info.max_threads_per_multiprocessor >= 1024);
        CHECK(info.shared_bytes_per_block >= 48 * 1024);
        CHECK(info.shared_bytes_per_multiprocessor >= info.shared_bytes_per_block);
        CHECK(info.l2_bytes >= 1024);
        CHECK(info.memory_bytes >= (std::size_t{1} << 28));
    }
}

TEST_CASE("[device] what is known of a GPU is asked once and kept")
{
    CHECK(&pp::get_device_info(0) == &pp::get_device_info(0));
}

TEST_CASE("[device] a GPU that is not there is named, with the number there are")
{
    const int count = pp::device_count();
    for (const int id : {-1, count, count + 7}) {
        CAPTURE(id);
        const std::string reason = "id: " + std::to_string(id) + " given, there are " + std::to_string(count) + " GPUs";
        CHECK_THROWS_WITH_AS(pp::get_device_info(id), ("parprims::get_device_info: " + reason).c_str(),
                             pp::invalid_argument);
        CHECK_THROWS_WITH_AS(pp::device_guard{id}, ("parprims::device_guard: " + reason).c_str(), pp::invalid_argument);
    }
}

TEST_CASE("[device] device_guard restores the GPU that was current")
{
    const int before = pp::current_device();
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        {
            const pp::device_guard guard(id);
            CHECK(pp::current_device() == id);
        }
        CHECK(pp::current_device() == before);
    }
}

TEST_CASE("[device] a refused device_guard leaves the current GPU alone")
{
    const int before = pp::current_device();
    CHECK_THROWS_AS(pp::device_guard{pp::device_count()}, pp::invalid_argument);
    CHECK(pp::current_device() == before);
}

#if PARPRIMS_CUDA_COMPILER
TEST_CASE("[device] an error that the user's code left behind is neither taken nor reported")
{
    REQUIRE(cudaSetDevice(pp::device_count()) == cudaErrorInvalidDevice);
    CHECK_NOTHROW(pp::current_device());
    CHECK_NOTHROW(pp::get_device_info(0));
    CHECK_NOTHROW(pp::device_guard{0});
    CHECK(pp::device_count() > 0);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
}
#endif
