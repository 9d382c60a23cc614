/// @file
/// @brief  The kernels that add weights: to sums in shared memory, or in device memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/outliers.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/sum_words.hpp>
#include <parprims/detail/device/weighted/window.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Where the kernels of a call leave their sums, in device memory: zero before.
template <class W, unsigned Values>
struct weighted_memory {
    struct state {
        std::uint32_t looked;     ///< what look_at_weights has found
        std::uint32_t overflows;  ///< not 0 if an outlier got no row
    };

    state* all;
    std::uint32_t* flags;  ///< of each slot: numeric::seen_nan and the infinities, seen_outlier
    std::uint64_t* sums;
    outlier_rows outliers;
    int log2n;  ///< there are at most 2^log2n weights

    /// Sets flags of a slot. It reads them first: a slot may have many outliers, and one atomic operation is enough.
    PARPRIMS_DEVICE void flag(std::size_t slot, std::uint32_t seen) const
    {
        if ((simt::atomic_load(flags + slot) & seen) != seen)
            simt::atomic_or(flags + slot, seen);
    }

    /// Notes a weight outside of the windows: a NaN or an infinity in the flags, another one in a row of exact sums. Not inlined: kernels have
    /// many places that may call it.
    [[gnu::noinline]] PARPRIMS_DEVICE void take_outlier(std::size_t slot, typename weight_traits<W>::real number) const
    {
        const std::uint32_t special = numeric::seen_in(number) & ~numeric::seen_no_minus_zero;
        flag(slot, special != 0 ? special : seen_outlier);
        // Where an outlier has got no row, all outliers are added again.
        if (special != 0 || (outliers.rows < outliers.extent && simt::atomic_load(&all->overflows) != 0))
            return;
        std::uint64_t* const row = outliers.row_of(slot, true);
        if (row != nullptr)
            limbs_of_slot<W, Values>::add(row, number);
        else
            simt::atomic_or(&all->overflows, 1u);
    }
    /// For a kernel that changes its members: with the address of one it would keep them all in local memory.
    [[gnu::noinline]] PARPRIMS_DEVICE static void take_outlier_of_copy(weighted_memory memory, std::size_t slot,
                                                                       typename weight_traits<W>::real number)
    {
        memory.take_outlier(slot, number);
    }
};

/// Adds the weights of a grid's samples: those counters that a block has in shared memory, or all in device memory.
template <class Weighted, unsigned Values>
struct weighted_kernel_base {
    static constexpr unsigned max_threads = 1024;
    using sample_type = typename Weighted::sample_type;
    using weight_type = typename Weighted::weight_type;
    using windows_type = weight_windows<weight_type, Values>;
    using words = bin_words<weight_type, Values>;
    using numbers = typename words::numbers;

    Weighted input;
    weighted_memory<weight_type, Values> memory;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        input.resize(n);
        return smaller_of(input.blocks_at_most(), blocks);
    }

    /// For all threads of a block: the windows of the call, the wide ones if `is_wide`. `*shared` is in shared memory. Ends with a barrier.
    PARPRIMS_DEVICE windows_type find_windows(simt::block block, std::uint32_t* shared, bool is_wide = false) const
    {
        device::look_at_weights<Values>(block, shared, input, memory.log2n, is_wide);
        const std::uint32_t looked = simt::load(shared);
        if (block.index() == 0 && block.thread() == 0)
            simt::store(&memory.all->looked, looked);
        return windows_type::of(looked, memory.log2n);
    }

    /// What is added to the words of bins for `Count` weights: nothing for those that are not counted. A weight outside of the windows is an
    /// outlier of bin `slot(j)`.
    template <unsigned Count, class Slot>
    PARPRIMS_DEVICE void numbers_of(const windows_type& windows, const weight_type (&weights)[Count],
                                    const bool (&are_counted)[Count], Slot slot, numbers (&added)[Count]) const
    {
        using digits = typename windows_type::digits;
        using traits = weight_traits<weight_type>;
        bool has_outlier = false;
#pragma unroll
        for (unsigned j = 0; j < Count; ++j) {
            const auto weight = digits::of(traits::convert(weights[j]));
            added[j] = windows.numbers_of(weight, are_counted[j]);
            has_outlier = has_outlier || (are_counted[j] && !windows.hold(weight));
        }
        if (!has_outlier)
            return;
#pragma unroll
        for (unsigned j = 0; j < Count; ++j) {
            const auto number = traits::convert(weights[j]);
            if (!are_counted[j] || windows.hold(digits::of(number)) || numeric::is_zero(number))
                continue;
            if (const std::size_t of_weight = slot(j); of_weight < input.samples.axis.extent()) {
                if constexpr (Weighted::is_sized)
                    weighted_memory<weight_type, Values>::take_outlier_of_copy(memory, of_weight, number);
                else
                    memory.take_outlier(of_weight, number);
            }
        }
    }
    /// Those of one weight, which is counted.
    template <class Slot>
    PARPRIMS_DEVICE numbers numbers_of(const windows_type& windows, const weight_type& weight, Slot slot) const
    {
        const weight_type weights[1] = {weight};
        const bool are_counted[1] = {true};
        numbers added[1];
        numbers_of(
            windows, weights, are_counted, [&](unsigned) { return slot(); }, added);
        return added[0];
    }

    /// What add_group adds has highest words also if they are 0: a branch for each takes longer. Then a carry into them costs nothing more, so
    /// kernels that call it take the wide window.
    static constexpr bool adds_zeros = true;

    /// Adds `Count` weights to sums in shared memory, `replicas` copies of each: those of samples for which `exists(j)` and that `find` finds.
    /// Other samples add 0 to the first counter, so that nothing branches. `slot(j, counter)` is the slot of sample j, which has that counter.
    template <unsigned Count, class Sample, class Find, class Exists, class Slot>
    PARPRIMS_DEVICE void add_group(const windows_type& windows, const Sample (&those)[Count],
                                   const weight_type (&weights)[Count], const Find& find, Exists exists, Slot slot,
                                   std::uint32_t* sums, std::uint32_t plane, unsigned replicas) const
    {
        std::uint32_t counters[Count];
        std::uint32_t bins[Count];
        bool are_counted[Count];
#pragma unroll
        for (unsigned j = 0; j < Count; ++j) {
            const detail::axis::window_position at = find(those[j]);
            are_counted[j] = at.inside && exists(j);
            counters[j] = are_counted[j] ? at.offset : 0;
            bins[j] = counters[j] * replicas;
        }
        numbers added[Count];
        numbers_of(
            windows, weights, are_counted, [&](unsigned j) { return slot(j, counters[j]); }, added);
        words::template add_to_shared<adds_zeros>(sums, plane, bins, added);
    }

    /// Adds the copies of a counter in shared memory to word `part` of its sums of all blocks. `slot()` is called only if that changes the word: an
    /// axis may be asked only about values of samples.
    template <class Slot>
    PARPRIMS_DEVICE void flush_word(const std::uint32_t* copies, std::uint32_t plane, unsigned replicas, unsigned start,
                                    unsigned part, Slot slot) const
    {
        const std::size_t extent = input.samples.axis.extent();
        if (const std::uint64_t sum = words::sum_of_copies(copies, plane, replicas, start, part); sum != 0)
            if (const std::size_t to = slot(); to < extent)
                simt::atomic_add(memory.sums + part * extent + to, sum);
    }

    /// Adds the sums of `counters` counters in shared memory to those of all blocks. A thread adds one word at a time; neighbouring threads take
    /// neighbouring counters.
    /// @tparam  Zeroes  the sums become zero
    template <bool Zeroes, class Slot>
    PARPRIMS_DEVICE void flush(simt::block block, std::uint32_t* sums, std::uint32_t plane, std::uint32_t counters,
                               unsigned replicas, Slot slot) const
    {
        const unsigned start = block.thread() * replicas / simt::warp_size;  // so that lanes read from different banks
        unsigned part = 0;
        for (std::uint32_t counter = block.thread();; counter += block.threads()) {
            for (; counter >= counters && part < words::global_words; counter -= counters)
                ++part;
            if (part == words::global_words)
                break;
            std::uint32_t* const copies = sums + counter * replicas;
            flush_word(copies, plane, replicas, start, part, [&] { return slot(counter); });
            if constexpr (Zeroes) {
                const auto read = words::words_of(part);
                for (unsigned w = read.first; w <= read.first + (read.are_two ? 1 : 0); ++w)
                    for (unsigned c = 0; c < replicas; ++c)
                        simt::store(copies + w * plane, (start + c) & (replicas - 1), 0u);
            }
        }
    }
};

/// Sums in shared memory, in `replicas` private copies side by side, as in histogram_shared_kernel. `Agreeing`: there are few copies, so a
/// lane first adds up equal samples that follow each other (slot_sum); where not all sums fit, a block has one of `windows` ranges of
/// counters.
template <class Weighted, unsigned Values, bool Agreeing>
struct weighted_shared_kernel : weighted_kernel_base<Weighted, Values> {
    using base = weighted_kernel_base<Weighted, Values>;
    using typename base::sample_type;
    using typename base::weight_type;
    using words = typename base::words;
    struct shared_storage {
        std::uint32_t looked;
        simt::shared_array<std::uint32_t> sums;
    };

    std::uint32_t window;  // counters of a block
    unsigned windows;      // the grid is a multiple of it; 1 unless Agreeing
    unsigned replicas;     // a power of two

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        this->input.resize(n);
        return smaller_of(this->input.blocks_at_most() * windows, blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto& samples = this->input.samples;
        const std::uint32_t first = Agreeing ? static_cast<std::uint32_t>(block.index() % windows) * window : 0;
        const std::uint32_t width = smaller_of(static_cast<std::uint32_t>(samples.counters()) - first, window);
        const unsigned sharing = Agreeing ? windows : 1;
        const std::uint32_t plane = window * replicas;
        std::uint32_t* const sums = shared.sums.data();

        // 1. Zero the private sums; find the digits that they hold.
        for (std::uint32_t i = block.thread(); i < words::shared_words * plane; i += block.threads())
            simt::store(sums, i, 0u);
        const auto digits = this->find_windows(block, &shared.looked, !Agreeing && base::adds_zeros);

        // 2. Add this block's share of the weights.
        const auto add_all = [&](auto find) {
            std::uint32_t* const replica = simt::kept_address(sums + (block.thread() & (replicas - 1)));
            const std::size_t thread = block.index() / sharing * block.threads() + block.thread();
            const std::size_t threads = block.count() / sharing * block.threads();
            if constexpr (Agreeing) {
                const auto add_one = [&](std::uint32_t counter, const words& sum) {
                    words::add_to_shared(replica, plane, {counter * replicas}, {sum});
                };
                slot_sum<std::uint32_t, words> last{};
                this->input.for_each(thread, threads, [&](const sample_type& sample, const weight_type& weight) {
                    const detail::axis::window_position at = find(sample);
                    if (at.inside)
                        last.add(at.offset,
                                 words::of(this->numbers_of(
                                     digits, weight,
                                     [&] { return samples.slot_of(std::size_t{first} + at.offset, sample); })),
                                 add_one);
                });
                add_one(last.slot, last.sum);
            } else {
                this->input.template for_each_group<weighted_together>(
                    thread, threads,
                    [&]<unsigned Count>(const sample_type(&those)[Count], const weight_type(&weights)[Count]) {
                        this->add_group(
                            digits, those, weights, find, [](unsigned) { return true; },
                            [&](unsigned j, std::uint32_t counter) { return samples.slot_of(counter, those[j]); },
                            replica, plane, replicas);
                    });
            }
        };
        if constexpr (Agreeing)
            samples.with_window(first, width, add_all);
        else
            samples.with_all(add_all);
        block.sync();

        // 3. Add the copies up, and the sums to those of all blocks.
        this->template flush<false>(block, sums, plane, width, replicas,
                                    [&](std::uint32_t counter) { return samples.slot_of(first + counter); });
    }
};

/// Sums in device memory, for more bins than the other placements hold.
template <class Weighted, unsigned Values>
struct weighted_global_kernel : weighted_kernel_base<Weighted, Values> {
    using base = weighted_kernel_base<Weighted, Values>;
    using typename base::sample_type;
    using typename base::weight_type;
    using words = typename base::words;
    struct shared_storage {
        std::uint32_t looked;
    };

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto& axis = this->input.samples.axis;
        const std::size_t extent = axis.extent();
        const bool may_wrap = this->input.samples.n >> 32 != 0;
        const auto digits = this->find_windows(block, &shared.looked);
        const auto add_one = [&](std::uint64_t slot, const words& values) {
            values.add_to_global(this->memory.sums + slot, extent, may_wrap);
        };
        slot_sum<std::uint64_t, words> last{};
        this->input.for_each(block.index() * block.threads() + block.thread(), block.count() * block.threads(),
                             [&](const sample_type& sample, const weight_type& weight) {
                                 const std::uint64_t slot = axis.slot(sample);
                                 if (slot >= extent)
                                     return;
                                 const auto added = this->numbers_of(digits, weight, [&] { return slot; });
                                 last.add(slot, words::of(added), add_one);
                             });
        add_one(last.slot, last.sum);
    }
};

}  // namespace parprims::detail::device
