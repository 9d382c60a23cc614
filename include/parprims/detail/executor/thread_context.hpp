/// @file
/// @brief  The thread context on a CPU, the counterpart of cuda.hpp: indices, barriers, shuffles. Included by executor.hpp.
///
/// A mask may have 32 or 64 bits, for GPUs with warps of 64 lanes.
#pragma once

#include <parprims/detail/executor/memory.hpp>
#include <parprims/detail/executor/runtime.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::simt {

/// The calling thread's indices in its block and in the grid.
struct block {
    block() : blocks_(executor::self().blocks) {}
    /// Where only the first `blocks` blocks of the grid take part.
    explicit block(unsigned blocks) : blocks_(blocks) {}

    static unsigned thread() { return executor::self().thread; }
    static unsigned threads() { return executor::self().threads; }
    static unsigned lane() { return executor::self().lane; }
    static unsigned warp() { return executor::self().warp; }
    static unsigned warps() { return executor::self().warps; }
    static std::size_t index() { return executor::self().block; }
    std::size_t count() const { return blocks_; }

    /// Waits for every thread of the block; orders their memory accesses.
    static void sync(executor::site where = executor::here()) { executor::sync_block(where); }

    static unsigned cluster_blocks() { return executor::self().cluster_blocks; }
    static unsigned cluster_rank() { return static_cast<unsigned>(index() % cluster_blocks()); }
    /// Arrives at the barrier of the cluster. Release: threads that wait for it see the earlier accesses of this thread.
    static void cluster_arrive(executor::site where = executor::here()) { executor::arrive_in_cluster(where); }
    /// Arrives at the barrier of the cluster. Relaxed: threads that wait for it know only that all blocks have started.
    static void cluster_start(executor::site where = executor::here()) { executor::arrive_in_cluster(where, false); }
    /// Waits until every thread of the cluster has arrived or returned. A thread that has arrived may return without waiting.
    static void cluster_wait(executor::site where = executor::here()) { executor::wait_for_cluster(where); }

    /// The address in the shared memory of block `rank` of the cluster that corresponds to `shared`. That block must not have
    /// returned.
    template <class T>
    static T* of_block(T* shared, unsigned rank, executor::site where = executor::here())
    {
        return static_cast<T*>(executor::shared_of_block(shared, rank, where));
    }

private:
    std::size_t blocks_;
};

/// The executor runs one kernel after the other.
inline void let_next_kernel_start() {}

/// Waits for the lanes of `mask`; orders their memory accesses.
template <class Mask = lane_mask>
inline void sync_warp(Mask mask = static_cast<Mask>(~Mask{0}), executor::site where = executor::here())
{
    executor::collect(executor::collective::sync, mask, where);
}

/// Bit l is set if lane l of `mask` passes true.
template <class Mask = lane_mask>
inline Mask ballot(bool yes, Mask mask = static_cast<Mask>(~Mask{0}), executor::site where = executor::here())
{
    return static_cast<Mask>(executor::collect(executor::collective::ballot, mask, where, yes ? 1 : 0));
}

/// The number of bits that are set.
inline unsigned count_lanes(lane_mask lanes)
{
    return static_cast<unsigned>(std::popcount(lanes));
}

/// The highest bit that is set; there is one.
inline unsigned highest_lane(lane_mask lanes)
{
    return static_cast<unsigned>(std::bit_width(lanes)) - 1;
}

namespace executor {

/// Shuffles of any kind. They order no memory accesses.
template <class T>
inline T exchange(collective what, const T& value, unsigned operand, std::uint64_t mask, site where)
{
    static_assert(std::is_trivially_copyable_v<T>);
    uninitialized<T> result;
    executor::collect(what, mask, where, operand, __builtin_addressof(value), __builtin_addressof(result), sizeof(T));
    return result.value;
}

}  // namespace executor

/// `shared`. Under nvcc it stays in a register.
template <class T>
inline T* kept_address(T* shared)
{
    return shared;
}

/// `value`. Under nvcc this prevents contraction; with the executor, programs are compiled without contraction.
template <class T>
inline T separated(const T& value)
{
    return value;
}

/// `yes` or `no`.
template <class T>
inline T select(bool condition, const T& yes, const T& no)
{
    return condition ? yes : no;
}

/// The value of lane `source`.
template <class T, class Mask = lane_mask>
inline T shuffle(const T& value, unsigned source, Mask mask = static_cast<Mask>(~Mask{0}),
                 executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle, value, source, mask, where);
}

/// The value of the lane `distance` below; a lane that has none keeps its own.
template <class T, class Mask = lane_mask>
inline T shuffle_up(const T& value, unsigned distance, Mask mask = static_cast<Mask>(~Mask{0}),
                    executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle_up, value, distance, mask, where);
}

/// The value of the lane `distance` above; a lane that has none keeps its own.
template <class T, class Mask = lane_mask>
inline T shuffle_down(const T& value, unsigned distance, Mask mask = static_cast<Mask>(~Mask{0}),
                      executor::site where = executor::here())
{
    return executor::exchange(executor::collective::shuffle_down, value, distance, mask, where);
}

/// The sum of the values of all lanes.
inline unsigned sum_lanes(unsigned value, executor::site where = executor::here())
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value += simt::shuffle(value, block::lane() ^ distance, all_lanes, where);
    return value;
}

/// The bits that any lane has.
inline unsigned or_lanes(unsigned value, executor::site where = executor::here())
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2)
        value |= simt::shuffle(value, block::lane() ^ distance, all_lanes, where);
    return value;
}

/// The least of the values of all lanes.
inline unsigned min_lanes(unsigned value, executor::site where = executor::here())
{
    for (unsigned distance = 1; distance < warp_size; distance *= 2) {
        const unsigned other = simt::shuffle(value, block::lane() ^ distance, all_lanes, where);
        value = other < value ? other : value;
    }
    return value;
}

/// Reads global memory that will not be read again soon.
template <unsigned Bytes>
inline packet<Bytes> load_streaming(const packet<Bytes>* source, executor::site where = executor::here())
{
    return simt::load(source, where);
}

/// Prefetches global memory into the L2 cache. Does not wait.
inline void prefetch(const void*) {}

/// Writes global memory that will not be read again soon.
template <unsigned Bytes>
inline void store_streaming(packet<Bytes>* target, const packet<Bytes>& value, executor::site where = executor::here())
{
    simt::store(target, value, where);
}

}  // namespace parprims::detail::simt
