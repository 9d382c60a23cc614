/// @file
/// @brief  The default resources: one pool per GPU.
#pragma once

#include <parprims/detail/runtime/check.hpp>
#include <parprims/device.hpp>
#include <parprims/memory_resource.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/cuda.inl.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace parprims::detail::runtime {

/// Uses a pool of its own, because its release threshold is set: that of the device's default pool is the user's to set.
class pool_resource final : public memory_resource {
public:
    explicit pool_resource(int device) : device_(device), memory_bytes_(get_device_info(device).memory_bytes)
    {
        int supported = 0;
        check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute");
        if (supported == 0)
            return;
        const relaxed_capture relaxed;
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate");
        std::uint64_t keep_everything = UINT64_MAX;
        const int status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep_everything);
        if (status != cudaSuccess)
            clear_error(cudaMemPoolDestroy(pool_));
        check(status, "cudaMemPoolSetAttribute");
    }

private:
    void* do_allocate(std::size_t bytes, stream_view where) override
    {
        const relaxed_capture relaxed;  // for captures of other streams; if `where` is captured, the graph allocates
        void* memory = nullptr;
        // More bytes than the GPU has are refused here: the driver rounds up, and near 2^64 that could wrap around.
        const int status = bytes > memory_bytes_ ? cudaErrorMemoryAllocation
                           : pool_ != nullptr    ? cudaMallocFromPoolAsync(&memory, bytes, pool_, handle_of(where))
                                                 : cudaMalloc(&memory, bytes);
        if (status == cudaErrorMemoryAllocation) {
            clear_error(status);
            throw out_of_memory(bytes, "device " + std::to_string(device_));
        }
        check(status, pool_ != nullptr ? "cudaMallocFromPoolAsync" : "cudaMalloc");
        return memory;
    }

    void do_deallocate(void* memory, std::size_t, stream_view where) noexcept override
    {
        const relaxed_capture relaxed;
        clear_error(pool_ != nullptr ? cudaFreeAsync(memory, handle_of(where)) : cudaFree(memory));
    }

    int device_;
    std::size_t memory_bytes_;
    cudaMemPool_t pool_ = nullptr;  // null: the device has no pools
};

}  // namespace parprims::detail::runtime

namespace parprims {

PARPRIMS_INLINE memory_resource& default_memory_resource()
{
    struct all_resources {
        std::mutex mutex;
        std::map<int, detail::runtime::pool_resource> of_device;
    };
    static all_resources& resources = *new all_resources;  // never destroyed: static buffers are freed after main
    const int device = current_device();
    const std::lock_guard lock(resources.mutex);
    return resources.of_device.try_emplace(device, device).first->second;
}

}  // namespace parprims

#else

namespace parprims {

PARPRIMS_WITHOUT_CUDA("parprims::default_memory_resource", memory_resource& default_memory_resource())
}  // namespace parprims

#endif
