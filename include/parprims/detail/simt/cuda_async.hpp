/// @file
/// @brief  Asynchronous copies, additions and messages on a GPU.
#pragma once

#include <parprims/detail/simt/simt.hpp>

namespace parprims::detail::simt {

/// Starts a copy of `Bytes` (4, 8 or 16, aligned) from global to shared memory; see `commit_copies`. Only bytes [first, last)
/// are used. A GPU copies the other bytes too, which other threads may be writing; the executor does not touch them.
template <unsigned Bytes>
__device__ inline void copy_async(packet<Bytes>* shared, const packet<Bytes>* global,
                                  [[maybe_unused]] unsigned first = 0, [[maybe_unused]] unsigned last = Bytes)
{
#if __CUDA_ARCH__ >= 800
    const unsigned to = simt::shared_address(shared);
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

/// Waits until at most `Pending` of this thread's newest groups are pending. Other threads also need a barrier.
template <unsigned Pending>
__device__ inline void wait_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

/// Asks for an array in global memory to be brought to the L2 cache, from compute capability 9.0 on; all of it by one thread. What
/// is less than a packet of 16 bytes at its ends is left out.
__device__ inline void prefetch([[maybe_unused]] const volatile void* global, [[maybe_unused]] std::size_t bytes)
{
#if __CUDA_ARCH__ >= 900
    const auto begin = reinterpret_cast<std::uintptr_t>(global);
    const std::uintptr_t first = (begin + 15) / 16 * 16;
    const std::uintptr_t last = (begin + bytes) / 16 * 16;
    if (first < last)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first), "r"(static_cast<unsigned>(last - first))
                     : "memory");
#endif
}

/// Whether `add_words` is available: from compute capability 9.0 on.
#if __CUDA_ARCH__ >= 900
inline constexpr bool has_add_words = true;
#else
inline constexpr bool has_add_words = false;
#endif

/// Makes this thread's writes to shared memory visible to `add_words`. Call it before the barrier that precedes `add_words`.
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
                 "r"(simt::shared_address(shared)), "r"(4 * count)
                 : "memory");
#endif
}

/// Waits until all `add_words` of this thread are done.
__device__ inline void wait_added()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

// Messages between the blocks of a cluster. The inbox, an mbarrier in the receiver's shared memory, counts the bytes that
// arrive (9.0 and later; elsewhere a cluster is a block).

/// Initialises the inbox of a block, by one of its threads, before `cluster_start`. After `cluster_wait` others may `send`.
__device__ inline void open_inbox([[maybe_unused]] std::uint64_t* inbox)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
        "fence.mbarrier_init.release.cluster;" ::"r"(simt::shared_address(inbox))
        : "memory");
#endif
}

/// Sets how many bytes the block will receive, by one of its threads, after all blocks have started. Some bytes may have
/// arrived before.
/// `open_inbox` could set it too, but compute-sanitizer reports the two as a race.
__device__ inline void expect_sent([[maybe_unused]] std::uint64_t* inbox, [[maybe_unused]] unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(simt::shared_address(inbox)), "r"(bytes)
                 : "memory");
#endif
}

/// Starts to write 8 or 16 bytes at `shared` in the shared memory of another block of the cluster, which has started and has
/// an inbox at `inbox`.
template <unsigned Bytes>
__device__ inline void send([[maybe_unused]] packet<Bytes>* shared, [[maybe_unused]] unsigned rank,
                            [[maybe_unused]] const packet<Bytes>& value, [[maybe_unused]] std::uint64_t* inbox)
{
    static_assert(Bytes == 8 || Bytes == 16);
#if __CUDA_ARCH__ >= 900
    unsigned remote;
    unsigned counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(simt::shared_address(shared)), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counter) : "r"(simt::shared_address(inbox)), "r"(rank));
    if constexpr (Bytes == 16)
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(remote),
            "r"(value.words[0]), "r"(value.words[1]), "r"(value.words[2]), "r"(value.words[3]), "r"(counter)
            : "memory");
    else
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(remote),
                     "r"(value.words[0]), "r"(value.words[1]), "r"(counter)
                     : "memory");
#endif
}

/// Waits until this block has received all expected bytes. Another thread may call `expect_sent`.
__device__ inline void wait_inbox([[maybe_unused]] std::uint64_t* inbox)
{
#if __CUDA_ARCH__ >= 900
    for (unsigned is_full = 0; is_full == 0;)
        asm volatile(
            "{\n\t.reg .pred is_full;\n\t"
            "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 is_full, [%1], 0;\n\t"
            "selp.u32 %0, 1, 0, is_full;\n\t}"
            : "=r"(is_full)
            : "r"(simt::shared_address(inbox))
            : "memory");
#endif
}

}  // namespace parprims::detail::simt
