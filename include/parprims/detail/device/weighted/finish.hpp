/// @file
/// @brief  The kernels that make bins of exact sums, and the one that adds outliers for which there was no room.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/outliers.hpp>
#include <parprims/detail/device/weighted/sum_words.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/device/weighted/window.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A sum as settled limbs of weight 2^(lowest + 32 k), in the memory of a thread: k from `bottom` to `top`.
template <unsigned Count>
struct limbs_of_sum {
    std::int64_t limbs[Count];
    int bottom;
    int top;

    /// From its words, whose lowest digit is 2^`digit`, and its outliers, which may be null.
    template <unsigned Words>
    PARPRIMS_DEVICE void set(const std::uint32_t* words, int digit, int lowest, const std::uint64_t* outliers)
    {
        const auto place = static_cast<unsigned>(digit - lowest);
        const auto first = static_cast<int>(place / 32);
        bottom = first;
        top = first + static_cast<int>(Words) + 1;
        if (outliers != nullptr)
            load(outliers);
        const std::uint32_t sign = static_cast<std::int32_t>(words[Words - 1]) < 0 ? ~0u : 0u;
        std::uint32_t below = 0;
#pragma unroll
        for (unsigned w = 0; w <= Words; ++w) {
            const std::uint32_t word = w < Words ? words[w] : sign;
            const auto shifted = static_cast<std::uint32_t>((std::uint64_t{word} << 32 | below) << place % 32 >> 32);
            const std::int64_t limb = w < Words ? std::int64_t{shifted} : static_cast<std::int32_t>(shifted);
            std::int64_t& to = limbs[first + static_cast<int>(w)];
            to = outliers != nullptr ? to + limb : limb;
            below = word;
        }
        settle();
    }

    /// All limbs; not settled.
    PARPRIMS_DEVICE void load(const std::uint64_t* from)
    {
        bottom = 0;
        top = static_cast<int>(Count);
#pragma unroll 1
        for (unsigned k = 0; k < Count; ++k)
            limbs[k] = static_cast<std::int64_t>(simt::load(from, k));
    }

    PARPRIMS_DEVICE void settle()
    {
        std::int64_t carry = 0;
#pragma unroll 1
        for (int k = bottom; k < top; ++k) {
            const std::int64_t limb = limbs[k] + carry;
            carry = k + 1 < top ? numeric::carry_of(limb) : 0;
            limbs[k] = limb - (carry << 32);
        }
    }

    PARPRIMS_DEVICE auto row(int lowest) const
    {
        return numeric::make_limb_row<static_cast<int>(Count)>(lowest, bottom, top, [this](int k) { return limbs[k]; });
    }
};

/// Stores a bin in the caller's memory.
template <class Sum>
struct bin_writer {
    Sum* output;

    template <class Row, class Squares>
    PARPRIMS_DEVICE void operator()(std::size_t slot, const Row& sum, const Squares& squares, std::uint64_t count,
                                    std::uint32_t seen) const
    {
        simt::store(output, slot, detail::rounded_bin<Sum>(sum, squares, count, seen));
    }
    /// The sum `value` * 2^`exponent`.
    PARPRIMS_DEVICE void operator()(std::size_t slot, numeric::int128 value, int exponent, std::uint32_t seen) const
        requires(sum_traits<Sum>::values == 1)
    {
        simt::store(output, slot, numeric::nearest_to<Sum>(value, exponent, 0, seen | numeric::seen_no_minus_zero));
    }
};

/// Calls `write(slot, sum, squares, count, seen)` with the exact sums of a slot: limb_rows. `outliers` are their limbs, null if there are
/// none.
template <class W, unsigned Values, class Write>
PARPRIMS_DEVICE void finish_slot(const weighted_memory<W, Values>& memory, std::size_t extent, std::size_t slot,
                                 std::uint32_t flags, const std::uint64_t* outliers, const Write& write)
{
    using traits = weight_traits<W>;
    using limbs = limbs_of_slot<W, Values>;
    using bin = bin_words<W, Values>;
    const auto windows = weight_windows<W, Values>::of(simt::load(&memory.all->looked), memory.log2n);
    bin words;
    words.load_global(memory.sums + slot, extent);
    const std::uint64_t count =
        Values == profile_values ? simt::load(memory.sums + slot, (bin::global_words - 1) * extent) : 0;
    const std::uint32_t seen = flags & ~seen_outlier;
    // A sum without outliers that fits an integer needs no limbs.
    if constexpr (Values == 1 && bin::shared_words == 3 &&
                  requires(numeric::int128 value) { write(slot, value, 0, seen); })
        if (outliers == nullptr) {
            const auto high = static_cast<std::int64_t>(std::uint64_t{words.words[2]} << 32 | words.words[1]);
            return write(slot, numeric::int128{high} * (std::int64_t{1} << 32) + words.words[0], windows.lowest_value,
                         seen);
        }

    limbs_of_sum<limbs::of_values> value;
    value.template set<value_sum<W>::shared_words>(words.words, windows.lowest_value, traits::limbs.lowest, outliers);
    const auto row = value.row(traits::limbs.lowest);
    if constexpr (Values == 1) {
        write(slot, row, row, count, seen);
    } else {
        limbs_of_sum<limbs::of_squares> squares;
        squares.template set<square_sum<W>::shared_words>(words.words + value_sum<W>::shared_words,
                                                          windows.lowest_square, traits::square_limbs.lowest,
                                                          outliers != nullptr ? outliers + limbs::of_values : nullptr);
        write(slot, row, squares.row(traits::square_limbs.lowest), count, seen);
    }
}

/// Writes the bins of the slots from `first` on. If there were too few rows for outliers, the first launch writes only bins without any, and
/// zeroes `rest_rows` rows. The others follow by `is_rest`: a launch writes those of `slots` slots, whose limbs weighted_rest_kernel has
/// added, and zeroes these limbs again.
template <class W, unsigned Values, class Write>
struct weighted_finish_kernel {
    static constexpr unsigned max_threads = weighted_finish_threads;
    struct shared_storage {};

    weighted_memory<W, Values> memory;
    std::size_t extent;
    std::size_t first;
    std::size_t slots;
    std::size_t rest_rows;
    bool is_rest;
    Write write;

    PARPRIMS_DEVICE std::size_t resize([[maybe_unused]] std::size_t n, std::size_t blocks)
    {
        if constexpr (requires { write.slots_of(n); })
            slots = smaller_of(slots, write.slots_of(n) - smaller_of(first, write.slots_of(n)));
        return blocks;
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        const std::size_t threads = block.count() * block.threads();
        const bool has_rest = simt::load(&memory.all->overflows) != 0;
        if (is_rest && !has_rest)
            return;
        for (std::size_t i = thread; i < slots; i += threads) {
            const std::uint32_t flags = simt::load(memory.flags, first + i);
            const bool has_outliers = (flags & seen_outlier) != 0;
            if ((has_outliers && has_rest) != is_rest)
                continue;
            std::uint64_t* const limbs = !has_outliers ? nullptr
                                         : is_rest     ? memory.outliers.limbs + i * memory.outliers.row_limbs
                                                       : memory.outliers.row_of(first + i, false);
            device::finish_slot(memory, extent, first + i, flags, limbs, write);
            if (is_rest)
#pragma unroll 1
                for (unsigned k = 0; k < memory.outliers.row_limbs; ++k)
                    simt::store(limbs, k, std::uint64_t{0});
        }
        if (has_rest && !is_rest)
            for (std::size_t i = thread; i < rest_rows * memory.outliers.row_limbs; i += threads)
                simt::store(memory.outliers.limbs, i, std::uint64_t{0});
    }
};

/// If there were too few rows for outliers: reads all samples, and adds the outliers of the slots from `first` on, of which there are
/// `slots`.
template <class Weighted, unsigned Values>
struct weighted_rest_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {};

    Weighted input;
    weighted_memory<typename Weighted::weight_type, Values> memory;
    std::size_t first;
    std::size_t slots;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        input.resize(n);
        return blocks;
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        using weight_type = typename Weighted::weight_type;
        using windows_type = weight_windows<weight_type, Values>;
        if (simt::load(&memory.all->overflows) == 0)
            return;
        const auto windows = windows_type::of(simt::load(&memory.all->looked), memory.log2n);
        const auto& samples = input.samples;
        for (std::size_t i = block.index() * block.threads() + block.thread(); i < samples.n;
             i += block.count() * block.threads()) {
            const auto weight = weight_traits<weight_type>::convert(input.weights[i]);
            if (windows.hold(windows_type::digits::of(weight)) || numeric::is_special(numeric::seen_in(weight)))
                continue;
            const std::size_t row = samples.axis.slot(samples.sample(i)) - first;
            if (row < slots)
                limbs_of_slot<weight_type, Values>::add(memory.outliers.limbs + row * memory.outliers.row_limbs,
                                                        weight);
        }
    }
};

}  // namespace parprims::detail::device
