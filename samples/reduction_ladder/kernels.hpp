/// @file
/// @brief  A sum, step by step faster: the kernels of the ladder. Each leaves one sum a block, but for step 0.
/// @source  Harris, "Optimizing Parallel Reduction in CUDA"
#pragma once

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#include <cstddef>

namespace reduction_ladder {

namespace simt = parprims::simt;
using simt::branch;

inline constexpr unsigned max_block = 1024;

/// Shared memory of one value a thread: as many as the launch has room for.
template <class T>
struct one_a_thread {
    simt::shared_array<T> values;
};

/// The first thread writes the block's sum, which it has, or which is the first of the block's values.
template <class T>
PARPRIMS_DEVICE inline void leave_sum(simt::block block, T sum, simt::global<T> sums)
{
    if (branch(block.thread() == 0))
        sums[block.index()] = sum;
}
template <class T, class Shared>
PARPRIMS_DEVICE inline void leave_first(simt::block block, Shared& shared, simt::global<T> sums)
{
    if (branch(block.thread() == 0))
        sums[block.index()] = shared.values[0];
}

/// 0. A kernel for each halving, in global memory: the upper half is added to the lower. Nobody writes what another
///    thread reads, for any n: what is read lies in the thread's own place and in the half that is not written.
template <class T>
struct pairwise_kernel {
    static constexpr unsigned max_threads = max_block;
    struct shared_storage {};

    simt::global<const T> in;
    simt::global<T> out;  ///< may be `in`
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t half = (n + 1) / 2;
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (branch(i >= half))
            return;
        T sum = in[i];
        if (branch(i + half < n))
            sum += in[i + half];
        out[i] = sum;
    }
};

/// 1. In shared memory, with the distance growing: the threads that work are every 2nd, every 4th ... of each warp.
template <class T>
struct divergent_kernel {
    static constexpr unsigned max_threads = max_block;
    using shared_storage = one_a_thread<T>;

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const std::size_t i = block.index() * block.threads() + t;
        shared.values[t] = i < n ? static_cast<T>(in[i]) : T{};
        block.sync();
        for (unsigned distance = 1; distance < block.threads(); distance *= 2) {
            if (branch(t % (2 * distance) == 0))
                shared.values[t] += shared.values[t + distance];
            block.sync();
        }
        leave_first(block, shared, sums);
    }
};

/// 2. These additions by the first threads, so that whole warps are done early. Their addresses are 2, 4, 8 ... words
///    apart: in the same banks of shared memory.
template <class T>
struct bank_conflict_kernel {
    static constexpr unsigned max_threads = max_block;
    using shared_storage = one_a_thread<T>;

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const std::size_t i = block.index() * block.threads() + t;
        shared.values[t] = i < n ? static_cast<T>(in[i]) : T{};
        block.sync();
        for (unsigned distance = 1; distance < block.threads(); distance *= 2) {
            const unsigned first = 2 * distance * t;
            if (branch(first < block.threads()))
                shared.values[first] += shared.values[first + distance];
            block.sync();
        }
        leave_first(block, shared, sums);
    }
};

/// From here on: the distance shrinks, and neighbours read neighbours.
template <class Values>
PARPRIMS_DEVICE inline void fold_sequential(simt::block block, Values& values, unsigned down_to)
{
    const unsigned t = block.thread();
    for (unsigned distance = block.threads() / 2; distance > down_to; distance /= 2) {
        if (branch(t < distance))
            values[t] += values[t + distance];
        block.sync();
    }
}

/// 3. Sequential addressing.
template <class T>
struct sequential_kernel {
    static constexpr unsigned max_threads = max_block;
    using shared_storage = one_a_thread<T>;

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const std::size_t i = block.index() * block.threads() + t;
        shared.values[t] = i < n ? static_cast<T>(in[i]) : T{};
        block.sync();
        fold_sequential(block, shared.values, 0);
        leave_first(block, shared, sums);
    }
};

/// From here on, every thread adds two values on the way in: half of the threads were idle from the first addition on.
template <class T>
PARPRIMS_DEVICE inline T load_two(simt::block block, simt::global<const T> in, std::size_t n)
{
    const std::size_t i = block.index() * 2 * block.threads() + block.thread();
    T sum = i < n ? static_cast<T>(in[i]) : T{};
    if (branch(i + block.threads() < n))
        sum += in[i + block.threads()];
    return sum;
}

/// 4. The first addition during the load.
template <class T>
struct first_add_kernel {
    static constexpr unsigned max_threads = max_block;
    using shared_storage = one_a_thread<T>;

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        shared.values[block.thread()] = load_two(block, in, n);
        block.sync();
        fold_sequential(block, shared.values, 0);
        leave_first(block, shared, sums);
    }
};

/// The last 64 values, by one warp, which needs no barrier of the block. It needs its own: lanes do not run in step. Only
/// lanes below the distance add, so that nobody writes what another one still reads.
template <class Values>
PARPRIMS_DEVICE inline void fold_last_warp(simt::block block, Values& values)
{
    const unsigned t = block.thread();
    if (branch(t >= simt::warp_size))
        return;
#pragma unroll
    for (unsigned distance = simt::warp_size; distance > 0; distance /= 2) {
        if (branch(t < distance && t + distance < block.threads()))
            values[t] += values[t + distance];
        simt::sync_warp();
    }
}

/// 5. The last warp unrolled: six barriers fewer.
template <class T>
struct last_warp_kernel {
    static constexpr unsigned max_threads = max_block;
    using shared_storage = one_a_thread<T>;

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        shared.values[block.thread()] = load_two(block, in, n);
        block.sync();
        fold_sequential(block, shared.values, simt::warp_size);
        fold_last_warp(block, shared.values);
        leave_first(block, shared, sums);
    }
};

/// The fold with the number of threads known when it is compiled: no loop and no comparison is left.
template <unsigned Threads, class Values>
PARPRIMS_DEVICE inline void fold_unrolled(simt::block block, Values& values)
{
    const unsigned t = block.thread();
#pragma unroll
    for (unsigned distance = Threads / 2; distance > simt::warp_size; distance /= 2) {
        if (branch(t < distance))
            values[t] += values[t + distance];
        block.sync();
    }
    fold_last_warp(block, values);
}

/// 6. Completely unrolled.
template <unsigned Threads, class T>
struct unrolled_kernel {
    static constexpr unsigned max_threads = Threads;
    struct shared_storage {
        simt::shared_array<T, Threads> values;
    };

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        shared.values[block.thread()] = load_two(block, in, n);
        block.sync();
        fold_unrolled<Threads>(block, shared.values);
        leave_first(block, shared, sums);
    }
};

/// From here on, the grid is as large as the machine, and every thread adds as many values as it takes.
template <class T>
PARPRIMS_DEVICE inline T load_many(simt::block block, simt::global<const T> in, std::size_t n)
{
    T sum{};
    const std::size_t step = block.count() * block.threads();
#pragma unroll 4
    for (std::size_t i = block.index() * block.threads() + block.thread(); i < n; i += step)
        sum += in[i];
    return sum;
}

/// 7. Several additions a thread.
template <unsigned Threads, class T>
struct grid_stride_kernel {
    static constexpr unsigned max_threads = Threads;
    struct shared_storage {
        simt::shared_array<T, Threads> values;
    };

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        shared.values[block.thread()] = load_many(block, in, n);
        block.sync();
        fold_unrolled<Threads>(block, shared.values);
        leave_first(block, shared, sums);
    }
};

/// The sum of the lanes, in lane 0: from register to register.
template <class T>
PARPRIMS_DEVICE inline T fold_warp(T sum)
{
#pragma unroll
    for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
        sum += simt::shuffle_down(sum, distance);
    return sum;
}

/// 8. Warp shuffles: shared memory holds one value a warp, and there is one barrier.
template <unsigned Threads, class T>
struct shuffle_kernel {
    static constexpr unsigned max_threads = Threads;
    static constexpr unsigned warps = Threads / simt::warp_size;
    struct shared_storage {
        simt::shared_array<T, warps> warp_sums;
    };

    simt::global<const T> in;
    simt::global<T> sums;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        T sum = fold_warp(load_many(block, in, n));
        if (branch(block.lane() == 0))
            shared.warp_sums[block.warp()] = sum;
        block.sync();
        if (branch(block.warp() != 0))
            return;
        sum = fold_warp(block.lane() < warps ? static_cast<T>(shared.warp_sums[block.lane()]) : T{});
        leave_sum(block, sum, sums);
    }
};

}  // namespace reduction_ladder
