/// @file
/// @brief  Faults, account, versions and errors of the stand-in, and the current GPU.
#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stand_in {

state& now()
{
    static state* const only = new state;
    return *only;
}

cudaError_t keep(cudaError_t status)
{
    if (status != cudaSuccess)
        now().last_error = status;
    return status;
}

cudaError_t misused(const char* name, const std::string& what, cudaError_t status)
{
    now().misuse += std::string(name) + ": " + what + "; ";
    return status;
}

namespace {

bool allocates(const std::string& name)
{
    return name == "cudaMalloc" || name == "cudaMallocFromPoolAsync" || name == "cudaHostAlloc";
}

cudaError_t status_of(failure how, const std::string& name)
{
    switch (how) {
    case failure::unknown: return cudaErrorUnknown;
    case failure::no_memory: return allocates(name) ? cudaErrorMemoryAllocation : cudaErrorUnknown;
    case failure::lost: return cudaErrorLaunchFailure;
    case failure::unloading: return cudaErrorCudartUnloading;
    case failure::old_driver: return cudaErrorInsufficientDriver;
    case failure::wrong_binary: return name == "cudaLaunchKernelExC" ? cudaErrorNoKernelImageForDevice : cudaSuccess;
    }
    return cudaErrorUnknown;
}

}  // namespace

cudaError_t next_fault(const char* name)
{
    state& all = now();
    if (all.asides != 0 || all.planned.call == 0)
        return cudaSuccess;
    ++all.calls;
    if (all.calls != all.planned.call && !(all.planned.from_then_on && all.calls > all.planned.call))
        return cudaSuccess;
    const cudaError_t status = status_of(all.planned.how, name);
    if (status != cudaSuccess) {
        all.failed.push_back(name);
        all.failed_statuses.push_back(status);
    }
    return status;
}

void arm(const fault& planned)
{
    state& all = now();
    all.planned = planned;
    all.calls = 0;
    all.failed.clear();
    all.failed_statuses.clear();
    all.restored_to.clear();
    all.misuse.clear();
}

void disarm()
{
    now().planned = {};
}

const std::vector<std::string>& failed_calls()
{
    return now().failed;
}

const std::vector<int>& failed_statuses()
{
    return now().failed_statuses;
}

bool only_restored_to(int home)
{
    return now().restored_to == std::set<int>{home};
}

const std::string& misuse()
{
    return now().misuse;
}

void set_driver_version(int version)
{
    now().driver_version = version;
}

void set_architecture(int architecture)
{
    now().architecture = architecture;
}

void watch_launches(launch_watcher watcher)
{
    now().watcher = std::move(watcher);
}

bool is_allocated(const void* pointer, std::size_t bytes)
{
    return allocation_of(pointer, bytes) != nullptr;
}

aside::aside()
{
    ++now().asides;
}

aside::~aside()
{
    --now().asides;
}

account live()
{
    const state& all = now();
    account what;
    for (const auto& [address, known] : all.memory) {
        const bool is_device = known.where == kind::device;
        (is_device ? what.device_memory : what.pinned_memory) += 1;
        (is_device ? what.device_bytes : what.pinned_bytes) += static_cast<long>(known.bytes);
    }
    what.pools = static_cast<long>(all.pools.size());
    what.streams = static_cast<long>(all.streams.size());
    what.events = static_cast<long>(all.events.size());
    what.graphs = static_cast<long>(all.graphs.size());
    what.user_objects = static_cast<long>(all.objects.size());
    what.device = all.device;
    what.capture_mode = all.capture_mode;
    return what;
}

std::string to_string(const account& what)
{
    const auto part = [](const char* name, long n) { return std::string(1, ' ') + name + "=" + std::to_string(n); };
    return std::string("{device ") + std::to_string(what.device) + ", capture mode " +
           std::to_string(what.capture_mode) + ":" + part("device_memory", what.device_memory) +
           part("device_bytes", what.device_bytes) + part("pinned_memory", what.pinned_memory) +
           part("pinned_bytes", what.pinned_bytes) + part("pools", what.pools) + part("streams", what.streams) +
           part("events", what.events) + part("graphs", what.graphs) + part("user_objects", what.user_objects) + "}";
}

}  // namespace stand_in

using stand_in::call;
using stand_in::keep;
using stand_in::now;

extern "C" {

cudaError_t cudaGetLastError()
{
    const cudaError_t status = now().last_error;
    now().last_error = cudaSuccess;
    return status;
}

cudaError_t cudaPeekAtLastError()
{
    return now().last_error;
}

const char* cudaGetErrorName(cudaError_t status)
{
    switch (status) {
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorNoKernelImageForDevice: return "cudaErrorNoKernelImageForDevice";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    case cudaErrorUnknown: return "cudaErrorUnknown";
    default: return "cudaErrorOfTheStandIn";
    }
}

const char* cudaGetErrorString(cudaError_t)
{
    return "a text of the stand-in";
}

cudaError_t cudaDriverGetVersion(int* version)
{
    *version = now().driver_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count)
{
    return call("cudaGetDeviceCount", [&] {
        *count = stand_in::gpus;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDevice(int* device)
{
    return call("cudaGetDevice", [&] {
        *device = now().device;
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device)
{
    const auto failed = now().failed.size();
    return stand_in::stubborn_call("cudaSetDevice", [&] {
        if (now().failed.size() != failed)
            now().restored_to.insert(device);
        if (device < 0 || device >= stand_in::gpus)
            return cudaErrorInvalidDevice;
        now().device = device;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    return call("cudaGetDeviceProperties", [&] {
        if (device < 0 || device >= stand_in::gpus)
            return cudaErrorInvalidDevice;
        *properties = {};
        std::strcpy(properties->name, "a GPU of the stand-in");
        properties->major = now().architecture / 10;
        properties->minor = now().architecture % 10;
        properties->multiProcessorCount = 132;
        properties->maxThreadsPerMultiProcessor = 2048;
        properties->sharedMemPerBlockOptin = 227 * 1024;
        properties->sharedMemPerMultiprocessor = 228 * 1024;
        properties->l2CacheSize = 50 * 1024 * 1024;
        properties->totalGlobalMem = stand_in::gpu_bytes;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int)
{
    return call("cudaDeviceGetAttribute", [&] {
        if (attribute != cudaDevAttrMemoryPoolsSupported)
            return stand_in::misused("cudaDeviceGetAttribute", "an attribute that the stand-in does not know");
        *value = 1;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize()
{
    return call("cudaDeviceSynchronize", [] { return stand_in::refuse_in_capture("cudaDeviceSynchronize"); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    const auto exchange = [&] {
        std::swap(*mode, now().capture_mode);
        return cudaSuccess;
    };
    // Leaving the relaxed mode is giving something back; entering it is not.
    return now().capture_mode == cudaStreamCaptureModeRelaxed
               ? stand_in::stubborn_call("cudaThreadExchangeStreamCaptureMode", exchange)
               : call("cudaThreadExchangeStreamCaptureMode", exchange);
}

}  // extern "C"
