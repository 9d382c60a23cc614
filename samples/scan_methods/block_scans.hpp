/// @file
/// @brief  Four ways for a block to scan one value a thread. Each gives every thread the sum of the values up to its own.
/// @source  Hillis and Steele, "Data Parallel Algorithms"; Blelloch, "Prefix Sums and Their Applications"
#pragma once

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace scan_methods {

namespace simt = parprims::simt;
using simt::branch;

#if defined(PARPRIMS_SIMT_EXECUTOR)
/// What a method did: its work, and its steps, one after the other, as the first thread of all sees them.
struct effort {
    std::uint64_t additions = 0;
    std::uint64_t steps = 0;
};
inline effort spent;

/// All threads count on one thread of the CPU, which TSan cannot know.
__attribute__((no_sanitize("thread"))) inline void count(std::uint64_t& number)
{
    ++number;
}
#endif

/// a + b, counted in the executor.
template <class T>
PARPRIMS_DEVICE inline T add(T a, T b)
{
#if defined(PARPRIMS_SIMT_EXECUTOR)
    count(spent.additions);
#endif
    return a + b;
}

/// Says that additions which do not wait for each other begin. Counted in the executor.
PARPRIMS_DEVICE inline void begin_step([[maybe_unused]] simt::block block)
{
#if defined(PARPRIMS_SIMT_EXECUTOR)
    if (block.index() == 0 && block.thread() == 0)
        count(spent.steps);
#endif
}

/// Hillis-Steele with one buffer. Each step needs two barriers: one before anybody writes what others still read.
template <class T>
struct hillis_steele_one_buffer {
    struct shared_storage {
        simt::shared_array<T> values;  // one a thread
    };
    static constexpr std::size_t shared_bytes(unsigned threads) { return threads * sizeof(T); }

    PARPRIMS_DEVICE static T scan(simt::block block, shared_storage& shared, T sum)
    {
        const unsigned t = block.thread();
        shared.values[t] = sum;
        block.sync();
        for (unsigned distance = 1; distance < block.threads(); distance *= 2) {
            begin_step(block);
            if (branch(t >= distance))
                sum = add<T>(shared.values[t - distance], sum);
            block.sync();  // all have read
            shared.values[t] = sum;
            block.sync();  // all have written
        }
        return sum;
    }
};

/// Hillis-Steele with two buffers: from one to the other and back, so that one barrier a step is enough.
template <class T>
struct hillis_steele_two_buffers {
    struct shared_storage {
        simt::shared_array<T> values;  // two a thread
    };
    static constexpr std::size_t shared_bytes(unsigned threads) { return 2 * threads * sizeof(T); }

    PARPRIMS_DEVICE static T scan(simt::block block, shared_storage& shared, T sum)
    {
        const unsigned t = block.thread();
        unsigned from = 0, to = block.threads();
        shared.values[from + t] = sum;
        block.sync();
        for (unsigned distance = 1; distance < block.threads(); distance *= 2) {
            begin_step(block);
            if (branch(t >= distance))
                sum = add<T>(shared.values[from + t - distance], sum);
            shared.values[to + t] = sum;
            block.sync();
            const unsigned last = from;
            from = to;
            to = last;
        }
        return sum;
    }
};

/// Blelloch: sums up a tree, then prefixes down it. Twice the steps of Hillis-Steele, and far fewer additions.
template <class T>
struct blelloch {
    struct shared_storage {
        simt::shared_array<T> values;  // one a thread
    };
    static constexpr std::size_t shared_bytes(unsigned threads) { return threads * sizeof(T); }

    PARPRIMS_DEVICE static T scan(simt::block block, shared_storage& shared, T mine)
    {
        const unsigned t = block.thread(), threads = block.threads();
        shared.values[t] = mine;
        block.sync();
        // 1. Up: node `right` gets the sum of what is below it.
        for (unsigned distance = 1; distance < threads; distance *= 2) {
            begin_step(block);
            const unsigned right = (t + 1) * 2 * distance - 1;
            if (branch(right < threads))
                shared.values[right] = add<T>(shared.values[right - distance], shared.values[right]);
            block.sync();
        }
        // 2. Nothing comes before the root.
        if (branch(t == 0))
            shared.values[threads - 1] = T{};
        block.sync();
        // 3. Down: the left child gets its parent's prefix, the right one that and the left child's sum.
        for (unsigned distance = threads / 2; distance > 0; distance /= 2) {
            begin_step(block);
            const unsigned right = (t + 1) * 2 * distance - 1;
            if (branch(right < threads)) {
                const T left_sum = shared.values[right - distance];
                const T prefix = shared.values[right];
                shared.values[right - distance] = prefix;
                shared.values[right] = add(prefix, left_sum);
            }
            block.sync();
        }
        begin_step(block);
        return add<T>(shared.values[t], mine);
    }
};

/// Hillis-Steele among the lanes of a warp, by shuffles; the warps' sums the same way. Two barriers in all.
template <class T>
struct shuffles {
    struct shared_storage {
        simt::shared_array<T, 32> warp_sums;
    };
    static constexpr std::size_t shared_bytes(unsigned) { return sizeof(shared_storage); }

    PARPRIMS_DEVICE static T scan_warp(simt::block block, T sum)
    {
#pragma unroll
        for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
            begin_step(block);
            const T before = simt::shuffle_up(sum, distance);
            if (branch(block.lane() >= distance))
                sum = add(before, sum);
        }
        return sum;
    }

    PARPRIMS_DEVICE static T scan(simt::block block, shared_storage& shared, T sum)
    {
        const unsigned lane = block.lane(), warp = block.warp();
        // 1. Each warp by itself.
        sum = scan_warp(block, sum);
        if (branch(lane == simt::warp_size - 1))
            shared.warp_sums[warp] = sum;
        block.sync();
        // 2. The first warp scans the sums of all.
        if (branch(warp == 0))
            shared.warp_sums[lane] =
                scan_warp(block, lane < block.warps() ? static_cast<T>(shared.warp_sums[lane]) : T{});
        block.sync();
        // 3. What comes before the warp.
        begin_step(block);
        if (branch(warp > 0))
            sum = add<T>(shared.warp_sums[warp - 1], sum);
        return sum;
    }
};

}  // namespace scan_methods
