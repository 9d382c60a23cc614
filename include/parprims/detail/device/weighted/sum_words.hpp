/// @file
/// @brief  Exact sums as words of 32 bits: what a weight adds to them, in registers, in shared and in device memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/numeric/packed.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The word above the highest one of a number.
PARPRIMS_DEVICE inline std::uint32_t sign_of(std::uint32_t highest)
{
    return static_cast<std::int32_t>(highest) < 0 ? ~0u : 0u;
}

/// `next`, and a carry if `word` wraps when it is added to `before`: two instructions.
PARPRIMS_DEVICE inline std::uint32_t word_above(std::uint32_t next, std::uint32_t word, std::uint32_t before)
{
    return static_cast<std::uint32_t>(((std::uint64_t{next} << 32 | word) + before) >> 32);
}

/// A sum of `Words` words of 32 bits, the lowest first, in two's complement. In memory it is cut into planes: word w of the sums of
/// all counters, then word w + 1. In device memory words have 64 bits, so that blocks add theirs without a carry; the highest two
/// words of a sum share one.
///
/// A number that is added has `span` words, from word `first` of the sum on: those of a `Mantissa` that is shifted by less than a word. The
/// highest of them has its sign.
template <unsigned Words, class Mantissa>
struct words_of_sum {
    static constexpr unsigned shared_words = Words;
    static constexpr unsigned global_words = Words == 1 ? 1 : Words - 1;
    static constexpr unsigned span = Words == 1 ? 1 : sizeof(Mantissa) / 4 + 1;
    static constexpr unsigned max_first = Words - span;

    /// The words of `mantissa` * 2^(`shift` % 32).
    PARPRIMS_DEVICE static void store_shifted(std::uint32_t* number, Mantissa mantissa, unsigned shift)
    {
        const auto word = [&](unsigned w) {
            return static_cast<std::uint32_t>(w + 1 < span ? mantissa >> w * 32 % (8 * sizeof(Mantissa))
                                                           : mantissa >> (8 * sizeof(Mantissa) - 1));
        };
#pragma unroll
        for (unsigned w = 0; w < span; ++w)
            number[w] = numeric::funnel_shift_left(w > 0 ? word(w - 1) : 0, word(w), shift);
    }
    /// All words of a sum that has one number.
    PARPRIMS_DEVICE static void spread(std::uint32_t* sum, const std::uint32_t* number, unsigned first)
    {
#pragma unroll
        for (unsigned w = 0; w < Words; ++w)
            sum[w] = w < span ? number[w] : sign_of(number[span - 1]);
#pragma unroll
        for (unsigned step = 1; step <= max_first; step *= 2) {
            const bool moves = (first & step) != 0;
#pragma unroll
            for (unsigned w = Words; w-- > 0;)
                sum[w] = !moves ? sum[w] : w >= step ? sum[w - step] : 0;
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

/// The sums of a bin, one after the other: words_of_sum.
template <class... Sums>
struct words_of_bin {
    static constexpr unsigned shared_words = (Sums::shared_words + ...);
    static constexpr unsigned global_words = (Sums::global_words + ...);

    /// Where a sum is: its number; the words before it, of a bin in shared memory, in device memory, and of `numbers`.
    struct place {
        unsigned sum, shared, global, number;
    };
    /// What a sample adds: a number to each sum.
    struct numbers {
        std::uint32_t words[(Sums::span + ...)];
        unsigned firsts[sizeof...(Sums)];

        template <class Sum>
        static constexpr unsigned span_in = Sum::span;
        PARPRIMS_DEVICE const std::uint32_t* of(const place& at) const { return words + at.number; }
        PARPRIMS_DEVICE unsigned first_of(const place& at) const { return firsts[at.sum]; }
    };

    std::uint32_t words[shared_words];

    /// Calls `use(sum, place)` for each sum.
    template <class Use>
    PARPRIMS_DEVICE static void for_each_sum(Use use)
    {
        place at{};
        ((use(Sums{}, at),
          at = {at.sum + 1, at.shared + Sums::shared_words, at.global + Sums::global_words, at.number + Sums::span}),
         ...);
    }

    /// Of one sample.
    PARPRIMS_DEVICE static words_of_bin of(const numbers& sample)
    {
        words_of_bin result;
        for_each_sum([&](auto sum, const place& at) {
            sum.spread(result.words + at.shared, sample.words + at.number, sample.firsts[at.sum]);
        });
        return result;
    }
    PARPRIMS_DEVICE void add(const words_of_bin& other)
    {
        for_each_sum([&](auto sum, const place& at) { sum.add(words + at.shared, other.words + at.shared); });
    }
    /// A whole sum is added like a number that has all its words.
    template <class Sum>
    static constexpr unsigned span_in = Sum::shared_words;
    PARPRIMS_DEVICE const std::uint32_t* of(const place& at) const { return words + at.shared; }
    PARPRIMS_DEVICE unsigned first_of(const place&) const { return 0; }

    /// Adds `Count` values, numbers or sums, to bins in shared memory: value j to that which begins at `first + bins[j]`. A word that wraps carries
    /// into the next one. No addition waits for one to another sum.
    ///
    /// @tparam  AddsZeros  highest words are added also if they are 0, instead of a branch for each
    template <bool AddsZeros = false, unsigned Count, class Value>
    PARPRIMS_DEVICE static void add_to_shared(std::uint32_t* first, std::uint32_t plane,
                                              const std::uint32_t (&bins)[Count], const Value (&values)[Count])
    {
        struct addition {
            std::uint32_t word;     // what is added next
            std::uint32_t before;   // what was there
            std::uint32_t wrapped;  // 1 if a carry has made `word` 0: the next one gets it
            bool goes_on;           // words above may change
        };
        addition additions[Count][sizeof...(Sums)] = {};
        const auto for_each_number = [&](auto use) {
            for_each_sum([&](auto sum, const place& at) {
                using span = std::integral_constant<unsigned, Value::template span_in<decltype(sum)>>;
#pragma unroll
                for (unsigned j = 0; j < Count; ++j) {
                    const unsigned from = values[j].first_of(at);
                    use(sum, span{}, first + bins[j] + (at.shared + from) * plane, from, values[j].of(at),
                        additions[j][at.sum]);
                }
            });
        };
        // 1. All words but the highest of each number.
        for_each_number([](auto, auto, std::uint32_t*, unsigned, const std::uint32_t* number, addition& it) {
            it.word = number[0];
        });
#pragma unroll
        for (unsigned w = 0; w + 1 < shared_words; ++w)
            for_each_number(
                [&](auto, auto span, std::uint32_t* to, unsigned, const std::uint32_t* number, addition& it) {
                    if (w + 1 >= span.value)
                        return;
                    it.before = simt::atomic_add(to + w * plane, it.word);
                    const std::uint32_t next = word_above(number[w + 1], it.word, it.before) + it.wrapped;
                    it.wrapped = next < number[w + 1] ? 1 : 0;
                    it.word = next;
                });
        // 2. The highest words, many of which are 0. Nothing waits here for what they were.
        bool any = false;
        for_each_number([&](auto sum, auto span, std::uint32_t* to, unsigned from, const std::uint32_t*, addition& it) {
            if (AddsZeros || it.word != 0)
                it.before = simt::atomic_add(to + (span.value - 1) * plane, it.word);
            it.goes_on = it.word != 0 && from != sum.shared_words - span.value;
            any = any || it.goes_on;
        });
        if (!any)
            return;
        // 3. The words above get the number's sign, and a carry.
        for_each_number(
            [&](auto sum, auto span, std::uint32_t* to, unsigned from, const std::uint32_t* number, addition& it) {
#pragma unroll
                for (unsigned w = span.value; w < sum.shared_words; ++w) {
                    it.word = word_above(sign_of(number[span.value - 1]), it.word, it.before);
                    if (!it.goes_on || it.word == 0 || from >= sum.shared_words - w)
                        break;
                    it.before = simt::atomic_add(to + w * plane, it.word);
                }
            });
    }
    /// The words of a bin in shared memory that word `part` of its sums in device memory holds: one, or the highest two of a sum.
    struct part_words {
        unsigned first;
        bool are_two;
    };
    PARPRIMS_DEVICE static part_words words_of(unsigned part)
    {
        constexpr std::uint32_t pairs = [] {
            std::uint32_t bits = 0;
            unsigned end = 0;
            ((end += Sums::global_words, bits |= Sums::shared_words > 1 ? 1u << (end - 1) : 0), ...);
            return bits;
        }();
        return {part + simt::count_lanes(pairs & ((1u << part) - 1)), (pairs >> part & 1) != 0};
    }
    /// What the `replicas` copies of a bin in shared memory add to word `part` of its sums in device memory: less than 2^37, carries included, so a
    /// word has room for 2^27 blocks. Copy `start` is read first.
    PARPRIMS_DEVICE static std::uint64_t sum_of_copies(const std::uint32_t* first, std::uint32_t plane,
                                                       unsigned replicas, unsigned start, unsigned part)
    {
        const part_words from = words_of(part);
        std::uint64_t low = 0;
        std::uint32_t high = 0;
#pragma unroll 4
        for (unsigned c = 0; c < replicas; ++c) {
            const std::uint32_t* const word = first + from.first * plane + ((start + c) & (replicas - 1));
            low += simt::load(word);
            high += from.are_two ? simt::load(word + plane) : 0;
        }
        return low + (std::uint64_t{high} << 32);
    }
    /// Adds to the sums of a slot in device memory.
    PARPRIMS_DEVICE void add_to_global(std::uint64_t* first, std::size_t plane, bool may_wrap) const
    {
        for_each_sum([&](auto sum, const place& at) {
            sum.add_global(first + at.global * plane, plane, words + at.shared, may_wrap);
        });
    }
    PARPRIMS_DEVICE void load_global(const std::uint64_t* first, std::size_t plane)
    {
        for_each_sum(
            [&](auto sum, const place& at) { sum.load_global(words + at.shared, first + at.global * plane, plane); });
    }
};

/// The sum of weights of a bin, that of their squares, and a count. The first holds float weights of 40 binades for 2^31 samples, double
/// ones of 75; squares of float weights of 40 binades for 2^31 samples, of double ones of 43.
template <class W>
inline constexpr bool is_narrow = std::is_same_v<typename weight_traits<W>::real, float>;
template <class W>
using value_sum = std::conditional_t<is_narrow<W>, words_of_sum<3, std::int32_t>, words_of_sum<5, std::int64_t>>;
template <class W>
using square_sum = std::conditional_t<is_narrow<W>, words_of_sum<5, std::int64_t>, words_of_sum<7, numeric::int128>>;
using count_sum = words_of_sum<1, std::int32_t>;

/// The sums of a bin: of weights, of their squares, a count.
template <class W, unsigned Values>
using bin_words = std::conditional_t<Values == 1, words_of_bin<value_sum<W>>,
                                     std::conditional_t<Values == 2, words_of_bin<value_sum<W>, square_sum<W>>,
                                                        words_of_bin<value_sum<W>, square_sum<W>, count_sum>>>;

/// The sums of a lane's consecutive samples in one slot, kept in registers and added to memory when the slot changes. So equal
/// samples cause few atomic operations on one address. Zero at first, in any slot.
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
