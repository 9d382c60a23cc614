/// @file
/// @brief  Exact sums as words of 32 bits: what a weight adds to them, in registers, in shared and in device memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// A sum of `Words` words of 32 bits, the lowest first, in two's complement. In memory it is cut into planes: word w of the sums of
/// all counters, then word w + 1. In device memory words have 64 bits, so that blocks add theirs without a carry; the highest two
/// words of a sum share one.
template <unsigned Words>
struct words_of_sum {
    static constexpr unsigned shared_words = Words;
    static constexpr unsigned global_words = Words == 1 ? 1 : Words - 1;

    /// Writes `mantissa` * 2^`shift`, which fits: by less than a word, then by whole words.
    template <class Mantissa>
    PARPRIMS_DEVICE static void set(std::uint32_t* value, Mantissa mantissa, unsigned shift)
    {
        const std::uint32_t sign = mantissa < 0 ? ~0u : 0u;
        const auto word = [&](unsigned w) {
            return w < sizeof(Mantissa) / 4 ? static_cast<std::uint32_t>(mantissa >> (w * 32 % (8 * sizeof(Mantissa))))
                                            : sign;
        };
#pragma unroll
        for (unsigned w = 0; w < Words; ++w) {
            const std::uint64_t both = std::uint64_t{word(w)} << 32 | (w > 0 ? word(w - 1) : 0);
            value[w] = static_cast<std::uint32_t>(both << shift % 32 >> 32);
        }
#pragma unroll
        for (unsigned step = 1; step < Words; step *= 2) {
            const bool moves = (shift / 32 & step) != 0;
#pragma unroll
            for (unsigned w = Words; w-- > 0;)
                value[w] = !moves ? value[w] : w >= step ? value[w - step] : 0;
        }
    }

    PARPRIMS_DEVICE static void add(std::uint32_t* sum, const std::uint32_t* value)
    {
        std::uint64_t carry = 0;
#pragma unroll
        for (unsigned w = 0; w < Words; ++w) {
            carry += std::uint64_t{sum[w]} + value[w];
            sum[w] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }

    /// Adds to one sum in shared memory. A word that wraps carries into the next one; zeros are not added.
    PARPRIMS_DEVICE static void add_shared(std::uint32_t* first, std::uint32_t plane, const std::uint32_t* value)
    {
        std::uint32_t carry = 0;
#pragma unroll
        for (unsigned w = 0; w < Words; ++w) {
            const std::uint32_t word = value[w] + carry;
            carry = word < carry ? 1 : 0;
            if (word != 0) {
                const std::uint32_t before = simt::atomic_add(first + w * plane, word);
                carry += before + word < word ? 1 : 0;
            }
        }
    }

    /// Reads a sum in shared memory, as that of its replicas, which begins with copy `start`.
    PARPRIMS_DEVICE static void load_shared(std::uint32_t* sum, const std::uint32_t* first, std::uint32_t plane,
                                            unsigned replicas, unsigned start)
    {
        std::uint64_t carry = 0;
#pragma unroll
        for (unsigned w = 0; w < Words; ++w) {
            for (unsigned c = 0; c < replicas; ++c)
                carry += simt::load(first + ((start + c) & (replicas - 1)), w * plane);
            sum[w] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }

    /// Adds to one sum in device memory. `may_wrap`: more than 2^32 values are added, so that a plane may pass 2^64.
    PARPRIMS_DEVICE static void add_global(std::uint64_t* first, std::size_t plane, const std::uint32_t* value,
                                           bool may_wrap)
    {
        std::uint64_t carry = 0;
#pragma unroll
        for (unsigned p = 0; p < global_words; ++p) {
            const bool is_last = p + 1 == global_words;
            std::uint64_t part = value[p] + carry;
            if (is_last && Words > 1)
                part += std::uint64_t{value[Words - 1]} << 32;
            carry = 0;
            if (part == 0)
                continue;
            if (!may_wrap || is_last)
                simt::atomic_add(first + p * plane, part);
            else if (simt::atomic_add(first + p * plane, part) + part < part)
                carry = std::uint64_t{1} << 32;
        }
    }

    /// Reads a sum in device memory.
    PARPRIMS_DEVICE static void load_global(std::uint32_t* sum, const std::uint64_t* first, std::size_t plane)
    {
        std::uint64_t carry = 0;
#pragma unroll
        for (unsigned p = 0; p < global_words; ++p) {
            const std::uint64_t part = simt::load(first, p * plane);
            const std::uint64_t low =
                std::uint64_t{static_cast<std::uint32_t>(part)} + static_cast<std::uint32_t>(carry);
            sum[p] = static_cast<std::uint32_t>(low);
            carry = (part >> 32) + (carry >> 32) + (low >> 32);
        }
        if constexpr (Words > 1)
            sum[Words - 1] = static_cast<std::uint32_t>(carry);
    }
};

/// The sums of a bin, one after the other, of `Words` words each; and what a weight adds to them.
template <unsigned... Words>
struct words_of_bin {
    static constexpr unsigned shared_words = (Words + ...);
    static constexpr unsigned global_words = (words_of_sum<Words>::global_words + ...);
    static constexpr unsigned sums = sizeof...(Words);

    std::uint32_t words[shared_words];

    /// Calls `use(words_of_sum, shared, global)` for each sum, which comes after `shared` words of a bin in shared memory, and after
    /// `global` in device memory.
    template <class Use>
    PARPRIMS_DEVICE static void for_each_sum(Use use)
    {
        unsigned shared = 0, global = 0;
        ((use(words_of_sum<Words>{}, shared, global), shared += Words, global += words_of_sum<Words>::global_words),
         ...);
    }

    PARPRIMS_DEVICE void add(const words_of_bin& other)
    {
        for_each_sum([&](auto sum, unsigned before, unsigned) { sum.add(words + before, other.words + before); });
    }
    /// Adds to the sums of a bin in shared memory.
    PARPRIMS_DEVICE void add_to_shared(std::uint32_t* first, std::uint32_t plane) const
    {
        for_each_sum([&](auto sum, unsigned before, unsigned) {
            sum.add_shared(first + before * plane, plane, words + before);
        });
    }
    PARPRIMS_DEVICE void load_shared(const std::uint32_t* first, std::uint32_t plane, unsigned replicas, unsigned start)
    {
        for_each_sum([&](auto sum, unsigned before, unsigned) {
            sum.load_shared(words + before, first + before * plane, plane, replicas, start);
        });
    }
    /// Adds to the sums of a slot in device memory.
    PARPRIMS_DEVICE void add_to_global(std::uint64_t* first, std::size_t plane, bool may_wrap) const
    {
        for_each_sum([&](auto sum, unsigned before, unsigned before_in_memory) {
            sum.add_global(first + before_in_memory * plane, plane, words + before, may_wrap);
        });
    }
    PARPRIMS_DEVICE void load_global(const std::uint64_t* first, std::size_t plane)
    {
        for_each_sum([&](auto sum, unsigned before, unsigned before_in_memory) {
            sum.load_global(words + before, first + before_in_memory * plane, plane);
        });
    }
};

/// Words of a sum of weights, and of one of their squares. So they hold float weights of 40 binades for 2^31 samples, double ones of
/// 75; and squares of float weights of 40 binades for 2^31 samples, of double ones of 43.
template <class W>
inline constexpr bool is_narrow = std::is_same_v<typename weight_traits<W>::real, float>;
template <class W>
inline constexpr unsigned value_words = is_narrow<W> ? 3 : 5;
template <class W>
inline constexpr unsigned square_words = is_narrow<W> ? 5 : 7;

/// The sums of a bin: of weights, of their squares, a count.
template <class W, unsigned Values>
using bin_words = std::conditional_t<Values == 1, words_of_bin<value_words<W>>,
                                     std::conditional_t<Values == 2, words_of_bin<value_words<W>, square_words<W>>,
                                                        words_of_bin<value_words<W>, square_words<W>, 1>>>;

/// The sums of a lane's consecutive samples in one slot, kept in registers and added to memory when the slot changes. So equal
/// samples cause few atomic operations on one address.
template <class Slot, class Words>
struct slot_sum {
    Slot slot;
    Words sum;

    /// Calls `flush(slot, sum)` before another slot comes.
    template <class Flush>
    PARPRIMS_DEVICE void add(const Slot& next, const Words& added, Flush& flush)
    {
        if (next == slot) {
            sum.add(added);
        } else {
            flush(slot, sum);
            slot = next;
            sum = added;
        }
    }
};

}  // namespace parprims::detail::device
