/// @file
/// @brief  The kernels of weighted histograms: sums in shared memory or in device memory, and the kernel that converts them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/plan.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/scale.hpp>
#include <parprims/detail/device/weighted/sum_words.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace parprims::detail::device {

/// Adds the weights of a grid's samples: those counters that a block has in shared memory, or all in device memory.
template <class Weighted, unsigned Values>
struct weighted_kernel_base {
    static constexpr unsigned max_threads = 1024;
    using sample_type = typename Weighted::sample_type;
    using weight_type = typename Weighted::weight_type;
    using real = typename weight_traits<weight_type>::real;
    using words = bin_words<weight_type, Values>;
    using integers = weight_integers<weight_type, Values>;
    using scale_type = typename integers::scale;

    Weighted input;
    weighted_launch launch;

    /// Calls `add(scale, limit)` if this launch has to add. Weights above the limit are too large for the scale.
    template <class Add>
    PARPRIMS_DEVICE void with_scale(simt::block block, std::uint32_t* peak, Add add) const
    {
        if (launch.repeats) {
            if (must_repeat<weight_type>(launch.peaks))
                with_key(deciding_key<weight_type>(launch.peaks), add);
        } else {
            const std::uint32_t key = first_key(block, peak);
            if (!launch.has_agreed_key && block.index() == 0 && block.thread() == 0)
                simt::store(&launch.peaks->guessed, key);
            with_key(key, add);
        }
    }

    /// The key that decides the scale: the one that the ranks of a group agreed on, that of the caller's bound, or this
    /// GPU's guess. Sets `*peak` to that guess, otherwise to 0. Ends with a barrier.
    PARPRIMS_DEVICE std::uint32_t first_key(simt::block block, std::uint32_t* peak) const
    {
        if (!launch.is_bounded && !launch.has_agreed_key)
            return device::guess_key(block, peak, input.weights, input.samples.n);
        if (block.thread() == 0)
            simt::store(peak, 0u);
        block.sync();
        return launch.has_agreed_key ? simt::load(&launch.peaks->guessed)
                                     : numeric::magnitude_key(static_cast<real>(launch.bound));
    }

    /// Calls `add(scale, limit)` for the largest weight with this key.
    template <class Add>
    PARPRIMS_DEVICE void with_key(std::uint32_t key, Add& add) const
    {
        const int exponent = weight_traits<weight_type>::exponent(key);
        const bool has_limit = exponent < std::numeric_limits<real>::max_exponent;
        add(scale_type(exponent, launch.bits), launch.is_bounded ? static_cast<real>(launch.bound)
                                               : has_limit       ? static_cast<real>(numeric::power_of_two(exponent))
                                                                 : numeric::largest_of<real>);
    }

    /// Takes a weight that the scale has no room for: flags an infinity or a NaN in `slot`, records a larger one in `largest`.
    /// A weight above the caller's bound counts as a NaN.
    PARPRIMS_DEVICE void take_other(std::size_t slot, const weight_type& weight, std::uint32_t& largest) const
    {
        const real number = weight_traits<weight_type>::convert(weight);
        const bool is_finite = numeric::is_finite(number);
        if (is_finite && !launch.is_bounded) {
            largest = larger_of(largest, numeric::magnitude_key(number));
        } else if (slot < input.samples.axis.extent()) {
            const std::uint32_t bit = is_finite ? special::nan : special::of(number);
            if ((simt::atomic_load(launch.flags + slot) & bit) == 0)  // read first: a bin may have many
                simt::atomic_or(launch.flags + slot, bit);
        }
    }

    /// Adds multiples of 2^32 to two sums of a counter in device memory.
    PARPRIMS_DEVICE void spill(std::size_t counter, std::int32_t high0, std::int32_t high1) const
    {
        const std::size_t extent = input.samples.axis.extent();
        const std::size_t slot = input.samples.slot_of(counter);
        if (slot >= extent)
            return;
        simt::atomic_add(launch.sums + slot, static_cast<std::uint64_t>(std::int64_t{high0}) << 32);
        simt::atomic_add(launch.sums + extent + slot, static_cast<std::uint64_t>(std::int64_t{high1}) << 32);
    }

    /// Adds the sums of a counter in shared memory to those of all blocks.
    PARPRIMS_DEVICE void flush_counter(const std::uint32_t* sums, std::uint32_t plane, unsigned replicas,
                                       unsigned start, std::size_t counter) const
    {
        const std::size_t extent = input.samples.axis.extent();
        words::load_shared(sums, plane, replicas, start, [&](auto sum, auto value, unsigned before) {
            if (value == 0)  // the axis is asked about values of samples only
                return;
            const std::size_t slot = input.samples.slot_of(counter);
            if (slot < extent)
                sum.add_global(launch.sums + before * extent + slot, extent, value, false);
        });
    }

    /// Stores the largest weight above the guess for the next launch.
    PARPRIMS_DEVICE void publish(simt::block block, std::uint32_t* peak) const
    {
        if (!launch.repeats && block.thread() == 0)
            simt::atomic_max(&launch.peaks->found, simt::load(peak));
    }
};

/// Sums in shared memory, in `replicas` private copies side by side, as in histogram_shared_kernel. Where not all fit, a block has
/// one of `windows` ranges of counters. `Agreeing`: there are few copies, so a lane first adds up equal samples that follow each
/// other (slot_sum).
template <class Weighted, unsigned Values, bool Windowed, bool Agreeing>
struct weighted_shared_kernel : weighted_kernel_base<Weighted, Values> {
    using base = weighted_kernel_base<Weighted, Values>;
    using typename base::integers;
    using typename base::real;
    using typename base::sample_type;
    using typename base::weight_type;
    using words = typename base::words;
    struct shared_storage {
        simt::shared_array<std::uint32_t> memory;  // the largest weight; from weighted_header_words on, the sums
    };

    std::uint32_t window;  // counters of a block
    unsigned windows;      // the grid is a multiple of it
    unsigned replicas;     // a power of two

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const peak = shared.memory.data();
        this->with_scale(block, peak, [&](const auto& scale, real limit) {
            add(block, peak, peak + weighted_header_words, scale, limit);
        });
    }

private:
    template <class Scale>
    PARPRIMS_DEVICE void add(simt::block block, std::uint32_t* peak, std::uint32_t* sums, const Scale& scale,
                             real limit) const
    {
        const auto& samples = this->input.samples;
        const std::uint32_t first = Windowed ? static_cast<std::uint32_t>(block.index() % windows) * window : 0;
        const std::uint32_t width = smaller_of(static_cast<std::uint32_t>(samples.counters()) - first, window);
        const unsigned sharing = Windowed ? windows : 1;
        const std::uint32_t plane = window * replicas;

        // 1. Zero the private sums.
        for (std::uint32_t i = block.thread(); i < words::shared_words * plane; i += block.threads())
            simt::store(sums, i, 0u);
        block.sync();

        // 2. Add this block's share of the weights. A sample that the block does not count is dropped.
        std::uint32_t largest = 0;
        const auto add_all = [&](auto find) {
            // 2^28 floats in 256 bins on an H200 (CUDA 13.0, 220ca57): weighted_sum 600 us, profile 625; without kept_address
            // 789 and 664.
            std::uint32_t* const replica = simt::kept_address(sums + (block.thread() & (replicas - 1)));
            const auto add_one = [&](std::uint32_t counter, const auto& values) {
                if (counter != dropped)
                    words::add_shared(replica + counter * replicas, plane, values,
                                      [&](std::int32_t high0, std::int32_t high1) {
                                          this->spill(first + counter, high0, high1);
                                      });
            };
            [[maybe_unused]] slot_sum<std::uint32_t, integers> last{dropped, {}};
            this->input.for_each(
                block.index() / sharing * block.threads() + block.thread(), block.count() / sharing * block.threads(),
                [&](const sample_type& sample, const weight_type& weight) {
                    const std::uint32_t counter = counter_of(find(sample));
                    real number = weight_traits<weight_type>::convert(weight);
                    if (!(numeric::magnitude(number) <= limit)) {
                        this->take_other(counter != dropped ? slot_of(counter, first, sample) : no_slot, weight,
                                         largest);
                        number = 0;
                    }
                    const integers added = integers::of(scale, number);
                    if constexpr (Agreeing)
                        last.add(counter, added, add_one);
                    else
                        add_one(counter, added.values);
                });
            if constexpr (Agreeing)
                add_one(last.slot, last.sum.values);
        };
        if constexpr (Windowed)
            samples.with_window(first, width, add_all);
        else
            samples.with_all(add_all);
        raise_peak(block, peak, largest);
        block.sync();

        // 3. Add the copies up, and the sums to those of all blocks.
        this->publish(block, peak);
        for (std::uint32_t i = block.thread(); i < width; i += block.threads())
            this->flush_counter(sums + i * replicas, plane, replicas, block.thread(), first + i);
    }

    static constexpr std::uint32_t dropped = ~0u;
    static constexpr std::size_t no_slot = ~std::size_t{0};

    PARPRIMS_DEVICE static std::uint32_t counter_of(std::uint32_t counter) { return counter; }
    PARPRIMS_DEVICE static std::uint32_t counter_of(detail::axis::window_position position)
    {
        return position.inside ? position.offset : dropped;
    }

    PARPRIMS_DEVICE std::size_t slot_of(std::uint32_t counter, std::uint32_t first, const sample_type& sample) const
    {
        if constexpr (Weighted::counts_by_byte)
            return this->input.samples.axis.slot(sample);
        else
            return std::size_t{first} + counter;
    }
};

/// Sums in device memory, for more bins than the other placements hold.
template <class Weighted, unsigned Values>
struct weighted_global_kernel : weighted_kernel_base<Weighted, Values> {
    using base = weighted_kernel_base<Weighted, Values>;
    using typename base::integers;
    using typename base::real;
    using typename base::sample_type;
    using typename base::weight_type;
    using words = typename base::words;
    struct shared_storage {
        std::uint32_t peak;
    };

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        this->with_scale(block, &shared.peak,
                         [&](const auto& scale, real limit) { add(block, &shared.peak, scale, limit); });
    }

private:
    template <class Scale>
    PARPRIMS_DEVICE void add(simt::block block, std::uint32_t* peak, const Scale& scale, real limit) const
    {
        const auto& axis = this->input.samples.axis;
        const std::size_t extent = axis.extent();
        const std::uint64_t dropped = extent;
        const bool may_wrap = this->input.samples.n >> 32 != 0;
        block.sync();  // all have read the guess
        std::uint32_t largest = 0;
        const auto add_one = [&](std::uint64_t slot, const auto& values) {
            if (slot != dropped)
                words::for_each_sum([&](unsigned v, auto sum, unsigned, unsigned before) {
                    sum.add_global(this->launch.sums + before * extent + slot, extent,
                                   static_cast<typename decltype(sum)::integer>(values[v]), may_wrap);
                });
        };
        slot_sum<std::uint64_t, integers> last{dropped, {}};
        this->input.for_each(block.index() * block.threads() + block.thread(), block.count() * block.threads(),
                             [&](const sample_type& sample, const weight_type& weight) {
                                 const std::uint64_t slot = smaller_of<std::uint64_t>(axis.slot(sample), dropped);
                                 real number = weight_traits<weight_type>::convert(weight);
                                 if (!(numeric::magnitude(number) <= limit)) {
                                     this->take_other(slot, weight, largest);
                                     number = 0;
                                 }
                                 last.add(slot, integers::of(scale, number), add_one);
                             });
        add_one(last.slot, last.sum.values);
        raise_peak(block, peak, largest);
        block.sync();
        this->publish(block, peak);
    }
};

/// The integer sums of all slots, as the launches that add left them.
template <class W, unsigned Values>
struct weighted_totals {
    const weight_peaks* peaks;
    const std::uint32_t* flags;
    const std::uint64_t* sums;           // of the first launch
    const std::uint64_t* repeated_sums;  // of the second one
    std::size_t extent;

    /// For all threads of a grid: calls `use(slot, integers, flags, exponent)`.
    template <class Use>
    PARPRIMS_DEVICE void for_each(simt::block block, Use use) const
    {
        const int exponent = weight_traits<W>::exponent(deciding_key<W>(peaks));
        const bool is_repeated = exponent != weight_traits<W>::exponent(simt::load(&peaks->guessed));
        const std::uint64_t* const source = is_repeated ? repeated_sums : sums;
        for (std::size_t slot = block.index() * block.threads() + block.thread(); slot < extent;
             slot += block.count() * block.threads()) {
            numeric::int128 integers[Values];
            bin_words<W, Values>::for_each_sum([&](unsigned v, auto sum, unsigned, unsigned before) {
                integers[v] = sum.load_global(source + before * extent + slot, extent);
            });
            use(slot, integers, simt::load(flags, slot), exponent);
        }
    }
};

/// Converts the integer sums to the caller's type.
template <class W, class Sum>
struct weighted_finish_kernel {
    static constexpr unsigned max_threads = weighted_finish_threads;
    struct shared_storage {};

    weighted_totals<W, sum_traits<Sum>::values> totals;
    int bits;
    Sum* output;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        totals.for_each(block,
                        [&](std::size_t slot, const numeric::int128* integers, std::uint32_t flags, int exponent) {
                            simt::store(output, slot, finished_sum<W, Sum>(integers, flags, exponent, bits));
                        });
    }
};

}  // namespace parprims::detail::device
