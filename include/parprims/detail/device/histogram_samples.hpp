/// @file
/// @brief  The samples of a histogram, and how a grid walks over them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Samples, and the counter each of them belongs to. Samples of one byte are counted by value, whatever the axis, and
/// the axis is asked once for each of the 256 values.
template <class Input, class Axis>
struct histogram_samples {
    using value_type = typename Input::value_type;
    static constexpr bool by_byte = sizeof(value_type) == 1 && std::is_integral_v<value_type>;
    static constexpr bool has_packets =
        Input::is_pointer && 16 % sizeof(value_type) == 0 && alignof(value_type) == sizeof(value_type);
    static constexpr unsigned items = has_packets ? 16 / sizeof(value_type) : 1;  // of a packet
    using packet = simt::packet<16>;

    Input input;
    std::size_t n;
    Axis axis;

    /// Counters that a private copy has.
    PARPRIMS_HOST_DEVICE std::size_t counters() const { return by_byte ? 256 : axis.extent(); }

    /// The counter of a sample; `counters()` or more where it is not counted.
    PARPRIMS_DEVICE std::size_t counter_of(const value_type& sample) const
    {
        if constexpr (by_byte)
            return static_cast<unsigned char>(sample);
        else
            return axis.slot(sample);
    }

    /// The slot that a counter's samples belong to.
    PARPRIMS_DEVICE std::size_t slot_of(std::size_t counter) const
    {
        if constexpr (by_byte)
            return axis.slot(static_cast<value_type>(static_cast<unsigned char>(counter)));
        else
            return counter;
    }

    /// Calls `count(counter)` for every sample of `[begin, end)`, each once in the whole grid.
    template <class Count>
    PARPRIMS_DEVICE void for_each(simt::block block, std::size_t begin, std::size_t end, Count count) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        const std::size_t threads = block.count() * block.threads();
        if constexpr (!has_packets) {
            for (std::size_t i = begin + thread; i < end; i += threads)
                count(counter_of(input[i]));
        } else {
            // Samples have no order, so whatever the alignment, all but the ends is read 16 bytes at a time.
            const std::size_t head = unaligned(begin, end);
            const std::size_t body = (end - begin - head) / items;
            const auto* packets = reinterpret_cast<const packet*>(input.data + begin + head);
            constexpr unsigned batch = 4;  // loads in flight
            std::size_t i = thread;
            for (; i + (batch - 1) * threads < body; i += batch * threads) {
                packet words[batch];
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    words[b] = simt::load_streaming(packets + i + b * threads);
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    count_packet(words[b], count);
            }
            for (; i < body; i += threads)
                count_packet(simt::load_streaming(packets + i), count);

            const std::size_t tail = begin + head + body * items;
            if (thread < head)
                count(counter_of(input[begin + thread]));
            if (thread < end - tail)
                count(counter_of(input[tail + thread]));
        }
    }

private:
    /// Samples of `[begin, end)` before the first 16-byte boundary.
    PARPRIMS_DEVICE std::size_t unaligned(std::size_t begin, std::size_t end) const
    {
        const auto address = reinterpret_cast<std::uintptr_t>(input.data + begin);
        const std::size_t head = (16 - address % 16) % 16 / sizeof(value_type);
        return head < end - begin ? head : end - begin;
    }

    template <class Count>
    PARPRIMS_DEVICE void count_packet(const packet& words, Count& count) const
    {
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            count(counter_of(simt::element<value_type>(words, k)));
    }
};

}  // namespace parprims::detail::device
