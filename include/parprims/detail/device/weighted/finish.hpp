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

    limbs_of_sum<limbs::of_values> value;
    value.template set<value_sum<W>::shared_words>(words.words, windows.lowest, traits::limbs.lowest, outliers);
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

/// Writes all bins.
template <class W, unsigned Values, class Write>
struct weighted_finish_kernel {
    static constexpr unsigned max_threads = weighted_finish_threads;
    struct shared_storage {};

    weighted_memory<W, Values> memory;
    std::size_t extent;
    Write write;

    PARPRIMS_DEVICE static std::size_t resize(std::size_t, std::size_t blocks) { return blocks; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t slot = block.index() * block.threads() + block.thread(); slot < extent;
             slot += block.count() * block.threads()) {
            const std::uint32_t flags = simt::load(memory.flags, slot);
            const std::uint64_t* const row =
                (flags & seen_outlier) != 0 ? memory.outliers.row_of(slot, false) : nullptr;
            device::finish_slot(memory, extent, slot, flags, row, write);
        }
    }
};

/// Writes the bins with outliers once more, if there were not enough rows for these. Each block has the limbs of a few slots in shared
/// memory, and reads all samples for them.
template <class Weighted, unsigned Values, class Write>
struct weighted_rest_kernel {
    static constexpr unsigned max_threads = 1024;
    using weight_type = typename Weighted::weight_type;
    using limbs = limbs_of_slot<weight_type, Values>;
    using traits = weight_traits<weight_type>;
    struct shared_storage {
        simt::shared_array<std::uint64_t> memory;  // whether a slot has outliers, then the limbs
    };

    Weighted input;
    weighted_memory<weight_type, Values> memory;
    std::size_t slots;  // of a block at a time
    Write write;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        input.samples.n = n;
        return blocks;
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (simt::load(&memory.all->overflows) == 0)
            return;
        const auto& samples = input.samples;
        const std::size_t extent = samples.axis.extent();
        const auto windows = weight_windows<weight_type, Values>::of(simt::load(&memory.all->looked), memory.log2n);
        auto* const has_outliers = reinterpret_cast<std::uint32_t*>(shared.memory.data());
        std::uint64_t* const sums = shared.memory.data() + 1;
        for (std::size_t first = block.index() * slots; first < extent; first += block.count() * slots) {
            // 1. Are there outliers among these slots?
            const std::size_t width = smaller_of(slots, extent - first);
            if (block.thread() == 0)
                simt::store(has_outliers, 0u);
            for (std::size_t i = block.thread(); i < width * limbs::count; i += block.threads())
                simt::store(sums, i, std::uint64_t{0});
            block.sync();
            for (std::size_t i = block.thread(); i < width; i += block.threads())
                if ((simt::load(memory.flags, first + i) & seen_outlier) != 0)
                    simt::atomic_or(has_outliers, 1u);
            block.sync();
            const bool is_needed = simt::load(has_outliers) != 0;
            block.sync();
            if (!is_needed)
                continue;

            // 2. Add them.
            for (std::size_t i = block.thread(); i < samples.n; i += block.threads()) {
                const auto weight = traits::convert(input.weights[i]);
                if (numeric::is_special(numeric::seen_in(weight)) ||
                    windows.hold(decltype(windows)::digits::of(weight).exponent))
                    continue;
                const std::size_t slot = samples.axis.slot(samples.sample(i));
                if (slot - first < width)
                    limbs::add(sums + (slot - first) * limbs::count, weight);
            }
            block.sync();

            // 3. Write their bins.
            for (std::size_t i = block.thread(); i < width; i += block.threads()) {
                const std::uint32_t flags = simt::load(memory.flags, first + i);
                if ((flags & seen_outlier) != 0)
                    device::finish_slot(memory, extent, first + i, flags, sums + i * limbs::count, write);
            }
            block.sync();
        }
    }
};

}  // namespace parprims::detail::device
