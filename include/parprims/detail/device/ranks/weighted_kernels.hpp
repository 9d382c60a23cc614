/// @file
/// @brief  Weighted histograms over several ranks, after `weighted_work`: the sums as they travel, the sums at the end, and their launch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/ranks/counts_kernels.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/weighted/finish.hpp>
#include <parprims/detail/device/weighted/outliers.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The exact sums of a slot as words that are added over ranks: settled limbs, and how many ranks have seen each of three flags. A million
/// ranks can add them without overflow.
template <class W, unsigned Values>
struct rank_sum {
    using limbs = limbs_of_slot<W, Values>;
    static constexpr unsigned words = limbs::count + 1;
    static constexpr unsigned flags = 3;
    static constexpr unsigned flag_bits = 21;
};

/// Writes this rank's sums as such words (finish_slot).
template <class W, unsigned Values>
struct rank_sum_writer {
    using sum_type = rank_sum<W, Values>;

    std::uint64_t* output;

    template <class Row, class Squares>
    PARPRIMS_DEVICE void operator()(std::size_t slot, const Row& sum, [[maybe_unused]] const Squares& squares,
                                    std::uint64_t /*count*/, std::uint32_t seen) const
    {
        std::uint64_t* const to = output + slot * sum_type::words;
        write(to, sum, sum_type::limbs::of_values);
        if constexpr (Values > 1)
            write(to + sum_type::limbs::of_values, squares, sum_type::limbs::of_squares);
        std::uint64_t counts = 0;
        for (unsigned f = 0; f < sum_type::flags; ++f)
            counts |= std::uint64_t{seen >> f & 1} << (f * sum_type::flag_bits);
        simt::store(to, sum_type::limbs::count, counts);
    }

private:
    template <class Row>
    PARPRIMS_DEVICE static void write(std::uint64_t* to, const Row& row, unsigned count)
    {
#pragma unroll 1
        for (int k = 0; k < static_cast<int>(count); ++k)
            simt::store(to, k, k >= row.bottom && k < row.top ? static_cast<std::uint64_t>(row.limb(k)) : 0);
    }
};

/// Converts the sums of all ranks to the caller's type, unless a rank failed.
template <class W, class Sum>
struct rank_sums_kernel {
    static constexpr unsigned max_threads = rank_counts_threads;
    struct shared_storage {};
    static constexpr unsigned values = sum_traits<Sum>::values;
    using traits = weight_traits<W>;
    using sum_type = rank_sum<W, values>;
    using limbs = typename sum_type::limbs;

    const std::uint64_t* sums;  // followed by the words of rank_count_words_kernel
    std::size_t extent;
    const std::uint64_t* words;
    Sum* output;  // null on a rank that failed
    std::uint64_t call;
    std::uint64_t ranks;
    std::uint64_t* failure;  // as in rank_view

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if (!all_ranks_agree(block, words, call, ranks, failure))
            return;
        const bin_writer<Sum> write{output};
        for (std::size_t slot = block.index() * block.threads() + block.thread(); slot < extent;
             slot += block.count() * block.threads()) {
            const std::uint64_t* const from = sums + slot * sum_type::words;
            const std::uint64_t counts = simt::load(from, limbs::count);
            std::uint32_t seen = 0;
            for (unsigned f = 0; f < sum_type::flags; ++f)
                seen |= (counts >> (f * sum_type::flag_bits) & ((1u << sum_type::flag_bits) - 1)) != 0 ? 1u << f : 0u;
            limbs_of_sum<limbs::of_values> sum;
            sum.load(from);
            sum.settle();
            const auto row = sum.row(traits::limbs.lowest);
            if constexpr (values == 1) {
                write(slot, row, row, 0, seen);
            } else {
                limbs_of_sum<limbs::of_squares> squares;
                squares.load(from + limbs::of_values);
                squares.settle();
                write(slot, row, squares.row(traits::square_limbs.lowest), 0, seen);
            }
        }
    }
};

/// Writes `extent` sums of all ranks, whose words begin at `sums` and end with the `count_words` at `words`. `id`: of the call.
template <class W, class Sum, launcher Launcher>
void enqueue_rank_sums(Launcher& launcher, const rank_view& group, const std::uint64_t* sums, std::size_t extent,
                       const std::uint64_t* words, Sum* output, std::uint64_t id)
{
    using kernel_type = rank_sums_kernel<W, Sum>;
    launcher.launch({clamped<std::size_t>(order::ceil_div(extent, kernel_type::max_threads), 1, max_rank_counts_blocks),
                     kernel_type::max_threads, 0},
                    kernel_type{sums, extent, words, output, id, group.ranks, group.failure});
}

}  // namespace parprims::detail::device
