/// @file
/// @brief  The words of a sum in shared and in device memory, and what lanes do together before they add.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/weights.hpp>

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

    /// Adds to one sum in shared memory. A carry is what the word before has found.
    PARPRIMS_DEVICE static void add_shared(std::uint32_t* first, std::uint32_t plane, integer value)
    {
        std::uint32_t carry = 0;
#pragma unroll
        for (unsigned w = 0; w < shared_words; ++w) {
            const std::uint32_t word = static_cast<std::uint32_t>(value >> 32 * w) + carry;
            const std::uint32_t wrapped = word < carry ? 1 : 0;
            carry = wrapped;
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
};

/// What `weight_integers` are added to: weights; their squares, rounded; or weights, their exact squares, and a count.
template <class W, unsigned Values>
using bin_words = std::conditional_t<
    Values == 1, words_of_bin<sum_words<W>::shared_words>,
    std::conditional_t<Values == 2, words_of_bin<sum_words<W>::shared_words, sum_words<W>::shared_words>,
                       words_of_bin<sum_words<W>::shared_words, sum_words<W>::shared_words + 1, 1>>>;

/// Whether many lanes of a warp are in the slot of the first one. All lanes call it.
template <class Slot>
PARPRIMS_DEVICE bool many_agree(Slot slot)
{
    return simt::count_lanes(simt::ballot(slot == simt::shuffle(slot, 0))) >= min_agreeing_lanes;
}

/// Adds up what the lanes in the slot of the first one add. Afterwards lane 0 has it, and `slot` is `dropped` in the others. All
/// lanes of the warp call it.
template <class Slot, class Integers>
PARPRIMS_DEVICE void add_agreeing(simt::block block, std::type_identity_t<Slot> dropped, Slot& slot, Integers& added)
{
    const bool agrees = slot == simt::shuffle(slot, 0);
    for (auto& value : added.values) {
        auto sum = agrees ? value : decltype(value + value){};
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
            sum += simt::shuffle_down(sum, distance);
        if (block.lane() == 0)
            value = sum;
    }
    if (agrees && block.lane() != 0)
        slot = dropped;
}

}  // namespace parprims::detail::device
