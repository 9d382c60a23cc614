/// @file
/// @brief  The thread context on a GPU: nearly every function is an intrinsic or one PTX instruction.
#pragma once

#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/simt/words.hpp>

namespace parprims::detail::simt {

/// The calling thread's indices in its block and in the grid.
struct block {
    __device__ block() : blocks_(gridDim.x) {}
    /// Where only the first `blocks` blocks of the grid take part.
    __device__ explicit block(unsigned blocks) : blocks_(blocks) {}

    __device__ static unsigned thread() { return threadIdx.x; }
    __device__ static unsigned threads() { return blockDim.x; }
    __device__ static unsigned lane() { return threadIdx.x % warp_size; }
    __device__ static unsigned warp() { return threadIdx.x / warp_size; }
    __device__ static unsigned warps() { return blockDim.x / warp_size; }
    __device__ static std::size_t index() { return blockIdx.x; }
    __device__ std::size_t count() const { return blocks_; }

    /// Waits for every thread of the block; orders their memory accesses.
    __device__ static void sync() { __syncthreads(); }

    // The blocks of a cluster have consecutive indices and are resident together (9.0 and later; elsewhere a cluster is a
    // block). All lanes of a warp must arrive and wait together.
#if __CUDA_ARCH__ >= 900
    __device__ static unsigned cluster_blocks()
    {
        unsigned blocks;
        asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
        return blocks;
    }
    __device__ static unsigned cluster_rank()
    {
        unsigned rank;
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        return rank;
    }
    /// Arrives at the barrier of the cluster. Release: threads that wait for it see the earlier accesses of this thread.
    __device__ static void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
    /// Arrives at the barrier of the cluster. Relaxed: threads that wait for it know only that all blocks have started.
    __device__ static void cluster_start() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
    /// Waits until every thread of the cluster has arrived or returned. A thread that has arrived may return without waiting.
    __device__ static void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

    /// The address in the shared memory of block `rank` of the cluster that corresponds to `shared`. That block must not have
    /// returned.
    template <class T>
    __device__ static T* of_block(T* shared, unsigned rank)
    {
        T* remote;
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(remote) : "l"(shared), "r"(rank));
        return remote;
    }
#else
    __device__ static unsigned cluster_blocks() { return 1; }
    __device__ static unsigned cluster_rank() { return 0; }
    __device__ static void cluster_arrive() { __syncthreads(); }
    __device__ static void cluster_start() {}
    __device__ static void cluster_wait() {}
    template <class T>
    __device__ static T* of_block(T* shared, unsigned)
    {
        return shared;
    }
#endif

private:
    unsigned blocks_;
};

/// Waits for the lanes of `mask`; orders their memory accesses.
__device__ inline void sync_warp(lane_mask mask = all_lanes)
{
    __syncwarp(mask);
}

/// Bit l is set if lane l of `mask` passes true.
__device__ inline lane_mask ballot(bool yes, lane_mask mask = all_lanes)
{
    return __ballot_sync(mask, yes);
}

/// The number of bits that are set.
__device__ inline unsigned count_lanes(lane_mask lanes)
{
    return static_cast<unsigned>(__popc(lanes));
}

/// The sum of the values of all lanes.
__device__ inline unsigned sum_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all_lanes, value);
#else
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value += __shfl_xor_sync(all_lanes, value, distance);
    return value;
#endif
}

/// The bits that any lane has.
__device__ inline unsigned or_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(all_lanes, value);
#else
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value |= __shfl_xor_sync(all_lanes, value, distance);
    return value;
#endif
}

/// The least of the values of all lanes.
__device__ inline unsigned min_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(all_lanes, value);
#else
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value = min(value, __shfl_xor_sync(all_lanes, value, distance));
    return value;
#endif
}

/// The highest bit that is set; there is one.
__device__ inline unsigned highest_lane(lane_mask lanes)
{
    return static_cast<unsigned>(31 - __clz(static_cast<int>(lanes)));
}

/// The most threads of a multiprocessor, for the architecture that is compiled for.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || \
    __CUDA_ARCH__ == 1030
inline constexpr unsigned multiprocessor_threads = 2048;
#else
inline constexpr unsigned multiprocessor_threads = __CUDA_ARCH__ < 800 ? 1024 : 1536;
#endif

/// Programmatic dependent launch: waits until the earlier kernels of the stream have completed and their writes are visible
/// (9.0 and later).
__device__ inline void wait_for_earlier_kernels()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Programmatic dependent launch: lets the next kernel of the stream start once all blocks of this one have called this or
/// ended. That kernel waits with `wait_for_earlier_kernels`.
__device__ inline void let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// `value`, whose computation is not fused with its use. An empty asm would stop nvcc, but not ptxas, which fuses a product with
/// the sum after it. threadIdx.y is always 0, which neither of them knows.
template <class T>
__device__ inline T separated(const T& value)
{
    return simt::shuffle_words(value, [](unsigned word) { return word ^ threadIdx.y; });
}

/// An address in shared memory, as PTX takes it.
__device__ inline unsigned shared_address(const void* shared)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// A pointer into shared memory that stays in a register: nvcc computes the address again for each use unless an asm hides how.
template <class T>
__device__ inline T* kept_address(T* shared)
{
    unsigned address = simt::shared_address(shared);
    asm volatile("" : "+r"(address));
    return static_cast<T*>(__cvta_shared_to_generic(address));
}

/// The value of lane `source`.
template <class T>
__device__ inline T shuffle(const T& value, unsigned source, lane_mask mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) { return __shfl_sync(mask, word, static_cast<int>(source)); });
}

/// The value of the lane `distance` below; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_up(const T& value, unsigned distance, lane_mask mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(mask, word, distance); });
}

/// The value of the lane `distance` above; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_down(const T& value, unsigned distance, lane_mask mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(mask, word, distance); });
}

}  // namespace parprims::detail::simt
