/// @file
/// @brief  Memory of the stand-in: all of it is the host's.
#include "state.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace stand_in {

namespace {

constexpr std::size_t alignment = 256;
constexpr unsigned char poison = 0xA5;

std::uintptr_t number_of(const void* pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Memory that is poisoned once, when the program starts. A forked process maps the same pages until it writes to them, so an
/// attempt that allocates megabytes and touches few of them costs little. Nothing is handed out twice.
class poisoned_pages {
public:
    poisoned_pages()
    {
        const int file = memfd_create("poisoned_pages", 0);
        if (file < 0 || ftruncate(file, bytes) != 0)
            return;
        void* const all = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        void* const own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        if (all == MAP_FAILED || own == MAP_FAILED)
            return;
        std::memset(all, poison, bytes);
        munmap(all, bytes);
        close(file);
        first_ = static_cast<unsigned char*>(own);
    }

    /// Null where no more are left.
    void* take(std::size_t n)
    {
        n = (n / alignment + 1) * alignment;  // none is empty
        if (first_ == nullptr || n > bytes - used_)
            return nullptr;
        used_ += n;
        return first_ + (used_ - n);
    }
    bool has(const void* memory) const { return first_ != nullptr && number_of(memory) - number_of(first_) < bytes; }

    /// memset, of any memory. Whole pages of ours become zero by being mapped anew.
    void set(void* to, int value, std::size_t n) const
    {
        constexpr std::uintptr_t page = 4096;
        const std::uintptr_t begin = number_of(to), end = begin + n;
        const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
        if (value != 0 || !has(to) || first >= last ||
            mmap(reinterpret_cast<void*>(first), last - first, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
            std::memset(to, value, n);
            return;
        }
        std::memset(to, 0, first - begin);
        std::memset(reinterpret_cast<void*>(last), 0, end - last);
    }

private:
    static constexpr std::size_t bytes = std::size_t{64} << 20;
    unsigned char* first_ = nullptr;
    std::size_t used_ = 0;
} pages;

void* take(std::size_t bytes, const allocation& how)
{
    void* memory = pages.take(bytes);
    if (memory == nullptr) {
        memory = ::operator new(bytes, std::align_val_t{alignment});
        std::memset(memory, poison, bytes);
    }
    now().memory[number_of(memory)] = how;
    return memory;
}

/// The allocation that starts at `pointer`, or null after writing down a misuse.
const allocation* starting_at(const char* name, const void* pointer, kind where)
{
    const auto found = now().memory.find(number_of(pointer));
    if (found == now().memory.end() || found->second.where != where) {
        misused(name, "no such memory is live");
        return nullptr;
    }
    return &found->second;
}

/// Memory in stream order is refused as other memory is while some other stream is captured (H100, CUDA 13.0). In a stream that is
/// captured itself, into `graph`, the graph allocates.
cudaError_t refuse_beside_capture(const char* name, const CUgraph_st* graph)
{
    return graph == nullptr ? refuse_in_capture(name) : cudaSuccess;
}

cudaError_t give_back(const char* name, void* pointer, kind where)
{
    if (pointer == nullptr)
        return cudaSuccess;
    if (starting_at(name, pointer, where) == nullptr)
        return cudaErrorInvalidValue;
    now().memory.erase(number_of(pointer));
    if (!pages.has(pointer))
        ::operator delete(pointer, std::align_val_t{alignment});
    return cudaSuccess;
}

}  // namespace

const allocation* allocation_of(const void* pointer, std::size_t bytes)
{
    auto above = now().memory.upper_bound(number_of(pointer));
    if (above == now().memory.begin())
        return nullptr;
    --above;
    return number_of(pointer) + bytes <= above->first + above->second.bytes ? &above->second : nullptr;
}

/// Whether GPU `device` reaches `pointer`: memory of a pool is its own GPU's alone.
bool is_reached(const char* name, const void* pointer, int device)
{
    const allocation* const known = allocation_of(pointer);
    if (known == nullptr || known->where != kind::device || known->device == device)
        return true;
    misused(name, "memory of another GPU");
    return false;
}

bool is_inside(const char* name, const void* pointer, std::size_t bytes)
{
    if (pointer == nullptr || (allocation_of(pointer) != nullptr && allocation_of(pointer, bytes) == nullptr)) {
        misused(name, "outside of an allocation");
        return false;
    }
    return true;
}

void pretend(const void* pointer, int type, int device, const void* device_pointer)
{
    cudaPointerAttributes& attributes = now().pretended[pointer];
    attributes.type = static_cast<cudaMemoryType>(type);
    attributes.device = device;
    attributes.devicePointer = const_cast<void*>(device_pointer);
}

}  // namespace stand_in

using namespace stand_in;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    return call("cudaMalloc", [&] {
        if (const cudaError_t refused = refuse_in_capture("cudaMalloc"); refused != cudaSuccess)
            return refused;
        *memory = take(bytes, {bytes, kind::device, now().device, false});
        return cudaSuccess;
    });
}

cudaError_t cudaFree(void* memory)
{
    return stubborn_call("cudaFree", [&] {
        const cudaError_t refused = refuse_in_capture("cudaFree");
        const cudaError_t status = give_back("cudaFree", memory, kind::device);
        return refused != cudaSuccess ? refused : status;
    });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    return call("cudaHostAlloc", [&] {
        if (const cudaError_t refused = refuse_in_capture("cudaHostAlloc"); refused != cudaSuccess)
            return refused;
        *memory = take(bytes, {bytes, kind::pinned, now().device, false});
        return cudaSuccess;
    });
}

cudaError_t cudaFreeHost(void* memory)
{
    return stubborn_call("cudaFreeHost", [&] {
        const cudaError_t refused = refuse_in_capture("cudaFreeHost");
        const cudaError_t status = give_back("cudaFreeHost", memory, kind::pinned);
        return refused != cudaSuccess ? refused : status;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties)
{
    return call("cudaMemPoolCreate", [&] {
        if (const cudaError_t refused = refuse_in_capture("cudaMemPoolCreate"); refused != cudaSuccess)
            return refused;
        *pool = new CUmemPoolHandle_st{properties->location.id};
        now().pools.insert(*pool);
        return cudaSuccess;
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value)
{
    return call("cudaMemPoolSetAttribute", [&] {
        if (attribute != cudaMemPoolAttrReleaseThreshold || *static_cast<std::uint64_t*>(value) != UINT64_MAX)
            return misused("cudaMemPoolSetAttribute", "a pool that does not keep what was freed");
        return now().pools.count(pool) != 0 ? cudaSuccess : misused("cudaMemPoolSetAttribute", "no such pool is live");
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    return stubborn_call("cudaMemPoolDestroy", [&] {
        if (now().pools.erase(pool) == 0)
            return misused("cudaMemPoolDestroy", "no such pool is live");
        delete pool;
        return cudaSuccess;
    });
}

cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return call("cudaMallocFromPoolAsync", [&] {
        if (now().pools.count(pool) == 0)
            return misused("cudaMallocFromPoolAsync", "no such pool is live");
        if (!is_stream("cudaMallocFromPoolAsync", stream))
            return cudaErrorInvalidResourceHandle;
        if (bytes > gpu_bytes)
            return misused("cudaMallocFromPoolAsync", "more bytes than a GPU has, which a driver may round up to few");
        CUgraph_st* const graph = is_default(stream) ? nullptr : stream->capture;
        if (const cudaError_t refused = refuse_beside_capture("cudaMallocFromPoolAsync", graph); refused != cudaSuccess)
            return refused;
        *memory = take(bytes, {bytes, kind::device, pool->device, graph != nullptr});
        if (graph != nullptr)
            graph->memory.insert(*memory);
        return cudaSuccess;
    });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream)
{
    return stubborn_call("cudaFreeAsync", [&] {
        const allocation* const known = starting_at("cudaFreeAsync", memory, kind::device);
        if (known == nullptr || !is_stream("cudaFreeAsync", stream))
            return cudaErrorInvalidValue;
        CUgraph_st* const graph = is_default(stream) ? nullptr : stream->capture;
        const cudaError_t refused = refuse_beside_capture("cudaFreeAsync", graph);
        if (known->is_of_graph && (graph == nullptr || graph->memory.erase(memory) == 0))
            return misused("cudaFreeAsync", "memory of a graph, freed elsewhere");
        const cudaError_t status = give_back("cudaFreeAsync", memory, kind::device);
        return refused != cudaSuccess ? refused : status;
    });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
    return call("cudaMemcpyAsync", [&] {
        if (!is_stream("cudaMemcpyAsync", stream) || !is_inside("cudaMemcpyAsync", to, bytes) ||
            !is_inside("cudaMemcpyAsync", from, bytes) || !is_reached("cudaMemcpyAsync", to, now().device) ||
            !is_reached("cudaMemcpyAsync", from, now().device))
            return cudaErrorInvalidValue;
        std::memmove(to, from, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int there, const void* from, int here, std::size_t bytes, cudaStream_t stream)
{
    return call("cudaMemcpyPeerAsync", [&] {
        if (!is_stream("cudaMemcpyPeerAsync", stream) || !is_inside("cudaMemcpyPeerAsync", to, bytes) ||
            !is_inside("cudaMemcpyPeerAsync", from, bytes) || !is_reached("cudaMemcpyPeerAsync", to, there) ||
            !is_reached("cudaMemcpyPeerAsync", from, here))
            return cudaErrorInvalidValue;
        std::memmove(to, from, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream)
{
    return call("cudaMemsetAsync", [&] {
        if (!is_stream("cudaMemsetAsync", stream) || !is_inside("cudaMemsetAsync", to, bytes))
            return cudaErrorInvalidValue;
        if (allocation_of(to) == nullptr)
            return misused("cudaMemsetAsync", "memory of the host");
        pages.set(to, value, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer)
{
    return call("cudaPointerGetAttributes", [&] {
        *attributes = {};
        if (const auto found = now().pretended.find(pointer); found != now().pretended.end()) {
            *attributes = found->second;
            return cudaSuccess;
        }
        const allocation* const known = allocation_of(pointer);
        attributes->type = known == nullptr               ? cudaMemoryTypeUnregistered
                           : known->where == kind::device ? cudaMemoryTypeDevice
                                                          : cudaMemoryTypeHost;
        attributes->device = known == nullptr ? -2 : known->device;
        attributes->devicePointer = known == nullptr ? nullptr : const_cast<void*>(pointer);
        attributes->hostPointer =
            known == nullptr || known->where == kind::pinned ? const_cast<void*>(pointer) : nullptr;
        return cudaSuccess;
    });
}

}  // extern "C"
