/// @file
/// @brief  The interface of memory resources, and the default one.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/memory_resource.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace pp = parprims;

namespace {

/// Gives addresses that nobody follows, and remembers what it was asked.
class recording_resource final : public pp::memory_resource {
public:
    int allocations = 0;
    int deallocations = 0;
    std::size_t last_bytes = 0;
    pp::stream_view last_stream;

private:
    void* do_allocate(std::size_t bytes, pp::stream_view where) override
    {
        ++allocations;
        last_bytes = bytes;
        last_stream = where;
        return &place_;
    }
    void do_deallocate(void*, std::size_t bytes, pp::stream_view where) noexcept override
    {
        ++deallocations;
        last_bytes = bytes;
        last_stream = where;
    }

    char place_ = 0;
};

const pp::stream_view some_stream(reinterpret_cast<CUstream_st*>(std::size_t{0x2}));

}  // namespace

TEST_CASE("a resource is asked for the bytes, in the stream")
{
    recording_resource resource;
    void* const memory = resource.allocate(12, some_stream);
    CHECK(memory != nullptr);
    CHECK(resource.last_bytes == 12);
    CHECK(resource.last_stream == some_stream);
    resource.last_bytes = 0;
    resource.last_stream = {};
    resource.deallocate(memory, 12, some_stream);
    CHECK(resource.last_bytes == 12);
    CHECK(resource.last_stream == some_stream);
}

TEST_CASE("no bytes are no memory, and the resource is not asked")
{
    recording_resource resource;
    CHECK(resource.allocate(0, {}) == nullptr);
    resource.deallocate(nullptr, 0, {});
    CHECK(resource.allocations == 0);
    CHECK(resource.deallocations == 0);
}

TEST_CASE("without a GPU there is no default resource, and the error is typed")
{
    if (pp::device_count() != 0)
        return;
    CHECK_THROWS_AS(pp::default_memory_resource(), pp::cuda_error);
}

TEST_CASE("[device] the default resource of a GPU is one object")
{
    CHECK(&pp::default_memory_resource() == &pp::default_memory_resource());
}

TEST_CASE("[device] every GPU has a default resource of its own")
{
    pp::memory_resource& here = pp::default_memory_resource();
    for (int id = 0; id < pp::device_count(); ++id) {
        CAPTURE(id);
        const bool is_current = id == pp::current_device();
        const pp::device_guard guard(id);
        CHECK((&pp::default_memory_resource() == &here) == is_current);
    }
}

TEST_CASE("[device] memory of the default resource is aligned to 256 bytes")
{
    pp::memory_resource& resource = pp::default_memory_resource();
    for (const std::size_t bytes : {1, 2, 255, 256, 257, 1000, 1 << 20}) {
        CAPTURE(bytes);
        void* const first = resource.allocate(bytes, {});
        void* const second = resource.allocate(bytes, {});
        CHECK(reinterpret_cast<std::uintptr_t>(first) % 256 == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(second) % 256 == 0);
        CHECK(first != second);
        resource.deallocate(first, bytes, {});
        resource.deallocate(second, bytes, {});
    }
}

TEST_CASE("[device] too many bytes are out_of_memory with the bytes and the GPU, and the next call is fine")
{
    pp::memory_resource& resource = pp::default_memory_resource();
    const int id = pp::current_device();
    const std::size_t all = pp::get_device_info(id).memory_bytes;
    for (const std::size_t bytes : {all - all / 64, all + 1, std::numeric_limits<std::size_t>::max()}) {
        CAPTURE(bytes);
        void* hog = bytes < all ? resource.allocate(all / 4, {}) : nullptr;
        try {
            resource.allocate(bytes, {});
            FAIL("no error");
        } catch (const pp::out_of_memory& error) {
            CHECK(error.bytes() == bytes);
            CHECK(std::string(error.what()) ==
                  "parprims: out of memory: " + std::to_string(bytes) + " bytes of device " + std::to_string(id));
        }
        resource.deallocate(hog, all / 4, {});
        void* const memory = resource.allocate(1024, {});
        CHECK(memory != nullptr);
        resource.deallocate(memory, 1024, {});
        CHECK_NOTHROW(pp::stream_view().synchronize());
    }
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] out_of_memory leaves no error behind in the runtime")
{
    CHECK_THROWS_AS(pp::default_memory_resource().allocate(pp::get_device_info(0).memory_bytes - 4096, {}),
                    pp::out_of_memory);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("[device] what was freed is kept, and the pool of the process is left as it was")
{
    pp::memory_resource& resource = pp::default_memory_resource();
    const std::size_t bytes = std::size_t{1} << 30;
    resource.deallocate(resource.allocate(bytes, {}), bytes, {});
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    REQUIRE(cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess);
    resource.deallocate(resource.allocate(bytes, {}), bytes, {});
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::size_t free_bytes_later = 0;
    REQUIRE(cudaMemGetInfo(&free_bytes_later, &all_bytes) == cudaSuccess);
    CHECK(all_bytes - free_bytes >= bytes);
    CHECK(free_bytes_later == free_bytes);

    cudaMemPool_t pool = nullptr;
    std::uint64_t threshold = 1;
    REQUIRE(cudaDeviceGetDefaultMemPool(&pool, pp::current_device()) == cudaSuccess);
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
    CHECK(threshold == 0);
}

#endif
