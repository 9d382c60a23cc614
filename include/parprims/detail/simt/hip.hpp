/// @file
/// @brief  The thread context and atomic operations on an AMD GPU, compiled by clang as HIP. A warp has 32 lanes: a wavefront of 64 is two warps.
///
/// Compiled for gfx90a and gfx1030 (tests/hip), never run: see docs/amd.md.
#pragma once

#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/simt/words.hpp>

#include <hip/hip_runtime.h>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

    // There are no clusters of blocks: a cluster is a block.
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

private:
    unsigned blocks_;
};

/// Waits for the lanes of a warp; orders their memory accesses. A wavefront runs in step, so only the compiler must not reorder.
__device__ inline void sync_warp(lane_mask = all_lanes)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

/// Bit l is set if lane l of `mask` passes true. Of a wavefront of 64, the half that is the warp.
__device__ inline lane_mask ballot(bool yes, lane_mask mask = all_lanes)
{
    const std::uint64_t votes = __ballot(yes);
    return static_cast<lane_mask>(votes >> (__lane_id() & ~(warp_size - 1))) & mask;
}

/// HIP starts no kernel before the one in front of it has ended.
__device__ inline void let_next_kernel_start() {}

/// The number of bits that are set.
__device__ inline unsigned count_lanes(lane_mask lanes)
{
    return static_cast<unsigned>(__builtin_popcount(lanes));
}

/// The highest bit that is set; there is one.
__device__ inline unsigned highest_lane(lane_mask lanes)
{
    return static_cast<unsigned>(31 - __builtin_clz(lanes));
}

/// The word of the lane whose number differs from this lane's in the bits of `bits`, which are less than 32.
__device__ inline unsigned shuffle_xor(unsigned word, unsigned bits)
{
    return static_cast<unsigned>(__shfl_xor(static_cast<int>(word), static_cast<int>(bits), warp_size));
}

/// The sum of the values of all lanes.
__device__ inline unsigned sum_lanes(unsigned value)
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value += simt::shuffle_xor(value, distance);
    return value;
}

/// The bits that any lane has.
__device__ inline unsigned or_lanes(unsigned value)
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value |= simt::shuffle_xor(value, distance);
    return value;
}

/// The least of the values of all lanes.
__device__ inline unsigned min_lanes(unsigned value)
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2) {
        const unsigned other = simt::shuffle_xor(value, distance);
        value = other < value ? other : value;
    }
    return value;
}

/// The value of lane `source`.
template <class T>
__device__ inline T shuffle(const T& value, unsigned source, lane_mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) {
        return static_cast<unsigned>(__shfl(static_cast<int>(word), static_cast<int>(source), warp_size));
    });
}

/// The value of the lane `distance` below; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_up(const T& value, unsigned distance, lane_mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) {
        return static_cast<unsigned>(__shfl_up(static_cast<int>(word), distance, warp_size));
    });
}

/// The value of the lane `distance` above; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_down(const T& value, unsigned distance, lane_mask = all_lanes)
{
    return simt::shuffle_words(value, [=](unsigned word) {
        return static_cast<unsigned>(__shfl_down(static_cast<int>(word), distance, warp_size));
    });
}

/// `value`, whose computation is not fused with its use: it passes through vector registers.
template <class T>
__device__ inline T separated(const T& value)
{
    return simt::shuffle_words(value, [](unsigned word) {
        asm volatile("" : "+v"(word));
        return word;
    });
}

/// On a GPU of NVIDIA, a pointer into shared memory that stays in a register.
template <class T>
__device__ inline T* kept_address(T* shared)
{
    return shared;
}

/// Of `Bytes`, 4 at least: vectors are loaded and stored in one instruction, arrays of words in several.
template <unsigned Bytes>
using vector_of_words __attribute__((ext_vector_type(Bytes / 4))) = std::uint32_t;

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_streaming(const packet<Bytes>* source)
{
    if constexpr (Bytes < 4) {
        return *source;
    } else {
        using words = vector_of_words<Bytes>;
        return __builtin_bit_cast(packet<Bytes>, __builtin_nontemporal_load(reinterpret_cast<const words*>(source)));
    }
}

/// Writes global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline void store_streaming(packet<Bytes>* target, const packet<Bytes>& value)
{
    if constexpr (Bytes < 4) {
        detail::replace(*target, value);
    } else {
        using words = vector_of_words<Bytes>;
        __builtin_nontemporal_store(__builtin_bit_cast(words, value), reinterpret_cast<words*>(target));
    }
}

// There is no prefetch, and no copy from global to shared memory that goes around the registers: a copy is done at once.

__device__ inline void prefetch(const void*) {}
__device__ inline void prefetch(const volatile void*, std::size_t) {}

template <unsigned Bytes>
__device__ inline void copy_async(packet<Bytes>* shared, const packet<Bytes>* global, unsigned = 0, unsigned = Bytes)
{
    *shared = *global;
}
__device__ inline void commit_copies() {}
template <unsigned Pending>
__device__ inline void wait_copies()
{
}

// What needs compute capability 9.0 on a GPU of NVIDIA.

inline constexpr bool has_add_words = false;
__device__ inline void expose_words() {}
__device__ inline void add_words(std::uint32_t*, const std::uint32_t*, unsigned) {}
__device__ inline void wait_added() {}

__device__ inline void open_inbox(std::uint64_t*) {}
__device__ inline void expect_sent(std::uint64_t*, unsigned) {}
template <unsigned Bytes>
__device__ inline void send(packet<Bytes>*, unsigned, const packet<Bytes>&, std::uint64_t*)
{
}
__device__ inline void wait_inbox(std::uint64_t*) {}

/// Reads a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline Word atomic_load(const Word* word)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    return __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Writes a 32-bit or 64-bit word in one access. Relaxed, device-wide.
template <class Word>
__device__ inline void atomic_store(Word* word, Word value)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Adds to a number in global or shared memory and returns the old value. Relaxed; device-wide for global memory.
template <class T>
__device__ inline T atomic_add(T* number, std::type_identity_t<T> value)
{
    return __hip_atomic_fetch_add(number, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Sets the bits of `value` in a word in global or shared memory. Relaxed; device-wide for global memory.
__device__ inline void atomic_or(std::uint32_t* word, std::uint32_t value)
{
    __hip_atomic_fetch_or(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Writes `value` to a word in global memory if that is `expected`, and returns the old word. Relaxed, device-wide.
__device__ inline std::uint64_t atomic_replace(std::uint64_t* word, std::uint64_t expected, std::uint64_t value)
{
    __hip_atomic_compare_exchange_strong(word, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
}

/// Adds to a number in global memory and returns the old value. Acquire and release, device-wide.
__device__ inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value)
{
    return __hip_atomic_fetch_add(number, value, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
}

/// Increments a number in global memory, from `limit` to 0, and returns the old value. Device-wide: acquire and release, or
/// relaxed.
template <order Order = order::acq_rel>
__device__ inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit)
{
    if constexpr (Order == order::relaxed)
        return __builtin_amdgcn_atomic_inc32(number, limit, __ATOMIC_RELAXED, "agent");
    else
        return __builtin_amdgcn_atomic_inc32(number, limit, __ATOMIC_ACQ_REL, "agent");
}

/// Writes a word in page-locked memory that the host polls, in one access.
__device__ inline void announce(std::uint64_t* word, std::uint64_t value)
{
    __hip_atomic_store(word, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

/// Called in a loop that waits for another block: leaves the cycles to other wavefronts.
__device__ inline void pause()
{
    __builtin_amdgcn_s_sleep(1);
}

}  // namespace parprims::detail::simt
