/// @file
/// @brief  On a GPU: what moves or adds memory while its thread goes on.
#pragma once

#include <parprims/detail/simt/simt.hpp>

namespace parprims::detail::simt {

/// Starts a copy of `Bytes` (4, 8 or 16, aligned) from global to shared memory; see `commit_copies`.
template <unsigned Bytes>
__device__ inline void copy_async(packet<Bytes>* shared, const packet<Bytes>* global)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(Bytes) : "memory");
#else
    *shared = *global;
#endif
}

/// Ends a group of this thread's copies.
__device__ inline void commit_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most `Pending` of this thread's newest groups are still under way. Other threads need a barrier too.
template <unsigned Pending>
__device__ inline void wait_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Whether there is `add_words`: from compute capability 9.0 on.
#if __CUDA_ARCH__ >= 900
inline constexpr bool has_add_words = true;
#else
inline constexpr bool has_add_words = false;
#endif

/// Before the barrier after which another thread calls `add_words`: what this thread has written to shared memory is
/// there to be added.
__device__ inline void expose_words()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Starts to add `count` words of shared memory, a multiple of 4, to words of global memory, each atomically, device-wide.
/// Both begin at multiples of 16 bytes. See `wait_added`.
__device__ inline void add_words([[maybe_unused]] std::uint32_t* global, [[maybe_unused]] const std::uint32_t* shared,
                                 [[maybe_unused]] unsigned count)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(global),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(4 * count)
                 : "memory");
#endif
}

/// Waits until what this thread has asked `add_words` for is done.
__device__ inline void wait_added()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

}  // namespace parprims::detail::simt
