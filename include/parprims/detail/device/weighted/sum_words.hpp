/// @file
/// @brief  The words of a sum in shared and in device memory, and the sums that a lane keeps in registers before it adds them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Sums in memory, as planes: word w of the sum of all counters, then word w + 1. A sum has `Words` words of 32 bits in shared
/// memory. In device memory it has `global_words` of 64 bits, so that blocks add theirs without a carry: the sum itself; or the
/// sums of the lowest 32 bits and of all others. Of sums of 128 bits the lower half carries.
template <unsigned Words>
struct words_of_sum {
    using integer = std::conditional_t<(Words > 2), numeric::uint128, std::uint64_t>;
    static constexpr unsigned shared_words = Words;
    static constexpr unsigned global_words = Words > 2 ? 2 : 1;

    /// Adds to one sum in shared memory. A word that wraps carries into the next one.
    PARPRIMS_DEVICE static void add_shared(std::uint32_t* first, std::uint32_t plane, integer value)
    {
        std::uint32_t carry = 0;
#pragma unroll
        for (unsigned w = 0; w < shared_words; ++w) {
            const std::uint32_t word = static_cast<std::uint32_t>(value >> 32 * w) + carry;
            carry = word < carry ? 1 : 0;
            if (w + 1 < shared_words) {
                const std::uint32_t before = simt::atomic_add(first + w * plane, word);
                carry += before + word < word ? 1 : 0;
            } else if (word != 0) {
                simt::atomic_add(first + w * plane, word);
            }
        }
    }

    /// A sum in shared memory, as that of its replicas, which begins with copy `start`.
    PARPRIMS_DEVICE static integer load_shared(const std::uint32_t* first, std::uint32_t plane, unsigned replicas,
                                               unsigned start)
    {
        integer sum = 0;
        for (unsigned c = 0; c < replicas; ++c) {
            const std::uint32_t* const copy = first + ((start + c) & (replicas - 1));
            integer value = 0;
#pragma unroll
            for (unsigned w = shared_words; w-- > 0;) {
                const std::uint32_t word = simt::load(copy, w * plane);
                if (w + 1 == shared_words && shared_words > 1)
                    value = static_cast<integer>(static_cast<std::int32_t>(word));
                else
                    value = value << 32 | word;
            }
            sum += value;
        }
        return sum;
    }

    /// Adds to one sum in device memory. `may_wrap`: more than 2^32 values are added, so that the sum of the lowest 32 bits may
    /// pass 2^64.
    PARPRIMS_DEVICE static void add_global(std::uint64_t* first, std::size_t plane, integer value, bool may_wrap)
    {
        if constexpr (global_words == 1) {
            simt::atomic_add(first, static_cast<std::uint64_t>(value));
        } else if constexpr (shared_words == 4) {
            const auto low = static_cast<std::uint64_t>(value);
            const std::uint64_t carry = simt::atomic_add(first, low) + low < low ? 1 : 0;
            simt::atomic_add(first + plane, static_cast<std::uint64_t>(value >> 64) + carry);
        } else {
            const std::uint64_t low = static_cast<std::uint32_t>(value);
            auto high = static_cast<std::uint64_t>(value >> 32);
            if (!may_wrap)
                simt::atomic_add(first, low);
            else if (simt::atomic_add(first, low) + low < low)
                high += std::uint64_t{1} << 32;
            simt::atomic_add(first + plane, high);
        }
    }

    /// A sum in device memory.
    PARPRIMS_DEVICE static numeric::int128 load_global(const std::uint64_t* first, std::size_t plane)
    {
        const std::uint64_t low = simt::load(first);
        if constexpr (global_words == 1) {
            return static_cast<std::int64_t>(low);
        } else {
            constexpr int below = shared_words == 4 ? 64 : 32;  // bits
            const auto high = static_cast<std::int64_t>(simt::load(first, plane));
            return numeric::int128{high} * (numeric::int128{1} << below) + low;
        }
    }
};

template <class W>
using sum_words = words_of_sum<weight_traits<W>::scale::words>;

/// The sums of a bin, one after the other, of `Words` words each.
template <unsigned... Words>
struct words_of_bin {
    static constexpr unsigned shared_words = (Words + ...);
    static constexpr unsigned global_words = (words_of_sum<Words>::global_words + ...);

    /// Calls `use(v, words_of_sum, shared, global)` for sum v, which comes after `shared` words of a bin in shared memory, and
    /// after `global` in device memory.
    template <class Use>
    PARPRIMS_DEVICE static void for_each_sum(Use use)
    {
        unsigned v = 0, shared = 0, global = 0;
        ((use(v, words_of_sum<Words>{}, shared, global), ++v, shared += Words,
          global += words_of_sum<Words>::global_words),
         ...);
    }

    /// Adds to the sums of a bin in shared memory.
    template <class Integer, std::size_t Values, class Spill>
    PARPRIMS_DEVICE static void add_shared(std::uint32_t* first, std::uint32_t plane, const Integer (&values)[Values],
                                           Spill)
    {
        for_each_sum([&](unsigned v, auto sum, unsigned before, unsigned) {
            sum.add_shared(first + before * plane, plane, static_cast<typename decltype(sum)::integer>(values[v]));
        });
    }

    /// Calls `use(words_of_sum, value, global)` for the sums of a bin in shared memory.
    template <class Use>
    PARPRIMS_DEVICE static void load_shared(const std::uint32_t* first, std::uint32_t plane, unsigned replicas,
                                            unsigned start, Use use)
    {
        for_each_sum([&](unsigned, auto sum, unsigned before, unsigned before_in_memory) {
            use(sum, sum.load_shared(first + before * plane, plane, replicas, start), before_in_memory);
        });
    }
};

/// Two sums of two words whose high words share one in shared memory: h1 * 2^16 + h0, each of 16 bits with a sign. What passes the
/// ends of a half goes to the sums in device memory, by `spill(high0, high1)` in multiples of 2^32. Of n multiples of at most
/// 2^62 / n few do: those above 2^46, and one in 2^48 / average of the others.
struct paired_words : words_of_bin<2, 2> {
    static constexpr unsigned shared_words = 3;

    template <class Spill>
    PARPRIMS_DEVICE static void add_shared(std::uint32_t* first, std::uint32_t plane, const std::uint64_t (&values)[2],
                                           Spill spill)
    {
        const std::int32_t high0 = add_low(first, values[0]);
        const std::int32_t high1 = add_low(first + plane, values[1]);
        constexpr std::int32_t most = 0x4000;
        if ((((high0 + most) | (high1 + most)) & (-2 * most)) != 0) {
            spill(high0, high1);
            return;
        }
        const auto added = static_cast<std::uint32_t>(high1 * 0x10000 + high0);
        const std::uint32_t before = simt::atomic_add(first + 2 * plane, added);
        const std::uint32_t after = before + added;
        const std::uint32_t wrapped = (before ^ after) & (added ^ after) & 0x80008000u;  // the signs of both halves
        if (wrapped == 0)
            return;
        const std::int32_t carry0 = (wrapped & 0x8000) == 0 ? 0 : high0 < 0 ? -1 : 1;
        const std::int32_t carry1 = wrapped >> 31 == 0 ? 0 : static_cast<std::int32_t>(added) < 0 ? -1 : 1;
        spill(carry0 * 0x10000, carry1 * 0x10000 - carry0);  // the upper half has got the carry of the lower one
    }

    template <class Use>
    PARPRIMS_DEVICE static void load_shared(const std::uint32_t* first, std::uint32_t plane, unsigned replicas,
                                            unsigned start, Use use)
    {
        std::uint64_t sums[2] = {};
        for (unsigned c = 0; c < replicas; ++c) {
            const std::uint32_t* const copy = first + ((start + c) & (replicas - 1));
            const auto both = static_cast<std::int32_t>(simt::load(copy, 2 * plane));
            const std::int64_t high0 = static_cast<std::int16_t>(both);
            const std::int64_t high1 = (both - high0) / 0x10000;
            sums[0] += (static_cast<std::uint64_t>(high0) << 32) + simt::load(copy);
            sums[1] += (static_cast<std::uint64_t>(high1) << 32) + simt::load(copy, plane);
        }
        use(words_of_sum<2>{}, sums[0], 0u);
        use(words_of_sum<2>{}, sums[1], 1u);
    }

private:
    /// Adds to the low word. Returns what is to be added to the high one.
    PARPRIMS_DEVICE static std::int32_t add_low(std::uint32_t* word, std::uint64_t value)
    {
        const auto low = static_cast<std::uint32_t>(value);
        const std::uint32_t before = simt::atomic_add(word, low);
        return static_cast<std::int32_t>(value >> 32) + (before + low < low ? 1 : 0);
    }
};

/// What `weight_integers` are added to: weights; their squares, rounded; or weights, their exact squares, and a count.
template <class W, unsigned Values, unsigned Words = sum_words<W>::shared_words>
using bin_words = std::conditional_t<
    Values == 1, words_of_bin<Words>,
    std::conditional_t<Values == 2, std::conditional_t<Words == 2, paired_words, words_of_bin<Words, Words>>,
                       words_of_bin<Words, Words + 1, 1>>>;

/// The sums of a lane's consecutive samples in one slot, kept in registers and added to memory when the slot changes. So equal
/// samples cause few atomic operations on one address.
template <class Slot, class Integers>
struct slot_sum {
    Slot slot;
    Integers sum;

    /// Calls `flush(slot, values)` before another slot comes.
    template <class Flush>
    PARPRIMS_DEVICE void add(const Slot& next, const Integers& added, Flush& flush)
    {
        if (next == slot && !is_full()) {
#pragma unroll
            for (unsigned v = 0; v < Integers::count; ++v)
                sum.values[v] += added.values[v];
        } else {
            flush(slot, sum.values);
            slot = next;
            sum = added;
        }
    }

    /// The squares of a profile have room for as many as a warp has lanes (profile_bits).
    PARPRIMS_DEVICE bool is_full() const
    {
        if constexpr (Integers::count == profile_values)
            return sum.values[2] == simt::warp_size;
        else
            return false;
    }
};

}  // namespace parprims::detail::device
