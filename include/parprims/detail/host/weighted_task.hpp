/// @file
/// @brief  What one task of a weighted histogram on the host adds to: words for each bin, and the exact sums of bins with other weights.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/slots.hpp>
#include <parprims/detail/host/weighted_bins.hpp>
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::host {

/// The sums of one task. Aligned, so that tasks share no cache line.
template <class Window, bool HasSquares>
class alignas(128) task_sums {
public:
    using bin = word_sums<std::int64_t, Window::words, HasSquares>;
    using other_sums = exact_bin<typename Window::real, HasSquares>;

    /// Sets all sums to zero, for `extent` bins. `samples`: how many the task is likely to add.
    void prepare(std::size_t extent, std::size_t samples)
    {
        bins_.clear();
        places_.clear();
        others_.clear();
        added_ = 0;
        const std::size_t bytes = extent * sizeof(bin);
        extent_ = extent;
        tables_ = 16 * extent > samples ? 1 : bytes <= max_bytes_of_four ? 4 : bytes <= max_bytes_of_two ? 2 : 1;
        stride_ = extent + 1;  // one more for samples that are not counted
        bins_.resize(tables_ * stride_);
    }

    void add_to(bin_total<Window, HasSquares>& total, std::size_t slot) const
    {
        for (std::size_t t = 0; t < tables_; ++t)
            total.add(bins_[t * stride_ + slot]);
    }
    bool has_others() const { return others_.size() != 0; }
    /// The sums of the weights outside of the window; null if the bin has none.
    other_sums* others(std::size_t slot)
    {
        return places_.size() != 0 && places_[slot] != 0 ? &others_[places_[slot] - 1] : nullptr;
    }

    /// Adds the weights of the samples from `begin` to `end`.
    template <class Iterator, class Weights, class Axis>
    void add(const Iterator& first, const Weights& weights, std::size_t begin, std::size_t end, const Axis& axis,
             const Window& window)
    {
        std::uint32_t slots[weights_block];
        alignas(64) std::int64_t words[Window::words][weights_block];
        for (; begin < end; begin += weights_block) {
            const std::size_t n = smaller_of(weights_block, end - begin);
            if (added_ + n > most_added)
                empty_full_bins(window);
            added_ += n;
            host::find_slots(first, begin, n, axis, extent_, slots);
            host::split_weights(weights, begin, n, window, words, [&](std::size_t i, auto weight) {
                if (slots[i] < extent_)
                    others_of(slots[i]).add(weight);
            });
            bin* table[most_tables];
            for (std::size_t t = 0; t < most_tables; ++t)
                table[t] = bins_.data() + t % tables_ * stride_;
            const auto add_one = [&](bin* to, std::size_t i) {
                std::int64_t each[Window::words];
                for (int k = 0; k < Window::words; ++k)
                    each[k] = words[k][i];
                to[slots[i]].add(each);
            };
            std::size_t i = 0;
            for (; n - i >= step; i += step) {
                host::prefetch_samples<step>(first, begin + weights_block + i, end);
                host::prefetch_samples<step>(weights, begin + weights_block + i, end);
                [&]<std::size_t... Sample>(std::index_sequence<Sample...>) {
                    (add_one(table[Sample % most_tables], i + Sample), ...);
                }(std::make_index_sequence<step>());
            }
            for (; i < n; ++i)
                add_one(table[0], i);
        }
    }

private:
    other_sums& others_of(std::size_t slot)
    {
        places_.resize(extent_);
        if (places_[slot] == 0) {
            others_.push_back({});
            places_[slot] = static_cast<std::uint32_t>(others_.size());
        }
        return others_[places_[slot] - 1];
    }

    /// Moves the sums of bins with a sum of 2^62 and more, so that none overflows before the next call.
    void empty_full_bins(const Window& window)
    {
        added_ = 0;
        constexpr std::size_t group = 64;
        for (std::size_t begin = 0; begin < bins_.size(); begin += group) {
            const std::size_t end = smaller_of(begin + group, bins_.size());
            const auto is_full = [&](std::size_t from, std::size_t to) {
                std::uint64_t all = 0;
                for (std::size_t b = from; b < to; ++b)
                    for (const std::int64_t sum : bins_[b].sums)
                        all |= static_cast<std::uint64_t>(sum) + (std::uint64_t{1} << 62);
                return all >> 63 != 0;
            };
            if (!is_full(begin, end))
                continue;
            for (std::size_t b = begin; b < end; ++b)
                if (is_full(b, b + 1)) {
                    bin empty{};
                    if constexpr (HasSquares)
                        empty.count = bins_[b].count;  // stays where it is
                    bin_total<Window, HasSquares> total;
                    total.add(std::exchange(bins_[b], empty));
                    if (b % stride_ < extent_)
                        total.add_to(others_of(b % stride_), window.unit);
                }
        }
    }

    static constexpr std::size_t most_tables = 4;
    // Of a table, where there are four, so that they stay in the L1 cache; where there are two, in the L2 cache.
    static constexpr std::size_t max_bytes_of_four = 8 * 1024;
    static constexpr std::size_t max_bytes_of_two = 512 * 1024;
    static constexpr std::size_t step = 16;  // samples that are added without a branch
    static constexpr std::size_t most_added = std::size_t{1} << (62 - word_bits);  // before empty_full_bins

    std::size_t extent_ = 0;
    std::size_t tables_ = 1;
    std::size_t stride_ = 0;
    std::size_t added_ = 0;
    sequence<bin>
        bins_;  // tables, which consecutive samples are added to in turn: equal ones do not wait for each other
    sequence<std::uint32_t> places_;  // of slots in `others_`, from 1 on; empty if there are none
    sequence<other_sums> others_;
};

}  // namespace parprims::detail::host
