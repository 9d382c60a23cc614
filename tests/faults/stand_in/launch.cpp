/// @file
/// @brief  Kernels of the stand-in: registered by the code that nvcc generates, looked at when launched, never run.
#include "state.hpp"

using namespace stand_in;

namespace {

constexpr std::size_t default_shared_bytes = 48 * 1024;
constexpr std::size_t most_shared_bytes = 227 * 1024;
constexpr unsigned most_cluster_blocks = 8;

cudaError_t look_at(const cudaLaunchConfig_t& how, const void* function)
{
    const char* const name = "cudaLaunchKernelExC";
    const auto kernel = now().kernels.find(function);
    if (kernel == now().kernels.end())
        return misused(name, "a function that is no kernel", cudaErrorInvalidDeviceFunction);
    if (!is_stream(name, how.stream))
        return cudaErrorInvalidResourceHandle;
    if (!is_default(how.stream) && how.stream->capture == nullptr && how.stream->device != now().device)
        return misused(name, "a stream of another GPU", cudaErrorInvalidResourceHandle);
    if (how.gridDim.x == 0 || how.blockDim.x == 0 || how.blockDim.x > 1024)
        return misused(name, "no such grid or block", cudaErrorInvalidConfiguration);
    bool has_cluster = false;
    bool shares_multiprocessors = false;
    for (unsigned i = 0; i < how.numAttrs; ++i) {
        if (how.attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            continue;
        if (how.attrs[i].id == cudaLaunchAttributeClusterSchedulingPolicyPreference) {
            shares_multiprocessors =
                how.attrs[i].val.clusterSchedulingPolicyPreference == cudaClusterSchedulingPolicyLoadBalancing;
            continue;
        }
        has_cluster = true;
        if (how.attrs[i].id != cudaLaunchAttributeClusterDimension || how.attrs[i].val.clusterDim.x == 0 ||
            how.attrs[i].val.clusterDim.x > most_cluster_blocks || how.gridDim.x % how.attrs[i].val.clusterDim.x != 0)
            return misused(name, "no such cluster", cudaErrorInvalidConfiguration);
    }
    if (has_cluster && !shares_multiprocessors)
        return misused(name, "a cluster that waits for a multiprocessor for each block", cudaErrorInvalidConfiguration);
    if (how.dynamicSmemBytes > kernel->second)
        return misused(name, "shared memory that was not asked for", cudaErrorInvalidConfiguration);
    return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    return call("cudaFuncSetAttribute", [&] {
        const auto kernel = now().kernels.find(function);
        if (kernel == now().kernels.end() || attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
            return misused("cudaFuncSetAttribute", "no such kernel or attribute");
        if (static_cast<std::size_t>(value) > most_shared_bytes)
            return misused("cudaFuncSetAttribute", "more shared memory than there is");
        kernel->second = static_cast<std::size_t>(value);
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* function, void** parameters)
{
    return call("cudaLaunchKernelExC", [&] {
        const cudaError_t status = look_at(*how, function);
        if (status == cudaSuccess && now().watcher)
            now().watcher(function, parameters);
        return status;
    });
}

// What nvcc's generated code calls. The triple angle brackets are not used by the library, so they are not served.
void** __cudaRegisterFatBinary(void*)
{
    static void* handle = nullptr;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**)
{
    return 1;
}

void __cudaRegisterFunction(void**, const char* function, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*)
{
    now().kernels[function] = default_shared_bytes;
}

void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}

cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*)
{
    return keep(misused("<<< >>>", "is not served by the stand-in"));
}

cudaError_t __cudaGetKernel(cudaKernel_t*, const void*)
{
    return keep(misused("<<< >>>", "is not served by the stand-in"));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t)
{
    return keep(misused("<<< >>>", "is not served by the stand-in"));
}

}  // extern "C"
