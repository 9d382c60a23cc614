/// @file
/// @brief  The thread context on a GPU: every function is an intrinsic or one PTX instruction.
#pragma once

#include <parprims/detail/simt/simt.hpp>

#include <type_traits>

namespace parprims::detail::simt {

/// The calling thread's place in its block and in the grid.
struct block {
    __device__ static unsigned thread() { return threadIdx.x; }
    __device__ static unsigned threads() { return blockDim.x; }
    __device__ static unsigned lane() { return threadIdx.x % warp_size; }
    __device__ static unsigned warp() { return threadIdx.x / warp_size; }
    __device__ static unsigned warps() { return blockDim.x / warp_size; }
    __device__ static std::size_t index() { return blockIdx.x; }
    __device__ static std::size_t count() { return gridDim.x; }

    /// Waits for every thread of the block; orders their memory accesses.
    __device__ static void sync() { __syncthreads(); }

    // Blocks of a cluster, of neighbouring numbers, run at the same time (9.0 and later; elsewhere a cluster is a block).
    // A warp's lanes arrive and wait together.
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
    /// Says that this thread is here; what it did before is seen by who has waited.
    __device__ static void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
    /// The same, but nothing of it is seen: who has waited knows that all blocks have started.
    __device__ static void cluster_start() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
    /// Waits for every thread of the cluster to arrive that has not returned. Who has arrived may return instead.
    __device__ static void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

    /// What lies at `shared` of this block's shared memory in that of another block of the cluster, which must not have
    /// returned.
    template <class T>
    __device__ static T* of_block(T* shared, unsigned rank)
    {
        T* there;
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
        return there;
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
};

/// Waits for the lanes of `mask`; orders their memory accesses.
__device__ inline void sync_warp(lane_mask mask = all_lanes)
{
    __syncwarp(mask);
}

/// Bit l is set where lane l of `mask` says yes.
__device__ inline lane_mask ballot(bool yes, lane_mask mask = all_lanes)
{
    return __ballot_sync(mask, yes);
}

/// A value as words of 4 bytes, the last one filled up. Copied as a whole where that is possible: the compiler would take
/// what is copied byte by byte apart into bytes.
template <class T>
struct value_words {
    static constexpr unsigned count = (sizeof(T) + 3) / 4;
    static constexpr bool is_small = sizeof(T) <= 2;
    static constexpr bool is_whole = is_small || sizeof(T) % 4 == 0;
    using small = std::conditional_t<sizeof(T) == 1, unsigned char, unsigned short>;

    unsigned words[count];

    __device__ static value_words of(const T& value)
    {
        if constexpr (is_small) {
            return {__builtin_bit_cast(small, value)};
        } else if constexpr (is_whole) {
            return __builtin_bit_cast(value_words, value);
        } else {
            value_words result = {};
            std::memcpy(result.words, static_cast<const void*>(&value), sizeof(T));
            return result;
        }
    }
    __device__ T value() const
    {
        if constexpr (is_small) {
            return __builtin_bit_cast(T, static_cast<small>(words[0]));
        } else if constexpr (is_whole) {
            return __builtin_bit_cast(T, *this);
        } else {
            uninitialized<T> result;
            std::memcpy(static_cast<void*>(&result), words, sizeof(T));
            return result.value;
        }
    }
};

/// Waits until the kernels before this one in its stream have ended and what they wrote can be seen, where it was launched
/// without waiting for that (9.0 and later).
__device__ inline void wait_for_earlier_kernels()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Writes one value at `shared` in the shared memory of another block of the cluster: less code than through `of_block`.
template <class T>
__device__ inline void store_in_block(T* shared, unsigned rank, const std::type_identity_t<T>& value)
{
#if __CUDA_ARCH__ >= 900
    if constexpr (sizeof(T) % 4 == 0 && alignof(T) % 4 == 0) {
        unsigned there;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(there)
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(rank));
        const auto all = value_words<T>::of(value);
#pragma unroll(value_words<T>::count <= 8 ? value_words<T>::count : 1)
        for (unsigned i = 0; i < value_words<T>::count; ++i)
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there + 4 * i), "r"(all.words[i]) : "memory");
        return;
    }
#endif
    *block::of_block(shared, rank) = value;
}

/// Applies a shuffle of 4 bytes to each 4-byte word of a value.
template <class T, class Shuffle>
__device__ inline T shuffle_words(const T& value, Shuffle shuffle)
{
    constexpr unsigned count = value_words<T>::count;
    value_words<T> all = value_words<T>::of(value);
#pragma unroll(count <= 8 ? count : 1)
    for (unsigned i = 0; i < count; ++i)
        all.words[i] = shuffle(all.words[i]);
    return all.value();
}

/// `value`, cut off from what made it: nothing is fused across. An empty asm would stop the compiler, but not ptxas, which
/// fuses a product and a sum that it finds side by side. No launch has more than one thread in y, but neither knows.
template <class T>
__device__ inline T separated(const T& value)
{
    return shuffle_words(value, [](unsigned word) { return word ^ threadIdx.y; });
}

/// `yes` or `no`, word by word: a choice between two objects would be one between their addresses, out of registers.
template <class T>
__device__ inline T select(bool condition, const T& yes, const T& no)
{
    constexpr unsigned count = value_words<T>::count;
    value_words<T> chosen = value_words<T>::of(yes);
    const value_words<T> other = value_words<T>::of(no);
#pragma unroll(count <= 8 ? count : 1)
    for (unsigned i = 0; i < count; ++i)
        chosen.words[i] = condition ? chosen.words[i] : other.words[i];
    return chosen.value();
}

/// The value of lane `source`.
template <class T>
__device__ inline T shuffle(const T& value, unsigned source, lane_mask mask = all_lanes)
{
    return shuffle_words(value, [=](unsigned word) { return __shfl_sync(mask, word, static_cast<int>(source)); });
}

/// The value of the lane `distance` below; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_up(const T& value, unsigned distance, lane_mask mask = all_lanes)
{
    return shuffle_words(value, [=](unsigned word) { return __shfl_up_sync(mask, word, distance); });
}

/// The value of the lane `distance` above; a lane that has none keeps its own.
template <class T>
__device__ inline T shuffle_down(const T& value, unsigned distance, lane_mask mask = all_lanes)
{
    return shuffle_words(value, [=](unsigned word) { return __shfl_down_sync(mask, word, distance); });
}

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline packet<Bytes> load_streaming(const packet<Bytes>* source)
{
    packet<Bytes> result;
    if constexpr (Bytes == 16) {
        const uint4 words = __ldcs(reinterpret_cast<const uint4*>(source));
        std::memcpy(&result, &words, 16);
    } else if constexpr (Bytes == 8) {
        const uint2 words = __ldcs(reinterpret_cast<const uint2*>(source));
        std::memcpy(&result, &words, 8);
    } else if constexpr (Bytes == 4) {
        const unsigned word = __ldcs(reinterpret_cast<const unsigned*>(source));
        std::memcpy(&result, &word, 4);
    } else {
        result = *source;
    }
    return result;
}

/// Writes global memory that will not be read again soon.
template <unsigned Bytes>
__device__ inline void store_streaming(packet<Bytes>* target, const packet<Bytes>& value)
{
    if constexpr (Bytes == 16) {
        uint4 words;
        std::memcpy(&words, &value, 16);
        __stcs(reinterpret_cast<uint4*>(target), words);
    } else {
        *target = value;
    }
}

/// An element of an array in global or shared memory, and its number.
template <class T>
using reference = T&;
using index = std::size_t;

/// Reads one value of global or shared memory, or element `i` there.
template <class T>
__device__ inline T load(const T* source, index i = 0)
{
    return source[i];
}
template <class T>
__device__ inline T load(const uninitialized<T>* source, index i = 0)
{
    return source[i].value;
}

/// Writes one value of global or shared memory, or element `i` there.
template <class T>
__device__ inline void store(T* target, const std::type_identity_t<T>& value)
{
    *target = value;
}
template <class T>
__device__ inline void store(T* target, index i, const std::type_identity_t<T>& value)
{
    target[i] = value;
}
template <class T>
__device__ inline void store(uninitialized<T>* target, const std::type_identity_t<T>& value)
{
    target->value = value;
}
template <class T>
__device__ inline void store(uninitialized<T>* target, index i, const std::type_identity_t<T>& value)
{
    target[i].value = value;
}

/// A condition that the lanes of a warp may answer differently: `if (simt::branch(i < n))`.
__device__ inline bool branch(bool condition)
{
    return condition;
}

/// Element `i`, to be read or written.
template <class T>
__device__ inline reference<T> at(T* data, index i)
{
    return data[i];
}
template <class T>
__device__ inline reference<T> at(uninitialized<T>* data, index i)
{
    return data[i].value;
}
template <class T>
__device__ inline reference<const T> at(const uninitialized<T>* data, index i)
{
    return data[i].value;
}
__device__ inline index check_index(index i, std::size_t)
{
    return i;
}
__device__ inline std::size_t position(index i)
{
    return i;
}

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

/// A 32-bit or 64-bit word read as one, device-wide.
template <class Word>
__device__ inline Word atomic_load(const Word* word)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    Word value;
    if constexpr (sizeof(Word) == 8)
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

/// A 32-bit or 64-bit word written as one, device-wide.
template <class Word>
__device__ inline void atomic_store(Word* word, Word value)
{
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    if constexpr (sizeof(Word) == 8)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
    else
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Adds to a number in global or shared memory and returns what was there. Device-wide for global memory.
template <class T>
__device__ inline T atomic_add(T* number, std::type_identity_t<T> value)
{
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        return static_cast<T>(
            atomicAdd(reinterpret_cast<unsigned long long*>(number), static_cast<unsigned long long>(value)));
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(atomicAdd(reinterpret_cast<unsigned*>(number), static_cast<unsigned>(value)));
    else
        return atomicAdd(number, value);
}

/// Adds one to element `i` of counters in shared memory, in the lanes where `holds`: no branch around it.
__device__ inline void atomic_increment_if(bool holds, std::uint32_t* counters, std::uint32_t i)
{
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(counters)) + 4 * i;
    asm volatile(
        "{\n\t.reg .pred holds;\n\t"
        "setp.ne.u32 holds, %0, 0;\n\t"
        "@holds red.relaxed.cta.shared.add.u32 [%1], 1;\n\t}"
        :
        : "r"(static_cast<unsigned>(holds)), "r"(address)
        : "memory");
}

/// Adds to a number in global memory and returns what was there. Acquires and releases, device-wide.
__device__ inline unsigned atomic_add_acq_rel(unsigned* number, unsigned value)
{
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(number), "r"(value) : "memory");
    return before;
}

/// Counts up from 0 to `limit` and starts again at 0; returns what was there. Acquires and releases, device-wide, or is
/// relaxed: nothing waits for it but what needs the number.
template <order Order = order::acq_rel>
__device__ inline unsigned atomic_increment_wrapping(unsigned* number, unsigned limit)
{
    static_assert(Order == order::acq_rel || Order == order::relaxed);
    unsigned before;
    if constexpr (Order == order::relaxed)
        asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(number), "r"(limit)
                     : "memory");
    else
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(number), "r"(limit)
                     : "memory");
    return before;
}

/// Writes a word, as one, that the host polls in page-locked memory.
__device__ inline void announce(std::uint64_t* word, std::uint64_t value)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

/// Where a thread waits for another block: gives way for a moment.
__device__ inline void pause() {}

}  // namespace parprims::detail::simt
